"""Distributions as scenarios write them: read, written back, refused with a sentence, drawn ahead."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.vocabulary.distribution import (
    Constant,
    Distribution,
    Draws,
    Empirical,
    Exponential,
    Gamma,
    Hyperexponential,
    Normal,
    Power,
    Uniform,
    Zipf,
    distribution_from,
    popularity_from,
    to_table,
)
from tidings.vocabulary.instant import DRAWN_MAX
from tidings.vocabulary.streams import Streams

MS = 1_000_000.0

nanoseconds = st.integers(0, 2**53).map(float)
positive_ns = st.integers(1, 2**53).map(float)
numbers = st.floats(-1e50, 1e50)
positive = st.floats(1e-50, 1e50)
not_negative = st.floats(0, 1e50)


def laws_of(amounts, positive_amounts, not_negative_amounts):
    """Laws whose amounts come from these; ordered where they must be."""
    return st.one_of(
        st.builds(Constant, amounts),
        st.lists(amounts, min_size=2, max_size=2).map(sorted).map(lambda ends: Uniform(*ends)),
        st.builds(Normal, not_negative_amounts, not_negative_amounts),
        st.builds(Exponential, positive_amounts),
        st.builds(Gamma, positive_amounts, positive),
        st.builds(Hyperexponential, positive_amounts, st.floats(1, 1e50)),
    )


READ = [
    ("20ms", "duration", Constant(20 * MS)),
    ("0s", "duration", Constant(0.0)),
    (5, "number", Constant(5.0)),
    (-2.5, "number", Constant(-2.5)),
    (1500, "bytes", Constant(1500.0)),
    ({"dist": "constant", "value": "60s"}, "duration", Constant(60e9)),
    ({"dist": "uniform", "low": "20ms", "high": "120ms"}, "duration", Uniform(20 * MS, 120 * MS)),
    ({"dist": "uniform", "low": 200, "high": 2000}, "bytes", Uniform(200.0, 2000.0)),
    ({"dist": "uniform", "low": -10, "high": 10}, "number", Uniform(-10.0, 10.0)),
    ({"dist": "normal", "mean": "90ms", "sd": "5ms"}, "duration", Normal(90 * MS, 5 * MS)),
    ({"dist": "exponential", "mean": "1s"}, "duration", Exponential(1000 * MS)),
    ({"dist": "gamma", "mean": "2ms", "scv": 0.5}, "duration", Gamma(2 * MS, 0.5)),
    ({"dist": "hyperexponential", "mean": "100ms", "scv": 4.0}, "duration", Hyperexponential(100 * MS, 4.0)),
    ({"dist": "zipf", "values": 20, "exponent": 1.0}, "number", Zipf(20, 1.0)),
    ({"dist": "zipf", "values": 20, "exponent": 1}, "bytes", Zipf(20, 1.0)),
]


@pytest.mark.parametrize(("table", "unit", "law"), READ)
def test_tables_become_laws(table, unit, law):
    """Every form of the contract, and what is written back is read as the same law."""
    assert distribution_from(table, unit=unit) == law
    assert distribution_from(to_table(law, unit), unit=unit) == law


@given(laws_of(nanoseconds, positive_ns, nanoseconds))
def test_durations_round_trip(law):
    """Whole nanoseconds survive text with units exactly."""
    assert distribution_from(to_table(law, "duration"), unit="duration") == law


@given(laws_of(numbers, positive, not_negative) | st.builds(Zipf, st.integers(1, 50), st.floats(0, 100)))
def test_numbers_round_trip(law):
    """Every float survives."""
    assert distribution_from(to_table(law, "number"), unit="number") == law


@given(laws_of(not_negative, positive, not_negative))
def test_bytes_round_trip(law):
    """Sizes, too."""
    assert distribution_from(to_table(law, "bytes"), unit="bytes") == law


def test_plain_durations_are_written_plainly():
    """A constant is a bare value."""
    assert to_table(Constant(20 * MS), "duration") == "20ms"
    assert to_table(Constant(2.5), "number") == 2.5
    assert to_table(Normal(90 * MS, 5 * MS), "duration") == {"dist": "normal", "mean": "90ms", "sd": "5ms"}


def test_what_a_scenario_cannot_say_is_refused():
    """Fractions of a nanosecond, and laws without a name."""
    with pytest.raises(ValueError, match=r"0\.5 ns: a scenario has no durations below a nanosecond"):
        to_table(Constant(0.5), "duration")
    with pytest.raises(ValueError, match="a Doubled has no form in a scenario"):
        to_table(Doubled(), "number")


class Doubled:
    """A law that is none of ours."""

    mean = variance = scv = 2.0

    def sample(self, generator, count):
        return 2 * generator.random(count)


def test_empirical_reads_its_file():
    """Plain numbers are nanoseconds, texts carry their unit; the name is kept."""
    files = {"delays.csv": [5, "2ms", 3.5]}
    law = distribution_from({"dist": "empirical", "file": "delays.csv"}, unit="duration", read=files.__getitem__)
    assert law == Empirical.of("delays.csv", [3.5, 5.0, 2 * MS])
    assert to_table(law, "duration") == {"dist": "empirical", "file": "delays.csv"}
    signed = distribution_from({"dist": "empirical", "file": "x"}, unit="number", read=lambda _: [-1, 1])
    assert signed.mean == 0


def test_popularity():
    """The one form of it, there and back."""
    power = popularity_from({"dist": "power", "exponent": 0.901})
    assert power == Power(0.901)
    assert popularity_from(to_table(power, "number")) == power


REFUSED = [
    (5, "duration", 'value = 5 must be a duration with its unit, as in "20ms"'),
    ("20", "duration", "value = '20': a duration is a number and a unit"),
    ("-5ms", "duration", "value = '-5ms': a duration is a number and a unit"),
    ("20ms", "number", "value = '20ms' must be a number, without quotes"),
    ("2kB", "bytes", "value = '2kB' must be a number of bytes, without quotes"),
    (True, "number", "value = True must be a number"),
    (None, "number", "value = None must be a number"),
    ([1, 2], "number", "must be a number"),
    (-1, "bytes", "value = -1 must not be negative"),
    (10**400, "number", "value is far too large"),
    (float("nan"), "number", "value = nan must be a finite number"),
    ({}, "number", "dist is missing: one of constant, uniform"),
    ({"dist": "exponental", "mean": 1}, "number", "'exponental'; did you mean \"exponential\""),
    ({"dist": "xyz"}, "number", "no distribution is called 'xyz'; there are constant, uniform"),
    ({"dist": 7}, "number", "no distribution is called 7"),
    ({"dist": "gamma", "mean": 1}, "number", "gamma needs the key scv; its keys are mean, scv"),
    ({"dist": "gamma", "mean": 1, "scv": 1, "sd": 2}, "number", "gamma has no key 'sd'"),
    ({"dist": "uniform", "low": 1, "hihg": 2}, "number", "uniform has no key 'hihg'; did you mean \"high\""),
    ({"dist": "exponential", "mean": 5}, "duration", "mean = 5 must be a duration with its unit"),
    ({"dist": "exponential", "mean": "0s"}, "duration", "mean = 0 must be greater than 0"),
    ({"dist": "uniform", "low": "2s", "high": "1s"}, "duration", "low must not exceed high"),
    ({"dist": "uniform", "low": -1, "high": 1}, "bytes", "low = -1 must not be negative"),
    ({"dist": "gamma", "mean": "1s", "scv": "1"}, "duration", "scv = '1' must be a number, without quotes"),
    ({"dist": "hyperexponential", "mean": "1s", "scv": 0.5}, "duration", "scv = 0.5 must be at least 1"),
    ({"dist": "zipf", "values": 2.5, "exponent": 1}, "number", "values = 2.5 must be a whole number"),
    ({"dist": "zipf", "values": float("inf"), "exponent": 1}, "number", "values = inf must be a whole number"),
    ({"dist": "zipf", "values": 5, "exponent": 1}, "duration", r"zipf draws the plain numbers 1…n"),
    ({"dist": "power", "exponent": 1}, "number", "power weighs ranks and is only for a popularity"),
    ({"dist": "empirical"}, "number", "empirical needs the key file"),
    ({"dist": "empirical", "file": 3}, "number", 'file = 3 must be the name of a file, as in "delays.csv"'),
    ({"dist": "empirical", "file": "x"}, "number", "empirical reads a file, and none can be read here"),
]


@pytest.mark.parametrize(("table", "unit", "problem"), REFUSED)
def test_wrong_tables_are_refused(table, unit, problem):
    """With one sentence that says what would be right."""
    with pytest.raises(ValueError, match=re.escape(problem)) as raised:
        distribution_from(table, unit=unit)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("values", "unit", "problem"),
    [
        ([1, "soon"], "duration", "file x = 'soon': a duration is"),
        ([-1], "duration", "file x holds -1, which is no duration"),
        ([-1], "bytes", "file x holds -1, which is no number of bytes"),
        (["2ms"], "number", "file x holds '2ms', which is no number"),
        ([], "number", "file x holds 0 values"),
    ],
)
def test_wrong_files_are_refused(values, unit, problem):
    """The file is named."""
    with pytest.raises(ValueError, match=problem):
        distribution_from({"dist": "empirical", "file": "x"}, unit=unit, read=lambda _: values)


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (0.9, "a popularity is a table"),
        ({"dist": "zipf", "values": 3, "exponent": 1}, 'dist must be "power", not "zipf"'),
        ({"dist": "power"}, "power needs the key exponent"),
        ({"dist": "power", "exponent": -1}, "exponent = -1 must not be negative"),
    ],
)
def test_wrong_popularities_are_refused(table, problem):
    """Only ranks can be weighed."""
    with pytest.raises(ValueError, match=problem):
        popularity_from(table)


@given(st.integers(0, 2**63 - 1), st.integers(1, 300), st.integers(0, 500))
def test_draws_do_not_depend_on_the_block(seed, block, count):
    """Drawn ahead or one by one, the numbers are those of one sample."""
    law = Hyperexponential(5.0, 4.0)
    draws = Draws(law, Streams(seed)("draws"), block)
    assert [draws.next() for _ in range(count)] == law.sample(Streams(seed)("draws"), count).tolist()


def test_draws_are_plain_floats():
    """NumPy's scalars would slow a loop down and leak into logs."""
    draws = Draws(Exponential(3.0), Streams(1)("x"))
    assert {type(draws.next()) for _ in range(20)} == {float}


def test_durations_are_whole_and_bounded():
    """Rounded, never below 0, never above `DRAWN_MAX`."""
    generator = Streams(1)("x")
    assert Draws(Constant(2.6), generator).next_ns() == 3
    assert Draws(Constant(-7.0), generator).next_ns() == 0
    assert Draws(Constant(1e60), generator).next_ns() == DRAWN_MAX
    assert type(Draws(Uniform(0.0, 9.0), generator).next_ns()) is int


def test_any_law_of_that_shape_will_do():
    """The protocol is structural."""
    law: Distribution = Doubled()
    assert 0 <= Draws(law, Streams(1)("x")).next() < 2
