"""Hypothesis strategies for values, topics, events and filters, shared by all rooms' tests.

Constants come from small pools, so that filters and events meet often; the pools hold what goes wrong: numbers that
are equal or nearly equal as int and float, True beside 1, -0.0, the empty string, topics with `$`, empty levels.
"""

import math

from hypothesis import strategies as st

from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import (
    OPERATIONS,
    TOPIC,
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
)

NUMBERS = (
    *(0, 1, 2, 3, -1, -2, 10),
    *(-0.0, 0.0, 1.0, 2.0, 0.5, -1.5, 2.5, 1e300, -1e300, 5e-324, 1e16),
    *(2**53, 2**53 + 1, float(2**53), 2**63, -(2**63) - 1, 10**16, 10**300, -(10**398)),
)
STRINGS = (
    "",
    "a",
    "ab",
    "abc",
    "b",
    "B",
    "a/b",
    "é",
    "e\u0301",
    "\uffff",
    "\U0010ffff",
    "\U0001f600",
    'q"\\\n',
    "1",
    "true",
)
TOPICS = ("a", "a/b", "a/b/c", "a/c", "b", "b/c", "a//b", "/", "a/", "$s", "$s/a", "quote")
PATTERNS = (
    "#",
    "+",
    "+/#",
    "a/#",
    "a/+",
    "a/+/c",
    "a/+/#",
    "+/b",
    "+/b/#",
    "b/+",
    "$s/#",
    "$s/+",
    "+/a",
    "a/b",
    "/+",
    "a//+",
)
NAMES = ("a", "b", "price", "x-1.y", "größe", "_")

booleans = st.booleans()
numbers = st.one_of(
    st.sampled_from(NUMBERS),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
)
strings = st.one_of(
    st.sampled_from(STRINGS), st.sampled_from(TOPICS), st.text(st.characters(codec="utf-8"), max_size=4)
)
values = st.one_of(booleans, numbers, strings)
names = st.sampled_from(NAMES)
topics = st.sampled_from(TOPICS)
patterns = st.sampled_from(PATTERNS)


def events_of(chosen_topics, chosen_values):
    """Events on these topics whose attributes have these values, or are missing."""
    return st.builds(
        lambda topic, attributes: Event(0, "p", topic, 0, attributes),
        chosen_topics,
        st.dictionaries(names, chosen_values, max_size=len(NAMES)),
    )


events = events_of(topics, values)


def leaves(attributes, constants, chosen_topics=topics, chosen_patterns=patterns):
    """Single comparisons, `true` and `false`; lists may be empty or repeat a value, ranges may be empty or mixed."""
    return st.one_of(
        st.just(Everything()),
        st.just(Nothing()),
        st.builds(Compare, attributes, st.sampled_from(tuple(OPERATIONS)), constants),
        st.builds(Among, attributes, st.lists(constants, max_size=6).map(tuple)),
        st.builds(Between, attributes, constants, constants),
        st.builds(StartsWith, attributes, constants.filter(lambda value: isinstance(value, str))),
        st.builds(Exists, attributes),
        st.builds(Matches, attributes, chosen_patterns),
        st.builds(Compare, st.just(TOPIC), st.just("=="), chosen_topics),
        st.builds(Matches, st.just(TOPIC), chosen_patterns),
    )


def trees(leaf, leaves_max=8):
    """Filters over these leaves; `and` and `or` have up to four terms, and may have fewer than two."""
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.builds(And, st.lists(inner, max_size=4).map(tuple)),
            st.builds(Or, st.lists(inner, max_size=4).map(tuple)),
        ),
        max_leaves=leaves_max,
    )


filters = trees(leaves(names | st.just(TOPIC), values))
"""Any filter, over many attributes and values: most pairs of filters have little to do with each other."""

narrow_filters = trees(
    leaves(
        st.sampled_from(("a", "a", "b", TOPIC)),
        st.one_of(st.integers(-2, 3), st.sampled_from((-0.5, 1.0, 2.5, True, False, "a", "ab", "b", "a/b", ""))),
    )
)
"""Filters over two attributes, the topic and a dozen values: they overlap, cover and contradict each other often."""


def huge_lists(attributes=names, size_max=200):
    """`in` lists that are long and hold neighbours."""
    return st.builds(
        lambda name, start, step, size: Among(name, tuple(range(start, start + step * size, step))),
        attributes,
        st.integers(-10, 10),
        st.integers(1, 3),
        st.integers(1, size_max),
    )


def constants_of(wish):
    """The attributes that a filter speaks of, each with the values that it compares with or values that match."""
    match wish:
        case And(terms) | Or(terms):
            found = [constants_of(term) for term in terms]
        case Not(term):
            found = [constants_of(term)]
        case Everything() | Nothing():
            found = []
        case Compare(attribute, _, value):
            found = [{attribute: [value]}]
        case Among(attribute, listed):
            found = [{attribute: list(listed[:20])}]
        case Between(attribute, low, high):
            found = [{attribute: [low, high]}]
        case StartsWith(attribute, prefix):
            found = [{attribute: [prefix]}]
        case Exists(attribute):
            found = [{attribute: [0]}]
        case Matches(attribute, pattern):
            found = [
                {attribute: [pattern.replace("+", level).replace("#", rest) for level in "ab" for rest in ("a", "b/c")]}
            ]
    together = {}
    for one in found:
        for attribute, listed in one.items():
            together.setdefault(attribute, []).extend(listed)
    return together


def neighbours(value):
    """The value and values close to it, on both sides of every boundary that it may draw."""
    match value:
        case bool():
            return [value, not value, int(value)]
        case str():
            longer = [value + "\0", value + "a", value + "/", value + "/a", value + "\U0010ffff"]
            other = [value[:-1] + chr(min(ord(value[-1]) + 1, 0xD7FF))] if value else []
            return [value, value[:-1], *longer, *other]
        case int() if abs(value) > 2**1000:
            return [value, value - 1, value + 1]
        case _:
            near = [math.nextafter(value, math.inf), math.nextafter(value, -math.inf), float(value)]
            whole = [int(value), int(value) + 1, int(value) - 1]
            return [value, *whole, *(one for one in near if math.isfinite(one))]


def _is_topic(value):
    return isinstance(value, str) and value != "" and not any(mark in value for mark in "+#\0")


@st.composite
def events_near(draw, *wishes):
    """Events made from the filters' own constants and their neighbours, with holes and values of other families."""
    found = constants_of(And(wishes))
    wanted_topics = [near for value in found.pop(TOPIC, []) for near in neighbours(value) if _is_topic(near)]
    topic = draw(st.sampled_from([*wanted_topics, *wanted_topics, *TOPICS]))
    attributes = {}
    for name, listed in found.items():
        near = [one for value in listed for one in neighbours(value)] * 2
        value = draw(st.sampled_from([*near, None, "a", 0, True]))
        if value is not None:
            attributes[name] = value
    return Event(0, "p", topic, 0, attributes)
