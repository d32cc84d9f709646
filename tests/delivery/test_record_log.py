"""The record log against terms, numbers, failing disks and crashes; a list of bytes is its twin."""

import numpy as np
import pytest

from tidings.delivery.record_format import FILE_HEAD_BYTES, recover
from tidings.delivery.record_log import RecordLog, record_bytes
from tidings.errors import (
    AppendRefused,
    DiskError,
    DiskFull,
    InputError,
    LogCorrupt,
    LogForeign,
    LogPoisoned,
    StaleTerm,
    WrongNumber,
)
from tidings.simulation.disk import DiskFaults, SimulatedDisk
from tidings.vocabulary.streams import Streams


class PlainDisk:
    """A disk that fails when told to, and remembers what was asked of it."""

    def __init__(self, data=b""):
        self.data, self.calls, self.failing = bytearray(data), [], {}

    def read(self):
        self._call("read")
        return bytes(self.data)

    def write(self, offset, data):
        self._call("write")
        self.data[offset : offset + len(data)] = data

    def truncate(self, size):
        self._call("truncate")
        del self.data[size:]

    def sync(self):
        self._call("sync")

    def _call(self, name):
        self.calls.append(name)
        if name in self.failing:
            raise self.failing[name]


def opened(disk, **options):
    """The log on `disk`, and what it recovered."""
    return RecordLog.open(disk, owner="lima", **options)


def written(disk, count=3, term=1):
    """A log with `count` synced records."""
    log, _ = opened(disk)
    log.begin_term(term)
    for number in range(count):
        log.append(f"{number}".encode(), term=term, expected_number=number)
        log.sync()
    return log


def test_what_is_appended_is_there_after_opening_again():
    """Payloads, terms and numbers survive; the next number follows."""
    disk = PlainDisk()
    written(disk)
    log, found = opened(disk)
    assert [(record.term, record.number, record.payload) for record in found.records] == [
        (1, 0, b"0"),
        (1, 1, b"1"),
        (1, 2, b"2"),
    ]
    assert (log.next_number, log.synced_number, log.term) == (3, 3, 1)
    assert log.append(b"3", term=1, expected_number=3) == 3
    assert log.sync() == 4


def test_numbers_acknowledged_grow_with_sync_only():
    """An append alone acknowledges nothing; a group is acknowledged at once."""
    log, _ = opened(PlainDisk())
    log.append(b"a", term=0, expected_number=0)
    log.append(b"b", term=0, expected_number=1)
    assert (log.synced_number, log.next_number) == (0, 2)
    assert log.sync() == 2


def test_sync_without_appends_does_not_trouble_the_disk():
    """Nothing is waiting: nothing is asked."""
    disk = PlainDisk()
    log, _ = opened(disk)
    disk.failing["sync"] = DiskError("must not be called")
    assert log.sync() == 0


def test_the_size_is_that_of_the_file():
    """Also after opening again, and after appends that are not synced."""
    disk = PlainDisk()
    log, _ = opened(disk)
    assert log.size_bytes == len(disk.data) == FILE_HEAD_BYTES
    log.append(b"12345", term=0, expected_number=0)
    assert log.size_bytes == len(disk.data) == FILE_HEAD_BYTES + record_bytes(5)
    log, _ = opened(disk)
    assert log.size_bytes == len(disk.data)


def test_a_zombie_is_refused_after_fail_over():
    """The old owner's term has ended, whatever number it expects."""
    log = written(PlainDisk(), term=1)
    log.begin_term(2)
    for number in (2, 3, 4):
        with pytest.raises(StaleTerm, match="term 1 has ended: the log is at term 2"):
            log.append(b"zombie", term=1, expected_number=number)
    assert log.append(b"right", term=2, expected_number=3) == 3


def test_a_zombie_is_refused_after_a_restart_of_the_log():
    """A term once begun is on disk, even without a record under it."""
    disk = SimulatedDisk(DiskFaults(), Streams(1)("disk"))
    log, _ = opened(disk)
    log.begin_term(7)
    disk.cut_power()
    log, found = opened(disk)
    assert found.term == log.term == 7
    with pytest.raises(StaleTerm):
        log.append(b"zombie", term=6, expected_number=0)


def test_a_term_is_raised_by_beginning_it_only():
    """An append under a future term is refused, too."""
    log, _ = opened(PlainDisk())
    with pytest.raises(AppendRefused, match="term 1 has not been begun"):
        log.append(b"", term=1, expected_number=0)
    assert log.term == 0


@pytest.mark.parametrize("term", [0, 2, 3])
def test_a_term_does_not_begin_twice(term):
    """Not the same one, and no lower one."""
    log, _ = opened(PlainDisk())
    log.begin_term(3)
    with pytest.raises(StaleTerm):
        log.begin_term(term)


def test_beginning_a_term_acknowledges_what_came_before():
    """It is a synced record behind them."""
    log, _ = opened(PlainDisk())
    log.append(b"a", term=0, expected_number=0)
    log.begin_term(1)
    assert log.synced_number == 1


def test_a_term_beyond_all_bounds_is_refused():
    """The log stays usable."""
    log, _ = opened(PlainDisk())
    with pytest.raises(InputError, match="term"):
        log.begin_term(2**63)
    log.begin_term(2**63 - 1)


@pytest.mark.parametrize("number", [0, 2, 4, -1, 2**62])
def test_a_wrong_number_is_refused(number):
    """Somebody appended in between, or nobody did; the log is as before."""
    disk = PlainDisk()
    log = written(disk)
    before = bytes(disk.data)
    with pytest.raises(WrongNumber, match="the log's next is 3") as refusal:
        log.append(b"x", term=1, expected_number=number)
    assert (refusal.value.expected, refusal.value.next_number) == (number, 3)
    assert bytes(disk.data) == before


def test_a_record_that_is_too_long_is_refused():
    """At the limit it fits; one byte more does not, and the log goes on."""
    log, _ = opened(PlainDisk(), payload_bytes_max=4)
    assert log.append(b"1234", term=0, expected_number=0) == 0
    with pytest.raises(InputError, match="5 bytes: the log takes at most 4"):
        log.append(b"12345", term=0, expected_number=1)
    assert log.append(b"", term=0, expected_number=1) == 1


@pytest.mark.parametrize("bound", [-1, 2**31])
def test_an_impossible_bound_is_refused(bound):
    """Lengths are 32-bit numbers."""
    with pytest.raises(InputError, match="payload_bytes_max"):
        opened(PlainDisk(), payload_bytes_max=bound)


@pytest.mark.parametrize("call", ["write", "sync"])
def test_a_failed_disk_poisons_the_log(call):
    """After one failure nothing is taken or acknowledged, though the disk would work again."""
    disk = PlainDisk()
    log = written(disk)
    log.append(b"3", term=1, expected_number=3)
    disk.failing[call] = DiskError("worn out")
    with pytest.raises(DiskError, match="worn out"):
        log.append(b"4", term=1, expected_number=4) if call == "write" else log.sync()
    disk.failing.clear()
    before = len(disk.calls)
    for attempt in (
        log.sync,
        lambda: log.append(b"4", term=1, expected_number=4),
        lambda: log.begin_term(2),
    ):
        with pytest.raises(LogPoisoned, match="worn out"):
            attempt()
    assert len(disk.calls) == before
    assert log.synced_number == 3


def test_a_term_whose_sync_failed_is_not_begun_for_anybody():
    """The log is poisoned for the old owner as for the new."""
    disk = PlainDisk()
    log = written(disk)
    disk.failing["sync"] = DiskError("worn out")
    with pytest.raises(DiskError):
        log.begin_term(2)
    with pytest.raises(LogPoisoned):
        log.append(b"", term=1, expected_number=3)


def test_an_error_of_another_kind_poisons_as_well():
    """Even one without a text: what happened on disk is unknown."""
    disk = PlainDisk()
    log, _ = opened(disk)
    disk.failing["write"] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        log.append(b"", term=0, expected_number=0)
    with pytest.raises(LogPoisoned, match="KeyboardInterrupt"):
        log.sync()


def test_a_full_disk_keeps_what_was_acknowledged():
    """The part that was written is cut when the log is opened again."""
    room = FILE_HEAD_BYTES + 2 * record_bytes(10) + 20
    disk = SimulatedDisk(DiskFaults(capacity_bytes=room), Streams(1)("disk"))
    log, _ = opened(disk)
    for number in range(2):
        log.append(bytes(10), term=0, expected_number=number)
    log.sync()
    with pytest.raises(DiskFull):
        log.append(bytes(10), term=0, expected_number=2)
    assert len(disk.read()) == room
    log, found = opened(disk)
    assert (len(found.records), found.torn, log.next_number) == (2, True, 2)


def test_a_corrupt_log_is_reported_and_left_alone():
    """Nothing is written, cut or synced."""
    disk = PlainDisk()
    written(disk)
    disk.data[FILE_HEAD_BYTES + 60] ^= 1
    before, disk.calls = bytes(disk.data), []
    with pytest.raises(LogCorrupt, match=r"log of lima is damaged at byte \d+: the 0 records before it") as report:
        opened(disk)
    assert report.value.at < len(before)
    assert (bytes(disk.data), disk.calls) == (before, ["read"])


def test_somebody_elses_log_is_left_alone():
    """As for a corrupt one."""
    disk = PlainDisk()
    written(disk)
    disk.calls = []
    with pytest.raises(LogForeign):
        RecordLog.open(disk, owner="oslo")
    assert disk.calls == ["read"]


def test_a_torn_tail_is_cut_before_anything_else():
    """And what follows is appended in its place."""
    disk = PlainDisk()
    written(disk)
    whole = len(disk.data)
    disk.data += disk.data[-30:-10]
    log, found = opened(disk)
    assert (found.torn, len(disk.data)) == (True, whole)
    log.append(b"3", term=1, expected_number=3)
    assert len(recover(bytes(disk.data)).records) == 4


def test_the_first_open_that_fails_leaves_nothing_behind_that_matters():
    """An unfinished head is begun anew."""
    disk = PlainDisk()
    disk.failing["sync"] = DiskError("not yet")
    with pytest.raises(DiskError):
        opened(disk)
    disk.failing.clear()
    del disk.data[10:]
    log, found = opened(disk)
    assert (found.torn, log.size_bytes, len(disk.data)) == (True, FILE_HEAD_BYTES, FILE_HEAD_BYTES)


def test_after_a_failed_sync_opening_again_brings_the_cache_to_disk():
    """The cache shows records that no sync would write any more; once acknowledged they survive a power cut."""
    for seed in range(50):
        disk = SimulatedDisk(DiskFaults(), Streams(seed)("disk"))
        log = written(disk)
        log.append(b"3", term=1, expected_number=3)
        disk.faults = DiskFaults(sync_error=1.0)
        with pytest.raises(DiskError):
            log.sync()
        disk.faults = DiskFaults()
        _, found = opened(disk)
        assert len(found.records) == 4
        disk.cut_power()
        assert len(opened(disk)[1].records) == 4


def test_after_a_failed_sync_a_torn_tail_is_cut_again():
    """The cache shows the cut already; without a second one old bytes would lie below new ones."""
    whole = SimulatedDisk(DiskFaults(), Streams(1)("disk"))
    written(whole)
    for seed in range(20):
        disk = SimulatedDisk(DiskFaults(sync_error=1.0), Streams(seed)("disk"), whole.read() + b"torn tail")
        with pytest.raises(DiskError):
            opened(disk)
        disk.faults = DiskFaults()
        opened(disk)
        assert disk.synced == disk.read() == whole.read()


FAULTY = DiskFaults(power_cut=0.7, reorder=0.5, tear=0.5, write_error=0.02, sync_error=0.05, capacity_bytes=3000)


class Twin:
    """What a log promises, as two lists: the acknowledged records must be there, in order, and only tried ones may follow."""

    def __init__(self):
        self.acknowledged, self.tried, self.term = [], [], 0

    def check(self, found):
        payloads = [record.payload for record in found.records]
        assert payloads[: len(self.acknowledged)] == self.acknowledged
        extra = payloads[len(self.acknowledged) :]
        assert extra == self.tried[: len(extra)]
        assert found.term >= self.term
        self.acknowledged, self.tried, self.term = payloads, [], found.term


def reopened(disk, twin):
    """Crash and open until the disk lets us; the twin compares."""
    disk.crash()
    while True:
        try:
            log, found = opened(disk)
        except DiskError:
            disk.crash()
            continue
        twin.check(found)
        return log


def one_step(log, twin, generator, step):
    """Append, sync or begin a term, by chance; the twin notes what was tried and what was acknowledged."""
    choice = generator.random()
    if choice < 0.6:
        payload = f"{step}".encode() * int(generator.integers(1, 8))
        twin.tried.append(payload)
        log.append(payload, term=log.term, expected_number=log.next_number)
    elif choice < 0.9:
        number = log.sync()
        twin.acknowledged, twin.tried = twin.acknowledged + twin.tried, []
        assert number == len(twin.acknowledged)
    else:
        log.begin_term(log.term + 1)
        twin.acknowledged, twin.tried, twin.term = twin.acknowledged + twin.tried, [], log.term


def campaign(seed, faults, steps=120):
    """One life of a log; returns the disk for its counters."""
    streams = Streams(seed)
    disk, generator, twin = SimulatedDisk(faults, streams("disk")), streams("life"), Twin()
    log = reopened(disk, twin)
    for step in range(steps):
        try:
            one_step(log, twin, generator, step)
        except DiskError:
            log = reopened(disk, twin)
        if generator.random() < 0.05:
            log = reopened(disk, twin)
    return disk


def test_acknowledged_records_survive_everything_a_disk_does():
    """Random lives of a log against the twin: nothing acknowledged is lost, nothing is invented; every fault happened."""
    total = dict.fromkeys(("power_cut", "lost_write", "reordered_writes", "torn_write"), 0)
    total |= dict.fromkeys(("write_error", "sync_error", "disk_full"), 0)
    for seed in range(150):
        counts = campaign(seed, FAULTY).counts
        total = {kind: count + counts[kind] for kind, count in total.items()}
    assert min(total.values()) >= 20, total


def test_the_twin_notices_a_log_that_acknowledges_too_early():
    """Planted bug: appended is taken for synced."""

    class Hasty(SimulatedDisk):
        def sync(self):
            if self.unsynced_writes % 2:
                super().sync()

    hit = 0
    for seed in range(20):
        streams = Streams(seed)
        disk, generator, twin = Hasty(DiskFaults(power_cut=1.0), streams("disk")), streams("life"), Twin()
        try:
            log = reopened(disk, twin)
            for step in range(60):
                one_step(log, twin, generator, step)
            reopened(disk, twin)
        except AssertionError:
            hit += 1
    assert hit > 0


def test_wrong_bits_are_reported_never_shown():
    """Flips on reading and rot: a log is corrupt or right, and what it shows is a prefix of what was written."""
    reports = 0
    for seed in range(200):
        disk = SimulatedDisk(DiskFaults(read_flip=0.3, rot=0.3), Streams(seed)("disk"))
        try:
            written(disk)
            disk.crash()
            _, found = opened(disk)
        except LogCorrupt:
            reports += 1
            continue
        assert [record.payload for record in found.records] == [b"0", b"1", b"2"]
    assert reports > 20


def test_numbers_beyond_the_records_are_not_reserved():
    """A refused append takes no number."""
    log = written(PlainDisk())
    rng = np.random.default_rng(1)
    for number in rng.integers(-100, 100, 50).tolist():
        if number != 3:
            with pytest.raises(WrongNumber):
                log.append(b"", term=1, expected_number=number)
    assert log.next_number == 3
