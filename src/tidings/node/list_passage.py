"""Events passed on by sending lists (DCRD, III-D): each broker tries the next neighbour when one does not answer in time,
and gives an event back to whom it came from when all have been tried.

A copy carries the walk that it made. A broker tries neighbours that are not on it and that it has not tried; when none is left
the copy goes back to the broker that stands in the walk before the first time it was here. Where that is impossible too it
waits and begins anew: a few times, or where copies are kept, until its lifetime is over.
"""

import heapq
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import msgspec

from tidings.delivery.duplicates import Duplicates
from tidings.delivery.round_trip import RoundTrip
from tidings.errors import PeerError
from tidings.node.duties import Duties, Duty
from tidings.node.hedge import Hedge, HedgeOptions
from tidings.routing.link_monitor import LinkMonitor
from tidings.routing.list_plans import ListPlans
from tidings.routing.ways import Links
from tidings.vocabulary.event import NUMBER_BITS, Event
from tidings.vocabulary.frames import Guard, Packet, PacketTaken, Reached, Routed
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
    hedge: HedgeOptions | None = None
    """Second copies stand by, and who did not answer is passed over (`dcrd+`); None: not so."""


_Group: TypeAlias = tuple[str, bool, tuple[str, ...], int]
"""Copies that can be one: next neighbour, whether given back, walk, round."""


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
        self._hedge = None if options.hedge is None else Hedge(self._here, tuple(self._trips), options.hedge)
        self._known = {name: Duplicates(REMEMBERED) for name in self._trips}
        self._declined: dict[tuple[str, int], tuple[str, ...]] = {}
        """What was declined of copies, by sender and number, oldest first."""

    @property
    def holds(self) -> bool:
        """True while a copy is not answered for, or a duty or a second copy waits."""
        return bool(self._copies or self._waiting or (self._hedge is not None and len(self._hedge.room)))

    @property
    def deadline(self) -> int | None:
        """The next answer that is overdue, or duty that begins anew."""
        while self._timers and self._timers[0][1] not in self._copies:
            heapq.heappop(self._timers)
        instants = [heap[0][0] for heap in (self._timers, self._waiting) if heap]
        guarded = None if self._hedge is None else self._hedge.room.deadline
        return min(instants if guarded is None else [*instants, guarded], default=None)

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
        if self._hedge is not None:
            self._hedge.heard(sender)
        if self._known[sender].seen(frame.number):
            effects.send.append(
                SendFrame(sender, PacketTaken(frame.number, self._declined.get((sender, frame.number), ())))
            )
            return False
        is_for_us = self._here in frame.destinations
        if self._hedge is not None:
            is_for_us |= self._stand_by(self._hedge, frame, effects)
        begun = self._take_spare(sender, frame, effects) if frame.spare else self._take_duties(sender, frame, effects)
        self._pass_on(begun, now, effects)
        return is_for_us

    def reached(self, sender: str, frame: Reached, _now: int, effects: Effects) -> None:
        """An event is where it belongs: nobody need stand by any more."""
        if self._hedge is None or any(way[0] != self._here for way in frame.ways):
            raise PeerError(f"{sender} tells {self._here} of an event that is not its business")
        if any(len(way) == 1 for way in frame.ways):
            self._hedge.room.reached(frame.event_id, frame.broker)
            duty = self._duties.find(frame.event_id, frame.broker)
            if duty is not None and duty.holds:
                duty.given(frame.broker)
                duty.turn += 1
        further = tuple(way[1:] for way in frame.ways if len(way) > 1)
        if further:
            self._hedge.pass_on(Reached(frame.event_id, frame.broker, further), effects)

    def taken(self, sender: str, frame: PacketTaken, now: int, effects: Effects) -> None:
        """A neighbour answers for a copy; answers that come late say nothing any more."""
        copy = self._copies.get(frame.number)
        if copy is None:
            return
        if copy.to != sender:
            raise PeerError(f"{sender} answers for packet {frame.number}, which was not sent to it")
        del self._copies[frame.number]
        if self._hedge is not None:
            self._hedge.heard(sender)
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
                if duty.told_ns:
                    duty.told_ns = 0
                else:
                    duty.begin_anew(self._here)
                self._pass_on((duty,), now, effects)
        if self._hedge is not None:
            for event, guard, path in self._hedge.room.due(now):
                self._pass_on((_spare(event, guard.destination, path, guard.tell),), now, effects)

    # ---- inside

    def _take_duties(self, sender: str, frame: Packet, effects: Effects) -> list[Duty]:
        """Those of a packet's destinations that are taken; the sender is answered."""
        begun: list[Duty] = []
        declined: list[str] = []
        tells = dict(frame.tells)
        for name in frame.destinations:
            if name != self._here:
                found = self._duties.take(sender, frame, name)
                if found is None:
                    declined.append(name)
                else:
                    found.tells = tuple(dict.fromkeys((*found.tells, *tells.get(name, ()))))
                    begun.append(found)
        if declined:
            self._remember_declined((sender, frame.number), tuple(declined))
        if frame.destinations:
            effects.send.append(SendFrame(sender, PacketTaken(frame.number, tuple(declined))))
        return begun

    def _take_spare(self, sender: str, frame: Packet, effects: Effects) -> list[Duty]:
        """A second copy: nothing is remembered of it, and whoever has had the event lets it go."""
        effects.send.append(SendFrame(sender, PacketTaken(frame.number)))
        tells = dict(frame.tells)
        return [
            _spare(frame.event, name, frame.path, tells.get(name, ()))
            for name in frame.destinations
            if name != self._here and self._duties.find(frame.event.id, name) is None
        ]

    def _stand_by(self, hedge: Hedge, frame: Packet, effects: Effects) -> bool:
        """Guard what is asked, and tell those who want to hear that the event is here; True if only a guard's copy is for here."""
        ours = [guard for guard in frame.guards if guard.destination == self._here]
        names = [*dict(frame.tells).get(self._here, ()), *(name for guard in ours for name in guard.tell)]
        if names and (ours or self._here in frame.destinations):
            hedge.told(frame.event.id, dict.fromkeys(names), frame.path, effects)
        others = [
            guard
            for guard in frame.guards
            if guard.destination != self._here and self._duties.find(frame.event.id, guard.destination) is None
        ]
        hedge.room.take(frame.event, others, frame.path)
        for name in frame.destinations:
            hedge.room.reached(frame.event.id, name)
        return bool(ours)

    def _pass_on(self, duties: Iterable[Duty], now: int, effects: Effects) -> None:
        """One copy for all destinations that share the next neighbour, and the way here."""
        groups: dict[_Group, list[Duty]] = {}
        for duty in duties:
            if self._options.drop_expired and duty.event.expired(now):
                _drop(duty, "expired", effects)
                continue
            duty.turn += 1
            hop, back = self._next_hop(duty, now)
            late = hop is not None and self._hedge is not None and self._is_late(self._hedge, duty, hop, now)
            if late and duty.told_ns > now:
                heapq.heappush(self._waiting, (duty.told_ns, next(self._numbers), duty, duty.turn))
            elif hop is None or (late and duty.spare):
                self._wait(duty, now, effects)
            else:
                groups.setdefault((hop, back, duty.path, duty.round), []).append(duty)
        guards = {} if self._hedge is None else self._guards(self._hedge, groups, now)
        for (hop, back, path, round_), some in groups.items():
            packet = Packet(
                some[0].event,
                next(self._numbers),
                tuple(duty.destination for duty in some),
                (*path, self._here),
                round=round_,
                back=back,
                guards=tuple(guards.pop(hop, ())),
                tells=tuple((duty.destination, duty.tells) for duty in some if duty.tells),
                spare=some[0].spare,
            )
            self._transmit(_Copy(packet, hop, [(duty, duty.turn) for duty in some], now), now, effects)
        for hop, posted in guards.items():
            first = next(iter(groups.values()))[0]
            packet = Packet(first.event, next(self._numbers), (), (*first.path, self._here), guards=tuple(posted))
            effects.send.append(SendFrame(hop, packet))

    def _is_late(self, hedge: Hedge, duty: Duty, hop: str, now: int) -> bool:
        return hedge.is_late(duty, hop, now, self._links, self._picture)

    def _guards(self, hedge: Hedge, groups: Mapping[_Group, Sequence[Duty]], now: int) -> dict[str, list[Guard]]:
        """By neighbour, what it is to guard."""
        firsts = [(duty, hop) for (hop, back, *_), some in groups.items() for duty in some if not (back or duty.spare)]
        posts = hedge.posts(firsts, now, self._patience_ns, self._links, self._picture)
        found: dict[str, list[Guard]] = {}
        for duty, _ in firsts if posts else ():
            mine = [post for post in posts if post.destination == duty.destination]
            for post, guard in zip(mine, hedge.post(duty, mine, now, self._links, self._picture), strict=True):
                found.setdefault(post.guard, []).append(guard)
        return found

    def _next_hop(self, duty: Duty, now: int) -> tuple[str | None, bool]:
        """Who is next, and whether the duty is given back."""
        names = [name for name in self._order(duty) if name not in duty.tried and name not in duty.path]
        if names and self._hedge is not None:
            return self._hedge.first(duty, names, now, self._links, self._picture), False
        if names:
            return names[0], False
        if duty.spare:
            return None, True
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
        if self._hedge is not None:
            self._hedge.missed(copy.to, now)
        packet = copy.packet
        if packet.attempt + 1 < self._options.transmissions and not packet.event.expired(now):
            again = msgspec.structs.replace(packet, attempt=packet.attempt + 1)
            self._transmit(_Copy(again, copy.to, copy.duties, now), now, effects)
            return
        self._settle(copy, packet.destinations, now, effects)

    def _wait(self, duty: Duty, now: int, effects: Effects) -> None:
        """All have been tried: do so again later, or give up."""
        if duty.spare:
            duty.holds = False
        elif not duty.tried and duty.upstream(self._here) is None:
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


def _spare(event: Event, destination: str, path: tuple[str, ...], tells: tuple[str, ...]) -> Duty:
    duty = Duty(event, destination, path)
    duty.spare, duty.tells = True, tells
    return duty


def _drop(duty: Duty, reason: str, effects: Effects) -> None:
    duty.holds = False
    effects.report.append(DropEvent(duty.event, reason, (duty.destination,)))
