"""What a broker answers for under DCRD: one duty for each event and broker that it is to reach, and how far it has come.

A broker *holds* a duty from when it takes it until a neighbour has taken it. Duties are remembered for a while after that, so
that an event does not go round in circles: what a broker has had it declines, unless it is given back, or the broker where the
event started has begun anew. No broker offers a duty to a neighbour more than once in each round, but where it is given back.

Whoever takes a duty that it holds already takes back what it has offered to others: their answers count no more. Otherwise two
brokers that offer each other the same event would both be rid of it. So every broker that is rid of one gave it to one
that took it before it offered it to anybody, and the last of that row still holds it: while no process ends, an event is always held
somewhere until it is where it belongs.
"""

from typing import Final

from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Packet

REMEMBERED: Final = 32_768
"""Duties that a broker knows again, at least."""


class Duty:
    """To bring one event to one broker."""

    __slots__ = (
        "destination",
        "event",
        "given_to",
        "holds",
        "path",
        "pauses",
        "round",
        "spare",
        "tells",
        "told_ns",
        "tried",
        "turn",
    )

    def __init__(self, event: Event, destination: str, path: tuple[str, ...], round_: int = 0) -> None:
        self.event, self.destination = event, destination
        self.path = path
        """The walk by which it came, the neighbour that sent it last; empty where it started."""
        self.round = round_
        self.tried: dict[str, None] = {}
        """Neighbours that did not answer, declined it, or gave it back."""
        self.given_to: str | None = None
        self.holds = True
        self.turn = 0
        """Grows whenever something new is begun for it: what was begun before counts no more."""
        self.spare = False
        """A second copy, which nobody remembers and nobody waits for."""
        self.tells: tuple[str, ...] = ()
        """Who wants to hear that the event got there."""
        self.told_ns = 0
        """When we should have heard that a guard got it there; 0: none of ours is out."""
        self.pauses = 0
        """How often all had been tried."""

    def upstream(self, here: str) -> str | None:
        """Who stands in the walk before the first time it was here; None where it started."""
        place = self.path.index(here) if here in self.path else len(self.path)
        return self.path[place - 1] if place else None

    def given(self, neighbour: str) -> None:
        """A neighbour has taken it."""
        self.given_to, self.holds = neighbour, False

    def begin_anew(self, here: str) -> None:
        """All neighbours may be tried again; where the event started, all brokers may."""
        self.pauses += 1
        self.tried = {}
        if self.upstream(here) is None:
            self.path = ()
            self.round += 1


class Duties:
    """One broker's, held and remembered; those remembered are forgotten in two generations."""

    __slots__ = ("_older", "_remembered", "_younger")

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._younger: dict[tuple[int, str], Duty] = {}
        self._older: dict[tuple[int, str], Duty] = {}

    def begin(self, event: Event, destination: str) -> Duty:
        """An event starts here."""
        return self._remember(Duty(event, destination, ()))

    def take(self, sender: str, packet: Packet, destination: str) -> Duty | None:
        """A neighbour wants a destination of a packet taken over: the duty, to be set about; None: it is declined."""
        known = self.find(packet.event.id, destination)
        if known is None or known.round < packet.round:
            if known is not None:
                known.holds = False
            return self._remember(Duty(packet.event, destination, packet.path, packet.round))
        if not packet.back and sender != known.given_to:
            return None
        known.tried[sender] = None
        known.holds, known.given_to = True, None
        known.path = packet.path
        known.turn += 1
        return known

    def find(self, event_id: int, destination: str) -> Duty | None:
        """A duty that is remembered."""
        key = (event_id, destination)
        return self._younger.get(key) or self._older.get(key)

    def _remember(self, duty: Duty) -> Duty:
        if len(self._younger) >= self._remembered:
            still = {key: one for key, one in self._older.items() if one.holds}
            self._older, self._younger = self._younger, still
        self._younger[duty.event.id, duty.destination] = duty
        return duty
