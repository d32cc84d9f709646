"""Mobility models: their keys, their rules, and that they can be written back."""

from pathlib import Path

import pytest

from tidings.errors import ScenarioError
from tidings.scenario.mobility_tables import MOBILITY, MODELS, HandoffTable
from tidings.scenario.schema import dump_table, read_table
from tidings.scenario.source import Place, Source
from tidings.scenario.world import NamedFile
from tidings.vocabulary.distribution import Constant, Uniform

PLACE = Place(Source(Path(__file__)), "here")
LEGS = [{"move": [100, 0], "lasting": "10s"}, {"move": [0, 50], "lasting": "5s"}]
STATES = {"home": [0, 0], "work": [100, 50]}
MOVES = [
    {"origin": "home", "target": "work", "probability": 1, "lasting": "20s"},
    {"origin": "work", "target": "home", "probability": 1.0, "lasting": {"dist": "exponential", "mean": "20s"}},
]

GOOD = [
    {"model": "random-waypoint", "speed": "10m/s", "pause": "0s"},
    {"model": "random-waypoint", "speed": {"dist": "uniform", "low": "1m/s", "high": "10m/s"}},
    {"model": "manhattan", "speed": "10m/s", "vertical": [0, 100], "horizontal": [0, 100]},
    {"model": "manhattan", "speed": "10m/s", "vertical": [0], "horizontal": [0], "turns": {"straight": 1}},
    {"model": "trajectory", "start": [0, 0], "legs": LEGS, "repeat": True},
    {"model": "trajectory", "ways": [{"start": [0, 0], "legs": LEGS, "weight": 2}, {"start": [9, 9], "legs": LEGS}]},
    {"model": "semi-markov", "states": STATES, "transitions": MOVES},
    {"model": "semi-markov", "states": STATES, "transitions": MOVES[:1], "start": "home"},
]

BAD = [
    ("walk", "", "must be a table"),
    ({}, ".model", "one of"),
    ({"model": "random-walk"}, ".model", 'did you mean "random-waypoint"?'),
    ({"model": "random-waypoint"}, ".speed", "is missing"),
    ({"model": "random-waypoint", "speed": "10"}, ".speed", "m/s"),
    ({"model": "random-waypoint", "speed": "1m/s", "legs": LEGS}, ".legs", "unknown key"),
    ({"model": "manhattan", "speed": "1m/s", "vertical": [], "horizontal": [0]}, ".vertical", "1 to"),
    (
        {"model": "manhattan", "speed": "1m/s", "vertical": [0], "horizontal": [0], "turns": {"left": 0.5}},
        ".turns",
        "sum to 1",
    ),
    ({"model": "trajectory"}, ".legs", "start and legs, or ways"),
    ({"model": "trajectory", "start": [0, 0]}, ".legs", "start and legs, or ways"),
    (
        {"model": "trajectory", "start": [0, 0], "legs": LEGS, "ways": [{"start": [0, 0], "legs": LEGS}]},
        ".legs",
        "not both",
    ),
    ({"model": "trajectory", "start": [0, 0], "legs": [{"move": [1, 1], "lasting": "0s"}]}, ".legs[0].lasting", "long"),
    ({"model": "semi-markov", "states": STATES, "transitions": MOVES, "start": "pub"}, ".start", "unknown state"),
    (
        {"model": "semi-markov", "states": STATES, "transitions": [{**MOVES[0], "target": "wrok"}]},
        ".transitions[0].target",
        'did you mean "work"?',
    ),
    (
        {"model": "semi-markov", "states": STATES, "transitions": [{**MOVES[0], "probability": 0.5}]},
        ".transitions",
        "leave home must sum to 1",
    ),
    ({"model": "recorded", "file": "absent.csv"}, ".file", "cannot be opened"),
]


@pytest.mark.parametrize("content", GOOD)
def test_good_models_survive_being_written(content):
    """Reading what was written gives the same."""
    mobility = MOBILITY.read(content, PLACE)
    assert mobility.model == content["model"]
    assert MOBILITY.read(MOBILITY.write(mobility), PLACE) == mobility


@pytest.mark.parametrize(("content", "key", "remedy"), BAD)
def test_bad_models_are_refused_at_the_key(content, key, remedy):
    """The key that has to change, and what would be right."""
    with pytest.raises(ScenarioError) as caught:
        MOBILITY.read(content, PLACE)
    assert caught.value.key == f"here{key}"
    assert remedy in caught.value.remedy


def test_options_hold_what_was_read():
    """Laws and numbers, not texts with units."""
    options = MOBILITY.read({"model": "random-waypoint", "speed": "36km/h"}, PLACE).options
    assert options == {"speed": Constant(10.0), "pause": None}


def test_recorded_positions_name_a_file_beside_the_scenario(tmp_path):
    """As every file that a world goes on naming."""
    (tmp_path / "walk.csv").write_text("time_ns,x,y\n")
    place = Place(Source(tmp_path / "x.toml"), "mobility")
    mobility = MOBILITY.read({"model": "recorded", "file": "walk.csv"}, place)
    assert mobility.options == {"file": NamedFile(name="walk.csv", path=tmp_path / "walk.csv")}
    assert MOBILITY.write(mobility) == {"model": "recorded", "file": "walk.csv"}


def test_every_model_of_the_contract_is_there():
    """As the contract's comment lists them."""
    assert set(MODELS) == {"random-waypoint", "manhattan", "trajectory", "semi-markov", "recorded"}


def test_what_happens_between_access_points():
    """Scheme and latency."""
    content = {"handoff": "reactive", "latency": {"dist": "uniform", "low": "0s", "high": "1s"}}
    table = read_table(HandoffTable, content, PLACE)
    assert table == HandoffTable(handoff="reactive", latency=Uniform(0.0, 1e9))
    assert dump_table(table) == content
