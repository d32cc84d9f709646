"""Single values: each kind takes what it should, refuses the rest with a sentence, and writes what it reads."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import ScenarioError
from tidings.scenario.kinds import (
    BANDWIDTH,
    DURATION,
    ENTRIES_MAX,
    FLAG,
    NAME,
    POINT,
    POSITIVE_DURATION,
    PROBABILITY,
    TEXT,
    TOPIC,
    distinct,
    either,
    list_of,
    named,
    number,
    one_of,
    pair_of,
    read_speed,
    whole,
    words_of,
)
from tidings.scenario.source import Place, Source

PLACE = Place(Source(Path(__file__)), "here")

TAKEN = [
    (TEXT, "a b", "a b"),
    (NAME, "oslo", "oslo"),
    (TOPIC, "a/b", "a/b"),
    (FLAG, True, True),
    (DURATION, "1.5ms", 1_500_000),
    (DURATION, "0s", 0),
    (POSITIVE_DURATION, "1ns", 1),
    (PROBABILITY, 0, 0.0),
    (PROBABILITY, 1, 1.0),
    (BANDWIDTH, "10Mbit/s", 1e7),
    (BANDWIDTH, "1.5 kbit/s", 1500.0),
    (POINT, [1, 2.5], (1.0, 2.5)),
    (whole(0, 3), 3, 3),
    (number(), -1, -1.0),
    (one_of("x", "y"), "y", "y"),
    (list_of(NAME), ["a", "a"], ("a", "a")),
    (distinct(list_of(NAME)), ["a", "b"], ("a", "b")),
    (named(whole(0, 9)), {"a": 1}, {"a": 1}),
    (pair_of(NAME, "two names"), ["a", "b"], ("a", "b")),
]

REFUSED = [
    (TEXT, 1, "text in quotes"),
    (TEXT, "x" * 65_537, "65536 characters"),
    (NAME, "", "must be a name"),
    (NAME, "a\nb", "must be a name"),
    (NAME, "x" * 257, "must be a name"),
    (NAME, 7, "must be a name"),
    (TOPIC, "a/+", "wildcards"),
    (TOPIC, "", "must not be empty"),
    (TOPIC, 1, "text in quotes"),
    (FLAG, 1, "true or false"),
    (DURATION, 5, "in quotes with a unit"),
    (DURATION, "5", "a number and a unit"),
    (DURATION, "5m", "a number and a unit"),
    (DURATION, "-5s", "a number and a unit"),
    (DURATION, "400000d", "292 years"),
    (POSITIVE_DURATION, "0s", "longer than nothing"),
    (PROBABILITY, 1.01, "a probability, from 0 to 1"),
    (PROBABILITY, -0.1, "a probability, from 0 to 1"),
    (PROBABILITY, True, "a probability, from 0 to 1"),
    (PROBABILITY, math.nan, "a probability, from 0 to 1"),
    (BANDWIDTH, "10MB/s", "bit/s"),
    (BANDWIDTH, 10, "bit/s"),
    (BANDWIDTH, "0bit/s", "above 0"),
    (POINT, [1], "two numbers"),
    (POINT, [1, "x"], "finite number"),
    (POINT, "x", "two numbers"),
    (whole(0, 3), 4, "from 0 to 3"),
    (whole(0, 3), True, "from 0 to 3"),
    (whole(0, 3), 1.0, "from 0 to 3"),
    (number(), math.inf, "a finite number"),
    (number(), "1", "a finite number"),
    (number(0.0, open_low=True), 0, "a number above 0"),
    (number(0.0), -1, "a number from 0 up"),
    (number(0.0, 2.0), 3, "a number from 0 to 2"),
    (number(), 10**400, "a finite number"),
    (one_of("tree", "dcrd"), "tre", 'did you mean "tree"?'),
    (one_of("tree", "dcrd"), 1, 'one of "tree", "dcrd"'),
    (list_of(NAME), "a", "must be a list"),
    (list_of(NAME, least=1), [], "1 to 1000000 entries"),
    (list_of(NAME, most=1), ["a", "b"], "0 to 1 entries, not 2"),
    (distinct(list_of(NAME)), ["a", "b", "a"], "twice"),
    (named(NAME), [], "must be a table"),
    (pair_of(NAME, "two names"), ["a"], "two names"),
    (pair_of(NAME, "two names"), "ab", "two names"),
]


@pytest.mark.parametrize(("kind", "given_value", "expected"), TAKEN)
def test_good_values_are_read_and_written_back(kind, given_value, expected):
    """What is written reads as the same value again."""
    value = kind.read(given_value, PLACE)
    assert value == expected
    assert kind.read(kind.write(value), PLACE) == value


@pytest.mark.parametrize(("kind", "value", "remedy"), REFUSED)
def test_bad_values_are_refused_with_a_remedy(kind, value, remedy):
    """At the key, or at the entry below it."""
    with pytest.raises(ScenarioError) as caught:
        kind.read(value, PLACE)
    assert remedy in caught.value.remedy
    assert caught.value.key.startswith("here")


def test_entries_are_named_by_their_index():
    """Of lists and of tables."""
    with pytest.raises(ScenarioError) as caught:
        list_of(NAME).read(["a", 3], PLACE)
    assert caught.value.key == "here[1]"
    with pytest.raises(ScenarioError) as caught:
        named(NAME).read({"x": 3}, PLACE)
    assert caught.value.key == "here.x"


def test_names_of_a_table_can_be_checked():
    """The check raises for itself."""

    def check(name, place):
        if name == "topic":
            raise place.wrong(name, "reserved")

    with pytest.raises(ScenarioError, match="reserved"):
        named(NAME, check=check).read({"topic": "x"}, PLACE)


def test_tables_have_a_limit():
    """As lists have."""
    with pytest.raises(ScenarioError, match="must not exceed 1000000 keys"):
        named(NAME).read(dict.fromkeys(map(str, range(ENTRIES_MAX + 1)), "x"), PLACE)


def test_the_toml_type_decides_between_kinds():
    """A boolean is no number."""
    kind = either("a number or a name", (int, whole(0, 9)), (str, NAME), write=lambda value: value)
    assert (kind.read(3, PLACE), kind.read("x", PLACE)) == (3, "x")
    for value in (True, 1.5):
        with pytest.raises(ScenarioError, match="a number or a name"):
            kind.read(value, PLACE)


@pytest.mark.parametrize(("text", "speed"), [("10m/s", 10.0), ("36km/h", 10.0), ("1e1m/s", 10.0), ("0.5 m/s", 0.5)])
def test_speeds(text, speed):
    """In metres per second."""
    assert read_speed(text, PLACE) == speed


@given(st.floats(min_value=1e-9, max_value=1e18))
def test_every_bandwidth_survives_being_written(bits):
    """Whatever float it is."""
    assert BANDWIDTH.read(BANDWIDTH.write(bits), PLACE) == bits


def test_long_lists_of_words_are_cut():
    """Five are enough for a message."""
    assert words_of(["a", "b"]) == "a, b"
    assert words_of(list("abcdef")) == "a, b, c, d, e …"
