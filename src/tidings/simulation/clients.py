"""The clients' side of a simulated world: who publishes, who joins and leaves, and what applications are shown.

Clients on perfect links have no machine of their own: the world speaks their few frames for them and shows them events
in bulk. The others have an `Endpoint`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidings.delivery.backlog import BACKLOG_MAX
from tidings.node import (
    Client,
    ClientOptions,
    HomeBroker,
    LatchedClient,
    OrderedClient,
    ResidentClient,
    ResidentOptions,
    RoamingBroker,
    RoamingClient,
)
from tidings.scenario.world import LinkLaw, Subscriber, World
from tidings.sequencing import Deployment
from tidings.simulation.agenda import Agenda
from tidings.simulation.brokers import is_addressed
from tidings.simulation.channel import Arrive, Line, Note
from tidings.simulation.client_machines import around_of, has_order
from tidings.simulation.endpoint import Endpoint, EndpointOptions
from tidings.simulation.host import Host
from tidings.simulation.members import Interest, Memory, Numbered, Reach
from tidings.simulation.recorder import Recorder
from tidings.simulation.roaming import Roamers
from tidings.simulation.workload import Workload
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Accepted, Deliver, Frame, Publish, Subscribe, Subscribed, Unsubscribe
from tidings.vocabulary.machine import (
    DeliverEvent,
    DropEvent,
    Effects,
    Machine,
    PublishRequested,
    ShowAccepted,
    ShowEvent,
    SubscribeRequested,
    UnsubscribeRequested,
)
from tidings.vocabulary.streams import Streams

WISH: Final = 0
"""Every subscriber of a scenario has one wish; this is its number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientsParts:
    """What clients share with the rest of the world."""

    world: World
    agenda: Agenda
    streams: Streams
    recorder: Recorder
    workload: Workload
    codes: Mapping[str, int]
    """Of clients, in the log tables."""
    hosts: Mapping[str, Host]
    channels: Mapping[tuple[str, str], Line]
    """Both are filled after the clients are made."""
    renew_ns: int | None
    keeps: bool
    """Brokers remember the wishes of clients, also of those who left while their broker was down."""
    may_repeat: bool
    """A broker that lost its memory may hand its clients an event that it has handed them before."""
    deployment: Deployment | None = None
    """Of an order across topics."""
    stages: Mapping[str, Host] = field(default_factory=dict)
    """Processes of its stages, by what they are called at their brokers."""


class Clients:
    """All publishers and subscribers of a world; what `Host` calls its surroundings."""

    def __init__(self, parts: ClientsParts) -> None:
        self._parts, self._world, self._agenda = parts, parts.world, parts.agenda
        self._hosts, self._codes = parts.hosts, parts.codes
        self._recorder, self._workload = parts.recorder, parts.workload
        self._renew_ns = parts.renew_ns
        self.interests: dict[str, Interest] = {}
        self.subscriptions = 0
        """How many subscriptions there are at the moment; what a broker's service may depend on."""
        self._gone: list[int] = []
        """Codes of those who have left: a broker that keeps their wishes may not know it yet."""
        self._present: dict[str, dict[str, Subscriber]] = {broker.id: {} for broker in parts.world.brokers}
        self._reach = Reach(parts.world)
        self._endpoints: dict[str, Endpoint] = {}
        self._numbered: dict[str, tuple[int, Numbered]] = {}
        self._memory = Memory() if parts.may_repeat else None
        self._home_of_publisher = {one.id: one.broker for one in parts.world.publishers}
        self._around = around_of(parts.world, parts.deployment, parts.renew_ns)
        self._roamers = Roamers(parts.world, parts.agenda, parts.streams, parts.hosts)
        self._join_endpoints()

    # ---- building

    def _join_endpoints(self) -> None:
        links = {one.id: (one.broker, one.link) for one in self._world.publishers}
        links |= {one.id: (one.broker, one.link) for one in self._world.subscribers if one.mobility is None}
        for name, (broker, law) in links.items():
            if law is not None or has_order(self._world):
                receipts = self._parts.keeps and law is not None and law.loss > 0
                client = self._around(name, Client(ClientOptions(name=name, broker=broker, receipts=receipts)))
                self._endpoints[name] = self._endpoint(name, broker, client, law)
        for one in self._world.subscribers:
            if one.mobility is not None:
                roaming = self._roaming_client(one)
                machine = self._around(one.id, roaming)
                repeats = isinstance(roaming, ResidentClient)
                self._endpoints[one.id] = self._endpoint(one.id, None, machine, one.link, repeats=repeats)
                self._roamers.add(one, self._endpoints[one.id], roaming)

    def _roaming_client(self, subscriber: Subscriber) -> RoamingClient | ResidentClient:
        """With a home, where somebody needs one."""
        keeps, publishes = self._parts.keeps, subscriber.id in self._home_of_publisher
        if not keeps and not publishes:
            return RoamingClient(subscriber.id)
        remembering = RoamingClient(subscriber.id, remembered=BACKLOG_MAX)
        return ResidentClient(remembering, ResidentOptions(home=subscriber.broker, owed=keeps))

    def _endpoint(
        self, name: str, broker: str | None, machine: Machine, law: LinkLaw | None, *, repeats: bool = False
    ) -> Endpoint:
        """`repeats`: the machine says the same for ever, every now and then."""
        options = EndpointOptions(
            name=name,
            broker=broker,
            machine=machine,
            link=law,
            arrive=self._arriver,
            note=lambda link: self._client_note(name, link),
            apply=lambda now, effects: self._apply(now, name, effects),
            patient=lambda: _is_patient(machine, repeats=repeats),
            answers=isinstance(machine, OrderedClient),
        )
        return Endpoint(options, self._agenda, self._parts.streams)

    def _arriver(self, broker: str) -> Arrive:
        def arrive(now: int, sender: str, frame: Frame) -> None:
            self._hosts[broker].arrive(now, sender, frame)

        return arrive

    def _client_note(self, client: str, link: str) -> Note:
        def note(now: int, frame: Frame, outcome: str) -> None:
            if outcome == "arrived":
                return
            if isinstance(frame, Publish):
                self.never_taken(frame.event.id)
                self._recorder.dropped(frame.event, link, now, outcome)
            elif isinstance(frame, Accepted):
                self._workload.lost(frame.event_id)
            elif isinstance(frame, Deliver):
                self._recorder.dropped_for(frame.event, link, now, outcome, (self._codes[client],))

        return note

    # ---- what publishers and subscribers do

    def begin(self) -> list[tuple[str, str, Frame]]:
        """What brokers have heard before time 0 of those who are there from the beginning: broker, client, frame."""
        moves = self._roamers.begin(WISH)
        there = [one for one in self._world.subscribers if one.joins_ns is None]
        for subscriber in there:
            self._arrives(subscriber, 0).effective_ns = 0
        static = [one for one in there if one.mobility is None]
        wished = [(one.broker, one.id, frame) for one in static for frame in self._wished(one)]
        return [*moves, *wished, *self._said_by_themselves()]

    def _said_by_themselves(self) -> list[tuple[str, str, Frame]]:
        """What machines have said before anybody asked them to: on which names an order's messages reach them."""
        if self._parts.deployment is None:
            return []
        return [
            (send.to, name, send.frame)
            for name, endpoint in self._endpoints.items()
            for send in endpoint.machine.drain().send
        ]

    def _wished(self, subscriber: Subscriber) -> list[Frame]:
        """What a subscriber that is there from the beginning has said to its broker."""
        if subscriber.id not in self._endpoints:
            return [Subscribe(WISH, subscriber.filter)]
        machine = self._endpoints[subscriber.id].machine
        machine.receive(SubscribeRequested(WISH, subscriber.filter), 0)
        return [send.frame for send in machine.drain().send]

    def enter(self) -> None:
        """Enter who comes and goes later."""
        for subscriber in self._world.subscribers:
            for instant, action in ((subscriber.joins_ns, self._joins), (subscriber.leaves_ns, self._leaves)):
                if instant is not None and instant < self._world.duration_ns:
                    self._agenda.at(instant, action, subscriber)

    def publish(self, now: int, event: Event) -> None:
        """The application of the event's publisher wants it published."""
        if event.publisher in self._endpoints:
            self._endpoints[event.publisher].feed(now, PublishRequested(event))
        else:
            self._hosts[self._home_of_publisher[event.publisher]].arrive(now, event.publisher, Publish(event))

    def _arrives(self, subscriber: Subscriber, now: int) -> Interest:
        self.subscriptions += 1
        interest = self.interests[subscriber.id] = Interest(subscriber, now, subscriber.broker)
        if subscriber.mobility is not None:
            interest.broker = self._roamers.place_of(subscriber.id)
            return interest
        self._present[subscriber.broker][subscriber.id] = subscriber
        if self._renew_ns is not None and subscriber.link is not None and subscriber.link.loss > 0:
            self._agenda.in_background(now + self._renew_ns, self._repeats, subscriber)
        return interest

    def _joins(self, now: int, subscriber: Subscriber, _: None) -> None:
        interest = self._arrives(subscriber, now)
        interest.reachable = self._reach.reachable(subscriber, self._hosts, self._parts.channels)
        self._ask(now, subscriber)

    def _ask(self, now: int, subscriber: Subscriber) -> None:
        if subscriber.id in self._endpoints:
            self._endpoints[subscriber.id].feed(now, SubscribeRequested(WISH, subscriber.filter))
        else:
            self._hosts[subscriber.broker].arrive(now, subscriber.id, Subscribe(WISH, subscriber.filter))

    def _repeats(self, now: int, subscriber: Subscriber, _: None) -> None:
        """A client whose link may lose its wish says it again with every renewal."""
        if self._renew_ns is not None and subscriber.id in self._present[subscriber.broker]:
            self._ask(now, subscriber)
            self._agenda.in_background(now + self._renew_ns, self._repeats, subscriber)

    def _leaves(self, now: int, subscriber: Subscriber, _: None) -> None:
        self.subscriptions -= 1
        self._present[subscriber.broker].pop(subscriber.id, None)
        self.interests[subscriber.id].until_ns = now
        self._gone.append(self._codes[subscriber.id])
        self._take_back(now, subscriber)

    def _take_back(self, now: int, subscriber: Subscriber) -> None:
        if subscriber.id in self._endpoints:
            self._endpoints[subscriber.id].feed(now, UnsubscribeRequested(WISH))
        else:
            self._hosts[subscriber.broker].arrive(now, subscriber.id, Unsubscribe(WISH))

    def renew_at(self, broker: str) -> None:
        """The broker is back without memory: its clients ask again when their renewal is due, if they renew at all."""
        if broker in self._parts.stages:
            return
        self._roamers.back(broker)
        if self._renew_ns is not None:
            due = (self._agenda.now // self._renew_ns + 1) * self._renew_ns
            self._agenda.in_background(due, self._renew, broker, self._hosts[broker].incarnation)

    def _renew(self, now: int, broker: str, incarnation: int) -> None:
        if self._hosts[broker].up and self._hosts[broker].incarnation == incarnation:
            for subscriber in self._present[broker].values():
                self._ask(now, subscriber)
            for one in self.interests.values():
                if one.until_ns is not None and one.subscriber.broker == broker:
                    self._take_back(now, one.subscriber)

    # ---- what brokers say

    def to_client(self, now: int, broker: str, client: str, frame: Frame) -> None:
        """A frame for a client of the broker; an event for one that has just gone is lost."""
        if client in self._parts.stages:
            self._parts.stages[client].arrive(now, broker, frame)
        elif client in self._endpoints:
            if not self._endpoints[client].hear(now, broker, frame) and isinstance(frame, Deliver):
                self._recorder.dropped_for(frame.event, broker, now, "gone", (self._codes[client],))
        elif isinstance(frame, Accepted):
            self._workload.acknowledged(frame.event_id, now)
        elif isinstance(frame, Subscribed):
            self._confirmed(now, client, frame.missing)

    def to_clients(self, now: int, broker: str, delivery: DeliverEvent) -> None:
        """An event for many clients of the broker."""
        codes, alone = self._numbers_at(broker).translate(self._hosts[broker].machine.clients, delivery.clients)
        if self._memory is not None:
            codes = self._memory.unseen(broker, delivery.event.id, codes)
        if self._gone and self._parts.keeps:
            left = np.isin(codes, self._gone)
            self._recorder.dropped_for(delivery.event, broker, now, "gone", codes[left].tolist())
            codes = codes[~left]
        if len(codes):
            self._show(now, broker, delivery.event, codes)
        for client in alone:
            self.to_client(now, broker, client, Deliver(delivery.event))

    def given_up(self, now: int, broker: str, drop: DropEvent) -> None:
        """The broker gave an event up: for clients of its own, for everyone behind some brokers, or behind itself."""
        brokers = [one for one in drop.towards if one in self._hosts]
        if drop.towards and not brokers:
            self._recorder.dropped_for(drop.event, broker, now, drop.reason, [self._codes[one] for one in drop.towards])
        elif drop.reason == "expired" or (brokers and is_addressed(self._world)):
            for behind in brokers or (broker,):
                self._recorder.dropped_behind(drop.event, broker, now, drop.reason, behind)
        else:
            self._recorder.dropped(drop.event, broker, now, drop.reason)

    def leftovers(self, now: int) -> None:
        """At the end: what still waits for somebody and has expired is said to have."""
        for name, host in self._parts.hosts.items():
            for client, event in _leftovers(host):
                if event.expired(now):
                    self._recorder.dropped_for(event, name, now, "expired", (self._codes[client],))

    def never_taken(self, event_id: int) -> None:
        """A publisher's event was lost before its broker could say that it took it."""
        self._workload.lost(event_id)

    # ---- what applications are shown

    def _numbers_at(self, broker: str) -> Numbered:
        incarnation, numbered = self._numbered.get(broker, (-1, None))
        if numbered is None or incarnation != self._hosts[broker].incarnation:
            numbered = Numbered(self._codes, {**self._endpoints, **self._parts.stages})
            self._numbered[broker] = (self._hosts[broker].incarnation, numbered)
        return numbered

    def codes_at(self, broker: str, clients: NDArray[np.int64]) -> NDArray[np.int64]:
        """Codes of a broker's clients, given by the broker's own numbers."""
        return self._numbers_at(broker).translate(self._hosts[broker].machine.clients, clients)[0]

    def _show(self, now: int, broker: str, event: Event, codes: NDArray[np.int64]) -> None:
        if now > event.expires_ns:
            self._recorder.dropped_for(event, broker, now, "expired", codes.tolist())
        else:
            self._recorder.shown(ShowEvent(event), now, codes)

    def _apply(self, now: int, client: str, effects: Effects) -> None:
        """What an endpoint shows its application."""
        for show in effects.show:
            if isinstance(show, ShowEvent):
                self._show_alone(now, client, show)
            elif isinstance(show, ShowAccepted):
                self._workload.acknowledged(show.event_id, now)
            else:
                self._confirmed(now, client, show.missing)
        for drop in effects.report:
            if drop.towards:
                self._recorder.dropped_for(drop.event, client, now, drop.reason, (self._codes[client],))
            else:
                self.never_taken(drop.event.id)
                self._recorder.dropped(drop.event, client, now, drop.reason)

    def _show_alone(self, now: int, client: str, show: ShowEvent) -> None:
        """A client that has left still hears what was on its way, but nobody is there to be shown it."""
        code = self._codes[client]
        if self.interests[client].until_ns is None:
            self._recorder.shown(show, now, np.array([code], np.int64))
        else:
            self._recorder.dropped_for(show.event, client, now, "gone", (code,))

    def _confirmed(self, now: int, client: str, missing: tuple[str, ...]) -> None:
        self.interests[client].confirmed(now, missing)


def _is_patient(machine: Machine, *, repeats: bool) -> bool:
    """True while nothing that the machine does next is worth waiting for."""
    if isinstance(machine, OrderedClient):
        return not machine.holds
    return repeats and not (isinstance(machine, LatchedClient) and machine.holds)


def _leftovers(host: Host) -> Iterator[tuple[str, Event]]:
    """What waits at a broker for clients that roam."""
    return host.machine.leftovers() if isinstance(host.machine, RoamingBroker | HomeBroker) else iter(())
