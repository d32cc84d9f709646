"""TOML, written: the standard library's reader gives everything back."""

import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.scenario.toml_text import toml_text, toml_value

TEXT = st.text(st.characters(blacklist_categories=["Cs"]), max_size=10)
SCALARS = TEXT | st.integers(-(2**70), 2**70) | st.booleans() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(TEXT, VALUES | st.lists(st.dictionaries(TEXT, VALUES), min_size=1, max_size=3), max_size=4))
def test_every_document_reads_back_equal(document):
    """Whatever keys, texts, numbers and tables."""
    assert tomllib.loads(toml_text(document)) == document


def test_layout():
    """Plain values first, tables below, inline inside."""
    document = {"link": [{"between": ("a", "b")}], "seed": 1, "routing": {"scheme": "tree"}, "x": {}, "y": []}
    assert toml_text(document) == (
        'seed = 1\ny = []\n\n[[link]]\nbetween = ["a", "b"]\n\n[routing]\nscheme = "tree"\n\n[x]\n'
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (3, "3"),
        (0.1, "0.1"),
        (1e300, "1e+300"),
        ('a"b\n\x7f', '"a\\"b\\n\\u007f"'),
        ({"a b": 1, "c": [1, 2.5]}, '{ "a b" = 1, c = [1, 2.5] }'),
        ({}, "{}"),
    ],
)
def test_values(value, text):
    """As a person would write them."""
    assert toml_value(value) == text


@pytest.mark.parametrize("value", [math.nan, math.inf, None, object()])
def test_what_toml_cannot_say_here(value):
    """Scenarios hold none of it."""
    with pytest.raises(ValueError, match=r"finite|no form"):
        toml_value(value)
