"""Roads: stops, headings, and where nothing is drawn."""

import pytest

from tidings.scenario.roads import DIRECTIONS, QUARTERS, roads_of
from tidings.scenario.world import Map

ROADS = roads_of((250, 900), (300,), Map(size=(1000.0, 600.0), range=1.0, points=()))
NORTH, EAST, SOUTH, WEST = range(4)


@pytest.mark.parametrize(
    ("here", "heading", "stop"),
    [
        ((250.0, 0.0), NORTH, (250.0, 300.0)),
        ((250.0, 300.0), NORTH, (250.0, 600.0)),
        ((250.0, 600.0), NORTH, (250.0, 600.0)),
        ((300.0, 300.0), EAST, (900.0, 300.0)),
        ((900.0, 300.0), EAST, (1000.0, 300.0)),
        ((300.0, 300.0), WEST, (250.0, 300.0)),
        ((0.0, 300.0), WEST, (0.0, 300.0)),
        ((250.0, 301.0), SOUTH, (250.0, 300.0)),
    ],
)
def test_the_next_stop(here, heading, stop):
    """A junction or a border; at a border in the way no other."""
    assert ROADS.next_stop(here, heading) == stop


def test_where_nothing_is_drawn():
    """At the end of a road, and at a border; at a junction inside there is."""
    assert ROADS.turns_back((250.0, 600.0), NORTH)
    assert ROADS.turns_back((1000.0, 300.0), EAST)
    assert not ROADS.turns_back((250.0, 300.0), EAST)


def test_a_turn_to_the_right_is_the_next_heading():
    """And a turn to the left the one before."""
    for heading, (x, y) in enumerate(DIRECTIONS):
        assert DIRECTIONS[(heading + QUARTERS["right"]) % 4] == (y, -x)
        assert DIRECTIONS[(heading + QUARTERS["left"]) % 4] == (-y, x)
        assert DIRECTIONS[(heading + QUARTERS["back"]) % 4] == (-x, -y)
