"""Telling which neighbours are there, from what is heard of them.

Everybody says something to each neighbour at least once a beat. One of whom nothing was heard for three and a half
beats counts as lost, until it is heard again; a new process takes everybody for there.
"""

from collections.abc import Iterable
from typing import Final

from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.machine import NeighbourLost, NeighbourReturned

BEAT_NS: Final = SECOND
"""From one sign of life to the next."""
SILENCE_NS: Final = 7 * BEAT_NS // 2
"""Without a sign for so long, a neighbour counts as lost: three beats may go missing."""


class FailureDetector:
    """The ear of one process. Its driver beats, and tells it whatever it hears."""

    def __init__(self, neighbours: Iterable[str], now: int) -> None:
        self._heard = dict.fromkeys(neighbours, now)
        self._lost: dict[str, None] = {}
        self.next_beat_ns = now
        """When the neighbours are to be told again that we are there."""

    def beaten(self, now: int) -> None:
        """The neighbours have been told."""
        self.next_beat_ns = now + BEAT_NS

    def heard(self, neighbour: str, now: int) -> NeighbourReturned | None:
        """Something came from a neighbour; a notice when it had been lost."""
        self._heard[neighbour] = now
        if neighbour not in self._lost:
            return None
        del self._lost[neighbour]
        return NeighbourReturned(neighbour)

    def due(self, now: int) -> list[NeighbourLost]:
        """Whom nobody has heard for too long, each named once."""
        gone = [name for name, heard in self._heard.items() if name not in self._lost and heard + SILENCE_NS <= now]
        self._lost.update(dict.fromkeys(gone))
        return [NeighbourLost(name) for name in gone]

    @property
    def deadline(self) -> int:
        """When the next beat is to be made, or the next neighbour counts as lost."""
        silences = (heard + SILENCE_NS for name, heard in self._heard.items() if name not in self._lost)
        return min([self.next_beat_ns, *silences])
