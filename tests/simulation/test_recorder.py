"""The recorder against plain lists of rows: whatever the order and size of what it is told."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidings.logs import LogFolder, open_folder
from tidings.simulation import recorder as module
from tidings.simulation.recorder import ROWS_PER_BATCH, Recorder
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Forward, Interests, InterestsKnown, Relayed
from tidings.vocabulary.machine import ShowEvent
from tidings.vocabulary.records import NULL_NAME

SUBSCRIBERS = ("s0", "s1", "s2")


def event(number):
    """An event of this identity."""
    return Event(number, "p", "t", 0, {})


def nobody(given_up):
    """Nobody is behind any broker."""
    return [np.zeros(0, np.int64) for _ in given_up]


class Book:
    """A recorder with a folder to write into."""

    def __init__(self, place, behind=nobody, tables=None, identity=None):
        self.path = place / "logs"
        self.folder = LogFolder.create(self.path, names=SUBSCRIBERS, tables=tables)
        self.recorder = Recorder(self.folder, behind, identity)

    def close(self):
        """Finish the folder."""
        self.recorder.close()
        self.folder.finish({})
        return self

    def rows(self, table, *columns):
        """Rows of a finished folder."""
        data = open_folder(self.path).table(table, list(columns))
        return list(zip(*(data.column(name).to_pylist() for name in columns), strict=True))


showings = st.lists(
    st.tuples(st.integers(0, 99), st.lists(st.integers(0, 2), unique=True, max_size=3), st.booleans()), max_size=12
)


@settings(max_examples=50)
@given(showings)
def test_deliveries_against_a_plain_list(tmp_path_factory, shown):
    """One by one or many at once, positions count up for each subscriber in the order in which they were told."""
    book, plain, counts = Book(tmp_path_factory.mktemp("book")), [], Counter()
    for at, (number, codes, at_once) in enumerate(shown):
        if at_once:
            columns = np.full(len(codes), number), np.full(len(codes), at), np.array(codes, np.int64)
            book.recorder.shown_many(*columns)
        else:
            book.recorder.shown(ShowEvent(event(number)), at, np.array(codes, np.int64))
        for code in codes:
            plain.append((number, SUBSCRIBERS[code], counts[code], at, at, False, 0, 0))
            counts[code] += 1
    book.close()
    columns = (
        "event",
        "subscriber",
        "position",
        "arrived_ns",
        "delivered_ns",
        "out_of_order",
        "version",
        "incarnation",
    )
    assert book.rows("deliveries", *columns) == plain
    assert book.recorder.deliveries == len(plain)


def test_an_endpoint_may_have_held_an_event(tmp_path):
    """Then it came in before it was shown, under a version, perhaps tagged; many at once were never held."""
    book = Book(tmp_path)
    held = ShowEvent(event(1), arrived_ns=5, out_of_order=True, version=3)
    book.recorder.shown(held, 9, np.array([0]))
    book.recorder.shown_many(np.array([2]), np.array([10]), np.array([0]))
    book.close()
    columns = ("event", "position", "arrived_ns", "delivered_ns", "out_of_order", "version")
    assert book.rows("deliveries", *columns) == [(1, 0, 5, 9, True, 3), (2, 1, 10, 10, False, 0)]


@given(st.lists(st.lists(st.integers(0, 70_000), max_size=30), max_size=5))
def test_positions_of_codes_of_any_size(tmp_path_factory, batches):
    """The quick way of sorting small codes and the other one count alike."""
    book, counts = Book(tmp_path_factory.mktemp("book"), tables=()), Counter()
    for codes in batches:
        found = book.recorder._next_positions(np.array(codes, np.int64)).tolist()
        for code, position in zip(codes, found, strict=True):
            assert position == counts[code]
            counts[code] += 1


def test_a_copy_on_a_link(tmp_path):
    """Frames about events are rows with the event; others are subscriptions or control, without one."""
    book = Book(tmp_path)
    note = book.recorder.note_for("a", "b")
    note(1, Forward(event(7)), "arrived")
    note(2, Interests("t", 0, 0, None), "lost")
    note(3, InterestsKnown("t", 0, 0, 0), "arrived")
    note(4, Relayed(("a", "b", "c"), Forward(event(8))), "arrived")
    book.close()
    assert book.rows("transmissions", "event", "sender", "receiver", "attempt", "kind", "sent_ns", "outcome") == [
        (7, "a", "b", 0, "event", 1, "arrived"),
        (None, "a", "b", 0, "subscription", 2, "lost"),
        (None, "a", "b", 0, "control", 3, "arrived"),
        (8, "a", "b", 0, "event", 4, "arrived"),
    ]
    assert book.rows("drops", "event") == []


def test_an_event_that_a_link_loses_is_a_drop(tmp_path):
    """Of the link, for everyone behind; also where transmissions are not written."""
    book = Book(tmp_path, tables=("drops",))
    note = book.recorder.note_for("a", "b")
    for at, outcome in enumerate(("lost", "arrived", "down")):
        note(at, Forward(event(at)), outcome)
    book.close()
    assert book.rows("drops", "event", "component", "subscriber", "dropped_ns", "reason") == [
        (0, "a>b", None, 0, "lost"),
        (2, "a>b", None, 2, "down"),
    ]
    assert not book.recorder.transmitting


def test_drops_of_all_kinds_stay_in_order(tmp_path):
    """For everyone behind, for named subscribers, and for those who are looked up, a row for each of them."""

    def behind(given_up):
        assert [(one.id, where) for one, where in given_up] == [(2, "c"), (4, "a")]
        return [np.array([0, 2]), np.zeros(0, np.int64)]

    book = Book(tmp_path, behind)
    book.recorder.dropped(event(1), "a", 10, "crash")
    book.recorder.dropped_behind(event(2), "b", 11, "expired", "c")
    book.recorder.dropped_for(event(3), "a>s1", 12, "down", (1, 0))
    book.recorder.dropped_behind(event(4), "a", 13, "expired", "a")
    codes = book.recorder.code
    columns = {
        "event": np.array([5]),
        "component": np.array([codes("b")]),
        "subscriber": np.array([NULL_NAME]),
        "dropped_ns": np.array([14]),
        "reason": np.array([codes("lost")]),
    }
    book.recorder.dropped_many(columns)
    book.close()
    assert book.rows("drops", "event", "component", "subscriber", "dropped_ns", "reason") == [
        (1, "a", None, 10, "crash"),
        (2, "b", "s0", 11, "expired"),
        (2, "b", "s2", 11, "expired"),
        (3, "a>s1", "s1", 12, "down"),
        (3, "a>s1", "s0", 12, "down"),
        (5, "b", None, 14, "lost"),
    ]


def test_columns_of_transmissions_come_after_what_was_told_before(tmp_path):
    """Both ways of telling keep their order among each other."""
    book = Book(tmp_path)
    code = book.recorder.code
    book.recorder.note_for("a", "b")(1, Forward(event(7)), "arrived")
    book.recorder.transmitted(
        {
            "event": np.array([8]),
            "sender": np.array([code("b")]),
            "receiver": np.array([code("a")]),
            "attempt": np.array([0]),
            "kind": np.array([code("event")]),
            "sent_ns": np.array([2]),
            "outcome": np.array([code("lost")]),
        }
    )
    assert book.close().rows("transmissions", "event", "sender", "outcome") == [(7, "a", "arrived"), (8, "b", "lost")]


@pytest.mark.parametrize("table", ["transmissions", "deliveries", "drops"])
def test_rows_do_not_pile_up(tmp_path, table):
    """Beyond a batch they go to the folder, so memory has a bound."""
    book = Book(tmp_path)
    note = book.recorder.note_for("a", "b")
    everybody, least = np.arange(3), ROWS_PER_BATCH
    for number in range(2 * ROWS_PER_BATCH):
        if table == "transmissions":
            note(number, Forward(event(number)), "arrived")
        elif table == "deliveries":
            book.recorder.shown(ShowEvent(event(number)), number, everybody)
        else:
            book.recorder.dropped(event(number), "a", number, "crash")
        held = len(book.recorder._transmissions) / 7, book.recorder._shown_rows, len(book.recorder._drops)
        least = min(least, ROWS_PER_BATCH - max(held))
    assert -3 <= least <= 1
    book.close()
    numbers = [number for (number,) in book.rows(table, "event")]
    assert numbers == sorted(numbers)
    assert len(numbers) == 2 * ROWS_PER_BATCH * (3 if table == "deliveries" else 1)


def test_tables_of_few_rows(tmp_path):
    """Whole rows, names as text; no rows, no table."""
    book = Book(tmp_path)
    columns = ("component", "kind", "down_ns", "up_ns")
    book.recorder.rows("outages", [("a", "broker", 1, None), ("a>b", "link", 2, 3)], columns)
    book.recorder.rows("processes", [], ("name",))
    book.close()
    assert book.rows("outages", *columns) == [("a", "broker", 1, None), ("a>b", "link", 2, 3)]
    assert not (book.path / "processes.parquet").exists()


def test_flat_lists_become_columns():
    """Row by row in, column by column out."""
    assert module._columns([1, 2, 3, 4, 5, 6], 3).tolist() == [[1, 4], [2, 5], [3, 6]]
    assert module._columns([], 3).shape == (3, 0)


def test_carriers_are_written_as_what_they_bring_on(tmp_path):
    """Copies of the event that they are about; those about none are control, and lost without a word."""
    book = Book(tmp_path, identity=lambda one: one.id - 100 if one.id > 100 else None)
    note = book.recorder.note_for("a", "b")
    note(1, Forward(event(107)), "lost")
    note(2, Forward(event(50)), "lost")
    book.recorder.dropped(event(50), "a", 3, "down")
    book.recorder.dropped_for(event(50), "a", 3, "down", [0])
    book.close()
    assert book.rows("transmissions", "event", "kind") == [(7, "event"), (None, "control")]
    assert book.rows("drops", "event", "dropped_ns") == [(7, 1)]
