"""The oracle: against all ways, one by one, in random worlds of outages."""

import itertools

import numpy as np
import pytest

from tidings.routing.link_quality import LinkQuality
from tidings.simulation.oracle import Oracle

NAMES = "abcde"


def is_up(downs, component, instant):
    """The twin of a look at the outages."""
    return not any(start <= instant < end for start, end in downs.get(component, ()))


def best(links, downs, origin, goal, now):
    """The twin: arrival by the best of all ways without loops; None where each meets a failure."""
    others = [name for name in NAMES if name not in (origin, goal)]
    found = None
    for count in range(len(others) + 1):
        for middle in itertools.permutations(others, count):
            instant, here = now, origin
            for there in (*middle, goal):
                if (here, there) not in links or not is_up(downs, (here, there), instant):
                    break
                instant, here = instant + round(links[here, there].delay_ns), there
                if not is_up(downs, there, instant):
                    break
            else:
                found = instant if found is None else min(found, instant)
    return found


def drawn(seed, spells):
    """Links of five brokers and outages; `spells` draws those of a component."""
    dice = np.random.default_rng(seed)
    links, downs = {}, {}
    for one, other in itertools.combinations(NAMES, 2):
        if dice.random() < 0.7:
            links[one, other] = links[other, one] = LinkQuality(float(dice.integers(1, 30)), 1.0)
            downs[one, other] = downs[other, one] = spells(dice)
    return links, downs


def arrival(links, downs, way, now):
    """When an event comes to the end of a way, every hop of which must work."""
    here, instant = "a", now
    for there in way:
        assert is_up(downs, (here, there), instant)
        here, instant = there, instant + round(links[here, there].delay_ns)
        assert is_up(downs, there, instant)
    return instant


@pytest.mark.parametrize("seed", range(20))
def test_no_way_is_better(seed):
    """While nothing changes on the way, for all pairs."""
    links, downs = drawn(seed, lambda dice: [(0, 10_000)] if dice.random() < 0.4 else [])
    downs[NAMES[seed % 5]] = [(5_000, 6_000)]
    oracle = Oracle(links, lambda: downs)
    for now in (0, 5_500):
        ways = oracle.ways("a", tuple("bcde"), now)
        for goal in "bcde":
            expected = best(links, downs, "a", goal, now)
            assert (goal in ways) == (expected is not None)
            assert expected is None or arrival(links, downs, ways[goal][0], now) == expected


@pytest.mark.parametrize("seed", range(20))
def test_no_way_meets_a_failure(seed):
    """However much changes while an event is on its way; of ways that come to a broker earlier or later it sees the earlier."""

    def spells(dice):
        starts = np.cumsum(dice.integers(6, 60, 8))
        return [(int(start), int(start) + int(dice.integers(1, 5))) for start in starts]

    links, downs = drawn(seed, spells)
    oracle = Oracle(links, lambda: downs)
    for now in range(0, 200, 7):
        for goal, (way,) in oracle.ways("a", tuple("bcde"), now).items():
            assert way[-1] == goal
            assert arrival(links, downs, way, now) >= best(links, downs, "a", goal, now)


def test_outages_are_asked_for_once_and_late():
    """When the first event comes, everything is drawn."""
    asked = []
    oracle = Oracle({("a", "b"): LinkQuality(1.0, 1.0)}, lambda: asked.append(1) or {})
    assert asked == []
    oracle.ways("a", ("b",), 0)
    oracle.ways("a", ("b",), 5)
    assert asked == [1]
