"""Events on ways that were decided where they started: one copy for all destinations behind the same neighbour, no answers."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from tidings.errors import PeerError
from tidings.routing.ways import Links, Way
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Packet, PacketTaken, Reached, Routed
from tidings.vocabulary.machine import DropEvent, Effects, SendFrame

FindWays: TypeAlias = Callable[[Links, Sequence[str], int], Mapping[str, tuple[Way, ...]]]
"""By destination its ways, from what links are taken for and the instant; a destination without a way is not there."""


class WayPassage:
    """One broker's."""

    holds = False
    deadline = None

    def __init__(self, here: str, find: FindWays, links: Links, *, drop_expired: bool) -> None:
        self._here, self._find, self._links, self._drop_expired = here, find, links, drop_expired

    def believe(self, links: Links) -> None:
        """The next event goes by these."""
        self._links = links

    def start(self, event: Event, destinations: Sequence[str], now: int, effects: Effects) -> None:
        """Decide the ways."""
        ways = self._find(self._links, destinations, now)
        nowhere = tuple(name for name in destinations if name not in ways)
        if nowhere:
            effects.report.append(DropEvent(event, "unreachable", nowhere))
        self._send(event, [way for found in ways.values() for way in found], effects)

    def take(self, sender: str, frame: Routed | Packet, now: int, effects: Effects) -> bool:
        """Pass on what does not end here."""
        if not isinstance(frame, Routed) or any(way[0] != self._here for way in frame.ways):
            raise PeerError(f"{sender} sent an event to {self._here} by a way that does not lead there")
        further = [way[1:] for way in frame.ways if len(way) > 1]
        if further and self._drop_expired and frame.event.expired(now):
            gone = tuple(dict.fromkeys(way[-1] for way in further))
            effects.report.append(DropEvent(frame.event, "expired", gone))
        else:
            self._send(frame.event, further, effects)
        return len(further) < len(frame.ways)

    def taken(self, sender: str, frame: PacketTaken, _now: int, _effects: Effects) -> None:
        """Nobody asks for answers."""
        raise PeerError(f"{sender} answers for packet {frame.number}, which {self._here} did not send")

    def reached(self, sender: str, frame: Reached, _now: int, _effects: Effects) -> None:
        """Nobody is told where events are."""
        raise PeerError(f"{sender} tells {self._here} that {frame.broker} has an event, which nobody asked it to")

    def due(self, _now: int, _effects: Effects) -> None:
        """Nothing ever is."""

    def _send(self, event: Event, ways: Sequence[Way], effects: Effects) -> None:
        by_hop: dict[str, list[Way]] = {}
        for way in ways:
            by_hop.setdefault(way[0], []).append(way)
        effects.send += [SendFrame(hop, Routed(event, tuple(some))) for hop, some in by_hop.items()]
