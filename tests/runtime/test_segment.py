"""One segment: heading, checkpoint and data come back, in pieces too, and no segment passes for another."""

import msgspec
import pytest

from tidings.delivery.record_log import RecordLog
from tidings.errors import LogCorrupt, LogForeign
from tidings.runtime.clock import ClockReading
from tidings.runtime.file_disk import FileDisk
from tidings.runtime.segment import FORMAT, FoundSegment, Heading, OpenSegment, Sealed

CLOCK = ClockReading("boot", 1, 2)


def begun(path, checkpoint=(b"c0", b"c1"), first=40, number=7):
    """A new segment with a checkpoint, synced."""
    heading = Heading(first, len(checkpoint), CLOCK, (Sealed(6, 100),), FORMAT)
    opened = OpenSegment.begin(number, path, "lima", heading, checkpoint)
    opened.sync()
    return opened


def test_a_segment_reads_back(tmp_path):
    """Heading, checkpoint, data, and how large it is."""
    opened = begun(tmp_path / "s")
    for payload in (b"d0", b"", b"d2" * 100):
        opened.append(payload)
    size = opened.sync()
    opened.close()
    assert size == (tmp_path / "s").stat().st_size == opened.segment.size
    found = FoundSegment(7, tmp_path / "s", "lima")
    assert (found.is_begun, found.is_torn, found.size) == (True, False, size)
    assert found.heading.earlier == (Sealed(6, 100),)
    assert (found.checkpoint, found.data) == ([b"c0", b"c1"], [b"d0", b"", b"d2" * 100])


@pytest.mark.parametrize("again", [False, True])
def test_data_is_read_by_number(tmp_path, again):
    """While the segment is written, and when it was found again."""
    opened = begun(tmp_path / "s")
    for number in range(50):
        opened.append(b"x" * number)
    opened.sync()
    segment = FoundSegment(7, tmp_path / "s", "lima").segment() if again else opened.segment
    assert segment.end == 90
    assert [segment.read(number) for number in (40, 41, 89, 60)] == [b"", b"x", b"x" * 49, b"x" * 20]
    segment.close()
    assert segment.read(41) == b"x"


def test_damage_is_noticed_when_it_is_read(tmp_path):
    """A record that rotted after the segment was opened is never handed out; its neighbours are."""
    opened = begun(tmp_path / "s")
    for _ in range(3):
        opened.append(b"payload")
    opened.sync()
    data = bytearray((tmp_path / "s").read_bytes())
    place = data.rindex(b"payload")
    data[place] ^= 4
    (tmp_path / "s").write_bytes(data)
    assert [opened.segment.read(number) for number in (40, 41)] == [b"payload", b"payload"]
    with pytest.raises(LogCorrupt, match="s is damaged at byte"):
        opened.segment.read(42)
    (tmp_path / "s").write_bytes(data[: place - 45])
    with pytest.raises(LogCorrupt):
        opened.segment.read(42)


def test_a_segment_that_was_not_begun_says_so(tmp_path):
    """Cut within its checkpoint, or empty."""
    begun(tmp_path / "s", checkpoint=(b"c0", b"c1")).close()
    whole = (tmp_path / "s").read_bytes()
    for size in (0, 10, len(whole) - 1):
        (tmp_path / "s").write_bytes(whole[:size])
        found = FoundSegment(7, tmp_path / "s", "lima")
        assert not found.is_begun
        assert found.is_torn == (size > 0)


def test_no_segment_passes_for_another(tmp_path):
    """Neither under another number, nor at another broker."""
    begun(tmp_path / "s").close()
    for number, owner in ((8, "lima"), (7, "oslo")):
        with pytest.raises(LogForeign):
            FoundSegment(number, tmp_path / "s", owner)


def test_a_heading_of_another_version_is_refused(tmp_path):
    """Whole, but not what this version writes."""
    disk = FileDisk(tmp_path / "s")
    log, _ = RecordLog.open(disk, owner="lima/7")
    log.append(msgspec.msgpack.encode(["something", "else"]), term=0, expected_number=0)
    log.sync()
    with pytest.raises(LogForeign, match="a version of Tidings that this one cannot read"):
        FoundSegment(7, tmp_path / "s", "lima")


def test_what_was_torn_is_cut(tmp_path):
    """Only what is whole is relied on from then on."""
    opened = begun(tmp_path / "s")
    opened.append(b"whole")
    opened.sync()
    opened.append(b"torn")
    opened.sync()
    path = tmp_path / "s"
    path.write_bytes(path.read_bytes()[:-3])
    found = FoundSegment(7, path, "lima")
    assert (found.is_torn, found.data) == (True, [b"whole"])
    found.make_last("lima")
    assert path.stat().st_size == found.size
    assert not FoundSegment(7, path, "lima").is_torn


def test_a_group_is_there_whole_or_not_at_all(tmp_path):
    """Cut anywhere, what is found ends where a group ends; and what was synced is never part of what is cut."""
    opened = begun(tmp_path / "s")
    ends, written = {opened.segment.size: []}, []
    for group in ([b"a", b"b", b"c"], [b"d"], [b"", b"e"]):
        for place, payload in enumerate(group, 1):
            opened.append(payload, ends=place == len(group))
            written.append(payload)
        ends[opened.sync()] = list(written)
    opened.close()
    path = opened.segment.path
    data = path.read_bytes()
    for cut in range(min(ends), max(ends) + 1):
        path.write_bytes(data[:cut])
        whole = max(end for end in ends if end <= cut)
        found = FoundSegment(7, path, "lima")
        assert (found.data, found.size) == (ends[whole], whole)
        assert found.is_torn == (cut != whole)
        found.make_last("lima")
        assert path.stat().st_size == whole
        assert FoundSegment(7, path, "lima").data == ends[whole]
