"""Subscribers that roam: walks on the map, and what their comings and goings are to clients and brokers.

A subscriber is attached to the nearest access point in range, some latency after it came into range. Its broker notices
at once that it has gone. Where a walk begins out of range, the broker where it was last keeps its events, or the one
that the scenario gave it when it has never been anywhere.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tidings.node import HomeBroker, ResidentClient, RoamingBroker, RoamingClient
from tidings.scenario.world import Subscriber, World
from tidings.simulation.agenda import Agenda
from tidings.simulation.contacts import contacts
from tidings.simulation.endpoint import Endpoint
from tidings.simulation.host import Host
from tidings.simulation.walks import walk
from tidings.vocabulary.distribution import Draws
from tidings.vocabulary.frames import Frame, MoveOut, Subscribed
from tidings.vocabulary.instant import DAY, SECOND
from tidings.vocabulary.machine import Attached, Detached, FramesArrived, SubscribeRequested
from tidings.vocabulary.streams import Streams

LINGER_NS: Final = SECOND
"""After the end, how often it is asked whether anything still waits for somebody."""
LINGER_NS_MAX: Final = DAY
"""After the end, how long walkers go on at most: what waits then has been decided."""

WishFrames = list[tuple[str, str, Frame]]


@dataclass(slots=True)
class Walker:
    """One subscriber on its way."""

    subscriber: Subscriber
    endpoint: Endpoint
    client: RoamingClient | ResidentClient
    changes: Iterator[tuple[int, int | None]]
    """Instants, and the access point in range from then on."""
    latency_ns: Callable[[], int]
    place: str | None = None
    """The broker in range."""
    visit: int = 0
    """How often it has come into range of a point or left one."""
    next_change: tuple[int, int | None] | None = None


class Roamers:
    """All roaming subscribers of a world."""

    def __init__(self, world: World, agenda: Agenda, streams: Streams, hosts: Mapping[str, Host]) -> None:
        self._world, self._agenda, self._streams, self._hosts = world, agenda, streams, hosts
        self._walkers: dict[str, Walker] = {}

    def add(self, subscriber: Subscriber, endpoint: Endpoint, client: RoamingClient | ResidentClient) -> None:
        """One more, before the beginning."""
        assert subscriber.mobility is not None
        assert self._world.map is not None
        where, name = self._world.map, subscriber.id
        legs = walk(subscriber.mobility, where, self._streams(f"walk {name}"))
        handoff = self._world.handoff
        law = None if handoff is None else handoff.latency
        latency = (lambda: 0) if law is None else Draws(law, self._streams(f"latency {name}")).next_ns
        changes = contacts(legs, where.points, where.range)
        self._walkers[name] = Walker(subscriber, endpoint, client, changes, latency)

    # ---- beginning

    def begin(self, wish: int) -> WishFrames:
        """Take the walks to time 0; what brokers have heard by then of those who are there from the beginning."""
        frames: WishFrames = []
        for walker in self._walkers.values():
            home = self._walk_to_0(walker) or walker.subscriber.broker
            there = walker.subscriber.joins_ns is None
            if there:
                walker.endpoint.machine.receive(SubscribeRequested(wish, walker.subscriber.filter), 0)
            frames += self._was_at(walker, home)
            if there and walker.place is not None:
                walker.endpoint.machine.receive(FramesArrived(home, (Subscribed(wish),)), 0)
            self._enter_next(walker)
        self._agenda.at(self._world.duration_ns, self._linger)
        return frames

    def place_of(self, subscriber: str) -> str | None:
        """The broker in range of it at the moment."""
        return self._walkers[subscriber].place

    def _walk_to_0(self, walker: Walker) -> str | None:
        """The last broker that was in range by time 0, None when there was none."""
        home: str | None = None
        for instant, point in walker.changes:
            if instant > 0:
                walker.next_change = (instant, point)
                break
            walker.place = self._name(point)
            home = walker.place or home
        return home

    def _was_at(self, walker: Walker, home: str) -> WishFrames:
        machine = walker.endpoint.machine
        machine.receive(Attached(home), 0)
        frames: WishFrames = [(home, walker.subscriber.id, send.frame) for send in machine.drain().send]
        if walker.place is None:
            machine.receive(Detached(), 0)
            frames.append((home, walker.subscriber.id, MoveOut(walker.client.session)))
        else:
            walker.endpoint.attach(home)
        return frames

    # ---- on the way

    def _enter_next(self, walker: Walker) -> None:
        change = walker.next_change or next(walker.changes, None)
        walker.next_change = None
        if change is not None:
            instant, point = change
            self._agenda.in_background(max(instant, self._agenda.now), self._changes, walker, self._name(point))

    def _changes(self, now: int, walker: Walker, place: str | None) -> None:
        """Another access point is the nearest in range, or none is in range any more."""
        walker.place, walker.visit = place, walker.visit + 1
        self._goes(now, walker)
        if place is not None:
            self._agenda.in_background(now + walker.latency_ns(), self._comes, walker, walker.visit)
        self._enter_next(walker)

    def _goes(self, now: int, walker: Walker) -> None:
        broker = walker.endpoint.broker
        if broker is not None:
            walker.endpoint.feed(now, Detached())
            walker.endpoint.attach(None)
            self._hosts[broker].arrive(now, walker.subscriber.id, MoveOut(walker.client.session))

    def _comes(self, now: int, walker: Walker, visit: int) -> None:
        """Attached, if it has been there ever since, and if there is anybody to be attached to."""
        place = walker.place
        if walker.visit == visit and place is not None and walker.endpoint.broker is None and self._hosts[place].up:
            walker.endpoint.attach(place)
            walker.endpoint.feed(now, Attached(place))

    def back(self, broker: str) -> None:
        """The broker is up again and knows nobody: who is in range comes to it as if it were new."""
        for walker in self._walkers.values():
            if walker.place == broker:
                if walker.endpoint.broker == broker:
                    walker.endpoint.feed(self._agenda.now, Detached())
                    walker.endpoint.attach(None)
                self._agenda.in_background(self._agenda.now + walker.latency_ns(), self._comes, walker, walker.visit)

    def _name(self, point: int | None) -> str | None:
        return None if point is None else self._world.brokers[point].id

    # ---- ending

    def _linger(self, now: int, _: None, __: None) -> None:
        """Walks go on while something waits for somebody."""
        waiting = any(_waits(host, now) for host in self._hosts.values()) or any(
            isinstance(one.client, ResidentClient) and one.client.waits(now) for one in self._walkers.values()
        )
        if waiting and now < self._world.duration_ns + LINGER_NS_MAX:
            self._agenda.at(now + LINGER_NS, self._linger)


def _waits(host: Host, now: int) -> bool:
    """True when an event whose lifetime is not over waits at a broker for a client that roams, or may yet come to one."""
    machine = host.machine
    if not host.up or not isinstance(machine, RoamingBroker | HomeBroker):
        return False
    return machine.holds or any(not event.expired(now) for _, event in machine.leftovers())
