"""What one session is owed: what was sent and not acknowledged, and what waits for its turn.

An entry is the number of a record on disk, or the event itself where nothing outlives the process. A *flight* is one
packet with one or more entries.
"""

from collections import deque
from collections.abc import Iterator
from typing import Final, TypeAlias

from tidings.vocabulary.event import Event

PACKET_ID_MAX: Final = 0xFFFF

Entry: TypeAlias = int | Event


class Flight:
    """One packet that was sent."""

    __slots__ = ("entries", "half", "qos")

    def __init__(self, entries: list[Entry], qos: int) -> None:
        self.entries, self.qos = entries, qos
        self.half = False
        """Of quality 2: the receiver has it, and its identifier is still in use."""


class Outgoing:
    """The window of one session, and the queue before it."""

    __slots__ = ("_last_id", "events_in_flight", "flights", "waiting", "waiting_bytes", "window")

    def __init__(self) -> None:
        self.flights: dict[int, Flight] = {}
        """By packet identifier, in the order sent."""
        self.waiting: deque[Entry] = deque()
        self.waiting_bytes = 0
        """Of the events among what waits."""
        self.events_in_flight = 0
        self.window = 1
        """Packets that may be in flight."""
        self._last_id = 0

    @property
    def is_open(self) -> bool:
        """True when one more packet may be sent."""
        return len(self.flights) < self.window

    def send(self, entries: list[Entry], qos: int) -> int:
        """Note that these are sent now; gives the packet identifier."""
        while True:
            self._last_id = self._last_id % PACKET_ID_MAX + 1
            if self._last_id not in self.flights:
                break
        self.flights[self._last_id] = Flight(entries, qos)
        self.events_in_flight += len(entries)
        return self._last_id

    def restore(self, packet_id: int, flight: Flight) -> None:
        """A flight of an earlier process."""
        self.flights[packet_id] = flight
        self.events_in_flight += len(flight.entries)
        self._last_id = packet_id

    def wait(self, entry: Entry) -> None:
        """One more waits its turn."""
        self.waiting.append(entry)
        if isinstance(entry, Event):
            self.waiting_bytes += _size(entry)

    def wait_first(self, entries: list[Entry]) -> None:
        """These wait again, before all others."""
        self.waiting.extendleft(reversed(entries))
        self.waiting_bytes += sum(_size(entry) for entry in entries if isinstance(entry, Event))

    def next_up(self) -> Entry:
        """The first that waits, which does so no longer."""
        entry = self.waiting.popleft()
        if isinstance(entry, Event):
            self.waiting_bytes -= _size(entry)
        return entry

    def halve(self, packet_id: int) -> list[Entry] | None:
        """A message of quality 2 was received: its entries, which are over; None when it is not in flight so."""
        flight = self.flights.get(packet_id)
        if flight is None or flight.qos != 2:
            return None
        entries, flight.entries, flight.half = flight.entries, [], True
        self.events_in_flight -= len(entries)
        return entries

    def land(self, packet_id: int, qos: int) -> list[Entry] | None:
        """A packet is acknowledged for good: its entries, which are over; None when none of this quality is in flight."""
        flight = self.flights.get(packet_id)
        if flight is None or flight.qos != qos:
            return None
        del self.flights[packet_id]
        self.events_in_flight -= len(flight.entries)
        return flight.entries

    def numbers(self) -> Iterator[int]:
        """Every record that is claimed, in the order in which it was sent or waits."""
        for flight in self.flights.values():
            yield from (entry for entry in flight.entries if isinstance(entry, int))
        yield from (entry for entry in self.waiting if isinstance(entry, int))


def _size(event: Event) -> int:
    return len(event.payload) + len(event.carried) + 200
