"""Brokers at whose doors clients come and go, in virtual time: links keep order, and lose or repeat talk about clients."""

import heapq
import itertools

from node.network import options_on
from tidings.node import Broker
from tidings.node.doorway import RoamingOptions
from tidings.node.roaming_broker import RoamingBroker
from tidings.node.roaming_client import RoamingClient
from tidings.routing import tree_neighbours
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Deliver, MoveOut, Publish, Relayed
from tidings.vocabulary.instant import FOREVER, MILLISECOND
from tidings.vocabulary.machine import (
    Attached,
    Detached,
    FramesArrived,
    ShowEvent,
    Started,
    SubscribeRequested,
    UnsubscribeRequested,
)
from tidings.vocabulary.overlay import Overlay

MS = MILLISECOND


class RoamingWorld:
    """One roaming client, any number of brokers in a tree, publishers at brokers."""

    def __init__(self, links, *, scheme="reactive", random=None, loss=0.0, neighbours=None, delay=lambda: 5 * MS):
        self.now, self._heap, self._count = 0, [], itertools.count()
        self.random, self.loss, self.delay = random, loss, delay
        self.shown, self.reported, self.relayed, self.numbers = [], [], [], {}
        self._last, self._timers = {}, {}
        names = tuple(sorted(tree_neighbours(links)))
        overlay = Overlay(names, tuple(links), (1.0,) * len(links))
        self.brokers = {}
        for name, options in options_on(links).items():
            door = RoamingOptions(
                name=name,
                scheme=scheme,
                way=overlay.ways_from(name).get,
                neighbours=None if neighbours is None else neighbours.get(name, ()),
            )
            self.brokers[name] = RoamingBroker(Broker(options), door)
            self.brokers[name].receive(Started(0), 0)
        self.client = RoamingClient("c")

    # ---- what happens

    def subscribe(self, text='topic == "t"'):
        """The client wants something."""
        self._feed_client(SubscribeRequested(1, text))

    def unsubscribe(self):
        """It no longer does."""
        self._feed_client(UnsubscribeRequested(1))

    def attach(self, broker):
        """It comes to a broker."""
        self._feed_client(Attached(broker))

    def detach(self):
        """It goes out of reach, and its broker notices."""
        broker, session = self.client.broker, self.client.session
        self._feed_client(Detached())
        self._feed(broker, "c", MoveOut(session))

    def publish(self, broker, publisher="p", expires_ns=FOREVER):
        """The next event of a publisher."""
        number = self.numbers[publisher] = self.numbers.get(publisher, -1) + 1
        identity = 1000 * sorted(("p", "q", "r")).index(publisher) + number
        self._feed(broker, publisher, Publish(Event(identity, publisher, "t", self.now, {}, expires_ns=expires_ns)))

    def run(self, for_ns=None):
        """Let time pass, until nothing but timers without work is left when no time is given."""
        end = FOREVER if for_ns is None else self.now + for_ns
        while self._heap and self._heap[0][0] <= end:
            self.now, _, action, arguments = heapq.heappop(self._heap)
            action(*arguments)
        if for_ns is not None:
            self.now = end

    def until_quiet(self, at_most_ns):
        """Let time pass until nothing waits for a client that is in reach."""
        self.run(at_most_ns)

    # ---- the recipe

    def _at(self, instant, action, *arguments):
        heapq.heappush(self._heap, (instant, next(self._count), action, arguments))

    def _feed(self, broker, sender, frame):
        self.brokers[broker].receive(FramesArrived(sender, (frame,)), self.now)
        self._finish(broker)

    def _finish(self, broker):
        machine = self.brokers[broker]
        effects = machine.drain()
        for send in effects.send:
            self._send(broker, send.to, send.frame)
        for delivery in effects.deliver:
            for number in delivery.clients.tolist():
                self._send(broker, machine.clients[number], Deliver(delivery.event))
        self.reported += [(drop.event.id, drop.reason, drop.towards) for drop in effects.report]
        self._arm(broker, machine, lambda: self._ring(broker))

    def _ring(self, broker):
        self.brokers[broker].expire(self.now)
        self._finish(broker)

    def _feed_client(self, notice):
        self.client.receive(notice, self.now)
        self._finish_client()

    def _finish_client(self):
        effects = self.client.drain()
        for send in effects.send:
            self._feed(send.to, "c", send.frame)
        self.shown += [(self.now, show.event) for show in effects.show if isinstance(show, ShowEvent)]
        self.reported += [(drop.event.id, drop.reason, drop.towards) for drop in effects.report]
        self._arm("c", self.client, self._ring_client)

    def _ring_client(self):
        self.client.expire(self.now)
        self._finish_client()

    def _arm(self, name, machine, ring):
        due = machine.deadline()
        if due is not None and self._timers.get(name) != due:
            self._timers[name] = due

            def rings():
                if self._timers.get(name) == due:
                    self._timers[name] = None
                    ring()

            self._at(max(due, self.now), rings)

    def _send(self, sender, receiver, frame):
        if receiver == "c":
            self._hear(sender, frame)
        elif receiver in self.brokers:
            copies = 1
            if isinstance(frame, Relayed):
                self.relayed.append((sender, receiver, frame))
                if self.random is not None:
                    copies = (self.random.random() >= self.loss) + (self.random.random() < self.loss)
            for _ in range(copies):
                arrives = max(self.now + self.delay(), self._last.get((sender, receiver), 0))
                self._last[sender, receiver] = arrives
                self._at(arrives, self._feed, receiver, sender, frame)

    def _hear(self, sender, frame):
        """A link to a client that is in reach takes no time; to one that is not there is none."""
        assert self.client.broker == sender or not isinstance(frame, Deliver), "an event for a client that has gone"
        if self.client.broker == sender:
            self._feed_client(FramesArrived(sender, (frame,)))

    # ---- what is asked

    @property
    def ids(self):
        """What was shown, in order."""
        return [event.id for _, event in self.shown]
