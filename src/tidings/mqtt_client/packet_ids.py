"""Packet identifiers of one client: those of publications and of requests come from one store."""

from typing import Final

PACKET_ID_MAX: Final = 0xFFFF


class PacketIds:
    """Gives out identifiers that are not in use, in turn."""

    __slots__ = ("_last", "_used")

    def __init__(self) -> None:
        self._last = 0
        self._used: set[int] = set()

    def take(self) -> int:
        """An identifier that nobody uses; callers never hold all of them."""
        while True:
            self._last = self._last % PACKET_ID_MAX + 1
            if self._last not in self._used:
                self._used.add(self._last)
                return self._last

    def give_back(self, packet_id: int) -> None:
        """An identifier is free again."""
        self._used.discard(packet_id)
