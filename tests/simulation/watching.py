"""A simulated world that is looked into while it runs: what logs cannot tell."""

from collections import Counter
from dataclasses import dataclass, field
from functools import partial

from tidings.checking.evaluate import wants
from tidings.node import HomeBroker
from tidings.routing import tree_neighbours
from tidings.simulation.brokers import roaming_brokers, tree_brokers
from tidings.simulation.clients import Clients
from tidings.simulation.simulated_world import SimulatedWorld
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.frames import ClientSays, Deliver, MoveOut, PublishInTurn


def samples(world, values):
    """One event for everything that publishers can say."""
    return [
        Event(-1 - place * values - x, "", topic.name, 0, {"x": x})
        for place, topic in enumerate(world.topics)
        for x in range(values)
    ]


@dataclass
class Premature:
    """An interest that was called effective though a broker did not know it."""

    subscriber: str
    broker: str
    event: Event


@dataclass
class Notes:
    """What was seen."""

    premature: list[Premature] = field(default_factory=list)
    branches: Counter = field(default_factory=Counter)
    """How often homes of roaming clients did what they rarely have to do."""
    gone: list[tuple[int, str]] = field(default_factory=list)
    """When roaming clients went out of reach, and of which brokers."""


class CountingHome(HomeBroker):
    """Counts what it rarely has to do."""

    def __init__(self, inside, branches):
        super().__init__(inside)
        self._branches = branches

    def _to_resident(self, client, frame):
        sends = super()._to_resident(client, frame)
        if isinstance(frame, Deliver):
            self._branches["repaired by its home" if sends else "nowhere to be found"] += 1
        return sends

    def _relay(self, to, frame):
        if isinstance(frame, ClientSays) and isinstance(frame.frame, MoveOut):
            self._branches["not there any more"] += 1
        super()._relay(to, frame)

    def _says(self, client, place, frame, now):
        super()._says(client, place, frame, now)
        if isinstance(frame, PublishInTurn) and self._residents[client].early:
            self._branches["out of turn"] += 1


class WatchedClients(Clients):
    """Tells the world whenever an interest becomes effective."""

    watch = None

    def __init__(self, parts):
        super().__init__(parts)
        self.notes = None
        for walker in self._roamers._walkers.values():
            walker.endpoint.attach = partial(self._attach, walker.endpoint)

    def _attach(self, endpoint, broker):
        if broker is None:
            self.notes.gone.append((self._agenda.now, endpoint.broker))
        endpoint.broker = broker

    def _confirmed(self, now, client, missing):
        interest = self.interests[client]
        before = interest.effective_ns
        super()._confirmed(now, client, missing)
        if before is None and interest.effective_ns is not None:
            self.watch(interest)


class Watched(SimulatedWorld):
    """Looks into the brokers whenever an interest becomes effective."""

    VALUES = 5
    Members = WatchedClients

    def __init__(self, world, folder, **options):
        self.notes = Notes()
        super().__init__(world, folder, **options)
        self.clients.watch, self.clients.notes = self._effective, self.notes
        self.trees = {tree.name: tree_neighbours(tree.links) for tree in world.trees}
        self.tree_of = {topic: tree.name for tree in world.trees for topic in tree.topics}
        self.samples = samples(world, self.VALUES)

    def _maker(self):
        make = tree_brokers(self.world, self.workload.ahead)
        if not any(one.mobility for one in self.world.subscribers):
            return make
        return roaming_brokers(self.world, make, home=lambda inside: CountingHome(inside, self.notes.branches))

    def _effective(self, interest):
        # Where nothing is renewed, a broker that ever crashed was perhaps told before that, and has forgotten.
        nobody_crashed = all(host.up and host.incarnation == 0 for host in self.hosts.values())
        if nobody_crashed and not isinstance(next(iter(self.hosts.values())).machine, HomeBroker):
            self._look_for(interest)

    def _look_for(self, interest):
        home = interest.subscriber.broker
        for event in self.wanted_samples(interest.subscriber):
            towards = self.next_hops(event.topic, home)
            for broker in sorted(interest.reachable & towards.keys()):
                machine = self.hosts[broker].machine
                neighbours, _ = machine.answer(event)
                if towards[broker] not in neighbours:
                    self.notes.premature.append(Premature(interest.subscriber.id, broker, event))

    def wanted_samples(self, subscriber):
        """What a subscriber wants of the samples, by brute force."""
        wish = parsed(subscriber.filter)
        return [event for event in self.samples if wants(wish, event.topic, event.attributes)]

    def next_hops(self, topic, home):
        """By broker of the topic's tree but `home` itself, the neighbour on the way there."""
        neighbours = self.trees[self.tree_of[topic]]
        hops, border = {}, [home]
        while border:
            one = border.pop()
            for other in neighbours.get(one, ()):
                if other != home and other not in hops:
                    hops[other] = one
                    border.append(other)
        return hops

    def settle_down(self, for_ns):
        """Let the time pass in which nothing is published any more, so that brokers finish telling each other."""
        self.agenda.run(self.agenda.now + for_ns)

    def shown_to(self, event, origin):
        """Clients that an event published at `origin` would reach now, and neighbours that it is sent to for nothing."""
        neighbours = self.trees[self.tree_of[event.topic]]
        names, idle = set(), []

        def visit(broker, sender):
            machine = self.hosts[broker].machine
            names.update(machine.clients[number] for number in machine.clients_wanting(event).tolist())
            before = len(names)
            for other in machine.answer(event)[0]:
                if other != sender:
                    assert other in neighbours[broker]
                    count = len(names)
                    visit(other, broker)
                    if len(names) == count:
                        idle.append((broker, other))
            return before

        visit(origin, None)
        return names, idle
