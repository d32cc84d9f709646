"""Which broker to try next, and how long to wait before: each once at once, then in rounds, further and further apart."""

from collections.abc import Sequence
from typing import Final

from tidings.client.places import Place

FIRST_WAIT_S: Final = 0.1
FIRST_PAUSE_S: Final = 0.05
LONGEST_WAIT_S: Final = 10.0
BRIEF_S: Final = 5.0
"""A connection that does not last as long is none to count on: somebody else may use our name, and be let in instead."""


class Itinerary:
    """One client's."""

    def __init__(self, places: Sequence[Place]) -> None:
        self._places = places
        self._at = 0
        self._failed = 0
        """Attempts in a row that came to nothing."""
        self._brief = 0
        """Connections in a row that did not last."""

    def next(self, spread: float) -> tuple[Place, float]:
        """The place, and the seconds to wait; `spread`, drawn evenly from 0 to 1, keeps a crowd from coming all at once."""
        round_number = self._failed // len(self._places)
        wait_s = pause_s = 0.0
        if round_number:
            wait_s = FIRST_WAIT_S * 2.0 ** min(round_number - 1, 20)
        if self._brief:
            pause_s = FIRST_PAUSE_S * 1.5 ** min(self._brief - 1, 20)
        longest_s = min(max(wait_s, pause_s), LONGEST_WAIT_S)
        return self._places[self._at % len(self._places)], longest_s * (0.5 + spread / 2)

    def came_to_nothing(self) -> None:
        """The attempt at the place named last."""
        self._failed += 1
        self._at += 1

    def was_let_in(self, lasted_s: float) -> None:
        """A connection has ended: the same place is tried again first, at once if it had lasted for long."""
        self._failed = 0
        self._brief = self._brief + 1 if lasted_s < BRIEF_S else 0
