"""Tables become arrays: one numbering of clients, events by identity, showings in the order shown."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checking import twin
from checking.histories import drop, history_of, interest, publication, rows_of_runs, shown, tables
from tidings.checking.history import by_subscriber, grouped, read_history
from tidings.errors import InputError
from tidings.vocabulary.instant import FOREVER


def test_a_client_that_publishes_and_listens_is_one():
    """Equal ids are the same client."""
    history = history_of(publications=[publication(0, "a")], interests=[interest("b"), interest("a")])
    assert history.clients == ("b", "a")
    assert history.clients[history.events.publisher[0]] == "a"


def test_nulls_have_their_meanings():
    """Never effective, no end, no lifetime: later than everything. Never acknowledged: not so."""
    wishes = [interest("s", effective_ns=None), interest("s", until_ns=7)]
    history = history_of(
        publications=[publication(0), publication(1, acknowledged_ns=0, expires_ns=3)], interests=wishes
    )
    assert history.interests.effective_ns.tolist() == [FOREVER, 0]
    assert history.interests.until_ns.tolist() == [FOREVER, 7]
    assert history.events.expires_ns.tolist() == [FOREVER, 3]
    assert history.events.acknowledged.tolist() == [False, True]


def test_events_are_those_published_or_shown():
    """By ascending identity; what was only shown is marked."""
    history = history_of(publications=[publication(5), publication(2)], deliveries=shown("s", 9, 2))
    assert history.events.ids.tolist() == [2, 5, 9]
    assert history.events.published.tolist() == [True, True, False]
    assert history.showings.event.tolist() == [2, 0]


@given(rows_of_runs())
def test_showings_stand_in_the_order_shown(rows):
    """Whatever the order of the rows; a new incarnation begins behind the one before."""
    history = history_of(**rows)
    for subscriber in history.subscribers:
        mine = history.showings.of(subscriber)
        expected = [row["event"] for row in twin.showings(rows, history.clients[subscriber])]
        assert history.events.ids[history.showings.event[mine]].tolist() == expected


@given(rows_of_runs())
def test_order_is_judged_by_first_untagged_showings(rows):
    """Each event once, the tagged ones not at all."""
    history = history_of(**rows)
    judged = history.showings.ordered
    for subscriber in history.subscribers:
        found = history.events.ids[judged.event[judged.of(subscriber)]].tolist()
        assert found == twin.ordered(rows, history.clients[subscriber])


def test_positions_may_begin_anew_after_a_restart():
    """The incarnation decides first."""
    deliveries = [*shown("s", 5, 6), *shown("s", 7, 8, incarnation=1)]
    history = history_of(deliveries=deliveries[::-1])
    assert history.events.ids[history.showings.event].tolist() == [5, 6, 7, 8]


def test_subscribers_come_in_the_order_of_the_interests():
    """Strangers who were shown something come last."""
    history = history_of(interests=[interest("b"), interest("a"), interest("b")], deliveries=shown("x", 0))
    assert [history.clients[one] for one in history.subscribers] == ["b", "a", "x"]


def test_only_expired_drops_of_known_events_matter():
    """Null means everyone."""
    history = history_of(
        publications=[publication(3)], drops=[drop(3, "s"), drop(3), drop(3, reason="queue"), drop(2), drop(4)]
    )
    assert history.expirations.event.tolist() == [0, 0]
    assert history.expirations.subscriber.tolist() == [history.clients.index("s"), -1]


def test_drops_without_any_event():
    """Nothing was published, so nothing expired."""
    assert len(history_of(drops=[drop(3)]).expirations.event) == 0


def test_an_event_published_twice_is_refused():
    """Identity is what every check leans on."""
    with pytest.raises(InputError, match="event 3 has more than one row"):
        history_of(publications=[publication(1), publication(3), publication(3)])


def test_columns_may_come_in_pieces_with_dictionaries_of_their_own():
    """As they do from several row groups."""
    made = tables(deliveries=[*shown("a", 1), *shown("b", 2)])
    pieces = [tables(deliveries=shown("b", 3))["deliveries"], made["deliveries"], tables()["deliveries"]]
    made["deliveries"] = pa.concat_tables(pieces)
    history = read_history(lambda name, columns: made[name].select(columns))
    assert [history.clients[one] for one in history.showings.subscriber] == ["b", "b", "a"]


def test_nothing_at_all():
    """Empty tables are a history."""
    history = history_of()
    assert len(history.events) == len(history.showings) == len(history.showings.ordered) == 0
    assert history.subscribers == ()


@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(-(2**62), 2**62))))
def test_groups_are_equal_where_all_columns_are(rows):
    """Numbered from 0."""
    columns = [np.array(column, np.int64) for column in zip(*rows, strict=True)] or [np.zeros(0, np.int64)]
    groups = grouped(*columns).tolist()
    assert set(groups) == set(range(len(set(rows))))
    assert len(set(zip(rows, groups, strict=True))) == len(set(rows))


def test_counting_by_subscriber():
    """Those who do not occur are left out."""
    history = history_of(interests=[interest("a"), interest("b"), interest("c")])
    assert by_subscriber(history, np.array([2, 0, 2])) == {0: 1, 2: 2}
