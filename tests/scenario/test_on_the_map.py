"""Walks that lead off the map are refused, with key and value."""

import pytest

from scenario_texts import scenario_of
from tidings.errors import InputError
from tidings.scenario import expand

MAP = """tidings = 1
duration = "1s"
[map]
size = [100, 50]
range = 5
points = [[1, 1]]
[[subscriber]]
id = "m"
filter = 'true'
mobility = """


def graph(place):
    """A semi-Markov walk from a corner to this place."""
    transition = "{ origin = 'a', target = 'b', probability = 1, lasting = '1s' }"
    return f"{{ model = 'semi-markov', states = {{ a = [0, 0], b = {place} }}, transitions = [{transition}] }}"


ON = [
    "{ model = 'manhattan', speed = '1m/s', vertical = [0, 100], horizontal = [50] }",
    graph("[100, 50]"),
    "{ model = 'trajectory', start = [0, 0], legs = [{ move = [100, 50], lasting = '1s' }] }",
]
OFF = [
    ("{ model = 'manhattan', speed = '1m/s', vertical = [101], horizontal = [5] }", "vertical", "101"),
    ("{ model = 'manhattan', speed = '1m/s', vertical = [5], horizontal = [5, 51] }", "horizontal", "51"),
    (
        graph("[0, -1]"),
        "states",
        "-1",
    ),
    ("{ model = 'trajectory', start = [500, 5], legs = [{ move = [1, 0], lasting = '1s' }] }", "legs", "500"),
    ("{ model = 'trajectory', start = [5, 5], legs = [{ move = [0, 46], lasting = '1s' }] }", "legs", "51"),
    (
        "{ model = 'trajectory', ways = [{ start = [5, -5], legs = [{ move = [1, 0], lasting = '1s' }] }] }",
        "ways",
        "-5",
    ),
]


@pytest.mark.parametrize("walk", ON)
def test_borders_are_on_the_map(tmp_path, walk):
    """Their corners too."""
    expand(scenario_of(tmp_path, MAP + walk))


@pytest.mark.parametrize(("walk", "key", "value"), OFF)
def test_what_is_off_the_map_is_refused(tmp_path, walk, key, value):
    """In one line, with the size of the map."""
    with pytest.raises(InputError, match=f"subscriber.0..mobility.{key}.*{value}.*0 to 100 by 0 to 50"):
        scenario_of(tmp_path, MAP + walk)
