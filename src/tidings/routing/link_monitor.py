"""What one broker measures of its links: how long answers take, and how many come.

Whatever asks a neighbour for an answer counts. What was counted before the last report weighs half as much after it, so that a
link that has changed is believed to have; what was expected in the beginning weighs as much as `PRIOR` answers.
"""

from collections.abc import Mapping
from typing import Final

from tidings.routing.link_quality import LinkQuality

PRIOR: Final = 32.0
GAIN: Final = 0.125
"""Weight of the latest delay."""


class _Measured:
    __slots__ = ("answered", "delay_ns", "expected", "sent")

    def __init__(self, expected: LinkQuality) -> None:
        self.expected, self.delay_ns = expected, expected.delay_ns
        self.sent = self.answered = 0.0

    @property
    def ratio(self) -> float:
        return (PRIOR * self.expected.ratio + self.answered) / (PRIOR + self.sent)


class LinkMonitor:
    """Of one broker's links to its neighbours; what is said of others is passed over."""

    def __init__(self, expected: Mapping[str, LinkQuality]) -> None:
        self._links = {name: _Measured(quality) for name, quality in expected.items()}

    def answered(self, neighbour: str, delay_ns: float | None) -> None:
        """An answer came; the link's delay, unless nobody can tell to what it was the answer."""
        link = self._links.get(neighbour)
        if link is not None:
            link.sent += 1
            link.answered += 1
            if delay_ns is not None:
                link.delay_ns += GAIN * (delay_ns - link.delay_ns)

    def missed(self, neighbour: str) -> None:
        """No answer came in time."""
        link = self._links.get(neighbour)
        if link is not None:
            link.sent += 1

    def report(self) -> tuple[tuple[str, int, float], ...]:
        """By neighbour, delay in nanoseconds and share that arrives; what was counted so far weighs half from now on."""
        found = tuple((name, round(link.delay_ns), round(link.ratio, 6)) for name, link in self._links.items())
        for link in self._links.values():
            link.sent, link.answered = link.sent / 2, link.answered / 2
        return found
