"""Negation, disjuncts, covering, overlap and topics."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import events_near, filters, huge_lists, narrow_filters
from tidings.vocabulary.filter import (
    TOPIC,
    And,
    Compare,
    Everything,
    Exists,
    Matches,
    Not,
    Nothing,
    Or,
    holds,
)
from tidings.vocabulary.filter_logic import attributes_named, covers, disjuncts, intersects, negate, topics_of
from tidings.vocabulary.filter_parser import parse_filter

any_filter = narrow_filters | filters
A, B, C, D = (Compare(name, "==", 1) for name in "abcd")


@settings(max_examples=300)
@given(st.data())
def test_negation_flips_the_meaning(data):
    """For every event, and twice is not at all."""
    wish = data.draw(any_filter)
    event = data.draw(events_near(wish))
    assert holds(negate(wish), event) == (not holds(wish, event))
    assert holds(negate(negate(wish)), event) == holds(wish, event)


def test_negation_reaches_down_to_comparisons():
    """De Morgan; a `not` is taken away rather than doubled."""
    assert negate(And((A, Not(B)))) == Or((Not(A), B))
    assert negate(Or((A, Everything()))) == And((Not(A), Nothing()))
    assert negate(Nothing()) == Everything()


@settings(max_examples=300)
@given(st.data())
def test_disjuncts_mean_the_same(data):
    """At least one conjunction holds exactly where the filter does, and all are made of comparisons."""
    wish = data.draw(any_filter)
    event = data.draw(events_near(wish))
    found = disjuncts(wish, 2_000)
    if found is not None:
        assert any(all(holds(literal, event) for literal in one) for one in found) == holds(wish, event)
        literals = [literal.term if isinstance(literal, Not) else literal for one in found for literal in one]
        assert not any(isinstance(literal, And | Or | Not | Everything | Nothing) for literal in literals)
        assert max(len(found), len(literals)) <= 2_000


@given(any_filter, st.integers(0, 30))
def test_the_bound_on_disjuncts_is_exact_where_it_is_reached(wish, terms_max):
    """A bound changes nothing but whether there is an answer, and no answer breaks it."""
    found, all_of_it = disjuncts(wish, terms_max), disjuncts(wish, 10**6)
    if found is not None:
        assert found == all_of_it
        assert max(len(found), sum(map(len, found))) <= max(terms_max, 1)


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        (Everything(), ((),)),
        (Nothing(), ()),
        (A, ((A,),)),
        (Not(A), ((Not(A),),)),
        (Not(Not(A)), ((A,),)),
        (Or((A, And((B, C)))), ((A,), (B, C))),
        (And((A, Or((B, C)))), ((A, B), (A, C))),
        (Not(And((A, B))), ((Not(A),), (Not(B),))),
        (And((Or((A, B)), Or((C, D)))), ((A, C), (A, D), (B, C), (B, D))),
        (And((A, Nothing())), ()),
        (And(()), ((),)),
    ],
    ids=repr,
)
def test_disjuncts_of_small_filters(wish, expected):
    """In the order of the text."""
    assert disjuncts(wish, 8) == expected


def test_a_product_that_is_too_large_is_not_made():
    """2²⁵⁶ conjunctions are counted, not built."""
    pairs = And(tuple(Or((Compare(f"a{i}", "==", 1), Compare(f"b{i}", "==", 1))) for i in range(256)))
    assert disjuncts(pairs, 10**6) is None
    assert disjuncts(Or((pairs, A)), 10**6) is None
    assert disjuncts(And((Or((A, B)), Or((C, D)))), 7) is None
    assert disjuncts(Or((A, B)), 1) is None
    assert disjuncts(A, 0) is None


@settings(max_examples=500)
@given(st.data())
def test_covering_overlap_and_topics_are_sound(data):
    """No event near the boundaries of either filter contradicts a claim."""
    left, right = data.draw(any_filter), data.draw(any_filter)
    general = data.draw(st.sampled_from((left, Or((left, right)))))
    special = data.draw(st.sampled_from((right, And((left, right)))))
    event = data.draw(events_near(left, right))
    if holds(special, event) and covers(general, special):
        assert holds(general, event)
    if holds(left, event) and holds(right, event):
        assert intersects(left, right)
    topics = topics_of(left)
    if topics is not None and holds(left, event):
        assert event.topic in topics


@settings(max_examples=200)
@given(any_filter, any_filter)
def test_parts_and_wholes(left, right):
    """What every logic of covering must find; overlap is symmetric."""
    assert covers(Or((left, right)), left)
    assert covers(left, And((left, right)))
    assert covers(left, left)
    assert intersects(left, right) == intersects(right, left)


@pytest.mark.parametrize(
    ("general", "special", "expected"),
    [
        ("a < 10", "a < 5", True),
        ("a < 5", "a < 10", False),
        ("a <= 5", "a < 5", True),
        ("a < 5", "a <= 5", False),
        ("a < 5", "a < 5.0", True),
        ("a != 6", "a < 5", True),
        ("a != 4", "a < 5", False),
        ("not a == 6", "a < 5", True),
        ("not a >= 5", "a < 5", True),
        ("a < 5", "not a >= 5", False),
        ("exists(a)", "a < 5", True),
        ("exists(a)", "not a < 5", False),
        ("exists(a)", "true", False),
        ("exists(a)", "b == 1", False),
        ('a startswith ""', "b == 1", False),
        ("exists(a)", "not a < 5 and exists(a)", True),
        ("not a == true", "a < 5", True),
        ("not exists(b)", "true", False),
        ("a == 1", "a == true", False),
        ("a in (1, 2, 3)", "a in (3, 1.0)", True),
        ("a in (1, 2, 3)", "a in (3, true)", False),
        ("a between 1 and 3", "a in (1, 2, 3)", True),
        ("a in (1, 2)", "a between 1 and 2", False),
        ("a == 0", "a == -0.0", True),
        ("a > 9007199254740992.0", "a == 9007199254740993", True),
        ("a <= 9007199254740992.0", "a < 9007199254740993", False),
        ("a == 7", "a between 3 and 1", True),
        ("false", "a < 1 and a > 1", True),
        ("false", "a == 1 and a == true", True),
        ('a startswith "IB"', 'a startswith "IBM"', True),
        ('a startswith "IBM"', 'a startswith "IB"', False),
        ('a startswith "IB"', 'a in ("IBM", "IB")', True),
        ('a >= "IB" and a < "IC"', 'a startswith "IB"', True),
        ('a startswith "IB"', 'a >= "IB" and a < "IC"', True),
        ('a startswith ""', 'a == "x"', True),
        ('a startswith ""', "exists(a)", False),
        ("a < true", "a == false", True),
        ("a == false or a == true", "a <= true", True),
        ("true", "a < 5 or not b == 2", True),
        ("a < 5", "true", False),
        ("a < 5", "a < 5 and b == 1", True),
        ("a < 5 and b == 1", "a < 5", False),
        ("a < 5 or b == 1", "a < 3", True),
        ("a < 3", "a < 2 or a < 1", True),
        ("a <= 5 or a >= 5", "a between 0 and 10", True),
        ("a < 5 or a > 5", "a between 0 and 10", False),
        ("a < 5 and b < 5 or a < 5 and b >= 5", "a < 4 and b == 5", True),
        ("a < 5 and b < 5 or a < 5 and b >= 5", "a < 4 and b between 0 and 9", True),
        ("a < 5 and b < 5 or a < 5 and b >= 5", "a < 4", False),
        ("a < 5 or not a < 5", "true", True),
        ("exists(topic)", "true", True),
        ('topic startswith ""', "true", True),
        ('topic startswith "$" or topic matches "#"', "true", True),
        ('topic matches "#"', "true", False),
        ('topic matches "a/#"', 'topic matches "a/+/c"', True),
        ('topic matches "a/#"', 'topic == "a"', True),
        ('topic matches "a/#"', 'topic startswith "a/"', True),
        ('topic matches "a/#"', 'topic startswith "a"', False),
        ('topic matches "+/b"', 'topic in ("a/b", "c/b")', True),
        ('topic matches "+/b"', 'topic in ("a/b", "$s/b")', False),
        ('not topic matches "a/+"', 'topic matches "b/+"', True),
        ('not topic matches "a/+"', 'topic matches "+/b"', False),
        ('not topic matches "a/+/#"', 'not topic matches "a/#"', True),
        ('topic matches "a/+/c" or not topic matches "a/+/c"', "true", True),
        ('topic == "a" or topic == "b"', 'topic in ("a", "b")', True),
        ('x matches "a/#"', "exists(x)", False),
    ],
)
def test_covering_pair_by_pair(general, special, expected):
    """Ranges, lists, prefixes, existence, wildcards, negations and their unions."""
    assert covers(parse_filter(general), parse_filter(special)) is expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("a < 5", "a > 4", True),
        ("a < 5", "a >= 5", False),
        ("a <= 5", "a >= 5", True),
        ("a < 5", "not a < 5", False),
        ("a < 5", "not exists(a)", False),
        ("a < 5", "not a == 3", True),
        ("a == 1", "a == true", False),
        ("a == 1", 'a == "1"', False),
        ("a == 1", "a == 1.0", True),
        ("a == 1", "b == 2", True),
        ("a in (1, 2)", "a in (3, 4) or b == 1", True),
        ("a in (1, 2) and b == 2", "a in (3, 4) or b == 1", False),
        ('a startswith "IB"', 'a startswith "IC"', False),
        ('a startswith "IB"', 'a < "IB"', False),
        ('topic matches "a/+"', 'topic matches "+/b"', True),
        ('topic matches "a/+"', 'topic matches "+/b/c"', False),
        ('topic matches "a/+"', 'topic startswith "b"', False),
        ('topic == "a"', 'topic == "b"', False),
        ("topic == 1", "true", False),
        ("true", "false", False),
        ("true", "true", True),
    ],
)
def test_overlap_pair_by_pair(left, right, expected):
    """Disjoint only where families, ranges or patterns say so."""
    assert intersects(parse_filter(left), parse_filter(right)) is expected


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ('topic == "a"', ("a",)),
        ('topic in ("b", "a", "b")', ("a", "b")),
        ('topic in ("trades", "risk") and side == "buy"', ("risk", "trades")),
        ('topic == "a" and x < 1 or topic == "b"', ("a", "b")),
        ('topic == "a" or x < 1', None),
        ('(topic == "a" or x < 1) and topic in ("a", "b")', ("a", "b")),
        ('topic in ("a", "b", "c") and not topic == "b"', ("a", "c")),
        ('topic in ("a", "b") and x < 1 and (x > 2 or topic == "b")', ("b",)),
        ('topic matches "a/b"', ("a/b",)),
        ('topic matches "a/+"', None),
        ('topic matches "a/+" and topic in ("a/b", "b/c", "a")', ("a/b",)),
        ('not topic matches "a/+" and topic in ("a/b", "b/c", "a")', ("a", "b/c")),
        ('topic between "a" and "a"', ("a",)),
        ('topic between "a" and "b"', None),
        ('not topic == "a"', None),
        ('not (topic != "a" or x == 1)', ("a",)),
        ("true", None),
        ("exists(topic)", None),
        ("false", ()),
        ("topic == 1", ()),
        ('topic == "a" and topic == "b"', ()),
        ("x < 1 and x > 1", ()),
    ],
)
def test_topics_outside_which_a_filter_cannot_hold(text, topics):
    """The smallest set that comparisons with constants give."""
    assert topics_of(parse_filter(text)) == topics


TOO_LARGE = And(tuple(Or((Compare(f"a{i}", "<", 1), Compare(f"b{i}", "==", 1))) for i in range(64)))


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ('topic == "a"', ("a",)),
        ('topic == "a" or topic in ("b", "c")', ("a", "b", "c")),
        ('topic in ("a", "b") and not topic == "b"', ("a",)),
        ('not (topic != "a" or x == 1)', ("a",)),
        ('topic == "a" and not topic matches "b/+"', ("a",)),
        ('topic == "a" or x == 1', None),
        ('not topic == "a"', None),
        ('not topic matches "a/+"', None),
        ('not topic matches "a/+" and topic in ("a/b/c", "b")', ("a/b/c", "b")),
        ("true", None),
        ("not true", ()),
    ],
)
def test_filters_beyond_the_bound_get_safe_answers(text, topics):
    """Topics are still found term by term; covering is not claimed, overlap is not denied."""
    wish = And((TOO_LARGE, parse_filter(text)))
    if text != "not true":
        assert topics_of(wish) == topics
    assert not covers(wish, Nothing())
    assert not covers(Everything(), And((TOO_LARGE, Exists("x"))))
    assert intersects(wish, Everything())
    assert intersects(Everything(), TOO_LARGE)


@given(huge_lists(st.just("a")), huge_lists(st.just("a")))
def test_long_lists_are_sets(left, right):
    """Covering is inclusion, overlap is intersection."""
    ours, theirs = frozenset(left.values), frozenset(right.values)
    assert covers(left, right) == (theirs <= ours)
    assert intersects(left, right) == (not ours.isdisjoint(theirs))


@given(st.sampled_from((TOPIC, "a")), st.sampled_from(("a/+", "+/b", "#", "a/#", "a/+/c", "$s/+")), st.data())
def test_patterns_cover_as_patterns(attribute, pattern, data):
    """On the topic and on other attributes, where the pattern also says that there is a string."""
    other = data.draw(st.sampled_from(("a/+", "+/b", "#", "a/#", "a/+/c", "$s/+", "a/b")))
    general, special = Matches(attribute, pattern), Matches(attribute, other)
    event = data.draw(events_near(special))
    if covers(general, special) and holds(special, event):
        assert holds(general, event)
    assert covers(Exists(attribute), special)


def test_attributes_that_a_filter_names():
    """Of every comparison, negated or not; the topic is one of them."""
    assert attributes_named(parse_filter('not (x > 1 and topic == "t") or exists(y)')) == {"x", "topic", "y"}
    assert attributes_named(parse_filter('topic matches "a/+"')) == {"topic"}
    assert attributes_named(parse_filter("true")) == frozenset()
