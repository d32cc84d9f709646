"""The durable store of a broker: records appended in segments, synced in groups, read back by number.

What a broker must not forget is a row of *data* records, numbered from 0 without holes, and from time to time a
*checkpoint*: records that say all that the earlier ones say, except for data that is still claimed, which stays where it
is. A segment begins with a checkpoint; a segment that nothing claims is deleted when the next one begins.

All calls may block on the disk; they come one at a time. After a failure of the disk every call fails: only another
`open` tells what is there.
"""

import os
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tidings.delivery.record_log import record_bytes
from tidings.errors import LogCorrupt
from tidings.runtime.clock import ClockReading, read_clocks
from tidings.runtime.data_folder import DataFolder
from tidings.runtime.file_disk import failures_named, sync_folder
from tidings.runtime.segment import FORMAT, FoundSegment, Heading, OpenSegment, Sealed, Segment
from tidings.vocabulary.instant import DAY

CHECKPOINT_SHARE: Final = 4
"""A segment grows to as many times the size of its checkpoint, at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOptions:
    """Whose store it is, and its bounds."""

    owner: str
    segment_bytes: int = 32 << 20
    """A new segment is due beyond this."""
    segment_age_ns: int = DAY
    """And after this."""
    bytes_max: int = 10 << 30
    """Of all segments together; the oldest go, claimed or not."""
    age_max_ns: int = 7 * DAY
    """Segments that were finished longer ago go, claimed or not."""


class Found(NamedTuple):
    """What an earlier life left."""

    checkpoint: list[bytes]
    data: list[bytes]
    """What came after the checkpoint."""
    first: int
    """The number of the first of it."""
    clock: ClockReading | None
    """When, and by which clock, that life wrote; None: there was none."""
    torn: bool
    """The last write had not finished: it was never acknowledged, and has been cut."""


class Stored(NamedTuple):
    """A data record that was read back."""

    number: int
    payload: bytes
    shift_ns: int
    """What to add to the instants in it: the machine may have been started again since."""


class Store:
    """An open store. Nothing can be appended before `begin`."""

    def __init__(self, folder: DataFolder, options: StoreOptions) -> None:
        """Read what is there; see `found`, to be taken over before `begin`.

        Raises:
            LogCorrupt: something that had been on disk is damaged or missing; nothing was changed.
            LogForeign: another broker's, or another version's.
            DiskError: it cannot be read.
        """
        self.folder, self.options = folder, options
        self._segments: list[Segment] = []
        """All that are needed, the oldest first; the last is being written once `begin` was called."""
        self._doomed: list[str] = []
        """Files that are needed no more once the next segment is begun."""
        self._open: OpenSegment | None = None
        self._checkpoint_bytes = 0
        self._last = 0
        """The highest number that a segment has had."""
        self.found = self._look()
        self.next_number = self.found.first + len(self.found.data)

    # ---- what is there

    def _look(self) -> Found:
        paths = self.folder.segments()
        self._last = max(paths, default=0)
        newest: FoundSegment | None = None
        while paths and newest is None:
            number, path = paths.popitem()
            found = FoundSegment(number, path, self.options.owner)
            self._check_mark(found)
            if found.is_begun:
                newest = found
            else:  # a start or a change of segments that was cut short: the one before it says all
                self._doomed.append(path.name)
        mark = self.folder.synced()
        if mark is not None and mark.segment > self._last:
            raise LogCorrupt(f"{self.folder.segment(mark.segment)} (which is missing)", 0, 0)
        if newest is None or newest.heading is None:
            return Found([], [], 0, None, torn=False)
        for sealed in newest.heading.earlier:
            if sealed.number not in paths:
                raise LogCorrupt(f"{self.folder.segment(sealed.number)} (which is missing)", 0, 0)
            earlier = FoundSegment(sealed.number, paths.pop(sealed.number), self.options.owner)
            if earlier.size < sealed.size:
                raise LogCorrupt(str(earlier.path), earlier.size, len(earlier.payloads))
            self._segments.append(earlier.segment())
        newest.make_last(self.options.owner)
        self._segments.append(newest.segment())
        self._doomed += [path.name for path in paths.values()]
        return Found(newest.checkpoint, newest.data, newest.heading.first, newest.heading.clock, newest.is_torn)

    def _check_mark(self, found: FoundSegment) -> None:
        """A file that ends where a record ends looks whole; the mark knows better."""
        mark = self.folder.synced()
        if mark is not None and mark.segment == found.number and mark.size > found.size:
            raise LogCorrupt(str(found.path), found.size, len(found.payloads))

    # ---- what is written

    def begin(self, checkpoint: Sequence[bytes], claims: NDArray[np.int64] | None = None) -> int:
        """Start a new segment with a checkpoint; gives how many claims were dropped because of age or size.

        Args:
            checkpoint: records that say all that earlier ones say.
            claims: with the first call: the numbers of data records that are needed, each as often as it is claimed.
        """
        for number in () if claims is None else claims.tolist():
            self._claim(number, 1)
        if self._open is not None:
            self._open.sync()
            self._open.close()
        now = read_clocks()
        self._checkpoint_bytes = sum(record_bytes(len(payload)) for payload in checkpoint)
        gone = self._to_drop(now)
        self._segments = [one for one in self._segments if one not in gone]
        for one in gone:
            one.close()
            self._doomed.append(one.path.name)
        self._begin(checkpoint, now)
        return sum(one.held for one in gone)

    def _begin(self, checkpoint: Sequence[bytes], now: ClockReading) -> None:
        self._last += 1
        heading = Heading(
            first=self.next_number,
            checkpoint=len(checkpoint),
            clock=now,
            earlier=tuple(Sealed(one.number, one.size) for one in self._segments),
            format=FORMAT,
        )
        path = self.folder.segment(self._last)
        self._open = OpenSegment.begin(self._last, path, self.options.owner, heading, checkpoint)
        self._segments.append(self._open.segment)
        size = self._open.sync()
        sync_folder(self.folder.path)
        self.folder.mark_synced(self._last, size)
        for name in self._doomed:
            with failures_named(self.folder.path / name):
                (self.folder.path / name).unlink()
        self._doomed.clear()

    def _to_drop(self, now: ClockReading) -> list[Segment]:
        """Finished segments that nobody claims, that are too old, or for which there is no room."""
        following = [one.heading.clock.wall_ns for one in self._segments[1:]] + [now.wall_ns]
        oldest_ns = now.wall_ns - self.options.age_max_ns
        gone = [
            one
            for one, finished_ns in zip(self._segments, following, strict=False)
            if not one.held or finished_ns < oldest_ns
        ]
        kept = [one for one in self._segments if one not in gone]
        room = self.options.bytes_max - self._checkpoint_bytes - sum(one.size for one in kept)
        while kept and room < 0:
            room += kept[0].size
            gone.append(kept.pop(0))
        return gone

    def commit(self, records: Sequence[bytes], claims: Sequence[int], released: Iterable[int]) -> None:
        """Append data records, claimed so many times each, and sync, together or not at all; then let go of those in `released`, once each."""
        current = self._current
        for place, (payload, count) in enumerate(zip(records, claims, strict=True), 1):
            current.append(payload, ends=place == len(records))
            current.segment.held += count
        if records:
            self.next_number += len(records)
            self.folder.mark_synced(current.segment.number, current.sync())
        for number in released:
            self._claim(number, -1)

    @property
    def wants_checkpoint(self) -> bool:
        """True when a new segment is due."""
        segment, options = self._current.segment, self.options
        if segment.size > max(options.segment_bytes, CHECKPOINT_SHARE * self._checkpoint_bytes):
            return True
        age_ns = read_clocks().wall_ns - segment.heading.clock.wall_ns
        return age_ns > options.segment_age_ns and segment.end > segment.heading.first

    # ---- what is read

    def read(self, numbers: Sequence[int], bytes_max: int) -> tuple[Sequence[int], list[Stored]]:
        """Data records by number, ascending: which were looked for, and which of them have not been dropped.

        Looking ends where `bytes_max` are exceeded; what follows may be asked for again.
        """
        now, size, found = read_clocks(), 0, list[Stored]()
        for place, number in enumerate(numbers):
            segment = self._segment_of(number)
            if segment is not None:
                payload = segment.read(number)
                found.append(Stored(number, payload, segment.heading.clock.shift_to(now)))
                size += len(payload)
                if size > bytes_max:
                    return numbers[: place + 1], found
        return numbers, found

    @property
    def next_segment(self) -> int:
        """The number of the next segment: it grows with every start."""
        return self._last + 1

    def free_bytes(self) -> int:
        """Room on the disk."""
        with failures_named(self.folder.path):
            room = os.statvfs(self.folder.path)
        return room.f_bavail * room.f_frsize

    def size_bytes(self) -> int:
        """Of all segments together."""
        return sum(one.size for one in self._segments)

    def close(self) -> None:
        """Let go of the files; everything committed is on disk already."""
        if self._open is not None:
            self._open.close()
        for segment in self._segments:
            segment.close()

    @property
    def _current(self) -> OpenSegment:
        assert self._open is not None, "`begin` comes first"
        return self._open

    def _claim(self, number: int, count: int) -> None:
        segment = self._segment_of(number)
        if segment is not None:
            segment.held += count

    def _segment_of(self, number: int) -> Segment | None:
        """The segment that holds a data record; None when it has been dropped."""
        place = bisect_right(self._segments, number, key=lambda one: one.heading.first) - 1
        if place < 0 or number >= self._segments[place].end:
            return None
        return self._segments[place]
