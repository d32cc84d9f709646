"""The overlay as a graph, against a slow and plain one."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.vocabulary.overlay import Overlay
from tidings.vocabulary.streams import Streams


@st.composite
def overlays(draw):
    """Up to nine brokers in any order, any links, delays with many ties and zeros."""
    count = draw(st.integers(1, 9))
    names = tuple(draw(st.permutations([f"n{place}" for place in range(count)])))
    possible = list(itertools.combinations(sorted(names), 2))
    chosen = draw(st.lists(st.sampled_from(possible), unique=True)) if possible else []
    links = tuple(pair if draw(st.booleans()) else pair[::-1] for pair in chosen)
    delays = draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.5]), min_size=len(links), max_size=len(links)))
    return Overlay(names, links, tuple(delays))


def all_distances(overlay):
    """Floyd and Warshall's three loops: distance by pair, for the pairs that have a way."""
    far = {(name, name): 0.0 for name in overlay.brokers}
    for (one, other), delay in zip(overlay.links, overlay.delays_ns, strict=True):
        far[one, other] = far[other, one] = delay
    for middle, start, end in itertools.product(overlay.brokers, repeat=3):
        if (start, middle) in far and (middle, end) in far:
            over = far[start, middle] + far[middle, end]
            far[start, end] = min(far.get((start, end), math.inf), over)
    return far


@given(overlays())
def test_neighbours_are_in_the_order_of_brokers(overlay):
    """Whatever the order of the links."""
    linked = {frozenset(link) for link in overlay.links}
    for broker in overlay.brokers:
        assert overlay.neighbours(broker) == tuple(name for name in overlay.brokers if {broker, name} in linked)


@given(overlays())
def test_delays_are_symmetric(overlay):
    """Both directions of a link, and none where there is no link."""
    for (one, other), delay in zip(overlay.links, overlay.delays_ns, strict=True):
        assert overlay.delay_ns(one, other) == overlay.delay_ns(other, one) == delay
    with pytest.raises(KeyError):
        overlay.delay_ns(overlay.brokers[0], overlay.brokers[0])


@given(overlays())
def test_components_are_what_can_be_reached(overlay):
    """Each in the order of the brokers, ordered by their first."""
    far = all_distances(overlay)
    around = [tuple(name for name in overlay.brokers if (broker, name) in far) for broker in overlay.brokers]
    assert overlay.components() == tuple(dict.fromkeys(around))


@given(overlays())
def test_trees_are_recognised(overlay):
    """Connected, and without any link no more."""
    whole = len(all_distances(overlay)) == len(overlay.brokers) ** 2
    needed = [
        len(all_distances(Overlay(overlay.brokers, rest, (0.0,) * len(rest)))) < len(overlay.brokers) ** 2
        for rest in itertools.combinations(overlay.links, max(0, len(overlay.links) - 1))
    ]
    assert overlay.is_connected == whole
    assert overlay.is_tree == (whole and (not overlay.links or all(needed)))


@given(overlays(), st.integers(0, 8))
def test_distances_are_the_shortest(overlay, pick):
    """Quick, bulk and slow agree, unreachable brokers included, nearest first."""
    source = overlay.brokers[pick % len(overlay.brokers)]
    far = all_distances(overlay)
    plain = overlay.distances_from(source)
    assert plain == {name: far[source, name] for name in overlay.brokers if (source, name) in far}
    assert list(plain.values()) == sorted(plain.values())
    bulk = overlay.distance_matrix([source])
    assert bulk.tolist() == [[plain.get(name, math.inf) for name in overlay.brokers]]


@given(overlays(), st.integers(0, 8))
def test_ties_have_one_answer(overlay, pick):
    """Among all shortest ways: fewest hops, then the first parent that such a way can come through."""
    source = overlay.brokers[pick % len(overlay.brokers)]
    distances, parents = overlay.shortest_from(source)
    hops = {source: 0}
    for name in list(distances)[1:]:
        hops[name] = hops[parents[name]] + 1
    assert parents[source] is None
    assert set(parents) == set(distances)
    for name in list(distances)[1:]:
        offers = [
            (distances[parent] + overlay.delay_ns(parent, name), hops[parent] + 1, overlay.brokers.index(parent))
            for parent in overlay.neighbours(name)
        ]
        assert min(offers) == (distances[name], hops[name], overlay.brokers.index(parents[name]))


@given(overlays(), st.randoms(use_true_random=False))
def test_order_of_links_does_not_matter(overlay, random):
    """Only the order of the brokers does."""
    order = list(range(len(overlay.links)))
    random.shuffle(order)
    links = tuple(overlay.links[place][::-1] for place in order)
    other = Overlay(overlay.brokers, links, tuple(overlay.delays_ns[place] for place in order))
    for broker in overlay.brokers:
        assert other.neighbours(broker) == overlay.neighbours(broker)
        assert list(other.shortest_from(broker)[1].items()) == list(overlay.shortest_from(broker)[1].items())


def test_fewer_hops_win():
    """Of two ways of the same length the direct one is taken."""
    overlay = Overlay(("a", "b", "c"), (("a", "b"), ("b", "c"), ("a", "c")), (1.0, 1.0, 2.0))
    assert overlay.shortest_from("a")[1] == {"a": None, "b": "a", "c": "a"}


def test_all_rows_at_once():
    """Without sources every broker has a row; without any there is an empty table."""
    overlay = Overlay(("a", "b", "c"), (("a", "b"),), (2.0,))
    assert overlay.distance_matrix().tolist() == [[0, 2, math.inf], [2, 0, math.inf], [math.inf, math.inf, 0]]
    assert overlay.distance_matrix([]).shape == (0, 3)


def test_links_without_delay_are_links():
    """Also in the sparse matrix, where a zero could mean nothing."""
    overlay = Overlay(("a", "b", "c"), (("a", "b"), ("b", "c")), (0.0, 0.0))
    assert overlay.distance_matrix(["a"]).tolist() == [[0.0, 0.0, 0.0]]
    assert overlay.distances_from("a") == {"a": 0.0, "b": 0.0, "c": 0.0}


def test_an_overlay_without_brokers():
    """It has no parts, thus is not connected."""
    empty = Overlay((), (), ())
    assert empty.components() == ()
    assert not empty.is_connected
    assert not empty.is_tree
    assert empty.distance_matrix().shape == (0, 0)


def test_large_overlays():
    """Ten thousand brokers and a hundred thousand links: plain and bulk agree."""
    count = 10_000
    generator = Streams(5)("large")
    names = tuple(f"b{place}" for place in range(count))
    ends = generator.integers(count, size=(110_000, 2))
    pairs = list(dict.fromkeys((min(a, b), max(a, b)) for a, b in ends.tolist() if a != b))[:100_000]
    delays = np.rint(generator.random(len(pairs)) * 1e8).tolist()
    overlay = Overlay(names, tuple((names[a], names[b]) for a, b in pairs), tuple(delays))
    assert len(overlay.links) == 100_000
    plain = overlay.distances_from("b17")
    assert overlay.distance_matrix(["b17"])[0].tolist() == [plain[name] for name in names]


@pytest.mark.parametrize(
    ("brokers", "links", "delays", "problem"),
    [
        (("a", "b", "a"), (), (), "broker a is there twice"),
        (("a", "b"), (("a", "c"),), (1.0,), "link a – c names c, which is no broker"),
        (("a", "b"), (("a", "a"),), (1.0,), "link a – a joins a broker to itself"),
        (("a", "b"), (("a", "b"), ("b", "a")), (1.0, 1.0), "link b – a is there twice"),
        (("a", "b"), (("a", "b"),), (), "1 links need as many delays, not 0"),
        (("a", "b"), (("a", "b"),), (-1.0,), "the delay -1.0; it must be finite and not negative"),
        (("a", "b"), (("a", "b"),), (math.nan,), "the delay nan"),
        (("a", "b"), (("a", "b"),), (math.inf,), "the delay inf"),
    ],
)
def test_impossible_overlays_are_refused(brokers, links, delays, problem):
    """With the link or broker that is wrong."""
    with pytest.raises(ValueError, match=problem):
        Overlay(brokers, links, delays)


def test_strangers_are_not_found():
    """A name that is no broker is a KeyError."""
    overlay = Overlay(("a",), (), ())
    for ask in (overlay.neighbours, overlay.distances_from):
        with pytest.raises(KeyError):
            ask("z")


def test_ways_lead_there_over_links_and_are_as_long_as_the_distance():
    """From the broker itself on, to all that can be reached."""
    overlay = Overlay(tuple("abcde"), (("a", "b"), ("b", "c"), ("a", "c"), ("d", "e")), (1.0, 1.0, 3.0, 1.0))
    ways = overlay.ways_from("a")
    assert ways == {"a": ("a",), "b": ("a", "b"), "c": ("a", "b", "c")}
    lengths = {name: sum(overlay.delay_ns(*step) for step in itertools.pairwise(way)) for name, way in ways.items()}
    assert lengths == overlay.distances_from("a")
