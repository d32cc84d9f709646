"""Events passed on by sending lists (DCRD, III-D): each broker tries the next neighbour when one does not answer in time,
and gives an event back to whom it came from when all have been tried.

A copy carries the walk that it made. A broker tries neighbours that are not on it and that it has not tried; when none is left
the copy goes back to the broker that stands in the walk before the first time it was here. Where that is impossible too it
waits and begins anew: a few times, or where copies are kept, until its lifetime is over.
"""

import heapq
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from tidings.delivery.duplicates import Duplicates
from tidings.delivery.round_trip import RoundTrip
from tidings.errors import PeerError
from tidings.node.duties import Duties, Duty
from tidings.routing.link_monitor import LinkMonitor
from tidings.routing.list_plans import ListPlans
from tidings.routing.ways import Links
from tidings.vocabulary.event import NUMBER_BITS, Event
from tidings.vocabulary.frames import Packet, PacketTaken, Routed
from tidings.vocabulary.instant import MILLISECOND, SECOND
from tidings.vocabulary.machine import DropEvent, Effects, SendFrame

SLACK_NS: Final = MILLISECOND
"""What clocks and queues may add to a round trip that was the same every time."""
PAUSES_MAX: Final = 5
"""How often a broker waits and begins anew with what is not kept."""
PAUSE_NS: Final = 100 * MILLISECOND
"""The first time; twice as long each further time, up to `PAUSE_NS_MAX`."""
PAUSE_NS_MAX: Final = 10 * SECOND
REMEMBERED: Final = 8_192
"""Copies from one neighbour that are recognised when they come again, at least."""
DECLINED_MAX: Final = 4_096
"""Copies of which it is remembered what was declined: a link may repeat them, or the answer be lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """What a broker is told of the scheme."""

    name: str
    plans: ListPlans
    links: Links
    """As they are expected to be."""
    transmissions: int
    """How often one link is tried."""
    one_way: bool
    """Answers take no time, as in the paper, and are awaited for a link's delay; else for a round trip, as measured."""
    drop_expired: bool
    keeps: bool


@dataclass(slots=True)
class _Copy:
    """Sent, and not answered."""

    packet: Packet
    to: str
    duties: Sequence[tuple[Duty, int]]
    """With the turns in which they were offered."""
    sent_ns: int


class ListPassage:
    """One broker's."""

    def __init__(self, options: ListOptions, monitor: LinkMonitor, incarnation: int) -> None:
        self._options, self._here, self._monitor = options, options.name, monitor
        self._links = options.links
        self._picture = options.plans.picture(options.links)
        self._numbers = itertools.count(incarnation << NUMBER_BITS)
        self._duties = Duties()
        self._copies: dict[int, _Copy] = {}
        """By number."""
        self._timers: list[tuple[int, int]] = []
        self._waiting: list[tuple[int, int, Duty, int]] = []
        """Duties that begin anew: when, a number that tells them apart, and the turn in which they began to wait."""
        self._trips = {
            there: RoundTrip(round(2 * quality.delay_ns))
            for (here, there), quality in options.links.items()
            if here == self._here
        }
        self._known = {name: Duplicates(REMEMBERED) for name in self._trips}
        self._declined: dict[tuple[str, int], tuple[str, ...]] = {}
        """What was declined of copies, by sender and number, oldest first."""

    @property
    def holds(self) -> bool:
        """True while a copy is not answered for, or a duty waits."""
        return bool(self._copies or self._waiting)

    @property
    def deadline(self) -> int | None:
        """The next answer that is overdue, or duty that begins anew."""
        while self._timers and self._timers[0][1] not in self._copies:
            heapq.heappop(self._timers)
        instants = [heap[0][0] for heap in (self._timers, self._waiting) if heap]
        return min(instants, default=None)

    def believe(self, links: Links) -> None:
        """The next event goes by the lists that follow from these."""
        self._links, self._picture = links, self._options.plans.picture(links)

    def start(self, event: Event, destinations: Sequence[str], now: int, effects: Effects) -> None:
        """Try the lists."""
        self._pass_on([self._duties.begin(event, name) for name in destinations], now, effects)

    def take(self, sender: str, frame: Routed | Packet, now: int, effects: Effects) -> bool:
        """Answer for the copy, and pass on what is not for here."""
        if not isinstance(frame, Packet) or sender not in self._known or frame.path[-1] != sender:
            raise PeerError(f"{sender} sent {self._here} an event as no neighbour under this scheme does")
        if self._known[sender].seen(frame.number):
            effects.send.append(
                SendFrame(sender, PacketTaken(frame.number, self._declined.get((sender, frame.number), ())))
            )
            return False
        begun: list[Duty] = []
        declined: list[str] = []
        for name in frame.destinations:
            if name != self._here:
                found = self._duties.take(sender, frame, name)
                if found is None:
                    declined.append(name)
                else:
                    begun.append(found)
        if declined:
            self._remember_declined((sender, frame.number), tuple(declined))
        effects.send.append(SendFrame(sender, PacketTaken(frame.number, tuple(declined))))
        self._pass_on(begun, now, effects)
        return self._here in frame.destinations

    def taken(self, sender: str, frame: PacketTaken, now: int, effects: Effects) -> None:
        """A neighbour answers for a copy; answers that come late say nothing any more."""
        copy = self._copies.get(frame.number)
        if copy is None:
            return
        if copy.to != sender:
            raise PeerError(f"{sender} answers for packet {frame.number}, which was not sent to it")
        del self._copies[frame.number]
        self._measure(copy, now)
        self._settle(copy, frame.declined, now, effects)

    def due(self, now: int, effects: Effects) -> None:
        """Go on with what was not answered, and begin anew what has waited."""
        while self._timers and self._timers[0][0] <= now:
            copy = self._copies.pop(heapq.heappop(self._timers)[1], None)
            if copy is not None:
                self._give_up(copy, now, effects)
        while self._waiting and self._waiting[0][0] <= now:
            _, _, duty, turn = heapq.heappop(self._waiting)
            if duty.holds and duty.turn == turn:
                duty.begin_anew(self._here)
                self._pass_on((duty,), now, effects)

    # ---- inside

    def _pass_on(self, duties: Iterable[Duty], now: int, effects: Effects) -> None:
        """One copy for all destinations that share the next neighbour, and the way here."""
        groups: dict[tuple[str, bool, tuple[str, ...], int], list[Duty]] = {}
        for duty in duties:
            if self._options.drop_expired and duty.event.expired(now):
                _drop(duty, "expired", effects)
                continue
            duty.turn += 1
            hop, back = self._next_hop(duty)
            if hop is None:
                self._wait(duty, now, effects)
            else:
                groups.setdefault((hop, back, duty.path, duty.round), []).append(duty)
        for (hop, back, path, round_), some in groups.items():
            names = tuple(duty.destination for duty in some)
            walk = (*path, self._here)
            packet = Packet(some[0].event, next(self._numbers), names, walk, round=round_, back=back)
            self._transmit(_Copy(packet, hop, [(duty, duty.turn) for duty in some], now), now, effects)

    def _next_hop(self, duty: Duty) -> tuple[str | None, bool]:
        """Who is next, and whether the duty is given back."""
        for name in self._order(duty):
            if name not in duty.tried and name not in duty.path:
                return name, False
        upstream = duty.upstream(self._here)
        return (None if upstream in duty.tried else upstream), True

    def _order(self, duty: Duty) -> tuple[str, ...]:
        origin = duty.path[0] if duty.path else self._here
        return self._picture.lists(origin, duty.event.publisher, duty.destination).order(self._here, duty.destination)

    def _transmit(self, copy: _Copy, now: int, effects: Effects) -> None:
        copy.sent_ns = now
        self._copies[copy.packet.number] = copy
        heapq.heappush(self._timers, (now + self._patience_ns(copy.to), copy.packet.number))
        effects.send.append(SendFrame(copy.to, copy.packet))

    def _patience_ns(self, neighbour: str) -> int:
        if self._options.one_way:
            # An answer that is there at the same instant comes first.
            return int(self._links[self._here, neighbour].delay_ns) + 2
        return self._trips[neighbour].patience_ns + SLACK_NS

    def _measure(self, copy: _Copy, now: int) -> None:
        took = now - copy.sent_ns
        if copy.packet.attempt:
            self._monitor.answered(copy.to, None)
        elif self._options.one_way:
            self._monitor.answered(copy.to, took)
        else:
            self._trips[copy.to].measured(took)
            self._monitor.answered(copy.to, took / 2)

    def _settle(self, copy: _Copy, declined: Sequence[str], now: int, effects: Effects) -> None:
        """A neighbour has taken duties, all but some."""
        left = []
        for duty, turn in copy.duties:
            if not duty.holds or duty.turn != turn:
                continue
            if duty.destination in declined:
                duty.tried[copy.to] = None
                left.append(duty)
            else:
                duty.given(copy.to)
        self._pass_on(left, now, effects)

    def _give_up(self, copy: _Copy, now: int, effects: Effects) -> None:
        """No answer came: the same once more, or another neighbour."""
        self._monitor.missed(copy.to)
        packet = copy.packet
        if packet.attempt + 1 < self._options.transmissions and not packet.event.expired(now):
            again = msgspec.structs.replace(packet, attempt=packet.attempt + 1)
            self._transmit(_Copy(again, copy.to, copy.duties, now), now, effects)
            return
        self._settle(copy, packet.destinations, now, effects)

    def _wait(self, duty: Duty, now: int, effects: Effects) -> None:
        """All have been tried: do so again later, or give up."""
        if not duty.tried and duty.upstream(self._here) is None:
            _drop(duty, "deadline", effects)
        elif duty.pauses == PAUSES_MAX and not self._options.keeps:
            _drop(duty, "unreachable", effects)
        else:
            pause = min(PAUSE_NS << min(duty.pauses, 10), PAUSE_NS_MAX)
            heapq.heappush(self._waiting, (now + pause, next(self._numbers), duty, duty.turn))

    def _remember_declined(self, copy: tuple[str, int], names: tuple[str, ...]) -> None:
        self._declined[copy] = names
        if len(self._declined) > DECLINED_MAX:
            del self._declined[next(iter(self._declined))]


def _drop(duty: Duty, reason: str, effects: Effects) -> None:
    duty.holds = False
    effects.report.append(DropEvent(duty.event, reason, (duty.destination,)))
