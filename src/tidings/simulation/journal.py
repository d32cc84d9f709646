"""Where a broker's records are kept: on a simulated disk, or in a list where no disk can do harm.

Both keep the same: what was synced is there when the process comes back. The tests hold the list to the disk.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol

import msgspec
import numpy as np

from tidings.delivery.record_log import RecordLog
from tidings.simulation.disk import DiskFaults, SimulatedDisk
from tidings.vocabulary.machine import Effects


class Journal(Protocol):
    """One broker's."""

    def open(self) -> tuple[bytes, ...]:
        """A process begins: the records that are there."""

    def write(self, batches: Iterable[Effects]) -> int:
        """Append the records of some batches; gives how long it takes until `sync` may be called."""

    def sync(self) -> None:
        """All that was written is there for good."""

    def crash(self) -> None:
        """The process is gone, perhaps with what was not synced."""

    def may_fail(self, *, may: bool) -> None:
        """From now on writes and syncs may fail (DiskError), or may not; at first they may not."""

    @property
    def counts(self) -> Mapping[str, int]:
        """What the disk did, by the names of `DISK_FAULTS`."""


class ListJournal:
    """A disk that takes no time and cannot fail."""

    def __init__(self) -> None:
        self._records: list[bytes] = []

    def open(self) -> tuple[bytes, ...]:
        """All records."""
        return tuple(self._records)

    def write(self, batches: Iterable[Effects]) -> int:
        """They are there at once."""
        for batch in batches:
            if batch.anew:
                self._records = []
            self._records += [one.record for one in batch.store]
        return 0

    def sync(self) -> None:
        """Nothing is left to do."""

    def crash(self) -> None:
        """Nothing is ever unsynced."""

    def may_fail(self, *, may: bool) -> None:
        """It never does."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Nothing ever happens."""
        return {}


class DiskJournal:
    """A record log on a simulated disk; one that is begun anew has a disk of its own until it is synced.

    Whoever meets a DiskError must crash: only `open` tells what is left. A disk that was full is twice as large then.

    The first record of a log says how many records belong to its beginning: one that holds fewer was never synced whole,
    and its predecessor is still there.
    """

    def __init__(self, owner: str, faults: DiskFaults, generator: np.random.Generator) -> None:
        self._owner, self._generator = owner, generator
        self._failing, self._faults = faults, without_failures(faults)
        self._enlarged = 0
        self._gone: Counter[str] = Counter()
        self._disks: list[SimulatedDisk] = []
        self._logs: list[RecordLog] = []
        self._begin(0)
        self.sync()

    def open(self) -> tuple[bytes, ...]:
        """All records of the last log that was begun whole."""
        self._make_room()
        opened = [(disk, *RecordLog.open(disk, owner=self._owner)) for disk in self._disks]
        whole = [one for one in opened if _is_whole([record.payload for record in one[2].records])]
        disk, log, found = whole[-1]
        log.begin_term(log.term + 1)
        self._keep_only(disk, log)
        return tuple(record.payload for record in found.records[1:])

    def write(self, batches: Iterable[Effects]) -> int:
        """Append to the disk's cache."""
        for batch in batches:
            if batch.anew:
                self._begin(len(batch.store))
            for one in batch.store:
                _append(self._logs[-1], one.record)
        return self._disks[-1].sync_ns()

    def sync(self) -> None:
        """Sync what was written; of several logs the last is enough."""
        self._logs[-1].sync()
        self._keep_only(self._disks[-1], self._logs[-1])

    def crash(self) -> None:
        """Each disk loses what it loses."""
        for disk in self._disks:
            disk.crash()

    def may_fail(self, *, may: bool) -> None:
        """For all its disks; what else they do to unsynced writes and to time does not depend on it."""
        self._faults = self._failing if may else without_failures(self._failing)
        for disk in self._disks:
            disk.faults = self._faults

    @property
    def counts(self) -> Mapping[str, int]:
        """What its disks did, those that are gone included."""
        counts = Counter(self._gone)
        for disk in self._disks:
            counts.update(disk.counts)
        return counts

    def _make_room(self) -> None:
        """As somebody does between a start and the failure before it."""
        full = self.counts.get("disk_full", 0)
        capacity = self._faults.capacity_bytes
        if full > self._enlarged and capacity is not None:
            self._failing = msgspec.structs.replace(self._failing, capacity_bytes=2 * capacity)
            self.may_fail(may=True)
        self._enlarged = full

    def _begin(self, records: int) -> None:
        disk = SimulatedDisk(self._faults, self._generator)
        self._disks.append(disk)
        log, _ = RecordLog.open(disk, owner=self._owner)
        log.begin_term(1)
        _append(log, records.to_bytes(8, "little"))
        self._logs.append(log)

    def _keep_only(self, kept: SimulatedDisk, log: RecordLog) -> None:
        for disk in self._disks:
            if disk is not kept:
                self._gone.update(disk.counts)
        self._disks, self._logs = [kept], [log]


def without_failures(faults: DiskFaults) -> DiskFaults:
    """The same without errors and without end of room."""
    return msgspec.structs.replace(faults, write_error=0.0, sync_error=0.0, capacity_bytes=None)


def _append(log: RecordLog, record: bytes) -> None:
    log.append(record, term=log.term, expected_number=log.next_number)


def _is_whole(payloads: list[bytes]) -> bool:
    return len(payloads) > 0 and len(payloads) > int.from_bytes(payloads[0], "little")
