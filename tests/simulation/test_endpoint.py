"""Endpoints: a client machine with a channel each way."""

from simulation.worlds import EVERYTHING, MS, const, ms
from tidings.node import Client, ClientOptions
from tidings.scenario.world import LinkLaw
from tidings.simulation.agenda import Agenda
from tidings.simulation.endpoint import Endpoint, EndpointOptions
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Accepted, Deliver, Publish, Subscribe, Subscribed, Unsubscribe
from tidings.vocabulary.machine import (
    Effects,
    PublishRequested,
    ShowAccepted,
    ShowEvent,
    ShowSubscribed,
    SubscribeRequested,
    UnsubscribeRequested,
)
from tidings.vocabulary.streams import Streams

EVENT = Event(4, "p", "t", 0, {}, expires_ns=100 * MS)


class Desk:
    """One endpoint, what its broker hears, and what its application is told."""

    def __init__(self, law, machine=None, **more):
        self.agenda, self.heard, self.told, self.noted = Agenda(), [], [], []
        options = EndpointOptions(
            name="c",
            broker="a",
            machine=machine or Client(ClientOptions(name="c", broker="a")),
            link=law,
            arrive=lambda broker: lambda now, sender, frame: self.heard.append((now, sender, frame)),
            note=lambda link: lambda now, frame, outcome: self.noted.append((link, type(frame), outcome)),
            apply=self._apply,
            **more,
        )
        self.endpoint = Endpoint(options, self.agenda, Streams(1))

    def _apply(self, now, effects):
        self.told += [(now, show) for show in effects.show]
        self.told += [(now, drop.reason) for drop in effects.report]


def test_requests_travel_to_the_broker():
    """Each becomes a frame that takes its time."""
    desk = Desk(LinkLaw(delay=const(3)))
    for request in (PublishRequested(EVENT), SubscribeRequested(1, EVERYTHING), UnsubscribeRequested(1)):
        desk.endpoint.feed(2 * MS, request)
    desk.agenda.run(10 * MS)
    assert desk.heard == [(5 * MS, "c", frame) for frame in (Publish(EVENT), Subscribe(1, EVERYTHING), Unsubscribe(1))]
    assert desk.told == []


def test_answers_and_events_travel_back():
    """An event is shown once and in time, whatever the link repeats."""
    desk = Desk(LinkLaw(delay=const(3)))
    for frame in (Accepted(4), Subscribed(1, ("b",)), Deliver(EVENT), Deliver(EVENT)):
        desk.endpoint.hear(0, "a", frame)
    desk.endpoint.hear(98 * MS, "a", Deliver(Event(5, "p", "t", 0, {}, expires_ns=100 * MS)))
    desk.agenda.run(200 * MS)
    assert desk.told == [
        (3 * MS, ShowAccepted(4)),
        (3 * MS, ShowSubscribed(1, ("b",))),
        (3 * MS, ShowEvent(EVENT)),
        (101 * MS, "expired"),
    ]


def test_what_the_link_loses_nobody_hears():
    """Both ways."""
    desk = Desk(LinkLaw(loss=1.0))
    desk.endpoint.feed(0, PublishRequested(EVENT))
    desk.endpoint.hear(0, "a", Deliver(EVENT))
    desk.agenda.run(100 * MS)
    assert desk.heard == desk.told == []
    assert desk.noted == [("c>a", Publish, "lost"), ("a>c", Deliver, "lost")]


class Holding:
    """Shows each event 5 ms after the newest came in, all together."""

    def __init__(self):
        self.effects, self.held, self.due, self.rung = Effects(), [], None, []

    def receive(self, notice, now):
        self.held += [ShowEvent(frame.event, arrived_ns=now) for frame in notice.frames]
        self.due = now + 5 * MS

    def expire(self, now):
        self.rung.append(now)
        self.effects.show, self.held, self.due = self.held, [], None

    def deadline(self):
        return self.due

    def drain(self):
        effects, self.effects = self.effects, Effects()
        return effects


def test_the_timer_of_the_machine_rings_once():
    """At the last deadline that it named; one that was put off rings in vain."""
    desk = Desk(LinkLaw(), Holding())
    desk.endpoint.hear(0, "a", Deliver(EVENT))
    desk.agenda.run(2 * MS)
    desk.endpoint.hear(2 * MS, "a", Deliver(EVENT))
    desk.agenda.run_out()
    assert desk.endpoint.machine.rung == [7 * MS]
    assert desk.told == [(7 * MS, ShowEvent(EVENT, arrived_ns=0)), (7 * MS, ShowEvent(EVENT, arrived_ns=2 * MS))]


def test_frames_travel_to_and_from_the_broker_that_it_is_attached_to():
    """Another one is not heard; without a link of its own frames are there at once."""
    desk = Desk(None)
    assert desk.endpoint.hear(1, "a", Accepted(4))
    assert not desk.endpoint.hear(2, "b", Accepted(5))
    desk.endpoint.attach("b")
    assert not desk.endpoint.hear(3, "a", Accepted(6))
    assert desk.endpoint.hear(4, "b", Accepted(7))
    desk.endpoint.attach(None)
    assert not desk.endpoint.hear(5, "b", Accepted(8))
    assert desk.told == [(1, ShowAccepted(4)), (4, ShowAccepted(7))]
    desk.endpoint.feed(6, PublishRequested(EVENT))
    assert desk.heard == [(6, "c", Publish(EVENT))]


def test_draws_of_a_link_go_on_when_the_client_comes_back():
    """Attached again, it meets the delays that follow, not those of the first time."""

    def heard(stays):
        desk = Desk(LinkLaw(delay=ms(5)))
        for stay in range(stays):
            desk.endpoint.attach(None)
            desk.endpoint.attach("a")
            desk.endpoint.feed(stay * 1000 * MS, PublishRequested(EVENT))
            desk.agenda.run_out()
        return [now - stay * 1000 * MS for stay, (now, _, _) in enumerate(desk.heard)]

    assert len(set(heard(4))) == 4
    assert heard(4)[:2] == heard(2)


class Patient(Client):
    """Has a timer that nobody need wait for."""

    rung = 0

    def deadline(self):
        return 5 * MS

    def expire(self, now):
        self.rung += 1


def test_the_world_waits_for_timers_that_matter_only():
    """One that becomes one of them is waited for, though it was set before."""
    waits = False
    machine = Patient(ClientOptions(name="c", broker="a"))
    desk = Desk(None, machine, patient=lambda: not waits)
    desk.endpoint.feed(0, PublishRequested(EVENT))
    assert desk.agenda.is_over
    waits = True
    desk.endpoint.feed(0, PublishRequested(EVENT))
    assert not desk.agenda.is_over
