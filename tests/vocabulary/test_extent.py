"""Extents against their dumb twin: every filter evaluated on one event out of each corner of a small world."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import events_near, filters, leaves, narrow_filters, trees
from tidings.vocabulary.event import Event
from tidings.vocabulary.extent import extent, extent_covers, extent_intersects
from tidings.vocabulary.filter import And, Compare, Everything, Matches, Not, Nothing, Or, holds
from tidings.vocabulary.filter_parser import parse_filter
from tidings.vocabulary.filter_text import format_filter
from tidings.vocabulary.value_set import domain

NUMBERS = (0, 1, 2.5)
WORDS = ("", "a", "ab", "b")
TOPICS = ("a", "a/b", "b")
NUMBER_PROBES = (-1, 0, 0.5, 1, 2, 2.5, 3)
WORD_CUTS = ("", "$", "%", "a", "a/", "a/b", "a0", "ab", "ac", "b", "c")
WORD_PROBES = tuple(word + tail for word in WORD_CUTS for tail in ("", "\0"))
"""One string from every gap between the strings at which a filter of this world can change its mind."""

small_filters = trees(
    leaves(
        st.sampled_from(("n", "w", "w", "topic")),
        st.sampled_from((*NUMBERS, True, *WORDS)),
        st.sampled_from(TOPICS),
        st.sampled_from(("#", "a/#", "b", "+/#", "a/+/#")),
    ),
    leaves_max=6,
).filter(lambda wish: '"n" ' not in format_filter(wish))
WORLD = [
    Event(0, "p", topic, 0, {name: value for name, value in (("n", number), ("w", word)) if value is not None})
    for number, word, topic in product(
        (None, *NUMBER_PROBES, True, False, "", "a", "b\0"),
        (None, 0, 1, 2, 3, True, False, *WORD_PROBES),
        ("a", "a/b", "$s", "c"),
    )
]


def wanted(wish):
    """The twin: which events of the world the filter wants."""
    return [holds(wish, event) for event in WORLD]


@settings(max_examples=40)
@given(small_filters, small_filters)
def test_no_claim_is_contradicted_by_any_corner(general, special):
    """Whatever is proven holds for all events of the world."""
    ours, theirs = wanted(general), wanted(special)
    if extent_covers(extent(general), extent(special)):
        assert all(one or not other for one, other in zip(ours, theirs, strict=True))
    if not extent_intersects(extent(general), extent(special)):
        assert not any(one and other for one, other in zip(ours, theirs, strict=True))


one_attribute = trees(
    leaves(
        st.just("w"),
        st.sampled_from((*NUMBERS, True, False, *WORDS)),
        st.nothing(),
        st.sampled_from(("#", "a/#", "a/+/#")),
    ),
    leaves_max=8,
).filter(lambda wish: "topic" not in format_filter(wish))
CORNERS = [
    Event(0, "p", "a", 0, {} if value is None else {"w": value})
    for value in (None, True, False, *NUMBER_PROBES, 2.75, 0.25, *WORD_PROBES)
]


@settings(max_examples=400)
@given(one_attribute, one_attribute)
def test_claims_are_complete_for_one_attribute(general, special):
    """Covering is found exactly when it is there, unions of ranges and negations included."""
    ours = [holds(general, event) for event in CORNERS]
    theirs = [holds(special, event) for event in CORNERS]
    covered = all(one or not other for one, other in zip(ours, theirs, strict=True))
    overlap = any(one and other for one, other in zip(ours, theirs, strict=True))
    assert extent_covers(extent(general), extent(special)) == covered
    assert extent_intersects(extent(general), extent(special)) == overlap


@settings(max_examples=300)
@given(st.data())
def test_an_extent_holds_exactly_what_its_filter_wants(data):
    """On events near the boundaries, all patterns and numbers included."""
    wish = data.draw(narrow_filters | filters)
    event = data.draw(events_near(wish))
    boxes = extent(wish)
    values = {**event.attributes, "topic": event.topic}
    inside = any(all(values.get(name) in allowed for name, allowed in box.items()) for box in boxes)
    assert inside == holds(wish, event)
    assert not any(allowed.is_empty for box in boxes for allowed in box.values())


@settings(max_examples=200)
@given(narrow_filters | filters)
def test_every_filter_covers_itself_and_its_normal_form(wish):
    """And nothing lies both in it and in its negation; together they are everything."""
    same, opposite = extent(parse_filter(format_filter(wish))), extent(Not(wish))
    assert extent_covers(extent(wish), same)
    assert extent_covers(same, extent(wish))
    assert extent_covers(extent(Everything()), same)
    assert extent_covers(same, extent(Nothing()))
    assert not extent_intersects(same, extent(Nothing()))
    if "matches" not in format_filter(wish):
        assert not extent_intersects(same, opposite)
        assert extent_covers((*same, *opposite), extent(Everything()))


def test_a_box_may_name_a_whole_domain():
    """Attributes that may be anything do not stop a proof."""
    assert extent_covers(({"a": domain("a"), "topic": domain("topic")},), ({},))
    assert extent_covers((), ())
    assert not extent_covers((), ({},))


def chain(kind, texts):
    """One node over parsed terms, beyond what the parser allows."""
    return kind(tuple(parse_filter(text) for text in texts))


@pytest.mark.parametrize(
    "wish",
    [
        chain(And, [f"(a{number} > 1 or b{number} < 2)" for number in range(64)]),
        chain(
            And,
            [f"(a in ({', '.join(map(str, range(number, 4_000 + number)))}) or b{number} < 2)" for number in range(16)],
        ),
        And(tuple(Matches("topic", "a/" + "+/" * number + "c/#") for number in range(1, 120))),
        Not(Or(tuple(Matches("topic", "a/" + "+/" * number + "c") for number in range(1, 120)))),
    ],
    ids=["product", "long lists", "patterns", "barred patterns"],
)
def test_too_much_work_is_not_begun(wish):
    """No extent rather than a slow one."""
    assert extent(wish) is None


def test_a_proof_that_takes_too_much_work_is_not_found():
    """The answers are then the safe ones; covering that is seen at once is still seen."""
    many = extent(chain(Or, [f"a > {number} and b < {number}" for number in range(200)]))
    others = extent(chain(Or, [f"a > {number}.5 and b < {number} and c == 1" for number in range(200)]))
    assert extent_covers(many, many)
    assert not extent_covers(many, tuple({**box} for box in reversed(others)))
    apart = extent(chain(Or, [f"a == {-number} and b == 1" for number in range(1, 400)]))
    assert extent_intersects(many, apart)
    assert extent(Compare("a", "==", 1)) == extent(Compare("a", "==", 1.0)) != extent(Compare("a", "==", True))
