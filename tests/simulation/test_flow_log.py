"""What the kernel noted becomes the rows that a recorder would be told one by one."""

from collections import defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from simulation.stretches import cast, drawn
from simulation.worlds import make_world
from tidings.logs import LogFolder, open_folder
from tidings.simulation.flow_build import initial_state
from tidings.simulation.flow_log import FlowLog
from tidings.simulation.flow_state import CRASH, DOWN, EXPIRED, KINDS, LOST, NO_PLAN, OUTCOMES, WANTED
from tidings.simulation.flow_window import FlowWindow
from tidings.simulation.plans import Plans
from tidings.simulation.recorder import Recorder
from tidings.simulation.stretch import Stretch
from tidings.vocabulary.instant import FOREVER
from tidings.vocabulary.records import NULL_NS

BROKERS = ("a", "b")
WAYS = (("a", "b"), ("b", "a"))
SUBSCRIBERS = ("s0", "s1", "s2")
AUDIENCES = ((), (0,), (2, 1), (0, 1, 2))
EXPIRES = (FOREVER, 15, FOREVER, 3)
"""Of events 0 … 3, published at 0 … 3; events 0 and 1 are over already."""
FORGOTTEN = 2

events = st.integers(FORGOTTEN, 3)
instants = st.integers(4, 20)
sent_rows = st.lists(
    st.one_of(
        st.tuples(events, instants, st.integers(0, 1), st.sampled_from((0, LOST, DOWN)), st.just(0)),
        st.tuples(st.just(-1), instants, st.integers(0, 1), st.sampled_from((0, LOST, DOWN)), st.sampled_from((1, 2))),
    ),
    max_size=8,
)
noted_rows = st.lists(
    st.one_of(
        st.tuples(events, instants, st.integers(0, 1), st.integers(0, 3), st.just(WANTED)),
        st.tuples(events, instants, st.integers(0, 1), st.just(NO_PLAN), st.sampled_from((DOWN, EXPIRED, CRASH))),
        st.tuples(events, instants, st.integers(-2, -1), st.just(NO_PLAN), st.sampled_from((LOST, DOWN))),
    ),
    max_size=10,
)


class Decided:
    """Keeps what a workload is told."""

    def __init__(self):
        self.rows = []

    def decided(self, numbers, instants_):
        """Events by number."""
        self.rows += zip(numbers.tolist(), instants_.tolist(), strict=True)


def behind(given_up):
    """Those behind broker a want even events, those behind b odd ones."""
    return [np.array([event.id % 2, 2] if broker == "a" else [event.id % 2]) for event, broker in given_up]


class Desk:
    """A log, its window with four events of which two are forgotten, and its plans."""

    def __init__(self, path, *, tables=None):
        self.path = path
        self.folder = LogFolder.create(path, names=SUBSCRIBERS, tables=tables)
        self.decided = Decided()
        self.recorder = Recorder(self.folder, behind)
        self.log = FlowLog(self.recorder, self.decided, BROKERS, WAYS)
        self.window, self.plans = FlowWindow((0,)), Plans()
        for first in (0, FORGOTTEN):
            one = drawn(range(first, first + 2), first=first, expires=EXPIRES[first : first + 2])
            self.window.add(Stretch([one], first=first, cast=cast()), np.zeros(2, np.int64))
        self.window.forget(FORGOTTEN)
        for audience in AUDIENCES:
            self.plans.number(0, (), np.array(audience, np.int64))
        self.state = initial_state(make_world(BROKERS), {"a": 0, "b": 1}, WAYS)

    def note(self, **rows):
        """Put rows into the kernel's buffers and write them."""
        for name, some in rows.items():
            buffer = getattr(self.state, name)
            for place, row in enumerate(some):
                buffer[place] = row
            self.state.counters[name] = len(some)
        self.log.write(self.state, self.window, self.plans)

    def rows(self, table, *columns):
        """What was written, after the end."""
        data = open_folder(self.path).table(table, list(columns))
        return list(zip(*(data.column(name).to_pylist() for name in columns), strict=True))

    def finish(self):
        """Close the folder."""
        self.recorder.close()
        self.folder.finish({})


def plain_rows(portions):
    """Deliveries and drops as a loop over rows writes them; of a portion, deliveries and drops each in their order."""
    shown, given_up, positions = [], [], defaultdict(int)
    for event, at, where, plan, what in (row for portion in portions for row in portion):
        component = BROKERS[where] if where >= 0 else ">".join(WAYS[-1 - where])
        if what == WANTED and at <= EXPIRES[event]:
            for code in AUDIENCES[plan]:
                shown.append((event, SUBSCRIBERS[code], positions[code], at))
                positions[code] += 1
        elif what == WANTED:
            given_up += [(event, component, SUBSCRIBERS[code], at, "expired") for code in AUDIENCES[plan]]
        elif what == EXPIRED:
            codes = [event % 2, 2] if component == "a" else [event % 2]
            given_up += [(event, component, SUBSCRIBERS[code], at, "expired") for code in codes]
        else:
            given_up.append((event, component, None, at, OUTCOMES[what]))
    return shown, given_up


@settings(max_examples=60)
@given(st.lists(noted_rows, max_size=3))
def test_deliveries_and_drops(tmp_path_factory, portions):
    """Each row of the kernel becomes a row for each client, for those looked up, or one for everyone behind."""
    desk = Desk(tmp_path_factory.mktemp("desk") / "logs")
    for portion in portions:
        desk.note(noted=portion)
        assert desk.state.counters["noted"] == 0
    desk.finish()
    shown, given_up = plain_rows(portions)
    assert desk.rows("deliveries", "event", "subscriber", "position", "delivered_ns") == shown
    assert desk.rows("drops", "event", "component", "subscriber", "dropped_ns", "reason") == given_up


@settings(max_examples=60)
@given(st.lists(sent_rows, max_size=3))
def test_transmissions(tmp_path_factory, portions):
    """Copies of events with their identity, others without."""
    desk = Desk(tmp_path_factory.mktemp("desk") / "logs")
    for portion in portions:
        desk.note(sent=portion)
    desk.finish()
    columns = ("event", "sender", "receiver", "attempt", "kind", "sent_ns", "outcome")
    assert desk.rows("transmissions", *columns) == [
        (event if kind == 0 else None, *WAYS[link], 0, KINDS[kind], at, OUTCOMES[outcome])
        for portion in portions
        for event, at, link, outcome, kind in portion
    ]


def test_transmissions_that_nobody_wants(tmp_path):
    """Are forgotten."""
    desk = Desk(tmp_path / "logs", tables=("deliveries",))
    desk.note(sent=[(2, 5, 0, 0, 0)])
    assert desk.state.counters["sent"] == 0
    desk.finish()
    assert not (tmp_path / "logs" / "transmissions.parquet").exists()


def test_what_was_taken_is_passed_on(tmp_path):
    """By number over the run, with the instant, or null for what was lost."""
    desk = Desk(tmp_path / "logs")
    desk.note(taken=[(2, 5), (3, NULL_NS)])
    desk.note(taken=[(3, 9)])
    assert desk.decided.rows == [(2, 5), (3, NULL_NS), (3, 9)]


def test_nothing_noted_writes_nothing(tmp_path):
    """An empty round leaves no rows."""
    desk = Desk(tmp_path / "logs")
    desk.note()
    desk.finish()
    assert desk.decided.rows == []
    assert not list((tmp_path / "logs").glob("*.parquet"))
