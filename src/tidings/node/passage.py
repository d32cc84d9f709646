"""How events find their way from broker to broker, where they are addressed to brokers: what every scheme does."""

from collections.abc import Sequence
from typing import Protocol

from tidings.routing.ways import Links
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Packet, PacketTaken, Reached, Routed
from tidings.vocabulary.machine import Effects


class Passage(Protocol):
    """One broker's part in a scheme. Whatever it wants sent or says is given up goes into `effects`."""

    @property
    def holds(self) -> bool:
        """True while something is to be done that others wait for."""

    @property
    def deadline(self) -> int | None:
        """When `due` has something to do."""

    def believe(self, links: Links) -> None:
        """Links are taken for this from now on."""

    def start(self, event: Event, destinations: Sequence[str], now: int, effects: Effects) -> None:
        """An event begins here, for clients of other brokers."""

    def take(self, sender: str, frame: Routed | Packet, now: int, effects: Effects) -> bool:
        """A neighbour sends an event; True when it is for clients of this broker. PeerError for what the scheme knows not."""

    def taken(self, sender: str, frame: PacketTaken, now: int, effects: Effects, /) -> None:
        """A neighbour answers for a copy. PeerError where nobody asked it to."""

    def reached(self, sender: str, frame: Reached, now: int, effects: Effects, /) -> None:
        """An event has come to the broker that it is for. PeerError where nobody is told so."""

    def due(self, now: int, effects: Effects, /) -> None:
        """Time has passed."""
