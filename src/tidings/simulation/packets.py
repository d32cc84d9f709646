"""What a campaign does to single packets: lose, repeat, hold back. Counted, and never in quiet times."""

import bisect
from collections.abc import Sequence

import numpy as np

from tidings.simulation.faults import FaultCounters, LinkFaults
from tidings.simulation.outages import Interval


class PacketTrouble:
    """The trouble of one direction of a link."""

    __slots__ = ("_counters", "_edges", "_ends_ns", "_faults", "_generator")

    def __init__(
        self, faults: LinkFaults, *, quiet: Sequence[Interval], ends_ns: int, generator: np.random.Generator
    ) -> None:
        self._faults, self._generator, self._ends_ns = faults, generator, ends_ns
        self._edges = [edge for interval in quiet for edge in interval]
        self._counters = FaultCounters()

    @property
    def counters(self) -> FaultCounters:
        """What really happened, under the role `link`."""
        return self._counters

    def __call__(self, now: int) -> tuple[int, ...]:
        """Extra nanoseconds of each copy of a packet sent at `now`; none when it is lost."""
        if now >= self._ends_ns or bisect.bisect_right(self._edges, now) % 2:
            return (0,)
        drop, duplicate, reorder, spike = self._generator.random(4)
        if self._hits("drop", drop):
            return ()
        extra = 0
        if self._hits("reorder", reorder):
            extra += round(self._generator.exponential(self._faults.reorder_ns))
        if self._hits("spike", spike):
            extra += self._faults.spike_ns
        return (extra, extra) if self._hits("duplicate", duplicate) else (extra,)

    def _hits(self, kind: str, drawn: float) -> bool:
        hit = bool(drawn < getattr(self._faults, kind))
        if hit:
            self._counters.add(kind, "link")
        return hit
