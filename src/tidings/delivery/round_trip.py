"""How long an answer may take, learned from those that came.

Jacobson's estimator as TCP uses it (RFC 6298): a smoothed round trip and its deviation; the wait doubles while nothing
comes back. Answers to what was said twice tell nothing (Karn) and must not be given to `measured`.
"""

from typing import Final

from tidings.vocabulary.instant import MILLISECOND, SECOND

FIRST_NS: Final = SECOND
"""The wait before anything was measured."""
LEAST_NS: Final = 10 * MILLISECOND
MOST_NS: Final = 60 * SECOND


class RoundTrip:
    """The round trips of one neighbour."""

    __slots__ = ("_deviation_ns", "_doublings", "_smooth_ns")

    def __init__(self, expected_ns: int | None = None) -> None:
        """`expected_ns` is believed until something is measured; None: nothing is known."""
        self._smooth_ns = expected_ns
        self._deviation_ns = 0
        self._doublings = 0

    @property
    def patience_ns(self) -> int:
        """How long to wait for the next answer."""
        usual = FIRST_NS if self._smooth_ns is None else self._smooth_ns + 4 * self._deviation_ns
        return min(max(usual, LEAST_NS) << self._doublings, MOST_NS)

    def measured(self, took_ns: int) -> None:
        """An answer came after so long."""
        if self._smooth_ns is None:
            self._smooth_ns, self._deviation_ns = took_ns, took_ns // 2
        else:
            error = took_ns - self._smooth_ns
            self._deviation_ns += (abs(error) - self._deviation_ns) // 4
            self._smooth_ns += error // 8
        self._doublings = 0

    def missed(self) -> None:
        """Nothing came in time."""
        if self.patience_ns < MOST_NS:
            self._doublings += 1

    def answered(self) -> None:
        """Something came, though nobody can say how long it took."""
        self._doublings = 0
