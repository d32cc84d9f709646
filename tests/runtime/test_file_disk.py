"""A file as a disk: what is written is read, in any order of offsets; failures of the system are ours, by path."""

import os

import pytest

from tidings.errors import DiskError, DiskFull
from tidings.runtime.file_disk import FileDisk, failures_named, read_exactly, sync_folder


def test_what_is_written_is_read(tmp_path):
    """Synced or not, in one row or with jumps back."""
    disk = FileDisk(tmp_path / "f")
    disk.write(0, b"abc")
    disk.write(3, b"def")
    assert disk.read() == b"abcdef"
    disk.write(6, b"g")
    disk.write(1, b"X")
    disk.sync()
    assert (tmp_path / "f").read_bytes() == b"aXcdefg"


def test_what_is_not_synced_reaches_no_file(tmp_path):
    """Writes wait: one write for all that gathers between two syncs."""
    disk = FileDisk(tmp_path / "f")
    disk.write(0, b"abc")
    assert (tmp_path / "f").read_bytes() == b""
    disk.close()
    assert (tmp_path / "f").read_bytes() == b""


def test_a_file_is_cut(tmp_path):
    """What waits is written first."""
    disk = FileDisk(tmp_path / "f")
    disk.write(0, b"abcdef")
    disk.truncate(2)
    disk.write(2, b"z")
    disk.sync()
    assert disk.read() == b"abz"


def test_files_are_for_their_user_alone(tmp_path):
    """Nobody else on the machine reads events."""
    FileDisk(tmp_path / "f")
    assert (tmp_path / "f").stat().st_mode & 0o077 == 0


def test_a_full_disk_is_called_so():
    """/dev/full has no room for anybody."""
    disk = FileDisk.__new__(FileDisk)
    disk.path, disk._waiting, disk._start, disk._end = "/dev/full", [], 0, 0
    disk._descriptor = os.open("/dev/full", os.O_RDWR)
    disk.write(0, b"a")
    with pytest.raises(DiskFull, match="/dev/full: no space left on device"):
        disk.sync()


def test_other_failures_keep_their_path(tmp_path):
    """A folder that is not there is named, with the system's words."""
    with pytest.raises(DiskError, match="absent/f: no such file or directory"):
        FileDisk(tmp_path / "absent" / "f")
    with pytest.raises(DiskError, match="absent: no such"):
        sync_folder(tmp_path / "absent")
    with pytest.raises(DiskError, match="somewhere: i"), failures_named("somewhere"):
        raise OSError(5, "Input/output error")


def test_reading_stops_at_the_end(tmp_path):
    """Fewer bytes than asked for, where there are not more; folders can be synced."""
    (tmp_path / "f").write_bytes(b"abc")
    descriptor = os.open(tmp_path / "f", os.O_RDONLY)
    assert read_exactly(descriptor, 10, 1) == b"bc"
    assert read_exactly(descriptor, 10, 9) == b""
    os.close(descriptor)
    sync_folder(tmp_path)
