"""A data folder: one process at a time, segments by number, and a mark that is either true or not there."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import DiskError, InputError, WorldError
from tidings.runtime.data_folder import DataFolder, SyncedMark, read_mark

OPEN = "import sys, pathlib; from tidings.runtime.data_folder import DataFolder; DataFolder(pathlib.Path(sys.argv[1]))"


def test_two_processes_never_share_a_folder(tmp_path):
    """The second is told who has it; when the first is gone, killed or not, the folder is free."""
    folder = DataFolder(tmp_path / "data")
    other = subprocess.run([sys.executable, "-c", OPEN, tmp_path / "data"], capture_output=True, text=True, check=False)
    assert other.returncode == 1
    assert "InputError" in other.stderr
    assert "in use by another process" in other.stderr
    folder.close()
    subprocess.run([sys.executable, "-c", OPEN, tmp_path / "data"], check=True)


def test_the_holder_is_named(tmp_path):
    """By the number of its process."""
    DataFolder(tmp_path)
    with pytest.raises(InputError, match=r"in use by another process \(\d+\); give each broker its own folder"):
        DataFolder(tmp_path)


def test_segments_come_in_their_order(tmp_path):
    """Other files are not segments; a file that pretends to be one stops everything."""
    folder = DataFolder(tmp_path)
    for number in (3, 1, 20):
        folder.segment(number).touch()
    (tmp_path / "notes.txt").touch()
    assert list(folder.segments()) == [1, 3, 20]
    (tmp_path / "segment-first.log").touch()
    with pytest.raises(WorldError, match="no segment has such a name"):
        folder.segments()


def test_a_mark_is_read_back(tmp_path):
    """By the next process, too."""
    folder = DataFolder(tmp_path)
    assert folder.synced() is None
    folder.mark_synced(3, 1 << 40)
    folder.mark_synced(4, 17)
    folder.close()
    assert DataFolder(tmp_path).synced() == SyncedMark(4, 17)


@given(st.integers(0, 159), st.integers(0, 20))
def test_a_damaged_mark_is_none(bit, size):
    """Every bit flipped, every length: no mark rather than a wrong one."""
    whole = bytes.fromhex("0300000000000000070000000000000000000000")
    assert read_mark(whole) is None
    import zlib

    whole = whole[:16] + zlib.crc32(whole[:16]).to_bytes(4, "little")
    assert read_mark(whole) == SyncedMark(3, 7)
    flipped = bytearray(whole)
    flipped[bit // 8] ^= 1 << bit % 8
    assert read_mark(bytes(flipped)) is None
    if size < 20:
        assert read_mark(whole[:size]) is None


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    """A file stands in the way."""
    (tmp_path / "file").touch()
    with pytest.raises(DiskError, match="file/data: not a directory"):
        DataFolder(tmp_path / "file" / "data")
