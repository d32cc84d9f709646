"""Values: families, literals both ways, and what is no literal."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import values
from tidings.vocabulary.value import Family, family, format_literal, parse_literal, parse_number, parse_string


@pytest.mark.parametrize(
    ("value", "expected"),
    [("a", Family.STRING), (1, Family.NUMBER), (1.0, Family.NUMBER), (True, Family.BOOLEAN), (False, Family.BOOLEAN)],
)
def test_every_value_has_one_family(value, expected):
    """True is no number."""
    assert family(value) is expected


@given(values)
def test_a_literal_is_read_back_as_the_same_value(value):
    """Same value, same type; -0.0 stays -0.0."""
    again = parse_literal(format_literal(value))
    assert (type(again), repr(again)) == (type(value), repr(value))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10", 10),
        ("+10", 10),
        ("-10", -10),
        ("010", 10),
        ("10.5", 10.5),
        ("10.", 10.0),
        (".5", 0.5),
        ("-.5e1", -5.0),
        ("1e3", 1000.0),
        ("1E+3", 1000.0),
        ("1" * 400, int("1" * 400)),
        ("true", True),
        ("false", False),
        ('""', ""),
        ('"IBM"', "IBM"),
        (r'"\u00e9\n\"\\\/"', 'é\n"\\/'),
        (r'"\ud83d\ude00"', "😀"),
        ('"é😀"', "é😀"),
    ],
)
def test_literals_as_people_write_them(text, value):
    """Signs, exponents, escapes."""
    read = parse_literal(text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    "text",
    ["", " 1", "1 ", "1_000", "0x10", "1e", "e1", "-", ".", "١", "True", "null", "nan", "inf", "'a'", "a", "1,5"],
)
def test_what_is_no_literal_is_refused(text):
    """Nothing is guessed."""
    with pytest.raises(ValueError, match="not a literal: write 10"):
        parse_literal(text)


@pytest.mark.parametrize("text", ["1e999", "-1e999", "1" * 399 + "."])
def test_numbers_must_be_finite(text):
    """A float that is too large is refused, not made infinite."""
    with pytest.raises(ValueError, match="finite"):
        parse_number(text)


def test_numbers_must_not_be_too_long():
    """Digits cost time; 5,000 of them are an attack."""
    with pytest.raises(ValueError, match="longer than 400"):
        parse_number("1" * 5_000)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('"', "escapes"),
        ('"a', "double quotes"),
        ('"a" ', "double quotes"),
        (' "a"', "double quotes"),
        ('"a" "b"', "escapes"),
        ('"a\nb"', "escapes"),
        (r'"\x41"', "escapes"),
        (r'"\u12"', "escapes"),
        ('"\\"', "escapes"),
        ("[" * 10_000, "double quotes"),
        (r'"\ud800"', "lone surrogates"),
        ('"\ud800"', "lone surrogates"),
        (r'"\udc00\ud800"', "lone surrogates"),
    ],
)
def test_strings_that_cannot_be_read_are_refused_with_a_sentence(text, problem):
    """Always a plain ValueError that says what would be right."""
    with pytest.raises(ValueError, match=problem) as caught:
        parse_string(text)
    assert not isinstance(caught.value, json.JSONDecodeError)


@given(st.text())
def test_any_text_is_a_literal_or_a_value_error(text):
    """Nothing else escapes, and whatever is read has a family."""
    for candidate in (text, f'"{text}"'):
        try:
            value = parse_literal(candidate)
        except ValueError:
            continue
        assert family(value) in Family
        assert not isinstance(value, float) or math.isfinite(value)
