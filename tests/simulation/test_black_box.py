"""The black box: it does to copies what its law says, and its processes follow the driver's recipe."""

import numpy as np
import pytest

from sequencing.board import deployment, event, requested
from tidings.errors import StaleTerm
from tidings.sequencing import OrderedPublisher, OrderedSubscriber, StageProcess, Wishes
from tidings.sequencing.messages import Reached
from tidings.simulation.black_box import BlackBox, BoxLaw, BoxLog
from tidings.vocabulary.instant import MILLISECOND, SECOND

PLAN = deployment()


class Ear:
    """An endpoint that listens on one name and remembers what comes."""

    holds = False

    def __init__(self, name="x"):
        self.wishes, self.heard = Wishes(listen=[name]), []

    def receive(self, name, message, now):
        self.heard.append((name, message.number, now))

    def expire(self, now):
        pass

    def deadline(self):
        return None

    def drain(self):
        wishes, self.wishes = self.wishes, Wishes()
        return wishes


def nothing(now, wishes):
    """Nobody wants to know."""


def box(**law):
    """A network with one listener who is known to listen."""
    one, ear = BlackBox(BoxLaw(**law), np.random.default_rng(1)), Ear()
    one.seat(ear, nothing)
    one.everybody_listens()
    return one, ear


def said(one, count):
    """So many messages on the listener's name."""
    for number in range(count):
        one.publish(one.agenda.now, "x", _payload(number))
    one.agenda.run_out()


def _payload(number):
    from tidings.sequencing import encoded

    return encoded(Reached(1, "a", number))


def test_copies_are_lost_repeated_and_overtake():
    """As often as the law says; with neither, each comes once."""
    one, ear = box(loss=0.3, repeat=0.5)
    said(one, 1_000)
    assert 900 < len(ear.heard) < 1_200
    numbers = [number for _, number, _ in ear.heard]
    assert numbers != sorted(numbers)
    one, ear = box(loss=0.3, repeat=0.5)
    one.lossy = False
    said(one, 100)
    assert sorted(number for _, number, _ in ear.heard) == list(range(100))


def test_what_is_no_message_is_refused_and_counted():
    """The process goes on."""
    one, ear = box()
    one.publish(one.agenda.now, "x", b"?")
    said(one, 1)
    assert (one.refused, len(ear.heard)) == (1, 1)


def test_names_are_left():
    """Some time after the process says so."""
    one, ear = box()
    (seat,) = one._listeners["x"].values()
    ear.wishes = Wishes(leave=["x"])
    seat.finish(one.agenda.now)
    one.everybody_listens()
    said(one, 3)
    assert ear.heard == []


def test_a_log_takes_records_from_its_last_owner_only():
    """Who has been overtaken is refused."""
    log = BoxLog()
    first, _ = log.open()
    log.append(first, [b"x"])
    second, records = log.open()
    assert records == (b"x",)
    with pytest.raises(StaleTerm):
        log.append(first, [b"y"])
    log.append(second, [b"z"])
    assert log.records == [b"x", b"z"]


def stage(one, log):
    """A stage's process on this log."""
    process = StageProcess(PLAN, PLAN.plan.stages[0].name)
    term, records = log.open()
    process.start(term, records, one.agenda.now)
    return one.seat(process, nothing, log=log, term=term)


def test_nothing_is_said_before_it_is_on_the_log():
    """And a process that was overtaken meanwhile says nothing at all."""
    one, ear = BlackBox(BoxLaw(sync_ns=SECOND), np.random.default_rng(1)), Ear("$order/out/a")
    log = BoxLog()
    one.seat(ear, nothing)
    old = stage(one, log)
    one.everybody_listens()
    old.endpoint.receive("", requested(1), one.agenda.now)
    old.finish(one.agenda.now)
    assert log.records == []
    stage(one, log)
    one.agenda.run(60 * SECOND)
    assert not old.up
    assert log.records == ear.heard == []


def test_a_pause_loses_nothing_and_a_crash_all_that_was_in_memory():
    """What arrives in a pause is taken afterwards; a process that is gone takes nothing."""
    one, ear = box(delay_ns=MILLISECOND)
    (seat,) = one._listeners["x"].values()
    seat.pause(one.agenda.now + SECOND)
    said(one, 3)
    assert sorted(number for _, number, _ in ear.heard) == [0, 1, 2]
    assert min(now for *_, now in ear.heard) >= SECOND
    seat.crash()
    said(one, 3)
    assert len(ear.heard) == 3


def test_of_what_was_being_written_any_beginning_may_survive():
    """Over many crashes, both nothing and all of it."""
    left = set()
    for seed in range(20):
        one, log = BlackBox(BoxLaw(sync_ns=SECOND), np.random.default_rng(seed)), BoxLog()
        seat = stage(one, log)
        for number in (1, 2, 3):
            seat.endpoint.receive("", requested(number), one.agenda.now)
        seat.finish(one.agenda.now)
        seat.crash()
        left.add(len(log.records))
    assert left == {0, 1, 2, 3}


def test_everything_comes_through_in_the_end():
    """Publisher, stage and subscriber in a network that loses every third copy."""
    one, shown = BlackBox(BoxLaw(loss=0.3, repeat=0.1), np.random.default_rng(3)), []
    stage(one, BoxLog())
    subscriber = OrderedSubscriber(PLAN, "s", ("a", "b"), from_start=True)
    subscriber.start(0)
    one.seat(subscriber, lambda now, wishes: shown.extend(each.event.id for each in wishes.show))
    publisher = one.seat(OrderedPublisher(PLAN, "p"), nothing)
    one.everybody_listens()
    for number in range(30):
        publisher.endpoint.publish(event(number, "ab"[number % 2]), one.agenda.now)
    publisher.finish(one.agenda.now)
    one.agenda.run_out()
    assert sorted(shown) == [event(number).id for number in range(30)]
