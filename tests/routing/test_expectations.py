"""The recursion <d, r>: against plain iteration and asynchronous spreading on random graphs with cycles."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidings.routing.expectations import expect, lattice, shortest_delays
from tidings.routing.link_quality import LinkQuality
from tidings.routing.sending_list import NEVER, Offer, best_order, expectation

GOAL = 0


@st.composite
def nets(draw, least_ratio=0.7):
    """Up to eight brokers on a ring (so there are cycles) with chords, each direction with a quality of its own."""
    count = draw(st.integers(3, 8))
    ring = [(place, (place + 1) % count) for place in range(count)]
    chords = draw(st.lists(st.sampled_from(list(itertools.combinations(range(count), 2))), unique=True, max_size=8))
    links = {}
    for one, other in [*ring, *chords]:
        for way in ((one, other), (other, one)):
            links[way] = LinkQuality(float(draw(st.integers(10, 50))) * 1e6, draw(st.floats(least_ratio, 1.0)))
    names = [f"b{place}" for place in range(count)]
    return names, {(names[one], names[other]): quality for (one, other), quality in links.items()}


def neighbours_of(names, links, name):
    """In the order of the brokers."""
    return [other for other in names if (name, other) in links]


def step(names, links, known, name, keeps):
    """One broker computes its own <d, r> from what its neighbours said, as Algorithm 1 does."""
    offers, listed = [], []
    for other in neighbours_of(names, links, name):
        if known[other].ratio > 0 and keeps(name, other, known[other]):
            quality = links[name, other]
            offers.append(Offer(quality.delay_ns + known[other].delay_ns, quality.ratio * known[other].ratio))
            listed.append(other)
    order = best_order(offers)
    return expectation([offers[place] for place in order]), [listed[place] for place in order]


def spread(names, links, keeps, pick):
    """The paper's spreading, one broker at a time in the order of `pick`, until nobody changes by much."""
    known = dict.fromkeys(names, NEVER) | {names[GOAL]: Offer(0.0, 1.0)}
    still = 0
    for _ in range(20_000):
        name = pick()
        if name == names[GOAL]:
            continue
        new, _ = step(names, links, known, name, keeps)
        same = new.ratio - known[name].ratio < 1e-13 and abs(new.delay_ns - known[name].delay_ns) < 1e-3
        still = still + 1 if new == known[name] or (new.ratio > 0 and same) else 0
        known[name] = new
        if still > 10 * len(names):
            return known
    return None


def everybody(_name, _other, _known):
    """No deadline."""
    return True


@settings(max_examples=60, deadline=None)
@given(nets(), st.integers(0, 2**32))
def test_spreading_in_any_order_comes_to_the_same_expectations(net, seed):
    """Without a deadline: whichever broker computes next, what all know in the end is what `expect` says."""
    names, links = net
    order = np.random.default_rng(seed)
    known = spread(names, links, everybody, lambda: names[order.integers(len(names))])
    one = expect(lattice(names, links), [GOAL], np.full((1, len(names)), np.inf))
    assert known is not None
    for place, name in enumerate(names):
        assert one.ratios[0, place] == pytest.approx(known[name].ratio, abs=1e-9)
        assert one.delays_ns[0, place] == pytest.approx(known[name].delay_ns, rel=1e-6, abs=10)


@settings(max_examples=100, deadline=None)
@given(nets(least_ratio=0.05), st.floats(1.0, 6.0))
def test_it_ends_in_a_fixed_point_of_the_lists_that_it_keeps(net, factor):
    """With deadlines and bad links too: d and r follow from those of the listed neighbours, in the listed order."""
    names, links = net
    grid = lattice(names, links)
    left = left_of(grid, len(names) - 1, factor)
    one = expect(grid, [GOAL], left)
    bound = 1.0 + 2 * sum(quality.delay_ns for quality in links.values())
    for place, name in enumerate(names):
        if place == GOAL:
            assert (one.delays_ns[0, place], one.ratios[0, place]) == (0.0, 1.0)
            continue
        listed = [int(other) for other in one.order[0, place] if other >= 0]
        offers = []
        for other in listed:
            quality = links[name, names[other]]
            offers.append(Offer(quality.delay_ns + one.delays_ns[0, other], quality.ratio * one.ratios[0, other]))
        expected = expectation(offers)
        assert best_order(offers) == list(range(len(offers)))
        assert one.ratios[0, place] == pytest.approx(expected.ratio, abs=1e-6)
        if listed:
            assert one.delays_ns[0, place] == pytest.approx(min(expected.delay_ns, bound), rel=1e-3)
        assert all(one.delays_ns[0, other] < left[0, place] for other in listed)


def left_of(grid, origin, factor):
    """What each broker has left of a deadline of so many shortest ways from `origin`."""
    from_origin = shortest_delays(grid, [origin])[0]
    return (factor * shortest_delays(grid, [GOAL])[0, origin] - from_origin)[None, :]


@settings(max_examples=60, deadline=None)
@given(nets(), st.floats(1.0, 6.0))
def test_where_plain_iteration_settles_on_the_same_lists_the_numbers_agree(net, factor):
    """The recursion as printed, all brokers at once; where it swings for ever there is nothing to compare."""
    names, links = net
    grid = lattice(names, links)
    left = left_of(grid, len(names) - 1, factor)
    one = expect(grid, [GOAL], left)

    def keeps(name, _other, known):
        return known.delay_ns < left[0, names.index(name)]

    known = spread(names, links, keeps, itertools.cycle(names).__next__)
    if known is None:
        return
    for place, name in enumerate(names):
        if place == GOAL:
            continue
        _, listed = step(names, links, known, name, keeps)
        if [names[other] for other in one.order[0, place] if other >= 0] != listed:
            return
    for place, name in enumerate(names):
        assert one.ratios[0, place] == pytest.approx(known[name].ratio, abs=1e-6)


def swinging():
    """A ring of three, the goal first, and what they have left: found by search among random rings."""
    links = {}
    for one, other, delay, ratio in (("b0", "b1", 50e6, 0.6), ("b0", "b2", 30e6, 0.6), ("b1", "b2", 20e6, 0.7)):
        links[one, other] = links[other, one] = LinkQuality(delay, ratio)
    return ["b0", "b1", "b2"], links, np.array([[0.0, 55e6, 180e6]])


def test_plain_iteration_may_swing_for_ever_and_this_ends():
    """A neighbour that is listed is too slow, and quick enough when it is not."""
    names, links, left = swinging()

    def keeps(name, _other, known):
        return known.delay_ns < left[0, names.index(name)]

    assert simultaneous(names, links, keeps) is None
    grid = lattice(names, links)
    one = expect(grid, [GOAL], left)
    assert 1 < one.rounds <= grid.is_link.sum() + 1
    assert (one.order[0, 1:] >= 0).any(axis=1).all()


def simultaneous(names, links, keeps):
    """All brokers at once, as printed; None when it has not settled after a thousand steps."""
    known = dict.fromkeys(names, NEVER) | {names[GOAL]: Offer(0.0, 1.0)}
    for _ in range(1000):
        new = {name: step(names, links, known, name, keeps)[0] for name in names[1:]}
        new[names[GOAL]] = Offer(0.0, 1.0)
        changes = [abs(new[n].ratio - known[n].ratio) for n in names]
        changes += [abs(new[n].delay_ns - known[n].delay_ns) for n in names if new[n].ratio > 0 < known[n].ratio]
        known = new
        if max(changes) < 1e-9:
            return known
    assert max(one.delay_ns for one in known.values()) < 1e9, "it grows, which is no swinging"
    return None


def test_several_destinations_at_once_are_each_alone():
    """The batch changes nothing."""
    names, links, _ = swinging()
    grid = lattice(names, links)
    left = np.array([[90e6, 80e6, 70e6], [60e6, 90e6, 50e6], [90e6, 70e6, 1e9]])
    together = expect(grid, [0, 1, 2], left)
    for goal in range(3):
        alone = expect(grid, [goal], left[goal : goal + 1])
        assert together.order[goal].tolist() == alone.order[0].tolist()
        assert together.delays_ns[goal].tolist() == pytest.approx(alone.delays_ns[0].tolist())


def test_without_a_deadline_every_neighbour_with_a_way_is_listed_however_bad_the_links():
    """Delivery is tried as long as there is a path."""
    names, links, _ = swinging()
    bad = {way: LinkQuality(quality.delay_ns, 0.05) for way, quality in links.items()}
    one = expect(lattice(names, bad), [GOAL], np.full((1, 3), np.inf))
    assert [sorted(row[row >= 0].tolist()) for row in one.order[0]] == [[], [0, 2], [0, 1]]
    assert np.isfinite(one.delays_ns).all()


def test_nobody_expects_anything_where_no_way_leads():
    """A broker apart, and a link that never delivers."""
    links = {("a", "b"): LinkQuality(1.0, 1.0), ("b", "a"): LinkQuality(1.0, 0.0)}
    one = expect(lattice("abc", links), [0, 1], np.full((2, 3), np.inf))
    assert one.ratios.tolist() == [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    assert np.isinf(one.delays_ns[0, 1:]).all()
    assert (one.order[0] == -1).all()


def test_no_destinations_no_expectations():
    """An empty batch is one."""
    one = expect(lattice("ab", {("a", "b"): LinkQuality(1.0, 1.0)}), [], np.empty((0, 2)))
    assert one.delays_ns.shape == (0, 2)


def test_several_transmissions_enter_by_the_link():
    """The lattice holds the α and γ of m transmissions."""
    links = {("a", "b"): LinkQuality(10.0, 0.5)}
    grid = lattice("ab", links, transmissions=2)
    twice = links["a", "b"].repeated(2)
    assert (grid.delays_ns[0, 0], grid.ratios[0, 0]) == (twice.delay_ns, twice.ratio)
    assert grid.is_link.tolist() == [[True], [False]]


def test_a_link_of_a_stranger_is_an_error():
    """Every end must be a broker."""
    with pytest.raises(KeyError):
        lattice("ab", {("a", "z"): LinkQuality(1.0, 1.0)})
