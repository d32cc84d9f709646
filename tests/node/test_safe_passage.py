"""Events in safe keeping: every trouble that a network and its brokers can have, and nothing acknowledged is lost."""

import os

import pytest

from node.network import FRAMES_MAX, Network, options_on
from node.storm import TEXTS
from tidings.delivery.keeper import RECORDS_MIN
from tidings.node.safe_passage import SafePassage
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import holds
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.frames import Accepted, Deliver, Forward, Publish, Received
from tidings.vocabulary.instant import FOREVER, MINUTE, SECOND
from tidings.vocabulary.machine import Effects, NeighbourLost, NeighbourReturned, SendFrame
from tidings.vocabulary.streams import Streams

SEEDS = range(max(60, int(os.environ.get("TIDINGS_SEEDS", "0"))))


class Weather:
    """A random tree of brokers that keep, clients with wishes that are known everywhere, and troubles by a seed."""

    Network = Network

    def __init__(self, seed):
        self.seed, self.random = seed, Streams(seed)("weather")
        count = 2 + self.below(4)
        self.links = [(f"b{self.below(child)}", f"b{child}") for child in range(1, count)]
        self.names = [f"b{number}" for number in range(count)]
        self.network = self.Network(options_on(self.links, keeps=True))
        self.wishes = {f"s{number}": TEXTS[self.below(len(TEXTS))] for number in range(5)}
        self.homes = {client: f"b{self.below(count)}" for client in self.wishes}
        for client, text in self.wishes.items():
            self.network.subscribe(self.homes[client], client, text)
        self.network.wait(MINUTE)
        self.events = []

    def below(self, count):
        """A random number below `count`."""
        return int(self.random.integers(count))

    def rage(self, acts):
        """That many troubles, one after the other."""
        usual = [self.publish, self.publish, self.carry, self.carry, self.carry, self.swap, self.drop, self.repeat]
        rare = [self.restart, self.lose, self.find, self.wait]
        for _ in range(acts):
            choices = usual if self.below(4) else rare
            choices[self.below(len(choices))]()

    def calm(self):
        """Everybody is there again, and whatever is owed gets through."""
        for one, other in self.links:
            for broker, neighbour in ((one, other), (other, one)):
                self.network.notify(broker, NeighbourReturned(neighbour))
        self.network.wait(5 * MINUTE)

    # ---- troubles

    def publish(self):
        """Somebody publishes something."""
        number = len(self.events)
        attributes = {"price": self.below(25), "size": self.below(4), "symbol": ("IBM", "SUN", "I")[self.below(3)]}
        lives = FOREVER if self.below(4) else self.network.now + self.below(20 * SECOND)
        topic = ("news", "quote/a", "other")[self.below(3)]
        self.events.append(Event(number, "p", topic, self.network.now, attributes, lives))
        self.network.tell(self.names[self.below(len(self.names))], "p", Publish(self.events[-1]))

    def carry(self):
        """The oldest frame arrives."""
        if self.network.in_flight:
            self.network.carry()

    def swap(self):
        """Some frame overtakes all others."""
        if self.network.in_flight:
            self.network.carry(self.below(len(self.network.in_flight)))

    def drop(self):
        """Some frame is lost."""
        if self.network.in_flight:
            self.network.in_flight.pop(self.below(len(self.network.in_flight)))

    def repeat(self):
        """Some frame comes twice."""
        if self.network.in_flight:
            self.network.in_flight.append(self.network.in_flight[self.below(len(self.network.in_flight))])

    def restart(self):
        """A broker's process dies, and another one begins."""
        self.network.start(self.names[self.below(len(self.names))])

    def lose(self):
        """A broker takes a neighbour for lost, rightly or not."""
        self._notify(NeighbourLost)

    def find(self):
        """Or for returned."""
        self._notify(NeighbourReturned)

    def wait(self):
        """Time passes, and timers ring; nothing arrives."""
        until = self.network.now + self.below(10 * SECOND)
        for _ in range(20):
            if not self.network.ring(until):
                break

    def _notify(self, notice):
        link = self.links[self.below(len(self.links))]
        broker, neighbour = link[:: 1 - 2 * self.below(2)]
        self.network.notify(broker, notice(neighbour))

    # ---- judgement

    def missing(self):
        """Acknowledged events that a client wants and never got, but for those that expired on the way."""
        accepted = {one.event_id for one in self.network.heard.get("p", []) if isinstance(one, Accepted)}
        expired = {one.event.id for one in self.network.reported if one.reason == "expired"}
        return [
            (self.seed, client, event)
            for client, text in self.wishes.items()
            for event in self.events
            if event.id in accepted - expired and holds(parsed(text), event)
            if client not in self.network.reached(event.id)
        ]

    def unwanted(self):
        """What a client got and does not want."""
        return [
            (self.seed, client, frame.event)
            for client, text in self.wishes.items()
            for frame in self.network.heard.get(client, [])
            if isinstance(frame, Deliver) and not holds(parsed(text), frame.event)
        ]


def stormed(seed, kind=Weather):
    """After a storm."""
    weather = kind(seed)
    weather.rage(150)
    weather.calm()
    return weather


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_acknowledged_gets_there(seed):
    """Frames lost, repeated and overtaken, processes dying, neighbours taken for lost: nothing is missing, nobody owes."""
    weather = stormed(seed)
    assert weather.missing() == weather.unwanted() == []
    assert not any(machine.holds for machine in weather.network.machines.values())
    assert weather.network.in_flight == []


class ForgetfulNetwork(Network):
    """Disks that keep what is wanted, but no events."""

    def _store(self, name, effects):
        effects.store = [one for one in effects.store if b"Noted" in one.record]
        super()._store(name, effects)


class Forgetful(Weather):
    """Brokers acknowledge and forget."""

    Network = ForgetfulNetwork


class HastyNetwork(Network):
    """Who is sent an event is taken for having it."""

    def _collect(self, name):
        super()._collect(name)
        for packet in [one for one in self.in_flight if isinstance(one.frame, Forward) and one.sender == name]:
            self.machines[name]._safe.courier.received(packet.receiver, (packet.frame.event.id,), self.now)


class Hasty(Weather):
    """Nothing is ever sent again."""

    Network = HastyNetwork


@pytest.mark.parametrize("kind", [Forgetful, Hasty])
def test_a_storm_finds_what_is_wrong(kind):
    """Brokers that forget, and brokers that do not insist, lose events within few seeds."""
    assert any(stormed(seed, kind).missing() for seed in range(40))


def test_expired_events_are_dropped_and_counted():
    """Where they wait; they are sent to nobody."""
    network = Network(options_on([("a", "b")], keeps=True))
    network.subscribe("b", "s", "true")
    network.wait(MINUTE)
    network.notify("a", NeighbourLost("b"))
    network.tell("a", "p", Publish(Event(1, "p", "t", network.now, {}, network.now + SECOND)))
    network.wait(MINUTE)
    network.notify("a", NeighbourReturned("b"))
    network.wait(MINUTE)
    assert network.reached(1) == []
    assert [(drop.reason, drop.towards) for drop in network.reported] == [("expired", ("b",))]
    assert not network.machines["a"].holds


def test_a_log_does_not_grow_for_ever():
    """It is begun anew from time to time; a broker that comes back has little to read."""
    network = Network(options_on([("a", "b")], keeps=True))
    network.subscribe("b", "s", "true")
    network.wait(MINUTE)
    for number in range(5 * RECORDS_MIN):
        network.tell("a", "p", Publish(Event(number, "p", "t", network.now, {})))
        network.run()
        assert max(map(len, network.records.values())) < RECORDS_MIN + 10
    network.start("a")
    network.start("b")
    network.wait(MINUTE)
    assert max(map(len, network.records.values())) < 10
    assert len(network.links_used) < FRAMES_MAX


def test_what_is_told_is_the_broker_s_business():
    """A passage keeps and sends; who wants nothing costs nothing."""
    effects = Effects()
    passage = SafePassage(("n",), drop_expired=True)
    event = Event(1, "p", "t", 0, {})
    passage.take(event, ("n",), 0, effects, for_clients=False)
    passage.finish(lambda: (), effects)
    assert effects.send == [SendFrame("n", Forward(event))]
    assert len(effects.store) == 1
    assert (effects.show, effects.report, effects.anew) == ([], [], False)


def test_only_keepers_acknowledge():
    """A broker without safe keeping sends no acknowledgement of its own accord."""
    for keeps in (True, False):
        network = Network(options_on([("a", "b")], keeps=keeps))
        network.subscribe("b", "s", "true")
        network.wait(MINUTE)
        network.tell("a", "p", Publish(Event(1, "p", "t", network.now, {})))
        carried = network.run()
        assert [type(packet.frame) for packet in carried] == ([Forward, Received] if keeps else [Forward])
