"""Wishes of others and of clients: against asking every filter, and what looking ahead may change (speed only)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from tidings.matching import BitsetMatcher, LinearMatcher
from tidings.routing.wants import AHEAD_MAX, NOBODY, TableOptions, Wants, _content
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import holds
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.filter_text import format_filter

OTHERS = ("m", "n", "o")
texts = strategies.narrow_filters.map(format_filter)


def table(**changes):
    """A table with three others."""
    return Wants(OTHERS, TableOptions(new_matcher=changes.pop("new_matcher", LinearMatcher), **changes))


def event(number, topic="a", **attributes):
    """An event with that identity."""
    return Event(number, "p", topic, 0, attributes)


def asked(one, event):
    """Others and keys that want an event."""
    wanted = one.wanted(event)
    return wanted.others, wanted.clients.tolist()


@settings(max_examples=100)
@given(
    st.dictionaries(st.sampled_from(OTHERS), st.lists(texts, max_size=3, unique=True)),
    st.dictionaries(st.integers(0, 5), texts, max_size=3),
    st.data(),
    st.sampled_from((LinearMatcher, BitsetMatcher)),
)
def test_who_wants_an_event_is_who_has_a_filter_that_holds(others, clients, data, new_matcher):
    """The dumb twin asks one filter after the other; taking everything back leaves nobody."""
    one = table(new_matcher=new_matcher)
    for name, filters in others.items():
        one.change(name, filters, ())
    assert one.subscribe(clients) == tuple(clients.values())
    used = [text for filters in others.values() for text in filters] + list(clients.values())
    seen = data.draw(strategies.events_near(*(parsed(text) for text in used)))
    names = tuple(name for name in OTHERS if any(holds(parsed(text), seen) for text in others.get(name, ())))
    keys = sorted(key for key, text in clients.items() if holds(parsed(text), seen))
    assert asked(one, seen) == (names, keys)
    assert [wanted.others for wanted in one.wanted_many([seen])] == [names]
    for name, filters in others.items():
        one.change(name, (), filters)
    assert one.unsubscribe(clients) == tuple(clients.values())
    assert asked(one, seen) == ((), [])
    assert len(one) == 0


def test_a_key_that_is_known_is_not_taken_twice_and_one_unknown_is_not_taken_back():
    """Repetition is harmless."""
    one = table()
    assert one.subscribe({3: "price > 10"}) == ("price > 10",)
    assert one.subscribe({3: "price > 10"}) == ()
    assert one.unsubscribe((4,)) == ()


def test_nobody_is_nobody():
    """What a broker answers where no table is asked."""
    assert NOBODY.others == ()
    assert NOBODY.clients.dtype == np.int64
    assert len(NOBODY.clients) == 0


def test_every_change_grows_the_version_and_makes_old_answers_void():
    """An event may be asked about before and after."""
    one, twelve = table(), event(1, price=12)
    acts = (
        (lambda: one.change("m", ("price > 10",), ()), (("m",), [])),
        (lambda: one.subscribe({0: "price > 10"}), (("m",), [0])),
        (lambda: one.unsubscribe((0,)), (("m",), [])),
    )
    for act, wanted in acts:
        before = one.version
        act()
        assert one.version > before
        assert asked(one, twelve) == wanted


class Foresight:
    """Events in order, handed out so many at a time; keeps what was asked for."""

    def __init__(self, events):
        self.events = events
        self.asked = []

    def __call__(self, one, count):
        """`one` and those after it."""
        self.asked.append((one.id, count))
        return self.events[one.id : one.id + count]


@pytest.mark.parametrize("order", ["forward", "overtaken"])
def test_looking_ahead_changes_nothing_but_speed(order):
    """Batches double while nothing changes; an event overtaken by the batch before is still known."""
    events = [event(number, price=number % 30) for number in range(100)]
    foresight = Foresight(events)
    one = table(ahead=foresight)
    one.change("m", ("price > 10",), ())
    one.subscribe({0: "price > 20"})
    numbers = list(range(100))
    if order == "overtaken":
        numbers[2], numbers[3] = 3, 2
    for number in numbers:
        price = number % 30
        assert asked(one, events[number]) == (("m",) if price > 10 else (), [0] if price > 20 else [])
    assert [count for _, count in foresight.asked] == [1 << place for place in range(len(foresight.asked))]
    assert len(foresight.asked) < 10
    one.unsubscribe((0,))
    one.wanted(events[5])
    assert foresight.asked[-1] == (5, 1)


def test_stragglers_are_looked_at_alone():
    """However many events are under way in whatever order, each costs about one look; answers stay right."""
    everything = [Event(number, "p", "a", number, {"x": number}) for number in range(3_000)]
    looked = []

    def foresight(first, count):
        looked.append(len(everything[first.id : first.id + count]))
        return everything[first.id : first.id + count]

    one = table(ahead=foresight)
    one.subscribe({7: "x > 1000"})
    for number in np.random.default_rng(1).permutation(3_000).tolist():
        assert asked(one, everything[number]) == ((), [7] if number > 1_000 else [])
    assert sum(looked) < 3 * len(everything)


def test_nobody_looks_ahead_without_end():
    """However long nothing changes."""
    events = [event(number) for number in range(4 * AHEAD_MAX)]
    foresight = Foresight(events)
    one = table(ahead=foresight)
    for one_event in events:
        one.wanted(one_event)
    assert max(count for _, count in foresight.asked) == AHEAD_MAX
    assert len(one._known) + len(one._known_before) <= 2 * AHEAD_MAX


@given(strategies.events, strategies.events, strategies.filters)
def test_events_of_one_content_are_treated_alike_by_every_filter(left, right, wish):
    """Content tells apart whatever a filter may tell apart, the types of values included."""
    if _content(left) == _content(right):
        assert holds(wish, left) == holds(wish, right)


def test_content_is_topic_attributes_and_types():
    """1, 1.0 and true are three contents; the identity is no part of it."""
    contents = {_content(event(1, price=value)) for value in (1, 1.0, True, "1")}
    assert len(contents) == 4
    assert _content(event(1, price=1)) == _content(event(2, price=1))
    assert _content(event(1, price=1)) != _content(event(1, "b", price=1))
    assert _content(event(1, a="b")) != _content(event(1, b="a"))


def test_single_events_of_one_content_are_asked_about_once():
    """Until somebody wants something else."""
    one = table()
    one.subscribe({1: 'topic == "a"'})
    first = one.wanted(event(1))
    assert one.wanted(event(2)) is first
    assert one.wanted(event(3, "b")) is not first
    one.subscribe({2: 'topic == "a"'})
    assert one.wanted(event(4)).clients.tolist() == [1, 2]
