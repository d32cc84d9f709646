"""Laws as scenario files write them: what is read, what is refused, and that writing is the inverse of reading."""

from pathlib import Path

import pytest

from tidings.errors import ScenarioError
from tidings.scenario.chance import (
    ATTRIBUTE,
    BYTES_LAW,
    DELAY,
    DURATION_LAW,
    INTERVAL_LAW,
    NUMBER_LAW,
    POPULARITY,
    SERVICE,
    SPEED,
    VALUE,
    VARIATION,
    Delay,
    ServiceTime,
)
from tidings.scenario.source import Place, Source
from tidings.scenario.world import Choice
from tidings.vocabulary.distribution import Constant, Empirical, Exponential, Normal, Power, Uniform, Zipf

PLACE = Place(Source(Path(__file__)), "here")
EXPONENTIAL = {"dist": "exponential", "mean": "5ms"}

TAKEN = [
    (DURATION_LAW, "5ms", Constant(5e6)),
    (DURATION_LAW, EXPONENTIAL, Exponential(5e6)),
    (BYTES_LAW, 100, Constant(100.0)),
    (NUMBER_LAW, 0.5, Constant(0.5)),
    (INTERVAL_LAW, "1s", Constant(1e9)),
    (DELAY, EXPONENTIAL, Delay(law=Exponential(5e6))),
    (DELAY, "5ms", Delay(law=Constant(5e6))),
    (DELAY, {**EXPONENTIAL, "per": "link"}, Delay(law=Exponential(5e6), per="link")),
    (DELAY, {**EXPONENTIAL, "per": "packet"}, Delay(law=Exponential(5e6), per="packet")),
    (SERVICE, "1ms", ServiceTime(law=Constant(1e6))),
    (SERVICE, {**EXPONENTIAL, "per": "event"}, ServiceTime(law=Exponential(5e6))),
    (SERVICE, {**EXPONENTIAL, "per": "subscription"}, ServiceTime(law=Exponential(5e6), per_subscription=True)),
    (
        SERVICE,
        {"dist": "constant", "value": "1ms", "per": "subscription"},
        ServiceTime(law=Constant(1e6), per_subscription=True),
    ),
    (SPEED, "10m/s", Constant(10.0)),
    (SPEED, {"dist": "uniform", "low": "1m/s", "high": "36km/h"}, Uniform(1.0, 10.0)),
    (SPEED, {"dist": "normal", "mean": "10m/s", "sd": "1m/s"}, Normal(10.0, 1.0)),
    (POPULARITY, {"dist": "power", "exponent": 0.9}, Power(0.9)),
    (VALUE, "x", "x"),
    (VALUE, 1, 1),
    (VALUE, True, True),
    (VALUE, 0.5, 0.5),
    (ATTRIBUTE, 7, Choice(values=(7,))),
    (ATTRIBUTE, {"choice": ["a", "b"]}, Choice(values=("a", "b"))),
    (ATTRIBUTE, {"dist": "zipf", "values": 20, "exponent": 1.0}, Zipf(20, 1.0)),
    (ATTRIBUTE, {"dist": "constant", "value": 2}, Constant(2.0)),
    (VARIATION, ["a", 1], ("a", 1)),
    (VARIATION, {"choice": ["a", "b"]}, Choice(values=("a", "b"))),
    (VARIATION, {"dist": "zipf", "values": 20, "exponent": 1.0}, Zipf(20, 1.0)),
]

REFUSED = [
    (DURATION_LAW, 5, "unit"),
    (DURATION_LAW, {"dist": "exponental", "mean": "5ms"}, "exponential"),
    (DURATION_LAW, {"dist": "exponential", "mean": 5}, "unit"),
    (DURATION_LAW, {"dist": "exponential", "mean": "5ms", "per": "link"}, "per"),
    (BYTES_LAW, -1, "negative"),
    (INTERVAL_LAW, "0s", "above 0"),
    (DELAY, {**EXPONENTIAL, "per": "event"}, '"link"'),
    (SERVICE, {**EXPONENTIAL, "per": "packet"}, '"subscription"'),
    (SPEED, "10", "m/s"),
    (SPEED, "0m/s", "above 0"),
    (SPEED, {"dist": "uniform", "low": 1, "high": 2}, "m/s"),
    (SPEED, {"dist": "zipf", "n": 3}, "zipf"),
    (POPULARITY, {"dist": "zipf", "values": 3, "exponent": 1.0}, "power"),
    (POPULARITY, 1, "power"),
    (VALUE, [1], "string, a finite number"),
    (VALUE, float("nan"), "string, a finite number"),
    (VALUE, 10**400, "400 digits"),
    (ATTRIBUTE, {"choice": []}, "1 to"),
    (ATTRIBUTE, {"choice": [1], "dist": "zipf"}, "nothing else"),
    (VARIATION, "x", "a list"),
    (VARIATION, [], "1 to"),
]


@pytest.mark.parametrize(("kind", "table", "law"), TAKEN)
def test_what_is_read_can_be_written_and_read_again(kind, table, law):
    """Reading and writing are inverse to each other."""
    assert kind.read(table, PLACE) == law
    assert kind.read(kind.write(law), PLACE) == law


@pytest.mark.parametrize(("kind", "table", "remedy"), REFUSED)
def test_what_is_refused_names_key_and_remedy(kind, table, remedy):
    """The sentence helps, and the key says where."""
    with pytest.raises(ScenarioError) as caught:
        kind.read(table, PLACE)
    assert remedy in caught.value.remedy
    assert caught.value.key.startswith("here")


def test_measurements_are_read_beside_the_scenario(tmp_path):
    """The law keeps the file's name and the values."""
    (tmp_path / "delays.txt").write_text("3ms\n1ms\n")
    place = Place(Source(tmp_path / "x.toml"), "delay")
    law = DURATION_LAW.read({"dist": "empirical", "file": "delays.txt"}, place)
    assert law == Empirical.of("delays.txt", [1e6, 3e6])
    assert DURATION_LAW.write(law) == {"dist": "empirical", "file": "delays.txt"}


def test_measurements_from_elsewhere_get_a_portable_name(tmp_path):
    """It is decided by the values, so that equal files have equal names."""
    folder = tmp_path / "scenarios"
    folder.mkdir()
    (tmp_path / "delays.txt").write_text("5\n")
    place = Place(Source(folder / "x.toml", allow_files=True), "delay")
    names = {
        DURATION_LAW.read({"dist": "empirical", "file": name}, place).file
        for name in ("../delays.txt", str(tmp_path / "delays.txt"))
    }
    (name,) = names
    assert name.startswith("delays-")
    assert name.endswith(".txt")


def test_missing_measurements_are_refused(tmp_path):
    """At the key that names the file."""
    with pytest.raises(ScenarioError) as caught:
        DURATION_LAW.read({"dist": "empirical", "file": "no.txt"}, Place(Source(tmp_path / "x.toml"), "delay"))
    assert caught.value.key == "delay.file"
