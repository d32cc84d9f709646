"""How fast one client may publish: a bucket that fills steadily, and holds what one second brings."""


class Pace:
    """One client's; told how many events it has published in all, it says how long not to read from it."""

    __slots__ = ("_at_s", "_credit", "_rate", "_total")

    def __init__(self, rate: float, now_s: float) -> None:
        self._rate, self._credit = rate, rate
        self._at_s, self._total = now_s, 0

    def wait_s(self, total: int, now_s: float) -> float:
        """Seconds to wait now that `total` events were published; 0: none."""
        earned = (now_s - self._at_s) * self._rate
        self._credit = min(self._rate, self._credit + earned) - (total - self._total)
        self._at_s, self._total = now_s, total
        return max(0.0, -self._credit / self._rate)
