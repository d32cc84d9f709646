"""One file as a `tidings.delivery.record_log.Disk`: what is written waits in memory until it is synced."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tidings.errors import DiskError, DiskFull

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT)


class FileDisk:
    """The file at `path`, made when it is not there. Appends between two syncs reach the system in one write."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with failures_named(path):
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._waiting: list[bytes] = []
        self._start = self._end = 0
        """Offsets of what waits."""

    def read(self) -> bytes:
        """Everything written so far, synced or not."""
        with failures_named(self.path):
            self._flush()
            size = os.fstat(self._descriptor).st_size
            return read_exactly(self._descriptor, size, 0)

    def write(self, offset: int, data: bytes, /) -> None:
        """Put `data` at `offset` with the next sync."""
        if self._waiting and offset != self._end:
            with failures_named(self.path):
                self._flush()
        if not self._waiting:
            self._start = offset
        self._waiting.append(data)
        self._end = offset + len(data)

    def truncate(self, size: int, /) -> None:
        """Cut the file to `size` bytes."""
        with failures_named(self.path):
            self._flush()
            os.ftruncate(self._descriptor, size)

    def sync(self) -> None:
        """Make all of the above survive a power cut."""
        with failures_named(self.path):
            self._flush()
            os.fdatasync(self._descriptor)

    def close(self) -> None:
        """Let go of the file; what was not synced is not written."""
        os.close(self._descriptor)

    def _flush(self) -> None:
        data, offset = b"".join(self._waiting), self._start
        self._waiting.clear()
        while data:
            written = os.pwrite(self._descriptor, data, offset)
            data, offset = data[written:], offset + written


def read_exactly(descriptor: int, size: int, offset: int) -> bytes:
    """`size` bytes from `offset` on, fewer where the file ends before."""
    parts: list[bytes] = []
    while size > 0 and (part := os.pread(descriptor, size, offset)):
        parts.append(part)
        size, offset = size - len(part), offset + len(part)
    return b"".join(parts)


def sync_folder(path: Path) -> None:
    """Make names that were added to or removed from a folder survive a power cut."""
    with failures_named(path):
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def failures_named(path: Path) -> Iterator[None]:
    """Errors of the system as ours, with the path that they are about."""
    try:
        yield
    except OSError as problem:
        kind = DiskFull if problem.errno in _NO_ROOM else DiskError
        raise kind(f"{path}: {os.strerror(problem.errno or 0).lower()}") from problem
