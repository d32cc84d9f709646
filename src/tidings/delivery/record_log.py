"""The record log: append under a term, acknowledge what is synced, and believe nothing after the disk has failed.

The log outlives its owners. Each owner begins a term, which ends all earlier ones; every append names the term and the number
that it expects, so that an owner who was paused and comes back is refused, whatever it still believes. One instance
serves one log at a time; that two processes never open the same file is the caller's lock.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from tidings.delivery.record_format import (
    KIND_TERM,
    NUMBER_MAX,
    OVERHEAD_BYTES,
    PAYLOAD_BYTES_MAX,
    LogRecord,
    Place,
    Recovered,
    encode_file_head,
    encode_record,
    recover,
    seal_of,
)
from tidings.errors import AppendRefused, InputError, LogCorrupt, LogPoisoned, StaleTerm, WrongNumber

RECORD_BYTES_MAX: Final = 4 * 2**20
"""Default bound of a payload."""


class Disk(Protocol):
    """One file. Failures are `DiskError` (no room: `DiskFull`)."""

    def read(self) -> bytes:
        """Everything written so far, synced or not."""

    def write(self, offset: int, data: bytes, /) -> None:
        """Put `data` at `offset`, all of it; after an error any part of it may be there."""

    def truncate(self, size: int, /) -> None:
        """Cut the file to `size` bytes."""

    def sync(self) -> None:
        """Make all of the above survive a power cut; after an error nothing since the last sync can be relied on."""


class RecordLog:
    """An open log. Made by `open` only.

    Appends are buffered by the disk; what `sync` has returned for is acknowledged. After any error of the disk every call
    raises `LogPoisoned`: open the log again to find out what is left.
    """

    __slots__ = (
        "_disk",
        "_end",
        "_poison",
        "_seal",
        "_synced_bytes",
        "next_number",
        "payload_bytes_max",
        "synced_number",
        "term",
    )

    def __init__(self, disk: Disk, *, seal: int, found: Recovered, payload_bytes_max: int) -> None:
        self._disk, self._seal = disk, seal
        self._poison: str | None = None
        self._end = self._synced_bytes = found.valid_bytes
        self.payload_bytes_max = payload_bytes_max
        self.next_number = self.synced_number = len(found.records)
        """Of the record to be appended next; all records below `synced_number` are on disk."""
        self.term = found.term
        """The highest term begun; 0 before the first."""

    @classmethod
    def open(
        cls, disk: Disk, *, owner: str, payload_bytes_max: int = RECORD_BYTES_MAX
    ) -> tuple["RecordLog", Recovered]:
        """Recover the log of `owner`, or begin one on an empty disk; everything recovered is on disk afterwards.

        A torn tail is cut. The cut, and what the log does not claim to have been synced, are asked for even when they seem
        to be there: after a sync that failed, a cache may show changes that it will never write.

        Raises:
            LogCorrupt: damage; nothing was changed. One more try tells a bad read from a bad disk.
            LogForeign: another owner's log, or another format; nothing was changed.
            DiskError: the disk failed; nothing recovered is lost by that.
        """
        if not 0 <= payload_bytes_max <= PAYLOAD_BYTES_MAX:
            raise InputError(f"payload_bytes_max = {payload_bytes_max}: must be from 0 to {PAYLOAD_BYTES_MAX}")
        data = disk.read()
        found = recover(data, owner=owner)
        if found.corrupt_at is not None:
            raise LogCorrupt(owner, found.corrupt_at, len(found.records))
        head = encode_file_head(owner)
        disk.truncate(found.valid_bytes)
        if found.valid_bytes == 0:
            disk.write(0, head)
        else:
            disk.write(found.synced_bytes, data[found.synced_bytes : found.valid_bytes])
        disk.sync()
        log = cls(disk, seal=seal_of(head), found=found, payload_bytes_max=payload_bytes_max)
        log._end = log._synced_bytes = max(found.valid_bytes, len(head))
        return log, found

    @property
    def size_bytes(self) -> int:
        """Bytes of the file, what is not synced yet included."""
        return self._end

    def append(self, payload: bytes, *, term: int, expected_number: int) -> int:
        """Write one record and return its number; it is not acknowledged before `sync` returns.

        Raises:
            StaleTerm: `term` has ended.
            AppendRefused: `term` has not been begun.
            WrongNumber: `expected_number` is not the next.
            InputError: the payload is too long.
            LogPoisoned: the disk has failed before.
            DiskError: it failed now.
        """
        self._check_open()
        if term < self.term:
            raise StaleTerm(term, self.term)
        if term > self.term:
            raise AppendRefused(f"term {term} has not been begun: the log is at term {self.term}")
        if expected_number != self.next_number:
            raise WrongNumber(expected_number, self.next_number)
        if len(payload) > self.payload_bytes_max:
            raise InputError(f"a record of {len(payload)} bytes: the log takes at most {self.payload_bytes_max}")
        record = LogRecord(term, expected_number, payload)
        with self._poisoning():
            self._write(encode_record(record, self._place()))
        self.next_number += 1
        return record.number

    def sync(self) -> int:
        """Acknowledge: all records below the number returned are on disk. Harmless when nothing was appended."""
        self._check_open()
        if self._synced_bytes < self._end:
            with self._poisoning():
                self._disk.sync()
            self._synced_bytes, self.synced_number = self._end, self.next_number
        return self.synced_number

    def begin_term(self, term: int) -> None:
        """End all earlier terms, on disk before this returns; appends so far are acknowledged with it.

        Raises:
            StaleTerm: `term` is not above the log's.
        """
        self._check_open()
        if term <= self.term:
            raise StaleTerm(term, self.term)
        if term > NUMBER_MAX:
            raise InputError(f"term = {term}: must be at most {NUMBER_MAX}")
        with self._poisoning():
            self._write(encode_record(LogRecord(term, self.next_number, b""), self._place(), kind=KIND_TERM))
        # From here on the old owner is out, even should the sync fail.
        self.term = term
        self.sync()

    def _place(self) -> Place:
        return Place(self._seal, self._end, self._synced_bytes)

    def _write(self, data: bytes) -> None:
        self._disk.write(self._end, data)
        self._end += len(data)

    def _check_open(self) -> None:
        if self._poison is not None:
            raise LogPoisoned(self._poison)

    @contextmanager
    def _poisoning(self) -> Iterator[None]:
        try:
            yield
        except BaseException as problem:
            self._poison = str(problem) or type(problem).__name__
            raise


def record_bytes(payload_bytes: int) -> int:
    """What a payload of that length takes in the file."""
    return OVERHEAD_BYTES + payload_bytes
