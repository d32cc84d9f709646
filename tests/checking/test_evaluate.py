"""The audit's reading of the filter language agrees with the brokers', and with the contract's sentences."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import events, events_near, filters, narrow_filters
from tidings.checking.evaluate import wants
from tidings.vocabulary.filter import holds
from tidings.vocabulary.filter_parser import parse_filter


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", True),
        ("false", False),
        ("n == 1", True),
        ("n == 1.0", True),
        ("n == true", False),
        ('n == "1"', False),
        ("n != 2", True),
        ('n != "1"', False),
        ("not n == true", True),
        ("missing != 1", False),
        ("not missing == 1", True),
        ("exists(missing)", False),
        ("exists(n)", True),
        ("exists(topic)", True),
        ("big == 9007199254740993", True),
        ("big == 9007199254740992.0", False),
        ("big > 9007199254740992.0", True),
        ("zero == -0.0", True),
        ("zero < 0", False),
        ("flag == true", True),
        ("flag > false", True),
        ("flag in (1, 1.0)", False),
        ('flag < "a"', False),
        ("half between 0 and 1", True),
        ("half between 1 and 0", False),
        ('half between "0" and "1"', False),
        ("half <= 0.5 and half >= 0.5", True),
        ('word startswith "IB"', True),
        ('word startswith ""', True),
        ('n startswith ""', False),
        ('word < "IC" and word > "IB"', True),
        ('word < "\\uffff"', True),
        ('word in ("IBM", 3)', True),
        ('word == true or word == "IBM"', True),
        ('n matches "#"', False),
        ('word matches "+"', True),
        ('topic matches "a/+/c"', True),
        ('topic matches "a/+"', False),
        ('topic matches "a/b/c/#"', True),
        ('topic matches "a/b/c/+"', False),
        ('topic matches "a/b/c/d"', False),
        ('topic matches "#"', True),
        ('hidden matches "#"', False),
        ('hidden matches "+/x"', False),
        ('hidden matches "$s/#"', True),
        ('topic == "a/b/c"', True),
        ("not (n == 1 and half == 1)", True),
    ],
)
def test_sentences_of_the_contract(text, expected):
    """Families, missing attributes, exact numbers, code points, wildcards: one by one."""
    attributes = {
        "n": 1,
        "big": 2**53 + 1,
        "zero": 0,
        "flag": True,
        "half": 0.5,
        "word": "IBM",
        "hidden": "$s/x",
        "topic": "never looked at",
    }
    assert wants(parse_filter(text), "a/b/c", attributes) is expected


@given(filters, events)
def test_both_readings_agree(wish, event):
    """Two evaluations, written apart, on filters and events that know nothing of each other."""
    assert wants(wish, event.topic, event.attributes) == holds(wish, event)


@settings(max_examples=500)
@given(st.data())
def test_both_readings_agree_near_the_boundaries(data):
    """The same with events made from the filter's own constants."""
    wish = data.draw(narrow_filters | filters)
    event = data.draw(events_near(wish))
    assert wants(wish, event.topic, event.attributes) == holds(wish, event)
