"""What one subscriber of a benchmark counts: events, their order, how long they took. Every payload says whose it is."""

import struct
from array import array
from collections.abc import Sequence
from typing import Final

import msgspec

_HEADER: Final = struct.Struct(">IQQ")
"""Publisher, number, instant of publication."""
HEADER_BYTES: Final = _HEADER.size
SHARES: Final = (50.0, 90.0, 99.0, 99.9, 100.0)
_SAMPLES_MAX: Final = 1 << 20


def payload(publisher: int, number: int, now: int, size: int) -> bytes:
    """The payload of one event, of `size` bytes."""
    return _HEADER.pack(publisher, number, now).ljust(size, b".")


class Tally(msgspec.Struct):
    """One subscriber's, or several together."""

    events: int = 0
    out_of_order: int = 0
    """After an event of the same publisher with a higher number, or the same one again."""
    first_ns: int = 0
    last_ns: int = 0
    """Instant of the last event."""


class Counting:
    """Counts for one subscriber."""

    def __init__(self, publishers: int) -> None:
        self.tally = Tally()
        self.waits_ns = array("q")
        self._last = [-1] * publishers
        self._every = 1

    def take(self, payloads: Sequence[bytes], now: int) -> None:
        """A batch that was shown at `now`."""
        tally, last, unpack = self.tally, self._last, _HEADER.unpack_from
        for one in payloads:
            publisher, number, sent_ns = unpack(one)
            if number <= last[publisher]:
                tally.out_of_order += 1
            else:
                last[publisher] = number
            if number % self._every == 0:
                self.waits_ns.append(now - sent_ns)
        tally.events += len(payloads)
        tally.first_ns = tally.first_ns or now
        tally.last_ns = now
        if len(self.waits_ns) > _SAMPLES_MAX:  # every second one says as much
            self.waits_ns, self._every = self.waits_ns[::2], self._every * 2


def together(tallies: Sequence[Tally]) -> Tally:
    """The sum of what several have counted."""
    return Tally(
        sum(one.events for one in tallies),
        sum(one.out_of_order for one in tallies),
        min((one.first_ns for one in tallies if one.events), default=0),
        max((one.last_ns for one in tallies), default=0),
    )


def latencies_ms(samples: Sequence[bytes]) -> dict[str, float]:
    """Percentiles over all samples, given as the bytes of their arrays; empty without any."""
    import numpy as np

    waits = np.concatenate([np.frombuffer(one, np.int64) for one in samples]) if samples else np.array([], np.int64)
    if not len(waits):
        return {}
    found = np.percentile(waits, SHARES) / 1e6
    return {
        f"p{share:g}" if share < 100 else "max": round(float(one), 3) for share, one in zip(SHARES, found, strict=True)
    }
