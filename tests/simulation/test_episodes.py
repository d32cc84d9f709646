"""The schedule of what lasts: deterministic, in order, within its bounds, never contradictory; shapes of partitions."""

import itertools

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.simulation.episodes import Episode, cut_intervals, schedule
from tidings.simulation.faults import SHAPES, Faults, Spells, swarm
from tidings.vocabulary.instant import MILLISECOND, SECOND
from tidings.vocabulary.streams import Streams

BROKERS = tuple(f"b{index}" for index in range(6))
RING = (*((BROKERS[index], BROKERS[(index + 1) % 6]) for index in range(6)), ("b0", "b3"))
MESH = tuple(itertools.combinations(BROKERS, 2))
OFTEN = Spells(every_ns=100 * MILLISECOND, lasting_ns=50 * MILLISECOND)
ALL = Faults(crashes=OFTEN, pauses=OFTEN, flaps=OFTEN, partitions=OFTEN, quiet=0.25)


def drawn(faults, seed=1, *, links=RING, brokers=BROKERS, duration_ns=10 * SECOND):
    """The schedule of one seed."""
    generator = Streams(seed)("episodes")
    return schedule(faults, brokers=brokers, links=links, duration_ns=duration_ns, generator=generator)


def spans(episodes, kind, components=None):
    """The intervals of one kind, of one component where it is given."""
    return [(one.start_ns, one.end_ns) for one in episodes if one.kind == kind and components in (None, one.components)]


def apart(intervals):
    """True when no two of them overlap."""
    ordered = sorted(intervals)
    return all(before[1] <= after[0] for before, after in itertools.pairwise(ordered))


def partition(shape, seed=1, links=MESH):
    """The episodes of a run with partitions of one shape."""
    return [one for one in drawn(Faults(partitions=OFTEN, shapes=(shape,)), seed, links=links) if one.kind == shape]


def test_nothing_asked_nothing_drawn():
    """The neutral options give an empty schedule."""
    assert drawn(Faults.none()) == ()


def test_a_schedule_repeats():
    """The same seed, the same episodes; another seed, others."""
    assert drawn(ALL) == drawn(ALL)
    assert drawn(ALL) != drawn(ALL, seed=2)


def test_one_kind_does_not_reshuffle_another():
    """Without flaps the crashes and partitions are the same: a failing seed can be made smaller."""
    less = Faults(crashes=OFTEN, partitions=OFTEN, quiet=0.25)
    for kind in ("quiet", "crash", *SHAPES):
        assert spans(drawn(less), kind) == spans(drawn(ALL), kind)


@given(st.integers(0, 10**6))
def test_every_schedule_of_a_swarm_is_in_order_and_consistent(seed):
    """Ascending, not empty, within the duration, and no component in two states at once."""
    faults = swarm(Streams(seed)("swarm"), scale_ns=200 * MILLISECOND)
    duration = 2 * SECOND
    episodes = drawn(faults, seed, duration_ns=duration)
    assert list(episodes) == sorted(episodes, key=lambda one: one.start_ns)
    assert all(0 <= one.start_ns < one.end_ns <= duration for one in episodes)
    for broker in BROKERS:
        assert apart(spans(episodes, "crash", (broker,)) + spans(episodes, "pause", (broker,)))
    for link in RING:
        assert apart(spans(episodes, "flap", link))
    assert apart([span for shape in SHAPES[:-1] for span in spans(episodes, shape)])
    quiet = spans(episodes, "quiet")
    for one in episodes:
        assert one.kind == "quiet" or all(one.end_ns <= start or end <= one.start_ns for start, end in quiet)


@pytest.mark.parametrize(("share", "slots"), [(0.0, 0), (0.25, 4), (1.0, 16)])
def test_quiet_takes_its_share_of_the_time(share, slots):
    """Exactly, in sixteenths; all of it quiet leaves nothing else."""
    duration = 16 * SECOND
    episodes = drawn(Faults(quiet=share, crashes=OFTEN), duration_ns=duration)
    assert sum(end - start for start, end in spans(episodes, "quiet")) == slots * SECOND
    assert (spans(episodes, "crash") == []) == (share == 1.0)


def test_crashes_come_as_often_and_last_as_long_as_asked():
    """Number and total downtime of an alternating process, within five standard errors or so."""
    faults = Faults(crashes=Spells(every_ns=90 * MILLISECOND, lasting_ns=10 * MILLISECOND))
    found = spans(drawn(faults, duration_ns=100 * SECOND), "crash")
    # Six brokers for 1,000 cycles of 100 ms each; the number of cycles has a relative deviation below 1/sqrt(6000).
    assert abs(len(found) - 6000) < 5 * 6000**0.5
    assert abs(sum(end - start for start, end in found) / SECOND - 60) < 5 * 10e-3 * (2 * 6000) ** 0.5


def test_a_flap_cuts_both_directions():
    """Of its own link only."""
    episodes = [one for one in drawn(Faults(flaps=OFTEN)) if one.kind == "flap"]
    assert {one.components for one in episodes} == set(RING)
    for one in episodes:
        a, b = one.components
        assert one.cut == tuple(sorted([(a, b), (b, a)]))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_occurs_and_cuts_links_that_exist(shape):
    """Sorted, known links, never none."""
    known = {*RING, *((b, a) for a, b in RING)}
    episodes = partition(shape, links=RING)
    assert len(episodes) > 10
    for one in episodes:
        assert one.cut
        assert list(one.cut) == sorted(set(one.cut) & known)


def remaining(cut, links=MESH):
    """The directed graph of what still gets through."""
    graph = nx.DiGraph()
    graph.add_nodes_from(BROKERS)
    graph.add_edges_from(link for a, b in links for link in ((a, b), (b, a)) if link not in cut)
    return graph


def test_a_symmetric_partition_leaves_two_islands():
    """Each whole in itself, nothing between them."""
    for one in partition("symmetric"):
        islands = list(nx.strongly_connected_components(remaining(one.cut)))
        assert len(islands) == 2
        assert set(one.components) in islands


def test_an_asymmetric_partition_cuts_one_direction():
    """The components named are not heard by the others, whom they hear."""
    for one in partition("asymmetric"):
        graph, side = remaining(one.cut), set(one.components)
        others = set(BROKERS) - side
        assert all(not graph.has_edge(a, b) and graph.has_edge(b, a) for a in side for b in others)


def test_an_isolated_broker_is_alone():
    """The others can all speak to each other."""
    for one in partition("isolate"):
        (alone,) = one.components
        assert sorted(len(island) for island in nx.strongly_connected_components(remaining(one.cut))) == [1, 5]
        assert remaining(one.cut).degree(alone) == 0


def test_a_bridge_holds_two_halves_together():
    """Without it there are two islands, with it one."""
    for one in partition("bridge"):
        graph = remaining(one.cut)
        assert nx.is_strongly_connected(graph)
        graph.remove_nodes_from(one.components)
        assert nx.number_strongly_connected_components(graph) == 2


def test_a_swizzle_clogs_brokers_one_after_the_other():
    """Within one partition: staggered starts, staggered ends, in orders that differ."""
    episodes = partition("swizzle")
    for one in episodes:
        assert remaining(one.cut).degree(one.components[0]) == 0
    overlapping = [
        (a, b) for a, b in itertools.combinations(episodes, 2) if a.start_ns < b.start_ns and b.start_ns < a.end_ns
    ]
    assert any(a.end_ns > b.end_ns for a, b in overlapping)
    assert any(a.end_ns < b.end_ns for a, b in overlapping)


def test_a_partition_that_would_cut_nothing_is_left_out():
    """The middle of a star is a bridge whatever happens: an episode there would count what never was."""
    star = (("b0", "b1"), ("b0", "b2"))
    faults = Faults(partitions=OFTEN, shapes=("bridge",))
    for one in drawn(faults, links=star, brokers=("b0", "b1", "b2")):
        assert one.components != ("b0",)
        assert one.cut


def test_a_world_without_links_has_no_partitions():
    """A lone broker can only crash and pause."""
    kinds = {one.kind for one in drawn(ALL, links=(), brokers=("b0",))}
    assert kinds == {"quiet", "crash", "pause"}


def test_two_brokers_can_be_parted_in_every_shape_but_one():
    """No bridge without a third."""
    kinds = {one.kind for seed in range(5) for one in drawn(ALL, seed, links=(("b0", "b1"),), brokers=("b0", "b1"))}
    assert kinds == {"quiet", "crash", "pause", "flap", "symmetric", "asymmetric", "isolate", "swizzle"}


def test_cut_intervals_are_the_union():
    """A link is open only when nothing cuts it, however many do."""
    ab, ba = ("a", "b"), ("b", "a")
    episodes = [
        Episode(start_ns=0, end_ns=10, kind="flap", components=ab, cut=(ab, ba)),
        Episode(start_ns=5, end_ns=20, kind="asymmetric", components=("a",), cut=(ab,)),
        Episode(start_ns=20, end_ns=21, kind="isolate", components=("a",), cut=(ab,)),
        Episode(start_ns=30, end_ns=31, kind="flap", components=ab, cut=(ab, ba)),
        Episode(start_ns=40, end_ns=50, kind="crash", components=("a",)),
    ]
    assert cut_intervals(episodes) == {ab: [(0, 21), (30, 31)], ba: [(0, 10), (30, 31)]}
    assert cut_intervals([]) == {}


def test_cut_intervals_agree_with_asking_every_episode():
    """A dumb twin: at random instants, is the link in the cut of any episode?"""
    episodes = drawn(ALL)
    cuts = cut_intervals(episodes)
    instants = Streams(1)("instants").integers(0, 10 * SECOND, 300).tolist()
    for a, b in RING:
        for link in ((a, b), (b, a)):
            for now in instants:
                dumb = any(one.start_ns <= now < one.end_ns and link in one.cut for one in episodes)
                assert dumb == any(start <= now < end for start, end in cuts.get(link, []))
