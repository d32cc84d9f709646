"""Sending lists followed case by case: against every state that the links can be in, one by one."""

import itertools

import numpy as np
import pytest

from tidings.analysis.crossing import Crossing
from tidings.analysis.list_outcomes import Lists, list_outcomes

DIAMOND = {"ab": 1.0, "bd": 1.0, "ac": 2.0, "cd": 2.0, "bc": 1.5}
ORDER = {"a": "bc", "b": "dc", "c": "db", "d": ""}


def crossing(works=0.9, loss=0.0, links=DIAMOND):
    """Of a diamond with a link across; an answer is awaited for a round trip."""
    found = {}
    for pair, delay in links.items():
        one = Crossing(works, loss, delay, 2 * delay)
        found[pair[0], pair[1]] = found[pair[1], pair[0]] = one
    return found


def lists(*, stranded=None, transmissions=1, **more):
    """Best first, by hand."""
    return Lists(lambda here: tuple(ORDER[here]), crossing(**more), transmissions, stranded)


def delay(case, links):
    """When it arrives."""
    return case.waited_ns + sum(links[ends].delay_ns for ends in case.crossed)


def walked(up, links):
    """Dumb twin: one walk, where it is known beforehand which links work; None: stranded."""
    here, path, tried, now = "a", (), {}, 0.0
    while here != "d":
        done = tried.setdefault(here, [])
        hop = next((name for name in ORDER[here] if name not in done and name not in path), None)
        if hop is None:
            place = path.index(here) if here in path else len(path)
            hop = path[place - 1] if place else None
            if hop is None or hop in done:
                return None
        link = links[here, hop]
        if frozenset((here, hop)) in up:
            if hop in path:
                tried[hop].append(here)
            path, here, now = (*path, here), hop, now + link.delay_ns
        else:
            done.append(hop)
            now += link.patience_ns
    return now


def test_all_states_of_all_links():
    """Probabilities of each delay, and what is stranded, over the 32 states of five links."""
    links, expected = crossing(0.7), {}
    pairs = [frozenset(pair) for pair in DIAMOND]
    for states in itertools.product((True, False), repeat=len(pairs)):
        up = {pair for pair, works in zip(pairs, states, strict=True) if works}
        arrives = walked(up, links)
        expected[arrives] = expected.get(arrives, 0.0) + float(np.prod([0.7 if works else 0.3 for works in states]))
    seen = {}
    found = list_outcomes("a", "d", lists(works=0.7))
    for case in found.cases:
        seen[delay(case, links)] = seen.get(delay(case, links), 0.0) + case.probability
    stranded = expected.pop(None)
    assert seen == pytest.approx(expected)
    assert found.arrives == pytest.approx(1 - stranded)


def test_what_is_stranded_waits_or_is_lost():
    """With a time to wait everything arrives; copies are counted as they are sent."""
    found = list_outcomes("a", "d", lists(works=0.7, stranded=100.0))
    assert found.arrives == pytest.approx(1.0)
    assert max(case.waited_ns for case in found.cases) > 100.0
    assert found.sent["a", "b"] == pytest.approx(1.0)
    assert found.sent["b", "d"] == pytest.approx(0.7, abs=0.1)


def test_transmissions():
    """A link that works loses a tenth: of two tries one in a hundred fails, the second a round trip later."""
    links = {"ad": 1.0}
    two = Lists(lambda here: ("d",) if here == "a" else (), crossing(0.5, 0.1, links), 2, None)
    found = list_outcomes("a", "d", two)
    assert [
        (round(case.probability, 9), case.waited_ns) for case in sorted(found.cases, key=lambda one: one.waited_ns)
    ] == [
        (0.45, 0.0),
        (0.045, 2.0),
    ]
    assert found.sent["a", "d"] == pytest.approx(0.5 * 2 + 0.5 * 1.1)


def test_edges():
    """To itself at once; nobody to try, nothing; links that never work, nothing."""
    assert list_outcomes("d", "d", lists()).arrives == 1.0
    nobody = Lists(lambda here: (), crossing(), 1, None)
    assert list_outcomes("a", "d", nobody).arrives == 0.0
    assert list_outcomes("a", "d", lists(works=0.0)).arrives == 0.0
    assert list_outcomes("a", "d", lists(works=1.0)).cases[0].crossed == (("a", "b"), ("b", "d"))
