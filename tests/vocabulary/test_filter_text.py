"""The normal form: same meaning, one spelling, and text that reads back as it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import NUMBERS, events_near, filters, narrow_filters
from tidings.vocabulary.filter import (
    Among,
    And,
    Between,
    Compare,
    Everything,
    Exists,
    Matches,
    Not,
    Nothing,
    Or,
    StartsWith,
    compare,
    holds,
)
from tidings.vocabulary.filter_parser import parse_filter
from tidings.vocabulary.filter_text import canonical_value, format_filter, normalise

any_filter = narrow_filters | filters


@settings(max_examples=300)
@given(any_filter)
def test_text_reads_back_as_the_normal_form(wish):
    """And the normal form is its own normal form; types are compared, too."""
    text = format_filter(wish)
    assert repr(parse_filter(text)) == repr(normalise(wish))
    assert format_filter(parse_filter(text)) == text


@settings(max_examples=300)
@given(st.data())
def test_the_normal_form_means_the_same(data):
    """On events near the filter's own boundaries."""
    wish = data.draw(any_filter)
    event = data.draw(events_near(wish))
    assert holds(normalise(wish), event) == holds(wish, event)


@given(st.lists(any_filter, min_size=2, max_size=4), st.data())
def test_order_repetition_and_brackets_do_not_matter(terms, data):
    """`and` and `or` are associative, commutative, idempotent; De Morgan holds; two `not`s are none."""
    shuffled = [*data.draw(st.permutations(terms)), terms[0]]
    for kind, other in ((And, Or), (Or, And)):
        text = format_filter(kind(tuple(terms)))
        assert format_filter(kind(tuple(shuffled))) == text
        assert format_filter(kind((terms[0], kind(tuple(terms[1:]))))) == text
        assert format_filter(Not(other(tuple(Not(term) for term in terms)))) == text
        assert format_filter(Not(Not(kind(tuple(terms))))) == text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("b==1 or a==1 and c==1", "a == 1 and c == 1 or b == 1"),
        ("(b == 1 or a == 1) and c == 1", "(a == 1 or b == 1) and c == 1"),
        ("a == 1 and (b == 1 and c == 1)", "a == 1 and b == 1 and c == 1"),
        ("a == 1 or a == 1.0", "a == 1"),
        ("a == 1 or a == true", "a == 1 or a == true"),
        ("a == -0.0", "a == 0"),
        ("a == 9007199254740992", "a == 9007199254740992.0"),
        ("a == 9007199254740993", "a == 9007199254740993"),
        ("a == 1152921504606846976", "a == 1.152921504606847e+18"),
        ("a in (3, 1, 2, 1.0)", "a in (1, 2, 3)"),
        ('a in ("b", 2, true, "a", 1.5, false)', 'a in (false, true, 1.5, 2, "a", "b")'),
        ("a in (1, true)", "a in (true, 1)"),
        ("a in (1, 1.0)", "a == 1"),
        ("topic in (1, true)", "false"),
        ('topic in (1, "a")', 'topic == "a"'),
        ("topic == 1", "false"),
        ("not topic == 1", "true"),
        ("topic between 1 and 2", "false"),
        ("exists(topic)", "true"),
        ("not exists(topic) or a == 1", "a == 1"),
        ("a between 2 and 1", "false"),
        ('a between 1 and "b"', "false"),
        ("not a between 2 and 1", "true"),
        ("a between 1.0 and 1", "a == 1"),
        ("a between 1.0 and 2.5", "a between 1 and 2.5"),
        ('topic matches "a/b"', 'topic == "a/b"'),
        ('topic matches "+/#"', 'topic matches "#"'),
        ('a startswith "\\u0041"', 'a startswith "A"'),
        ("true and a == 1", "a == 1"),
        ("false and a == 1", "false"),
        ("true or a == 1", "true"),
        ("false or a == 1", "a == 1"),
        ("true and true", "true"),
        ("false or false", "false"),
        ("a == 1 and not a == 1", "false"),
        ("a == 1 or not a == 1.0", "true"),
        ("not not a == 1", "a == 1"),
        ("not (a == 1 and not b == 1)", "b == 1 or not a == 1"),
        ("not (a == 1 or b == 1) and c == 1", "c == 1 and not a == 1 and not b == 1"),
        ("not true", "false"),
        ("not a < 1", "not a < 1"),
        ("not a != 1", "not a != 1"),
        ("(a == 1 or b == 1) and (b == 1 or a == 1)", "a == 1 or b == 1"),
        ('a == "é\\n\\u2028"', 'a == "é\\n\u2028"'),
    ],
)
def test_spellings_and_their_canonical_text(text, canonical):
    """What is unified, and what must not be: `not a < 1` is not `a >= 1`, True is not 1."""
    assert format_filter(parse_filter(text)) == canonical


@pytest.mark.parametrize(
    ("tree", "canonical"),
    [
        (And(()), Everything()),
        (Or(()), Nothing()),
        (And((Exists("a"),)), Exists("a")),
        (Or((Or((Exists("a"),)),)), Exists("a")),
        (Not(And(())), Nothing()),
        (Among("a", ()), Nothing()),
        (Not(Among("a", ())), Everything()),
        (Between("topic", "b", "a"), Nothing()),
        (StartsWith("a", "x"), StartsWith("a", "x")),
        (Matches("a", "x/#"), Matches("a", "x/#")),
        (Not(Matches("a", "x")), Not(Compare("a", "==", "x"))),
    ],
    ids=repr,
)
def test_trees_that_no_text_has(tree, canonical):
    """Chains of one or none, empty lists."""
    assert repr(normalise(tree)) == repr(canonical)


@pytest.mark.parametrize("left", NUMBERS)
def test_equal_numbers_have_one_spelling(left):
    """And one type; unequal ones have two, however near."""
    for right in NUMBERS:
        same = repr(canonical_value(left)) == repr(canonical_value(right))
        assert same == compare(left, "==", right)
    assert canonical_value(left) == left


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_canonical_numbers_are_equal_and_short(number):
    """No spelling grows beyond 24 characters unless it had as many."""
    again = canonical_value(number)
    assert again == number
    assert canonical_value(again) == again
    assert len(repr(again)) <= max(24, len(repr(number)))
    if number == int(number):
        assert repr(canonical_value(int(number))) == repr(again)


@pytest.mark.parametrize("value", [True, False, "", "1", "true"])
def test_other_values_are_left_alone(value):
    """Booleans do not become numbers."""
    assert canonical_value(value) is value
