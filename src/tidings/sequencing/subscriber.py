"""The subscribing end: reads, asks for what is missing, and shows events in the one order.

The rule is the weaker of the two in `tidings.ordering.delivery_rule`: what an event's timestamp names must have been shown,
or lie before the subscription's beginning. It needs no consistent beginning: whatever number each topic is joined at, two
events that are both shown stand in the order decided above them, since of two such events one names the other.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from tidings.errors import InputError
from tidings.ordering import OrderedWindow, Timestamp
from tidings.sequencing.deployment import Deployment
from tidings.sequencing.messages import (
    Gone,
    Message,
    NumbersAsked,
    ProbeAsked,
    Published,
    Reached,
)
from tidings.sequencing.port import GivenUp, Showing, Wishes
from tidings.sequencing.strand import TRIES_HELD, Arrival, Strand

HELD_MAX: Final = 65_536
"""Events read that wait for others; with so many, no further ones are read that would have to wait too."""
JUMP_MAX: Final = 2**32
"""A timestamp that names a number so far beyond what was read is nobody's."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something that a subscriber lacks."""

    topic: str
    number: int
    """The lowest that is missing; 0: it does not know yet where it begins."""
    since_ns: int
    stage: str
    """Who is asked."""


class OrderedSubscriber:
    """The machine of one subscription."""

    def __init__(
        self,
        deployment: Deployment,
        name: str,
        topics: Collection[str],
        *,
        from_start: bool = False,
        held_max: int = HELD_MAX,
    ) -> None:
        """`from_start`: it is there from the beginning of the version, and has all events; else it joins.

        Raises InputError for a subscription without topics, or to one that no stage has.
        """
        for topic in topics:
            if topic not in deployment.plan.routes:
                raise InputError(f"subscriber {name}: topic {topic} has no stage; name it in the plan")
        self.deployment, self.name = deployment, name
        self.refused = self.lost = 0
        """Messages of another version or for somebody else; numbers that were gone."""
        starts_at = 0 if from_start else None
        self._strands = {topic: Strand(deployment, topic, starts_at=starts_at) for topic in topics}
        self._window: OrderedWindow[Arrival] = OrderedWindow(topics, exact=False)
        self._held_max = held_max
        self._stopped: dict[str, tuple[Timestamp, Arrival]] = {}
        """By topic, the event that was read and must wait, for want of room."""
        self._lacking: dict[str, Strand] = {}
        """Topics of which something is missing."""
        self._joined = from_start
        self._wishes = Wishes()

    @property
    def duplicates(self) -> int:
        """Events that had come before."""
        return sum(strand.duplicates for strand in self._strands.values())

    @property
    def held(self) -> int:
        """Events that wait for others."""
        return self._window.held + len(self._stopped)

    def start(self, now: int) -> None:
        """Begin to listen."""
        names = self.deployment.names
        self._wishes.listen += [names.own(self.name), *(names.outlet(topic) for topic in self._strands)]
        for strand in self._strands.values():
            self._look(strand, now)

    def leave(self) -> None:
        """The application takes its wish back: nothing more is shown."""
        self._wishes.leave += [self.deployment.names.outlet(topic) for topic in self._strands]
        self._strands, self._lacking = {}, {}

    def receive(self, name: str, message: Message, now: int) -> None:
        """Take in what a stage says."""
        if message.version != self.deployment.version or not isinstance(message, Published | Reached | Gone):
            self.refused += 1
            return
        strand = self._strands.get(message.topic)
        if strand is None:
            return
        if isinstance(message, Published):
            self._published(strand, message, now)
        elif isinstance(message, Gone):
            self._gone(strand, message.number, now)
        elif name == self.deployment.names.outlet(message.topic):
            self._probed(strand, message.number, now)
        else:
            strand.ends_at(message.number)
        self._look(strand, now)

    def expire(self, now: int) -> None:
        """Ask for what is missing."""
        names, version = self.deployment.names, self.deployment.version
        for topic, strand in self._lacking.items():
            if strand.ask_ns is None or strand.ask_ns > now:
                continue
            missing = strand.missing
            if strand.joining:
                self._wishes.tell.append((names.inlet(topic), ProbeAsked(version, topic)))
            elif missing:
                self._wishes.tell.append((names.inlet(topic), NumbersAsked(version, topic, self.name, missing)))
            strand.asked(now)

    def deadline(self) -> int | None:
        """When to ask next."""
        return min((one.ask_ns for one in self._lacking.values() if one.ask_ns is not None), default=None)

    @property
    def holds(self) -> bool:
        """True while something is missing that a stage is likely to answer for."""
        return any(one.tries < TRIES_HELD for one in self._lacking.values())

    def waiting(self) -> list[Waiting]:
        """What is missing, since when, and from whom."""
        routes = self.deployment.plan.routes
        return [
            Waiting(topic, 0 if one.joining else one.read + 1, one.since_ns, routes[topic].stage)
            for topic, one in self._lacking.items()
            if one.since_ns is not None
        ]

    def drain(self) -> Wishes:
        """Everything wanted since the last call."""
        wishes, self._wishes = self._wishes, Wishes()
        return wishes

    # ---- what stages say

    def _published(self, strand: Strand, message: Published, now: int) -> None:
        if strand.joining:
            return  # it comes again when it is asked for, if it is ours
        strand.receive(message, now)
        self._read(strand, now)

    def _probed(self, strand: Strand, number: int, now: int) -> None:
        if not strand.joining:
            strand.reaches(number)
            return
        strand.begin(number, now)
        self._window.begin(strand.topic, number)
        self._look(strand, now)
        if not any(one.joining for one in self._strands.values()):
            self._joined = self._wishes.joined = True
            for one in self._strands.values():
                self._read(one, now)

    def _gone(self, strand: Strand, number: int, now: int) -> None:
        if not self._joined:
            return
        while strand.topic not in self._stopped and (hole := strand.hole(number, now)) is not None:
            self.lost += 1
            self._place(strand, *hole, now)
        self._read(strand, now)

    # ---- reading and showing

    def _read(self, strand: Strand, now: int) -> None:
        """Nothing is shown before every topic has its beginning: what waits for a topic must know where that is."""
        if not self._joined:
            return
        while strand.topic not in self._stopped and (found := strand.next()) is not None:
            if self._jumps(found[0]):
                self.refused += 1
                return
            self._place(strand, *found, now)

    def _jumps(self, stamp: Timestamp) -> bool:
        if stamp.numbers.max() <= JUMP_MAX:
            return False
        return any(number > self._strands[topic].read + JUMP_MAX for topic, number in self._window.clock.others(stamp))

    def _place(self, strand: Strand, stamp: Timestamp, arrival: Arrival, now: int) -> None:
        """Show it, hold it, or stop reading its topic where too much is held."""
        strand.advance()
        if self._window.held >= self._held_max and self._window.clock.awaited(stamp) is not None:
            self._stopped[strand.topic] = stamp, arrival
            self._note_missing(stamp, now)
        else:
            self._enter(stamp, arrival, now)

    def _enter(self, stamp: Timestamp, arrival: Arrival, now: int) -> None:
        shown = self._window.receive(stamp, arrival)
        for one in shown:
            self._show(one, now)
        if not shown:
            self._note_missing(stamp, now)
        elif self._stopped:
            self._go_on(now)

    def _note_missing(self, stamp: Timestamp, now: int) -> None:
        """An event waits for numbers of other topics: these exist, even if nothing else has told us so."""
        for topic, number in self._window.clock.others(stamp):
            strand = self._strands[topic]
            if number > strand.tail:
                strand.reaches(number)
                self._look(strand, now)

    def _go_on(self, now: int) -> None:
        """There is room again, or what was stopped can be shown."""
        for topic, (stamp, arrival) in list(self._stopped.items()):
            if self._window.held < self._held_max or self._window.clock.awaited(stamp) is None:
                del self._stopped[topic]
                self._enter(stamp, arrival, now)
                self._read(self._strands[topic], now)

    def _look(self, strand: Strand, now: int) -> None:
        strand.look(now)
        if strand.since_ns is None:
            self._lacking.pop(strand.topic, None)
        else:
            self._lacking[strand.topic] = strand

    def _show(self, arrival: Arrival, now: int) -> None:
        if arrival.event is None:
            return
        if arrival.event.expired(now):
            self._wishes.given_up.append(GivenUp(arrival.event, "expired"))
        else:
            self._wishes.show.append(Showing(arrival.event, arrival.arrived_ns))
