"""Bloom summaries: nothing that is in is denied, what is not in is rarely affirmed, and equal is equal."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.ordering.summary import (
    HASHES,
    LEVELS_MAX,
    SUMMARY_BITS,
    SUMMARY_BYTES,
    false_positives,
    level_token,
    mask_of,
    name_token,
    summarise,
    topic_tokens,
    value_token,
)
from tidings.vocabulary.event import Event

values = st.one_of(st.text(max_size=8), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans())


def event(topic="a/b", /, **attributes):
    """An event of which only topic and attributes matter."""
    return Event(id=0, publisher="p", topic=topic, published_ns=0, attributes=attributes)


def holds(summary, token):
    """Whether the summary has all bits of the token."""
    mask = mask_of([token])
    return int.from_bytes(summary, "little") & mask == mask


@given(st.text(min_size=1, max_size=20), st.dictionaries(st.text(min_size=1, max_size=5), values, max_size=6))
def test_nothing_that_is_in_is_denied(topic, attributes):
    """Every token of an event is found in its 16 bytes."""
    summary = summarise(event(topic, **attributes))
    assert len(summary) == SUMMARY_BYTES
    for name, value in attributes.items():
        assert holds(summary, name_token(name))
        assert holds(summary, value_token(name, value))
    assert holds(summary, value_token("topic", topic))
    assert all(holds(summary, token) for token in topic_tokens(topic))


@given(values, values)
def test_tokens_are_equal_where_values_are(one, other):
    """1 and 1.0, 0.0 and −0.0, but not 1 and true, nor 1 and "1"."""
    families = [bool if type(value) is bool else str if type(value) is str else float for value in (one, other)]
    alike = families[0] is families[1] and one == other
    assert (value_token("a", one) == value_token("a", other)) == alike


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (0.0, -0.0), (10**22, 1e22)])
def test_equal_numbers_have_one_token(one, other):
    """Whatever their type."""
    assert value_token("a", one) == value_token("a", other)


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, "1"), (True, "True"), (2**53 + 1, 2.0**53)])
def test_different_values_have_different_tokens(one, other):
    """Families apart, and large numbers exactly."""
    assert value_token("a", one) != value_token("a", other)


def test_names_and_values_cannot_be_confused():
    """A name that ends like a value, and a level like a name."""
    assert value_token("a", "=str:b") != value_token("a=str:", "b")
    assert len({value_token("x", "y"), name_token("x"), level_token(0, "x"), level_token(1, "x")}) == 4


def test_hashes_are_the_same_for_ever():
    """These bits may be on the wire between versions."""
    assert mask_of(["a"]) == 1 << 45 | 1 << 54 | 1 << 92 | 1 << 96
    assert summarise(event("a/b", price=10)).hex() == "15002c0240000021a088000008118008"


def test_deep_topics_fill_only_so_much():
    """Levels beyond the fourth have no token of their own."""
    assert len(topic_tokens("a/b/c/d/e/f")) == LEVELS_MAX
    assert topic_tokens("a") == ["l0=a"]


def test_the_published_rate_of_false_positives():
    """With m = 9585, n = 1000, k = 7: 0.0100395. Nothing in: none."""
    assert false_positives(9585, 7, 1000) == pytest.approx(0.0100395, abs=5e-8)
    assert false_positives(128, 4, 0) == 0.0


@pytest.mark.parametrize("tokens", [5, 10, 20])
def test_false_positives_are_as_rare_as_the_formula_says(tokens):
    """In a summary's 128 bits with 4 hashes, over 400 fillings."""
    generator = np.random.default_rng(3)
    wrong = trials = 0
    for _ in range(400):
        names = generator.integers(0, 2**62, tokens + 50).tolist()
        mask = mask_of(str(name) for name in names[:tokens])
        wrong += sum(mask_of([str(name)]) & ~mask == 0 for name in names[tokens:])
        trials += 50
    expected = false_positives(SUMMARY_BITS, HASHES, tokens)
    # The formula neglects that fillings differ; four standard errors and a little.
    assert abs(wrong / trials - expected) <= 4 * math.sqrt(expected / trials) + 0.1 * expected


def test_hashes_spread_over_all_bits():
    """Every bit is set by some token, none by far more than its share."""
    counts = np.zeros(SUMMARY_BITS)
    for name in range(4_000):
        mask = mask_of([str(name)])
        counts += [mask >> bit & 1 for bit in range(SUMMARY_BITS)]
    assert counts.min() > 80
    assert counts.max() < 180
