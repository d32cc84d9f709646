"""Contacts: exact instants, against a twin that looks again and again, and against geometry known from books."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.simulation.contacts import contacts
from tidings.simulation.steps import Leg

spots = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: (float(pair[0]), float(pair[1])))


def position(leg, instant):
    """Where a walker is within a leg."""
    share = (instant - leg.start_ns) / (leg.end_ns - leg.start_ns)
    return tuple(a + share * (b - a) for a, b in zip(leg.start, leg.end, strict=True))


def clearly(here, points, reach):
    """The nearest point in range, or "doubtful" close to where that changes."""
    distances = sorted((math.dist(here, point), place) for place, point in enumerate(points))
    if any(abs(distance - reach) < 1e-6 for distance, _ in distances):
        return "doubtful"
    if len(distances) > 1 and distances[1][0] - distances[0][0] < 1e-6 and distances[0][0] < reach:
        return "doubtful"
    return distances[0][1] if distances[0][0] < reach else None


@given(
    st.lists(spots, min_size=2, max_size=6), st.lists(spots, min_size=1, max_size=4, unique=True), st.integers(1, 25)
)
def test_a_twin_that_looks_at_many_instants_sees_the_same(way, points, reach):
    """Between two changes everything is as the last one said."""
    legs = [
        Leg(1000 * place, 1000 * (place + 1), here, there)
        for place, (here, there) in enumerate(itertools.pairwise(way))
    ]
    found = list(contacts(iter(legs), points, float(reach)))
    assert found[0][0] == 0
    assert all(one[0] <= other[0] and one[1] != other[1] for one, other in itertools.pairwise(found))
    instants = [instant for instant, _ in found]
    for leg in legs:
        for instant in range(leg.start_ns, leg.end_ns, 37):
            if min(abs(instant - change) for change in instants) <= 1:
                continue
            expected = clearly(position(leg, instant), points, reach)
            if expected != "doubtful":
                place = np.searchsorted(instants, instant, side="right") - 1
                assert found[place][1] == expected


def test_a_straight_crossing_on_average():
    """A disk of radius r is crossed in π r / 2 v when chords fall evenly (validation cases)."""
    chords = []
    for offset in (np.arange(2000) + 0.5) / 1000 - 1:
        leg = Leg(0, 10**9, (-2.0, float(offset)), (2.0, float(offset)))
        (_, _), (enters, inside), (leaves, outside) = contacts(iter([leg]), [(0.0, 0.0)], 1.0)
        assert (inside, outside) == (0, None)
        chords.append((leaves - enters) / 10**9 * 4)
    assert np.mean(chords) == pytest.approx(math.pi / 2, rel=1e-3)


def test_pauses_gaps_and_the_end():
    """In one place nothing changes; nowhere is out of range; a leg without an end goes on for ever."""
    legs = [
        Leg(0, 5, (0.0, 0.0), (0.0, 0.0)),
        Leg(5, 9, None, None),
        Leg(9, 10, (9.0, 0.0), (9.0, 0.0)),
        Leg(10, None, (0.5, 0.0), (0.5, 0.0)),
    ]
    assert list(contacts(iter(legs), [(0.0, 0.0)], 1.0)) == [(0, 0), (5, None), (10, 0)]


def test_the_nearer_of_two_takes_over_half_way():
    """Where both are in range, the border between them counts."""
    leg = Leg(0, 100, (0.0, 0.0), (10.0, 0.0))
    assert list(contacts(iter([leg]), [(0.0, 0.0), (10.0, 0.0)], 20.0)) == [(0, 0), (50, 1)]
    assert list(contacts(iter([leg]), [(5.0, 3.0), (5.0, -3.0)], 20.0)) == [(0, 0)], "of equals the first"


def test_to_touch_is_not_to_enter():
    """A tangent is an instant, and no contact."""
    leg = Leg(0, 100, (-5.0, 1.0), (5.0, 1.0))
    assert list(contacts(iter([leg]), [(0.0, 0.0)], 1.0)) == [(0, None)]
