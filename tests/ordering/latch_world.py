"""What the tests of the latch share: events with stamps, a driver by the recipe, and the dumb twin, tick by tick."""

from dataclasses import dataclass, field

from tidings.ordering.latch import Latch, Showing
from tidings.ordering.publication_record import PublicationRecord, Stamp
from tidings.vocabulary.event import Event, event_id, split_event_id
from tidings.vocabulary.instant import FOREVER


@dataclass(frozen=True)
class Arrival:
    """An event that reaches the endpoint."""

    at: int
    event: Event
    stamp: Stamp
    due: int = FOREVER


@dataclass(frozen=True)
class FixedReach:
    """A reach that is known from elsewhere; with `after` only from that many samples on."""

    ns: int
    after: int = 0
    size: int = 25

    def reach_ns(self, samples):
        return self.ns if len(samples) >= self.after else None


@dataclass
class Publisher:
    """Publishes events with numbers in order, and stamps them."""

    record: PublicationRecord = field(default_factory=lambda: PublicationRecord(0))
    name: str = "p"
    incarnation: int = 0
    next: int = 0

    def publish(self, departed, topic="t", expires=FOREVER):
        """The next event and its stamp."""
        identity = event_id(0, self.next)
        self.next += 1
        event = Event(identity, self.name, topic, departed, {}, expires, self.incarnation)
        return event, self.record.stamp(event)


def number_of(event):
    """The publisher's number."""
    return split_event_id(event.id)[1]


def drive(latch: Latch, arrivals, *, ring=True):
    """Feed arrivals in order, with one timer that rings in time; what came out, each with its instant."""
    found = []
    for arrival in arrivals:
        while ring and (due := latch.deadline()) is not None and due < arrival.at:
            latch.expire(due)
            found += [(due, one) for one in latch.drain()]
        latch.receive(arrival.event, arrival.stamp, arrival.at, due_ns=arrival.due)
        found += [(arrival.at, one) for one in latch.drain()]
    while (due := latch.deadline()) is not None:
        latch.expire(due)
        found += [(due, one) for one in latch.drain()]
    return found


def transcript(found):
    """`instant: number`, with what is out of the ordinary behind it."""
    lines = []
    for instant, one in found:
        what = ("late" if one.late else "") if isinstance(one, Showing) else one.reason
        lines.append(f"{instant}: {number_of(one.event)} {what}".strip())
    return lines


@dataclass
class TickTwin:
    """The dumb twin: looks at everything at every tick, and knows of numbers, not of heaps and timers.

    One publisher, one incarnation, unbounded memory.
    """

    reach: int | None
    hold: int
    matters: object
    waiting: dict = field(default_factory=dict)
    settled: set = field(default_factory=set)
    given_up: int = 0
    highest: int = -1
    lines: list = field(default_factory=list)

    def run(self, arrivals):
        """`tick: number what`, like `transcript`."""
        for tick in range(max((one.at + self.hold for one in arrivals), default=0) + 1):
            for one in arrivals:
                if one.at == tick:
                    self.take(tick, one)
            self.look(tick)
        assert not self.waiting
        return self.lines

    def take(self, tick, one):
        number = number_of(one.event)
        if number in self.waiting or number in self.settled:
            return
        if tick > one.event.expires_ns or number < self.given_up:
            self.hand_out(tick, one.event)
        else:
            self.waiting[number] = one if one.due >= tick else Arrival(tick, one.event, one.stamp)
        self.look(tick)

    def look(self, tick):
        while self.waiting:
            number = min(self.waiting)
            pressed = any(min(one.due, one.event.expires_ns) <= tick for one in self.waiting.values())
            if not pressed and self.released(self.waiting[number]) > tick:
                break
            self.hand_out(tick, self.waiting.pop(number).event)
            self.given_up = number + 1

    def hand_out(self, tick, event):
        number = number_of(event)
        self.settled.add(number)
        if tick > event.expires_ns:
            self.lines.append(f"{tick}: {number} expired")
        else:
            self.lines.append(f"{tick}: {number} late" if number < self.highest else f"{tick}: {number}")
            self.highest = max(self.highest, number)

    def released(self, one):
        departures = self.missing_departures(one)
        if not departures:
            return one.at
        if self.reach is None:
            return one.at + self.hold
        gap = max(0, one.event.published_ns - departures[-1])
        return one.at + min(self.hold, max(0, self.reach - gap))

    def missing_departures(self, one):
        """Of all missing below that may matter, by number, as far as they are known."""
        number, before, departures = number_of(one.event), one.stamp.before, []
        for candidate in range(self.given_up, number):
            place = number - 1 - candidate
            if candidate in self.settled or (place < len(before) and not self.matters(before[place])):
                continue
            told = before[: place + 1]
            departures.append(told[-1].departed_ns if told else one.event.published_ns)
        return departures
