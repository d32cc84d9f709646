"""Hosts: a broker's process with its queue, its crashes, its pauses and its timer, around a real broker."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulation.worlds import EVERYTHING, MS
from tidings.errors import DiskError
from tidings.matching import LinearMatcher
from tidings.node import Broker, BrokerOptions, DetourOptions
from tidings.routing import TableOptions
from tidings.simulation.agenda import Agenda
from tidings.simulation.host import Host, HostOptions
from tidings.simulation.journal import ListJournal
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import (
    Accepted,
    Forward,
    Interests,
    InterestsKnown,
    Publish,
    Received,
    Relayed,
    Subscribe,
    Subscribed,
)
from tidings.vocabulary.instant import FOREVER, SECOND
from tidings.vocabulary.machine import NeighbourLost, NeighbourReturned
from tidings.vocabulary.overlay import Overlay


class Wire:
    """Keeps what is sent to a neighbour."""

    down = 0

    def __init__(self):
        self.sent = []

    def send(self, now, frame):
        self.sent.append((now, frame))


class Bench:
    """One host named a, linked to b, and everything that it does; b wants all events on topic t."""

    def __init__(self, *, service_ns=None, drop_expired=True, renew_ns=None, journal=None, detours=None):
        self.agenda, self.wire = Agenda(), Wire()
        self.heard, self.shown, self.given_up_, self.untaken, self.touches = [], [], [], [], []
        self.stops = []
        options = BrokerOptions(
            name="a",
            neighbours={"t": ("b",)},
            tree_of={"t": "t"}.get,
            table=TableOptions(new_matcher=LinearMatcher),
            renew_ns=renew_ns,
            drop_expired=drop_expired,
            keeps=journal is not None,
            detours=detours,
        )
        self.host = Host(
            HostOptions(
                name="a",
                new_machine=lambda: Broker(options),
                channels={"b": self.wire},
                service_ns=service_ns,
                drop_expired=drop_expired,
                journal=journal,
                touched=self.touches.append,
                disk_failed=lambda now, name: self.stops.append((now, name)),
            ),
            self.agenda,
            self,
        )
        self.learn()

    def learn(self):
        """The neighbour tells that it wants everything on t."""
        self.host.arrive(self.agenda.now, "b", Interests("t", 0, 1, None, (EVERYTHING,)))

    # what the world does for its hosts

    def to_client(self, now, broker, client, frame):
        self.heard.append((now, client, frame))

    def to_clients(self, now, broker, delivery):
        self.shown.append((now, delivery.event.id))

    def given_up(self, now, broker, drop):
        self.given_up_.append((now, drop.event.id, drop.reason))

    def never_taken(self, event_id):
        self.untaken.append(event_id)

    # what the tests do

    def publish(self, instants, expires_ns=FOREVER):
        """An event of client p at each instant."""
        for number, instant in enumerate(instants):
            event = Event(number, "p", "t", instant, {}, expires_ns)
            self.agenda.at(instant, lambda now, one, _: self.host.arrive(now, "p", Publish(one)), event)

    def at(self, instant, action, *arguments):
        """Something else happens at an instant."""
        self.agenda.at(instant, lambda now, one, other: action(now, *arguments))

    @property
    def passed_on(self):
        """Instant and event of what was sent to b."""
        return [(now, frame.event.id) for now, frame in self.wire.sent if isinstance(frame, Forward)]


def test_without_service_time_events_pass_at_once():
    """Taken, acknowledged and sent on at the same instant."""
    bench = Bench()
    bench.publish([5, 5])
    bench.agenda.run_out()
    assert bench.passed_on == [(5, 0), (5, 1)]
    assert bench.heard == [(5, "p", Accepted(0)), (5, "p", Accepted(1))]


def test_events_wait_for_those_before_them():
    """One at a time, in the order in which they came; frames about interests do not wait."""
    bench = Bench(service_ns=lambda: 10)
    bench.publish([0, 1, 100])
    bench.at(2, lambda now: bench.host.arrive(now, "s", Subscribe(1, EVERYTHING)))
    bench.agenda.run_out()
    assert bench.passed_on == [(10, 0), (20, 1), (110, 2)]
    assert bench.shown == [(10, 0), (20, 1), (110, 2)]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)), min_size=1, max_size=12))
def test_the_queue_is_lindleys(pairs):
    """Every event leaves a service after the later of its arrival and the one before it (Lindley, 1952)."""
    arrivals = sorted(instant for instant, _ in pairs)
    services = [service for _, service in pairs]
    bench = Bench(service_ns=iter(services).__next__)
    bench.publish(arrivals)
    bench.agenda.run_out()
    expected, free = [], 0
    for number, (arrival, service) in enumerate(zip(arrivals, services, strict=True)):
        free = max(free, arrival) + service
        expected.append((free, number))
    assert bench.passed_on == expected


def test_events_led_aside_wait_where_they_are_matched_only():
    """Whoever passes one on has no work with it; lost in a queue, it is given up like any other."""
    overlay = Overlay(("x", "a", "b"), (("x", "a"), ("a", "b")), (1.0, 1.0))
    detours = DetourOptions(overlay=overlay, trees={"t": {"x": ("a",), "a": ("x", "b"), "b": ("a",)}})
    bench = Bench(service_ns=lambda: 10, detours=detours)
    event = Event(1, "p", "t", 0, {})
    for way in (("x", "a", "b"), ("x", "a")):
        bench.at(5, lambda now, way: bench.host.arrive(now, "x", Relayed(way, Forward(event))), way)
    bench.agenda.run_out()
    assert [now for now, frame in bench.wire.sent if isinstance(frame, Relayed)] == [5]
    assert bench.passed_on == [(15, 1)]
    bench.host.crash(bench.agenda.now)
    bench.host.arrive(20, "x", Relayed(("x", "a", "b"), Forward(event)))
    assert bench.given_up_ == [(20, 1, "down")]


def test_a_crash_loses_queue_and_memory():
    """What was in the queue is given up, what comes meanwhile too, and afterwards the broker knows nothing."""
    bench = Bench(service_ns=lambda: 10)
    bench.publish([0, 1, 15, 40])
    bench.at(12, bench.host.crash)
    bench.at(30, bench.host.start)
    bench.agenda.run_out()
    assert bench.passed_on == [(10, 0)]
    assert bench.given_up_ == [(15, 2, "down"), (20, 1, "crash")]
    assert bench.untaken == [2, 1]
    assert (50, "p", Accepted(3)) in bench.heard, "the new process takes events, though it knows nobody who wants them"
    assert bench.host.incarnation == 1


def test_an_old_service_does_not_end_in_a_new_process():
    """What was in service before the crash is lost even if the process is back before it would have been done."""
    bench = Bench(service_ns=lambda: 100)
    bench.publish([0])
    bench.at(10, bench.host.crash)
    bench.at(20, bench.host.start)
    bench.at(30, lambda now: bench.learn())
    bench.agenda.run_out()
    assert bench.passed_on == []
    assert bench.given_up_ == [(100, 0, "crash")]


def test_frames_to_a_process_that_is_down_are_gone():
    """Whatever they are; only events are reported."""
    bench = Bench()
    bench.host.crash(0)
    bench.host.arrive(0, "s", Subscribe(1, EVERYTHING))
    bench.host.arrive(0, "b", Forward(Event(7, "p", "t", 0, {})))
    assert bench.given_up_ == [(0, 7, "down")]
    assert bench.untaken == [], "its own broker had taken it"


def test_a_pause_keeps_what_arrives():
    """Everything waits, in its order, and nothing is lost."""
    bench = Bench()
    bench.at(10, bench.host.pause, 50)
    bench.publish([5, 20, 30, 50, 60])
    bench.agenda.run_out()
    assert bench.passed_on == [(5, 0), (50, 1), (50, 2), (50, 3), (60, 4)]


def test_a_pause_stops_the_work_as_well():
    """What was in service goes on afterwards where it stood, and the queue behind it with it."""
    bench = Bench(service_ns=lambda: 10)
    bench.publish([0, 1, 25])
    bench.at(4, bench.host.pause, 104)
    bench.agenda.run_out()
    assert bench.passed_on == [(110, 0), (120, 1), (130, 2)]


def test_an_idle_process_is_only_late():
    """A pause in which nothing is in service costs nothing afterwards."""
    bench = Bench(service_ns=lambda: 10)
    bench.publish([0, 40, 60])
    bench.at(20, bench.host.pause, 50)
    bench.agenda.run_out()
    assert bench.passed_on == [(10, 0), (60, 1), (70, 2)]


@pytest.mark.parametrize(("ends", "resumed"), [((50, 80), 80), ((80, 50), 80)])
def test_overlapping_pauses_end_with_the_later_one(ends, resumed):
    """Those who arrived before the second pause stay in front of those who arrived in it."""
    bench = Bench(service_ns=lambda: 10)
    bench.at(10, bench.host.pause, ends[0])
    bench.at(30, bench.host.pause, ends[1])
    bench.publish([5, 20, 40])
    bench.agenda.run_out()
    assert bench.passed_on == [(15 + resumed - 10, 0), (resumed + 15, 1), (resumed + 25, 2)]


@given(
    st.lists(st.integers(0, 100), min_size=1, max_size=10),
    st.lists(st.tuples(st.integers(0, 100), st.integers(1, 40)), max_size=5),
    st.sampled_from([None, 0, 1, 7]),
)
def test_pauses_never_reorder_and_never_lose(arrivals, pauses, service):
    """Whatever pauses come over each other."""
    bench = Bench(service_ns=None if service is None else lambda: service)
    for start, lasting in pauses:
        bench.at(start, bench.host.pause, start + lasting)
    bench.publish(sorted(arrivals))
    bench.agenda.run_out()
    assert [number for _, number in bench.passed_on] == list(range(len(arrivals)))
    instants = [now for now, _ in bench.passed_on]
    assert not any(start <= now < start + lasting for now in instants for start, lasting in pauses)
    assert all(later - now >= (service or 0) for now, later in itertools.pairwise(instants))


def test_a_crash_ends_a_pause():
    """What waited for the process to go on is gone with it; the next one is not paused."""
    bench = Bench()
    bench.at(10, bench.host.pause, 1000)
    bench.publish([20, 60])
    bench.at(30, bench.host.crash)
    bench.at(50, bench.host.start)
    bench.at(55, lambda now: bench.learn())
    bench.agenda.run_out()
    assert bench.given_up_ == [(30, 0, "crash")]
    assert bench.untaken == [0]
    assert bench.passed_on == [(60, 1)]


def test_a_pause_of_a_process_that_is_down_waits_for_it():
    """As when both begin at the same instant, in whatever order."""
    bench = Bench()
    bench.at(10, bench.host.crash)
    bench.at(20, bench.host.pause, 60)
    bench.at(20, bench.host.start)
    bench.at(25, lambda now: bench.learn())
    bench.publish([30])
    bench.agenda.run_out()
    assert bench.passed_on == [(60, 0)]


def test_pauses_over_a_restart_resume_once():
    """The end of a pause that a crash cut short means nothing to the next process, which is paused itself."""
    bench = Bench()
    bench.at(10, bench.host.pause, 40)
    bench.publish([20, 35])
    bench.at(25, bench.host.crash)
    bench.at(30, bench.host.start)
    bench.at(31, lambda now: bench.learn())
    bench.at(32, bench.host.pause, 90)
    bench.agenda.run_out()
    assert bench.passed_on == [(90, 1)]


@pytest.mark.parametrize("drop_expired", [True, False])
def test_expired_events(drop_expired):
    """Dropped when they come in and again after their service, or carried on, as the scenario says."""
    bench = Bench(service_ns=lambda: 10, drop_expired=drop_expired)
    bench.publish([0, 1, 16], expires_ns=15)
    bench.agenda.run_out()
    if drop_expired:
        assert bench.passed_on == [(10, 0)]
        assert bench.given_up_ == [(16, 2, "expired"), (20, 1, "expired")]
    else:
        assert bench.passed_on == [(10, 0), (20, 1), (30, 2)]
        assert bench.given_up_ == []


def test_the_timer_rings_for_renewals():
    """In the background, at the machine's deadline, again and again."""
    bench = Bench(renew_ns=SECOND)
    bench.host.arrive(0, "s", Subscribe(1, EVERYTHING))
    bench.wire.sent.clear()
    assert bench.agenda.is_over
    bench.agenda.run(3 * SECOND)
    renewals = [now for now, frame in bench.wire.sent if isinstance(frame, Interests)]
    assert renewals[:2] == [SECOND, 2 * SECOND]


def test_a_machine_that_waits_for_nothing_has_no_timer():
    """Arming it enters nothing."""
    bench = Bench()
    bench.host.arm()
    assert bench.agenda.head is None


def test_a_crashed_process_has_no_timer():
    """Nor does the next one inherit it."""
    bench = Bench(renew_ns=SECOND)
    bench.host.arrive(0, "s", Subscribe(1, EVERYTHING))
    bench.host.crash(0)
    bench.wire.sent.clear()
    bench.agenda.run(3 * SECOND)
    assert bench.wire.sent == []


def test_a_paused_process_is_late_with_everything():
    """The timer rings when the pause is over, and once."""
    bench = Bench(renew_ns=SECOND)
    bench.host.arrive(0, "s", Subscribe(1, EVERYTHING))
    bench.wire.sent.clear()
    bench.host.pause(0, 1500 * MS)
    bench.at(1200 * MS, lambda now: bench.host.arrive(now, "b", InterestsKnown("t", 0, 1, 0)))
    bench.agenda.run(1600 * MS)
    assert [now for now, frame in bench.wire.sent if isinstance(frame, Interests)] == [1500 * MS]


def test_clients_are_answered_through_the_world():
    """What is for no neighbour is for a client."""
    bench = Bench()
    bench.host.arrive(3, "s", Subscribe(1, 'topic == "nowhere"'))
    assert bench.heard == [(3, "s", Subscribed(1))]


def test_whoever_wants_to_know_hears_of_changes():
    """Feeding, crashing and ringing may change tables."""
    bench = Bench(renew_ns=SECOND)
    count = len(bench.touches)
    bench.host.arrive(0, "s", Subscribe(1, EVERYTHING))
    bench.agenda.run(SECOND)
    bench.host.crash(SECOND)
    assert bench.touches[count:] == ["a"] * 3


def test_a_host_is_started_once():
    """Starting what runs is our own bug."""
    with pytest.raises(AssertionError):
        Bench().host.start(0)


# ---- records


class SlowJournal(ListJournal):
    """Takes its time over every sync, and loses what was not synced in a crash."""

    def __init__(self, sync_ns=100):
        super().__init__()
        self.sync_ns, self.synced, self.syncs = sync_ns, (), 0

    def write(self, batches):
        super().write(batches)
        return self.sync_ns

    def sync(self):
        self.synced, self.syncs = self.open(), self.syncs + 1

    def crash(self):
        self._records = list(self.synced)


def settled(journal):
    """A host that has written down what its neighbour wants, and has nothing to do any more."""
    bench = Bench(journal=journal)
    bench.agenda.run(SECOND)
    bench.wire.sent.clear()
    return bench


def test_nothing_leaves_before_the_records_are_on_disk():
    """Neither the acknowledgement nor the event; both do when the sync is over."""
    bench = settled(SlowJournal())
    bench.publish([SECOND])
    bench.agenda.run(SECOND + 99)
    assert (bench.heard, bench.wire.sent) == ([], [])
    bench.agenda.run(SECOND + 100)
    assert [(now, client) for now, client, _ in bench.heard] == [(SECOND + 100, "p")]
    assert [(now, frame.event.id) for now, frame in bench.wire.sent] == [(SECOND + 100, 0)]


def test_what_comes_during_a_sync_shares_the_next_one():
    """Group commit: many events, two syncs."""
    journal = SlowJournal()
    bench = settled(journal)
    before = journal.syncs
    bench.publish([SECOND, SECOND + 1, SECOND + 2, SECOND + 3])
    bench.agenda.run(SECOND + 500)
    assert journal.syncs == before + 2
    assert [now - SECOND for now, *_ in bench.heard] == [100, 200, 200, 200]


def test_a_batch_without_records_overtakes_none():
    """A second copy is acknowledged when the first one is on disk, not before."""
    bench = settled(SlowJournal())
    event = Event(7, "p", "t", 0, {})
    for at in (SECOND, SECOND + 10):
        bench.agenda.at(at, lambda now, *_: bench.host.arrive(now, "p", Publish(event)))
    bench.agenda.run(SECOND + 99)
    assert (bench.heard, bench.wire.sent) == ([], [])
    bench.agenda.run(SECOND + 500)
    assert [now - SECOND for now, *_ in bench.heard] == [100, 100]


def test_a_crash_during_a_sync_takes_along_what_was_not_acknowledged():
    """The publisher is told nothing, and nobody is sent the event."""
    bench = settled(SlowJournal())
    bench.publish([SECOND])
    bench.agenda.run(SECOND + 50)
    bench.host.crash(SECOND + 50)
    bench.host.start(SECOND + 60)
    bench.agenda.run(SECOND * 3)
    assert bench.untaken == [0]
    assert bench.heard == []
    assert not any(isinstance(frame, Forward) for _, frame in bench.wire.sent)


class FailingJournal(SlowJournal):
    """Fails at the words that it is told."""

    failing = ()

    def _tried(self, word):
        if word in self.failing:
            raise DiskError(f"{word} failed")

    def open(self):
        self._tried("open")
        return super().open()

    def write(self, batches):
        self._tried("write")
        return super().write(batches)

    def sync(self):
        self._tried("sync")
        super().sync()


@pytest.mark.parametrize(("word", "when"), [("write", SECOND), ("sync", SECOND + 100)])
def test_a_process_whose_disk_fails_stops_itself(word, when):
    """At once, and without a word of what is perhaps not on disk; the next process goes on with what is."""
    journal = FailingJournal()
    bench = settled(journal)
    journal.failing = (word,)
    bench.publish([SECOND, SECOND + 200])
    bench.agenda.run(SECOND * 2)
    assert (bench.host.up, bench.stops) == (False, [(when, "a")])
    assert (bench.heard, bench.wire.sent) == ([], [])
    assert bench.untaken == [0, 1]
    journal.failing = ()
    bench.host.start(SECOND * 2)
    bench.publish([SECOND * 2 + 1])
    bench.agenda.run(SECOND * 3)
    assert bench.host.up
    assert [client for _, client, _ in bench.heard] == ["p"]


def test_a_disk_that_fails_at_the_start():
    """The process is gone again before it has done anything."""
    journal = FailingJournal()
    bench = settled(journal)
    bench.host.crash(SECOND)
    journal.failing = ("open",)
    bench.host.start(SECOND + 5)
    assert (bench.host.up, bench.stops) == (False, [(SECOND + 5, "a")])
    journal.failing = ()
    bench.host.start(SECOND + 10)
    assert bench.host.up


def test_what_was_acknowledged_is_sent_after_a_crash():
    """A new process reads its records and goes on."""
    bench = settled(SlowJournal())
    bench.publish([SECOND])
    bench.agenda.run(SECOND + 200)
    bench.wire.sent.clear()
    bench.host.crash(SECOND + 200)
    bench.host.start(SECOND + 300)
    bench.agenda.run(SECOND + 400)
    assert [frame.event.id for _, frame in bench.wire.sent if isinstance(frame, Forward)] == [0]


def test_a_pause_during_a_sync_delays_what_waits_for_it():
    """The disk goes on; the process does not."""
    bench = settled(SlowJournal())
    bench.publish([SECOND])
    bench.agenda.run(SECOND + 50)
    bench.host.pause(SECOND + 50, SECOND + 1_000)
    bench.agenda.run(SECOND + 999)
    assert bench.heard == []
    bench.agenda.run(SECOND + 1_000)
    assert [now - SECOND for now, *_ in bench.heard] == [1_000]


def test_a_process_hears_of_its_neighbours_when_it_runs():
    """At once, after its pause, or never when it is down."""
    bench = settled(ListJournal())
    bench.host.tell(SECOND, NeighbourLost("b"))
    bench.publish([SECOND])
    bench.agenda.run(SECOND)
    assert bench.wire.sent == []
    bench.host.pause(SECOND, 2 * SECOND)
    bench.host.tell(SECOND, NeighbourReturned("b"))
    bench.agenda.run(2 * SECOND - 1)
    assert bench.wire.sent == []
    bench.agenda.run(2 * SECOND)
    assert [frame.event.id for _, frame in bench.wire.sent] == [0]
    bench.host.crash(2 * SECOND)
    bench.host.tell(2 * SECOND, NeighbourLost("b"))


def test_a_world_is_not_over_while_events_wait_for_a_neighbour():
    """Timers that send again are in the foreground as long as something is owed."""
    bench = settled(ListJournal())
    bench.publish([SECOND])
    bench.agenda.run(SECOND)
    assert not bench.agenda.is_over
    bench.host.arrive(SECOND, "b", Received((0,)))
    bench.agenda.run_out()
    assert bench.agenda.is_over
