"""A broker's data folder: whose it is, that one process has it at a time, and how far its log is surely on disk."""

import fcntl
import os
import zlib
from pathlib import Path
from typing import Final, NamedTuple

from tidings.errors import InputError, WorldError
from tidings.runtime.file_disk import failures_named, read_exactly

LOCK: Final = "lock"
SYNCED: Final = "synced"
_SEGMENT: Final = "segment-{:010}.log"
_SEGMENTS: Final = "segment-*.log"
_MARK_BYTES: Final = 20


class SyncedMark(NamedTuple):
    """This many bytes of this segment are surely on disk; more may be."""

    segment: int
    size: int


class DataFolder:
    """An open data folder; nobody else can open it until it is closed."""

    def __init__(self, path: Path) -> None:
        """Made when it is not there, for the user alone; InputError when another process has it open."""
        self.path = path
        with failures_named(path):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._take()
            with failures_named(path):
                self._synced = os.open(path / SYNCED, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except BaseException:
            os.close(self._lock)
            raise

    def close(self) -> None:
        """Let others have it."""
        os.close(self._synced)
        os.close(self._lock)

    def segments(self) -> dict[int, Path]:
        """The segments of the log that are there, by number, in their order."""
        found: dict[int, Path] = {}
        for path in sorted(self.path.glob(_SEGMENTS)):
            number = path.stem.removeprefix("segment-")
            if not number.isdecimal():
                raise WorldError(f"{path}: no segment has such a name; nothing was changed")
            found[int(number)] = path
        return found

    def segment(self, number: int) -> Path:
        """Where a segment stands."""
        return self.path / _SEGMENT.format(number)

    def mark_synced(self, segment: int, size: int) -> None:
        """Note how far the log is on disk. It need not survive a power cut: an older mark is true as well."""
        data = segment.to_bytes(8, "little") + size.to_bytes(8, "little")
        with failures_named(self.path / SYNCED):
            os.pwrite(self._synced, data + zlib.crc32(data).to_bytes(4, "little"), 0)

    def synced(self) -> SyncedMark | None:
        """What was noted last; None where nothing that can be read was."""
        return read_mark(read_exactly(self._synced, _MARK_BYTES, 0))

    def _take(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = read_exactly(self._lock, 20, 0).decode("ascii", "replace").strip() or "unknown"
            raise InputError(
                f"{self.path}: in use by another process ({holder}); give each broker its own folder"
            ) from None
        with failures_named(self.path / LOCK):
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, f"{os.getpid()}\n".encode("ascii"), 0)


def read_mark(data: bytes) -> SyncedMark | None:
    """The mark in the bytes of its file; None when it is not whole."""
    body, crc = data[: _MARK_BYTES - 4], data[_MARK_BYTES - 4 :]
    if len(data) < _MARK_BYTES or zlib.crc32(body).to_bytes(4, "little") != crc:
        return None
    return SyncedMark(int.from_bytes(body[:8], "little"), int.from_bytes(body[8:], "little"))
