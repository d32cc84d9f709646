"""One segment of a store: a record log whose first record is a heading, then a checkpoint, then data.

A segment belongs to one life of the broker: each start begins a new one with a checkpoint, which says all that the
earlier ones say but for the data that they still hold.

Data records come in groups that are on disk together or not at all: a first byte says whether a record ends its group, and
what follows the last one that does is cut when the segment is found.
"""

import os
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from tidings.delivery.record_format import (
    FILE_HEAD_BYTES,
    decode_record,
    encode_file_head,
    recover,
    seal_of,
)
from tidings.delivery.record_log import RecordLog, record_bytes
from tidings.errors import LogCorrupt, LogForeign
from tidings.runtime.clock import ClockReading
from tidings.runtime.file_disk import FileDisk, failures_named, read_exactly

FORMAT: Final = 2
_TERM: Final = 0
"""A segment has one owner, whom the folder's lock keeps alone."""
_GOES_ON, _ENDS = b"\0", b"\1"
"""First bytes of data records: others of the group follow, or none."""


class Sealed(msgspec.Struct, frozen=True, array_like=True):
    """An earlier segment as a later one knows it: nothing may be missing from it, and nothing more is believed."""

    number: int
    size: int


class Heading(msgspec.Struct, frozen=True, array_like=True):
    """The first record of a segment."""

    first: int
    """The number of its first data record."""
    checkpoint: int
    """How many records of the checkpoint follow."""
    clock: ClockReading
    earlier: tuple[Sealed, ...]
    """The earlier segments that are still needed."""
    format: Literal[2]
    """Of what follows."""


_HEADING: Final = msgspec.msgpack.Decoder(Heading)


class Segment:
    """A segment that can be read: the heading, and where its data records stand."""

    __slots__ = ("_descriptor", "_offsets", "_seal", "heading", "held", "number", "path", "size")

    def __init__(self, number: int, path: Path, heading: Heading, seal: int) -> None:
        self.number, self.path, self.heading = number, path, heading
        self._seal = seal
        self._descriptor: int | None = None
        self._offsets = array("Q", (FILE_HEAD_BYTES,))
        """Where each data record begins, and at the end where the next would."""
        self.size = FILE_HEAD_BYTES
        self.held = 0
        """How many claims there are on its data: of each record as many as somebody still needs it."""

    @property
    def end(self) -> int:
        """The number of the data record that would come next."""
        return self.heading.first + len(self._offsets) - 1

    def note_checkpoint(self, payloads: Sequence[bytes]) -> None:
        """The heading and the checkpoint are in, before any data."""
        self.size += sum(record_bytes(len(payload)) for payload in payloads)
        self._offsets[0] = self.size

    def note_data(self, payload: bytes) -> None:
        """One data record more is in, its first byte included."""
        self.size += record_bytes(len(payload))
        self._offsets.append(self.size)

    def read(self, number: int) -> bytes:
        """The payload of a data record; LogCorrupt when it is not as it was written."""
        place = number - self.heading.first
        offset, end = self._offsets[place], self._offsets[place + 1]
        with failures_named(self.path):
            if self._descriptor is None:
                self._descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            data = read_exactly(self._descriptor, end - offset, offset)
        payload = decode_record(data, seal=self._seal, offset=offset)
        if payload is None:
            raise LogCorrupt(str(self.path), offset, place)
        return payload[1:]

    def close(self) -> None:
        """Let go of the file; it is opened again when something is read."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class OpenSegment:
    """The segment that is being written; durable as far as `sync` has returned."""

    def __init__(self, segment: Segment, log: RecordLog, disk: FileDisk) -> None:
        self.segment = segment
        self._log, self._disk = log, disk

    @classmethod
    def begin(cls, number: int, path: Path, owner: str, heading: Heading, checkpoint: Sequence[bytes]) -> "OpenSegment":
        """Make the file and write heading and checkpoint; nothing is synced yet."""
        disk = FileDisk(path)
        log, _ = RecordLog.open(disk, owner=_name(owner, number))
        payloads = (msgspec.msgpack.encode(heading), *checkpoint)
        for payload in payloads:
            log.append(payload, term=_TERM, expected_number=log.next_number)
        segment = Segment(number, path, heading, _seal_of(owner, number))
        segment.note_checkpoint(payloads)
        return cls(segment, log, disk)

    def append(self, payload: bytes, *, ends: bool = True) -> None:
        """One data record more, durable after the next `sync`; `ends`: the last of a group."""
        written = (_ENDS if ends else _GOES_ON) + payload
        self._log.append(written, term=_TERM, expected_number=self._log.next_number)
        self.segment.note_data(written)

    def sync(self) -> int:
        """Everything appended is on disk when this returns; gives the bytes that are."""
        self._log.sync()
        return self.segment.size

    def close(self) -> None:
        """Let go of the file for writing."""
        self._disk.close()


class FoundSegment:
    """What a segment's file turned out to hold."""

    def __init__(self, number: int, path: Path, owner: str) -> None:
        """Reads all of it; raises LogCorrupt, LogForeign or DiskError, and changes nothing."""
        with failures_named(path):
            data = path.read_bytes()
        found = recover(data, owner=_name(owner, number))
        if found.corrupt_at is not None:
            raise LogCorrupt(str(path), found.corrupt_at, len(found.records))
        self.number, self.path = number, path
        self.size, self.is_torn = found.valid_bytes, found.torn
        self.payloads = [record.payload for record in found.records]
        self.heading = _heading(path, self.payloads[0]) if self.payloads else None
        self._seal = _seal_of(owner, number)
        self._cut_group()

    def _cut_group(self) -> None:
        """Nobody was told of a group whose end is missing: nothing of it counts."""
        if not self.is_begun or self.heading is None:
            return
        while len(self.payloads) > 1 + self.heading.checkpoint and not self.payloads[-1].startswith(_ENDS):
            self.size -= record_bytes(len(self.payloads.pop()))
            self.is_torn = True

    @property
    def is_begun(self) -> bool:
        """The heading and all of the checkpoint are there: the segment speaks for all that was before it."""
        return self.heading is not None and len(self.payloads) > self.heading.checkpoint

    @property
    def checkpoint(self) -> list[bytes]:
        """The records of the checkpoint."""
        assert self.heading is not None
        return self.payloads[1 : 1 + self.heading.checkpoint]

    @property
    def data(self) -> list[bytes]:
        """The records behind it."""
        assert self.heading is not None
        return [payload[1:] for payload in self._written]

    @property
    def _written(self) -> list[bytes]:
        assert self.heading is not None
        return self.payloads[1 + self.heading.checkpoint :]

    def segment(self) -> Segment:
        """What later reads need of it."""
        assert self.heading is not None
        segment = Segment(self.number, self.path, self.heading, self._seal)
        segment.note_checkpoint(self.payloads[: 1 + self.heading.checkpoint])
        for payload in self._written:
            segment.note_data(payload)
        return segment

    def make_last(self, owner: str) -> None:
        """Cut what was torn, and sync what is whole: from now on it can be relied on."""
        disk = FileDisk(self.path)
        try:
            disk.truncate(self.size)
            RecordLog.open(disk, owner=_name(owner, self.number))
        finally:
            disk.close()


def _heading(path: Path, payload: bytes) -> Heading:
    try:
        return _HEADING.decode(payload)
    except msgspec.DecodeError as problem:
        raise LogForeign(f"{path}: written by a version of Tidings that this one cannot read ({problem})") from None


def _name(owner: str, number: int) -> str:
    """No segment passes for another, nor for one of another broker."""
    return f"{owner}/{number}"


def _seal_of(owner: str, number: int) -> int:
    return seal_of(encode_file_head(_name(owner, number)))
