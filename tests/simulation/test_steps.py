"""Legs at constant speed."""

from tidings.simulation.steps import Leg, straight
from tidings.vocabulary.instant import SECOND


def test_a_leg_takes_as_long_as_its_speed_says():
    """A triangle of 3, 4 and 5."""
    assert straight(7, (1.0, 1.0), (4.0, 5.0), 2.0) == Leg(7, 7 + 5 * SECOND // 2, (1.0, 1.0), (4.0, 5.0))


def test_no_distance_takes_no_time():
    """Even without speed."""
    assert straight(7, (1.0, 1.0), (1.0, 1.0), 0.0) == Leg(7, 7, (1.0, 1.0), (1.0, 1.0))


def test_without_speed_a_walker_stays_for_ever():
    """Where it is."""
    assert straight(7, (1.0, 1.0), (4.0, 5.0), 0.0) == Leg(7, None, (1.0, 1.0), (1.0, 1.0))
