"""Brokers that address events to brokers, joined in memory in virtual time: links with delays that may be cut, lose and repeat."""

import heapq
import itertools

from tidings.matching import LinearMatcher
from tidings.node import (
    AddressedBroker,
    AddressedOptions,
    BulletinOptions,
    HedgeOptions,
    ListOptions,
    ListPassage,
    WayPassage,
)
from tidings.routing import TableOptions
from tidings.routing.link_quality import LinkQuality
from tidings.routing.list_plans import ListPlans
from tidings.routing.way_plans import WayPlans
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Packet, PacketTaken, Publish, Routed, Subscribe, Subscribed, Unsubscribe
from tidings.vocabulary.instant import MILLISECOND, SECOND
from tidings.vocabulary.machine import FramesArrived, RecordsStored, Started
from tidings.vocabulary.overlay import Overlay

MS = MILLISECOND
STEPS_MAX = 200_000
"""More than any test needs: what goes on for ever stops here, with an error."""


def links_of(delays, ratio=0.9):
    """Both directions of links, given as `{"ab": milliseconds}`."""
    ways = {tuple(pair): delay for pair, delay in delays.items()}
    both = {**ways, **{(there, here): delay for (here, there), delay in ways.items()}}
    return {way: LinkQuality(float(delay * MS), ratio) for way, delay in both.items()}


def overlay_of(delays):
    """The overlay of such links."""
    names = tuple(sorted({name for pair in delays for name in pair}))
    return Overlay(names, tuple(map(tuple, delays)), tuple(float(one * MS) for one in delays.values()))


def by_ways(scheme):
    """Passages of a scheme that decides ways where an event starts."""

    def passages(delays):
        links, brokers = links_of(delays), overlay_of(delays).brokers

        def of(name):
            plans = WayPlans(scheme, brokers, name)
            return lambda _monitor, _incarnation: WayPassage(
                name, lambda known, others, _now: plans.ways(known, others), links, drop_expired=True
            )

        return of

    return passages


def by_lists(deadlines=None, **changes):
    """Passages of DCRD; `deadlines` by publisher and broker in milliseconds."""

    def passages(delays):
        links = links_of(delays, changes.get("ratio", 0.9))
        timed = {who: {name: one * MS for name, one in of.items()} for who, of in (deadlines or {}).items()}
        transmissions = changes.get("transmissions", 1)
        plans = ListPlans(overlay_of(delays).brokers, timed, transmissions)

        def of(name):
            ways = overlay_of(delays).ways_from(name)
            hedge = HedgeOptions(guards=changes.get("guards", 0), deadlines=timed, way=ways.get)
            options = ListOptions(
                name=name,
                plans=plans,
                links=links,
                transmissions=transmissions,
                one_way=changes.get("one_way", False),
                drop_expired=True,
                keeps=changes.get("keeps", False),
                hedge=hedge if "guards" in changes else None,
            )
            return lambda monitor, incarnation: ListPassage(options, monitor, incarnation)

        return of

    return passages


class AddressedNetwork:
    """Brokers by name, what is in flight between them, what clients were shown and told, and what was given up."""

    def __init__(self, delays, passages, *, monitor_ns=None, patient=False, fate=None):
        self.overlay, self.delays = overlay_of(delays), {}
        for pair, delay in delays.items():
            self.delays[tuple(pair)] = self.delays[tuple(reversed(pair))] = delay * MS
        self.fate = fate or (lambda: (0,))
        """Extra delays of each copy of a frame that is sent; none: it is lost."""
        passage = passages(delays)
        self.options = {
            name: AddressedOptions(
                bulletin=BulletinOptions(
                    name=name,
                    overlay=self.overlay,
                    expected=links_of(delays),
                    table=TableOptions(new_matcher=LinearMatcher),
                    monitor_ns=monitor_ns,
                    patient=patient,
                ),
                passage=passage(name),
            )
            for name in self.overlay.brokers
        }
        self.now = 0
        self.cut, self.down = set(), set()
        self.sent, self.shown, self.dropped, self.told = [], [], [], {}
        self.machines, self.records = {}, {name: [] for name in self.options}
        self.incarnations = dict.fromkeys(self.options, -1)
        self._heap, self._order = [], itertools.count()
        self._events = itertools.count(1)
        for name in self.options:
            self.start(name)

    def start(self, name):
        """A new process, with nothing but its records."""
        self.down.discard(name)
        self.incarnations[name] += 1
        self.machines[name] = AddressedBroker(self.options[name])
        self.machines[name].receive(Started(self.incarnations[name], tuple(self.records[name])), self.now)
        self._collect(name)

    def stop(self, name):
        """The process is gone."""
        self.down.add(name)

    def subscribe(self, broker, client, text="true", number=0):
        """A client wants something."""
        self.tell(broker, client, Subscribe(number, text))

    def unsubscribe(self, broker, client, number=0):
        """A client takes a wish back."""
        self.tell(broker, client, Unsubscribe(number))

    def publish(self, broker, publisher="p", **more):
        """An event; gives its number."""
        number = next(self._events)
        event = Event(number, publisher, "t", self.now, {}, **more)
        self.tell(broker, publisher, Publish(event))
        return number

    def tell(self, broker, sender, *frames):
        """Frames arrive at a broker that is up."""
        if broker not in self.down:
            self.machines[broker].receive(FramesArrived(sender, frames), self.now)
            self._collect(broker)

    def run(self, until_s=60.0):
        """Let time pass."""
        until = round(until_s * SECOND)
        for _ in range(STEPS_MAX):
            due = [(one.deadline(), name) for name, one in self.machines.items() if name not in self.down]
            timers = [(instant, name) for instant, name in due if instant is not None]
            arrives = self._heap[0][0] if self._heap else until + 1
            rings = min(timers)[0] if timers else until + 1
            if min(arrives, rings) > until:
                self.now = until
                return
            self.now = max(self.now, min(arrives, rings))
            if arrives <= rings:
                _, _, sender, receiver, frame = heapq.heappop(self._heap)
                self.tell(receiver, sender, frame)
            else:
                name = min(timers)[1]
                self.machines[name].expire(self.now)
                self._collect(name)
        raise AssertionError("this goes on for ever")

    def copies(self, kind=(Packet, Routed)):
        """Way and frame of what was sent of a kind."""
        return [(f"{sender}{to}", frame) for sender, to, frame in self.sent if isinstance(frame, kind)]

    def ways(self):
        """Of all copies of events, in the order sent."""
        return [way for way, _ in self.copies()]

    def answers(self, client):
        """How a client's wishes were answered."""
        return [frame for frame in self.told.get(client, ()) if isinstance(frame, Subscribed)]

    def _collect(self, name):
        effects = self.machines[name].drain()
        if effects.anew:
            self.records[name].clear()
        self.records[name] += [one.record for one in effects.store]
        for send in effects.send:
            if (name, send.to) in self.delays:
                self._carry(name, send.to, send.frame)
            else:
                self.told.setdefault(send.to, []).append(send.frame)
        for one in effects.deliver:
            names = [self.machines[name].clients[number] for number in one.clients.tolist()]
            self.shown += [(self.now, client, one.event.id) for client in names]
        self.dropped += [(one.event.id, one.reason, one.towards) for one in effects.report]
        if effects.store:
            self.machines[name].receive(RecordsStored(len(effects.store)), self.now)
            self._collect(name)

    def _carry(self, sender, to, frame):
        self.sent.append((sender, to, frame))
        if frozenset((sender, to)) in self.cut:
            return
        for extra in self.fate():
            instant = self.now + self.delays[sender, to] + extra
            heapq.heappush(self._heap, (instant, next(self._order), sender, to, frame))


__all__ = ["MS", "AddressedNetwork", "Packet", "PacketTaken", "Routed", "by_lists", "by_ways", "links_of", "overlay_of"]
