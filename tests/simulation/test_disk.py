"""The simulated disk: what survives what, that it errs as told, and that it repeats itself."""

import numpy as np
import pytest

from tidings.errors import DiskError, DiskFull, InputError
from tidings.simulation.disk import DISK_FAULTS, DiskFaults, SimulatedDisk
from tidings.vocabulary.streams import Streams


def disk_with(seed=1, data=b"", **faults):
    """A disk with these faults."""
    return SimulatedDisk(DiskFaults(**faults), Streams(seed)("disk"), data)


def three_writes(disk):
    """`abc`, written in three parts, nothing synced."""
    for offset, part in enumerate((b"a", b"b", b"c")):
        disk.write(offset, part)


def test_what_is_written_is_read():
    """Before and after a sync; a gap reads as zeros."""
    disk = disk_with()
    disk.write(0, b"one")
    disk.write(5, b"two")
    assert disk.read() == b"one\0\0two"
    disk.sync()
    assert disk.read() == disk.synced == b"one\0\0two"


def test_writing_over_and_cutting():
    """Offsets and sizes mean what they say."""
    disk = disk_with(data=b"abcdef")
    disk.write(2, b"XY")
    disk.truncate(5)
    assert disk.read() == b"abXYe"
    assert (disk.synced, disk.unsynced_writes) == (b"abcdef", 2)
    disk.sync()
    assert (disk.synced, disk.unsynced_writes) == (b"abXYe", 0)


def test_a_killed_process_loses_nothing():
    """The page cache outlives it, and a later sync still brings it to the platter."""
    disk = disk_with()
    three_writes(disk)
    assert disk.crash() is False
    assert disk.read() == b"abc"
    disk.sync()
    disk.cut_power()
    assert disk.read() == b"abc"


def test_a_power_cut_keeps_the_first_few_writes():
    """Any number of them, from none to all, and nothing else."""
    seen = set()
    for seed in range(60):
        disk = disk_with(seed, power_cut=1.0)
        three_writes(disk)
        assert disk.crash() is True
        assert disk.read() == disk.synced
        assert disk.counts["lost_write"] == 3 - len(disk.read())
        seen.add(disk.read())
    assert seen == {b"", b"a", b"ab", b"abc"}


def test_a_power_cut_leaves_what_was_synced():
    """Whatever else is chosen."""
    for seed in range(60):
        disk = disk_with(seed, power_cut=1.0, reorder=1.0, tear=1.0)
        disk.write(0, b"synced")
        disk.sync()
        disk.write(6, b"more")
        disk.write(10, b"and more")
        disk.crash()
        assert disk.read()[:6] == b"synced"


def test_reordering_keeps_any_subset():
    """A later write without an earlier one leaves zeros in between."""
    seen = set()
    for seed in range(100):
        disk = disk_with(seed, reorder=1.0)
        three_writes(disk)
        disk.cut_power()
        seen.add(disk.read())
    assert seen == {b"", b"a", b"\0b", b"ab", b"\0\0c", b"a\0c", b"\0bc", b"abc"}


def test_a_single_write_cannot_be_reordered():
    """And is not counted as if it had been."""
    for seed in range(20):
        disk = disk_with(seed, reorder=1.0)
        disk.write(0, b"a")
        disk.cut_power()
        assert disk.counts["reordered_writes"] == 0


def test_tearing_leaves_a_part_of_the_last_write_kept():
    """Every proper part of it occurs."""
    seen = set()
    for seed in range(200):
        disk = disk_with(seed, tear=1.0)
        disk.write(0, b"abcd")
        disk.cut_power()
        seen.add(disk.read())
        assert disk.counts["torn_write"] == 1 - disk.counts["lost_write"]
    assert seen == {b"", b"a", b"ab", b"abc"}


def test_a_cut_is_not_torn():
    """A truncation is done or not done."""
    seen = set()
    for seed in range(20):
        disk = disk_with(seed, data=b"abcd", tear=1.0)
        disk.truncate(1)
        disk.cut_power()
        seen.add(disk.read())
    assert seen == {b"a", b"abcd"}


def test_a_failed_write_may_have_written_a_part():
    """Of any length, whole and none included."""
    seen = set()
    for seed in range(100):
        disk = disk_with(seed, write_error=1.0)
        with pytest.raises(DiskError, match="write of 3 bytes at 0"):
            disk.write(0, b"abc")
        assert disk.counts["write_error"] == 1
        seen.add(disk.read())
    assert seen == {b"", b"a", b"ab", b"abc"}


def test_a_failed_sync_is_not_healed_by_another():
    """The cache shows all, the next sync succeeds, and after a power cut the writes are gone all the same."""
    lost = 0
    for seed in range(50):
        disk = disk_with(seed, sync_error=1.0)
        three_writes(disk)
        with pytest.raises(DiskError, match="sync"):
            disk.sync()
        assert disk.read() == b"abc"
        disk.faults = DiskFaults()
        disk.sync()
        disk.cut_power()
        assert b"abc".startswith(disk.read())
        lost += disk.read() != b"abc"
    assert lost > 20


def test_a_full_disk_takes_what_fits():
    """And says so with an error of its own; what lies below the limit can still be written over."""
    disk = disk_with(capacity_bytes=4)
    with pytest.raises(DiskFull, match="5 bytes wanted, 4 there are"):
        disk.write(2, b"abc")
    assert disk.read() == b"\0\0ab"
    disk.write(0, b"full")
    assert disk.counts["disk_full"] == 1
    with pytest.raises(DiskFull):
        disk.write(9, b"x")
    assert len(disk.read()) == 4


def test_a_flipped_bit_is_read_once_and_nowhere_kept():
    """One bit per read; the platter is right."""
    disk = disk_with(data=bytes(100), read_flip=1.0)
    for _ in range(10):
        assert int.from_bytes(disk.read(), "big").bit_count() == 1
    assert disk.synced == bytes(100)
    assert disk.counts["read_flip"] == 10
    assert disk_with(read_flip=1.0).read() == b""


def test_rot_stays():
    """One bit is wrong after the crash, for every reader."""
    disk = disk_with(data=bytes(100), rot=1.0)
    disk.crash()
    assert disk.read() == disk.synced
    assert int.from_bytes(disk.read(), "big").bit_count() == 1
    assert disk.counts["rot"] == 1


def test_rot_hits_what_the_cache_no_longer_shows():
    """A bit behind a cut that is not synced is wrong on the platter only."""
    for seed in range(10):
        disk = disk_with(seed, data=bytes(100), rot=1.0)
        disk.truncate(0)
        disk.crash()
        assert disk.read() == b""
        assert disk.synced != bytes(100)


def test_a_stale_disk_comes_back_with_an_earlier_synced_state():
    """As a whole: never a mixture, never one that was not synced."""
    fell_back = 0
    for seed in range(100):
        disk = disk_with(seed, stale=1.0)
        states = [b""]
        for number in range(5):
            disk.write(number, b"x")
            disk.sync()
            states.append(disk.synced)
        disk.write(5, b"unsynced")
        went = disk.crash()
        assert went == bool(disk.counts["stale_disk"])
        if went:
            assert disk.read() in states
            assert disk.unsynced_writes == 0
            fell_back += disk.read() != states[-1]
    assert fell_back > 20


def test_a_disk_without_faults_takes_no_time_and_no_numbers():
    """Neutral defaults: the generator is where it was."""
    generator = Streams(1)("disk")
    disk = SimulatedDisk(DiskFaults(), generator)
    disk.write(0, b"a")
    disk.read()
    disk.sync()
    disk.crash()
    assert disk.sync_ns() == 0
    assert generator.bit_generator.state == Streams(1)("disk").bit_generator.state
    assert disk.counts == dict.fromkeys(DISK_FAULTS, 0)


def test_syncs_take_the_time_they_are_told_to():
    """Minimum plus an exponential: the mean within five standard errors."""
    disk = disk_with(sync_min_ns=1000, sync_mean_ns=500)
    times = np.array([disk.sync_ns() for _ in range(4000)])
    assert times.min() >= 1000
    assert abs(times.mean() - 1500) < 5 * 500 / 4000**0.5


def test_a_slow_sync_takes_a_multiple():
    """And is counted."""
    disk = disk_with(sync_min_ns=10, slow=0.5, slow_factor=7.0)
    times = [disk.sync_ns() for _ in range(200)]
    assert set(times) == {10, 70}
    assert disk.counts["slow_sync"] == times.count(70)


def test_the_same_calls_give_the_same_disk():
    """Bytes, failures and counts repeat for the same seed, and differ between seeds."""

    def life(seed):
        disk = disk_with(seed, power_cut=0.5, reorder=0.5, tear=0.5, write_error=0.1, sync_error=0.2, read_flip=0.2)
        seen = []
        for step in range(200):
            try:
                disk.write(step, bytes([step]) * (step % 7))
                if step % 3 == 0:
                    disk.sync()
                if step % 20 == 19:
                    disk.crash()
            except DiskError as problem:
                seen.append(str(problem))
            seen.append(disk.read())
        return seen, disk.counts

    assert life(1) == life(1)
    assert life(1) != life(2)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("power_cut", 1.5),
        ("tear", -0.1),
        ("sync_error", float("nan")),
        ("capacity_bytes", -1),
        ("sync_mean_ns", -1),
        ("slow_factor", 0.5),
        ("slow_factor", float("nan")),
    ],
)
def test_impossible_options_are_refused(option, value):
    """The message names the option."""
    with pytest.raises(InputError, match=rf"disk\.{option} = "):
        DiskFaults(**{option: value})
