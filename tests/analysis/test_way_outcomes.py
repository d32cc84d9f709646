"""Ways written into an event: against every state that the links can be in, one by one."""

import itertools

import numpy as np
import pytest

from tidings.analysis.crossing import Crossing
from tidings.analysis.way_outcomes import oracle_outcomes, way_outcomes

LINKS = {"ab": 1.0, "bd": 1.0, "ac": 2.0, "cd": 2.5, "bc": 0.5}


def crossings(loss=0.0, works=0.8):
    """Of a diamond with a link across."""
    found = {}
    for pair, delay in LINKS.items():
        found[pair[0], pair[1]] = found[pair[1], pair[0]] = Crossing(works, loss, delay, 2 * delay)
    return found


def delays(found, links):
    """Probability of each delay."""
    seen = {}
    for case in found.cases:
        took = sum(links[ends].delay_ns for ends in case.crossed)
        seen[took] = seen.get(took, 0.0) + case.probability
    return seen


def over_all_states(ways_of, works=0.8):
    """Dumb twin: the least delay of ways of which all links work, over all states of the links."""
    expected = {}
    pairs = [frozenset(pair) for pair in LINKS]
    for states in itertools.product((True, False), repeat=len(pairs)):
        up = {pair for pair, working in zip(pairs, states, strict=True) if working}
        weight = float(np.prod([works if working else 1 - works for working in states]))
        took = [
            sum(LINKS.get(one + other, LINKS.get(other + one)) for one, other in itertools.pairwise(way))
            for way in ways_of
            if all(frozenset(hop) in up for hop in itertools.pairwise(way))
        ]
        if took:
            expected[min(took)] = expected.get(min(took), 0.0) + weight
    return expected


ALL = ["abd", "acd", "abcd", "acbd"]


@pytest.mark.parametrize("ways", [["abd"], ["abd", "acd"], ["acd", "abd"], ["abd", "abcd"]])
def test_one_way_or_two(ways):
    """Apart, or with a link in common; the quicker one counts."""
    links = crossings()
    found = way_outcomes([tuple(way) for way in ways], links)
    assert delays(found, links) == pytest.approx(over_all_states(ways))
    assert found.sent["a", ways[0][1]] == pytest.approx(2.0 if ways[1:] and ways[1][1] == ways[0][1] else 1.0)


def test_the_way_that_will_not_fail():
    """The oracle takes the quickest of all ways that work."""
    links = crossings()
    found = oracle_outcomes("a", "d", links)
    assert delays(found, links) == pytest.approx(over_all_states(ALL), abs=1e-5)


def test_losses_are_not_foreseen():
    """A link that works may lose what is sent all the same."""
    sure = crossings(loss=0.1, works=1.0)
    assert delays(oracle_outcomes("a", "d", sure), sure) == pytest.approx({2.0: 0.81})
    assert way_outcomes([("a", "b", "d")], sure).arrives == pytest.approx(0.81)


def test_edges():
    """No way, no case; to itself at once."""
    assert way_outcomes([], crossings()).arrives == 0
    assert oracle_outcomes("a", "z", crossings()).arrives == 0
    assert oracle_outcomes("a", "d", crossings(works=0.0)).arrives == 0
    assert oracle_outcomes("a", "a", crossings()).arrives == 1.0
