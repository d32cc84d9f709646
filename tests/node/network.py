"""Brokers joined in memory, in virtual time: frames lie in flight until a test carries, drops, repeats or swaps them.

The driver's recipe, with everything that a network can do wrong in the test's hands. Clients are names: what they are sent
is collected.
"""

from dataclasses import dataclass

from tidings.matching import LinearMatcher
from tidings.node import Broker, BrokerOptions, DetourOptions
from tidings.routing import TableOptions, tree_neighbours
from tidings.vocabulary.frames import Deliver, Forward, Subscribe, Unsubscribe
from tidings.vocabulary.machine import FramesArrived, RecordsStored, Started
from tidings.vocabulary.overlay import Overlay

TREE = "t"
FRAMES_MAX = 20_000
"""More frames than any test needs: what goes on for ever stops here, with an error."""


@dataclass(frozen=True)
class Packet:
    """A frame on its way from one broker to another."""

    sender: str
    receiver: str
    frame: object

    @property
    def way(self):
        """As plays write it."""
        return f"{self.sender}>{self.receiver}"


def options_on(links, *, more=None, **changes):
    """Options by broker, for one tree of these links that serves every topic.

    With `more`, links of the overlay that the tree leaves out, brokers lead events around what has failed.
    """
    table = TableOptions(new_matcher=LinearMatcher, merging=changes.pop("merging", False))
    neighbours = tree_neighbours(links)
    if more is not None:
        overlay = Overlay(tuple(sorted(neighbours)), (*links, *more), (1.0,) * (len(links) + len(more)))
        changes["detours"] = DetourOptions(overlay=overlay, trees={TREE: neighbours})
    return {
        name: BrokerOptions(
            name=name, neighbours={TREE: neighbours[name]}, tree_of=lambda _topic: TREE, table=table, **changes
        )
        for name in sorted(neighbours)
    }


class Network:
    """Brokers, what is in flight between them, and what their clients heard."""

    def __init__(self, options):
        self.options = dict(options)
        self.now = 0
        self.in_flight = []
        self.heard = {}
        self.reported = []
        self.links_used = []
        """Ways of the events that brokers forwarded."""
        self.down = set()
        self.machines = {}
        self.records = {name: [] for name in self.options}
        """What each broker has on disk."""
        self.incarnations = dict.fromkeys(self.options, -1)
        for name in self.options:
            self.start(name)

    def start(self, name):
        """A new process, with nothing but its records; what was on its way to the old one goes to this one."""
        self.down.discard(name)
        self.incarnations[name] += 1
        self.machines[name] = Broker(self.options[name])
        self.machines[name].receive(Started(self.incarnations[name], tuple(self.records[name])), self.now)
        self._collect(name)

    def tell(self, broker, client, *frames):
        """A client's frames arrive at its broker, in one batch."""
        self.machines[broker].receive(FramesArrived(client, frames), self.now)
        self._collect(broker)

    def notify(self, broker, notice):
        """A broker hears of something that is no frame."""
        self.machines[broker].receive(notice, self.now)
        self._collect(broker)

    def subscribe(self, broker, client, text, number=1):
        """A client wants something."""
        self.tell(broker, client, Subscribe(number, text))

    def unsubscribe(self, broker, client, number=1):
        """A client no longer wants it."""
        self.tell(broker, client, Unsubscribe(number))

    def carry(self, place=0):
        """The packet at `place` arrives, if anybody is there."""
        packet = self.in_flight.pop(place)
        if packet.receiver not in self.down:
            self.machines[packet.receiver].receive(FramesArrived(packet.sender, (packet.frame,)), self.now)
            self._collect(packet.receiver)
        return packet

    def run(self):
        """Carry everything, in the order sent, until nothing is in flight; gives what was carried."""
        carried = []
        while self.in_flight:
            carried.append(self.carry())
            assert len(carried) < FRAMES_MAX, "the brokers never come to rest"
        return carried

    def ring(self, until):
        """Let time pass to the first timer that rings, or to `until`; false when none has rung."""
        due = [(machine.deadline(), name) for name, machine in self.machines.items() if name not in self.down]
        due = [(instant, name) for instant, name in due if instant is not None and instant <= until]
        if not due:
            self.now = max(self.now, until)
            return False
        instant, name = min(due)
        self.now = max(self.now, instant)
        self.machines[name].expire(self.now)
        self._collect(name)
        again = self.machines[name].deadline()
        assert again is None or again > self.now, "a timer must not ring twice at one instant"
        return True

    def wait(self, duration_ns):
        """Let time pass, with everything carried at once; gives what was carried."""
        until = self.now + duration_ns
        carried = self.run()
        while self.ring(until):
            carried += self.run()
            assert len(carried) < FRAMES_MAX, "the brokers never come to rest"
        return carried

    def wanted_by_neighbours(self):
        """What each broker believes that each neighbour wants, by tree."""
        return {
            f"{name} of {neighbour} in {tree}": sorted(listener._wanted)
            for name, machine in self.machines.items()
            for tree, spreading in machine._demand.spreadings.items()
            for neighbour, listener in spreading._listeners.items()
        }

    def reached(self, event_id):
        """The clients that were sent an event, sorted; more than once when they were."""
        frames = ((client, frame) for client, frames in self.heard.items() for frame in frames)
        return sorted(client for client, frame in frames if isinstance(frame, Deliver) and frame.event.id == event_id)

    def _collect(self, name):
        machine = self.machines[name]
        effects = machine.drain()
        self._store(name, effects)
        for send in effects.send:
            if send.to in self.machines:
                self.in_flight.append(Packet(name, send.to, send.frame))
                if isinstance(send.frame, Forward):
                    self.links_used.append((send.frame.event.id, name, send.to))
            else:
                self.heard.setdefault(send.to, []).append(send.frame)
        for delivery in effects.deliver:
            for number in delivery.clients.tolist():
                self.heard.setdefault(machine.clients[number], []).append(Deliver(delivery.event))
        self.reported += effects.report
        if effects.store:
            machine.receive(RecordsStored(len(effects.store)), self.now)

    def _store(self, name, effects):
        if effects.anew:
            self.records[name] = []
        self.records[name] += [one.record for one in effects.store]
