"""Durations: text and integer nanoseconds, both ways."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.vocabulary.instant import DAY, FOREVER, SECOND, UNITS, format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("0s", 0),
        ("1ns", 1),
        ("20ms", 20_000_000),
        (" 20 ms ", 20_000_000),
        ("1.5us", 1_500),
        ("0.5ns", 0),
        ("1.5ns", 2),
        ("2.5ns", 2),
        ("0.1s", 100_000_000),
        ("1min", 60 * SECOND),
        ("2h", 7_200 * SECOND),
        ("1d", DAY),
        ("9223372036854775806ns", FOREVER - 1),
    ],
)
def test_a_duration_is_read_exactly(text, nanoseconds):
    """Every unit, fractions, and rounding to even below a nanosecond."""
    assert parse_duration(text) == nanoseconds


@pytest.mark.parametrize(
    "text", ["", "20", "ms", "-1s", "+1s", "1e3s", "1 m", "1.s", ".5s", "1s 2ms", "٣s", "1" * 20 + "s", "nan s"]
)
def test_what_is_no_duration_is_refused(text):
    """A number and a unit, nothing else; `m` is metres."""
    with pytest.raises(ValueError, match="a number and a unit"):
        parse_duration(text)


@pytest.mark.parametrize("text", ["9223372036854775807ns", "300000d", "9999999999999999999d"])
def test_too_long_a_duration_is_refused(text):
    """No duration reaches the instant that means never."""
    with pytest.raises(ValueError, match="292 years"):
        parse_duration(text)


@given(st.integers(0, FOREVER - 1))
def test_formatting_and_reading_agree(nanoseconds):
    """What is written is read back as the same number."""
    assert parse_duration(format_duration(nanoseconds)) == nanoseconds


@pytest.mark.parametrize(
    ("nanoseconds", "text"), [(0, "0s"), (1, "1ns"), (1_000, "1us"), (90 * SECOND, "90s"), (120 * SECOND, "2min")]
)
def test_the_largest_whole_unit_is_written(nanoseconds, text):
    """Text stays short."""
    assert format_duration(nanoseconds) == text


@given(st.integers(0, 10**5), st.integers(0, 999_999), st.sampled_from(sorted(UNITS)))
def test_fractions_agree_with_rational_arithmetic(whole, millionths, unit):
    """The dumb twin: a fraction times the unit, rounded."""
    exact = (whole + Fraction(millionths, 10**6)) * UNITS[unit]
    assert parse_duration(f"{whole}.{millionths:06}{unit}") == round(exact)
