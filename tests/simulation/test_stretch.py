"""A stretch of events against a plain sorted list: order, places, objects, and what becomes of each."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulation.stretches import cast, drawn, stretch_of
from tidings.simulation.stretch import Stretch
from tidings.vocabulary.event import NUMBER_BITS, Event
from tidings.vocabulary.instant import FOREVER
from tidings.vocabulary.records import NULL_NS

NAMES, TOPICS = ("p", "q", "r"), ("t", "u", "v")
TREES = {"t": 0, "u": 1}
"""Topic v has no tree."""
series = st.lists(
    st.tuples(
        st.integers(0, 9),
        st.integers(0, 2),
        st.dictionaries(st.sampled_from("ab"), st.integers(0, 2), max_size=2),
        st.sampled_from((FOREVER, 7, 12)),
        st.integers(0, 3),
    ),
    max_size=8,
).map(lambda rows: sorted(rows, key=lambda row: row[0]))
publications = st.tuples(*[st.tuples(st.integers(0, 5), series)] * len(NAMES))


def made(parts):
    """A stretch of such series, and the plain list of what it must hold, in the order of publication."""
    plain = [
        Event(place << NUMBER_BITS | first + number, NAMES[place], TOPICS[topic], at, attributes, expires, 0, size)
        for place, (first, rows) in enumerate(parts)
        for number, (at, topic, attributes, expires, size) in enumerate(rows)
    ]
    plain.sort(key=lambda event: event.published_ns)  # publisher by publisher where instants are equal
    given_ = [
        drawn(
            [row[0] for row in rows],
            first=first,
            topics=[row[1] for row in rows],
            attributes=[row[2] for row in rows],
            expires=[row[3] for row in rows],
            sizes=[row[4] for row in rows],
        )
        for first, rows in parts
    ]
    return Stretch(given_, first=100, cast=cast(NAMES, TOPICS, TREES)), plain


@given(publications)
def test_events_stand_in_the_order_of_time(parts):
    """Of one instant, publisher by publisher, in each publisher's own order."""
    stretch, plain = made(parts)
    assert (len(stretch), stretch.first) == (len(plain), 100)
    assert stretch.events == plain
    assert stretch.ids.tolist() == [event.id for event in plain]
    assert stretch.trees.tolist() == [TREES.get(event.topic, -1) for event in plain]


@given(publications, st.data())
def test_an_event_is_made_once(parts, data):
    """Whoever asks for it, whenever, in whatever company, gets the same object."""
    stretch, plain = made(parts)
    places = st.lists(st.integers(0, len(plain) - 1), max_size=5) if plain else st.just([])
    asked = [np.array(data.draw(places), np.int64) for _ in range(3)]
    answers = [stretch.at(one) for one in asked]
    everything = stretch.events
    for one, answer in zip(asked, answers, strict=True):
        assert all(event is everything[place] for place, event in zip(one.tolist(), answer, strict=True))


@given(publications)
def test_places_of_identities(parts):
    """Every event is found by its identity, and an event of another stretch is not."""
    stretch, plain = made(parts)
    assert [stretch.place(event.id) for event in plain] == list(range(len(plain)))
    for place, (first, rows) in enumerate(parts):
        for number in (first - 1, first + len(rows)):
            if number >= 0:
                assert stretch.place(place << NUMBER_BITS | number) is None


@given(publications, st.integers(1, 4))
def test_looking_ahead_in_a_tree(parts, count):
    """An event and those that come after it in the same tree."""
    stretch, plain = made(parts)
    for place, event in enumerate(plain):
        after = [one for one in plain[place:] if TREES.get(one.topic) == TREES.get(event.topic)]
        assert stretch.ahead(place, count) == after[:count]


decisions = st.lists(st.tuples(st.integers(0, 7), st.sampled_from((NULL_NS, 20, 30))), max_size=12)


@given(decisions)
def test_what_becomes_of_events(decided):
    """The first good news stays; bad news is decided, too, until better comes; both ways of telling are one."""
    one_by_one, at_once = (stretch_of([("t", {})] * 8, ("t",)) for _ in range(2))
    plain = {}
    for place, instant in decided:
        plain[place] = instant if plain.get(place, NULL_NS) == NULL_NS else plain[place]
        one_by_one.decide_one(place, instant)
        at_once.decide(np.array([place]), np.array([instant]))
    for stretch in (one_by_one, at_once):
        assert stretch.acknowledged.tolist() == [plain.get(place, NULL_NS) for place in range(8)]
        assert stretch.undecided == 8 - len(plain)


def test_many_decisions_at_once():
    """Columns of places and instants."""
    stretch = stretch_of([("t", {})] * 4, ("t",))
    stretch.decide(np.array([3, 0]), np.array([9, NULL_NS]))
    assert stretch.acknowledged.tolist() == [NULL_NS, NULL_NS, NULL_NS, 9]
    assert stretch.undecided == 2


@given(publications)
def test_rows_of_the_log_table(parts):
    """Names by their codes, numbers without the publisher, no expiry where there is none, values as literals."""
    stretch, plain = made(parts)
    rows = stretch.rows(np.array([10, 11, 12]), np.array([20, 21, 22]))
    assert rows["event"].tolist() == [event.id for event in plain]
    assert rows["publisher"].tolist() == [10 + NAMES.index(event.publisher) for event in plain]
    assert rows["topic"].tolist() == [20 + TOPICS.index(event.topic) for event in plain]
    assert rows["number"].tolist() == [event.id - (NAMES.index(event.publisher) << NUMBER_BITS) for event in plain]
    assert rows["published_ns"].tolist() == [event.published_ns for event in plain]
    assert rows["expires_ns"].tolist() == [
        NULL_NS if event.expires_ns == FOREVER else event.expires_ns for event in plain
    ]
    assert rows["acknowledged_ns"].tolist() == [NULL_NS] * len(plain)
    assert rows["payload_bytes"].tolist() == [event.payload_bytes for event in plain]
    assert rows["attributes"].to_pylist() == [
        [(name, str(value)) for name, value in event.attributes.items()] for event in plain
    ]


@pytest.mark.parametrize("publishers", [1, 3])
def test_nothing_published(publishers):
    """A stretch without events is empty in every respect."""
    stretch = Stretch([drawn([])] * publishers, first=0, cast=cast(NAMES[:publishers]))
    assert (len(stretch), stretch.events, stretch.undecided, stretch.place(0)) == (0, [], 0, None)


def test_trees_of_topics():
    """By place; -1 for a topic that no tree carries."""
    assert cast(NAMES, TOPICS, TREES).trees(np.array([2, 0, 1, 1])).tolist() == [-1, 0, 1, 1]
