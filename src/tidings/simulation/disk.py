"""A disk that behaves as badly as disks do: one file of bytes, volatile until synced.

Three images of the file: what a reader sees (the page cache), what would survive a power cut (the platter), and the
operations between the two that wait for a sync. Killing a process loses nothing of the first; a power cut leaves only the
second and, by chance, some of the third. After a sync that failed the cache goes on showing bytes that no later sync will
write, as kernels do (Rebello et al., "Can Applications Recover from fsync Failures?", USENIX ATC 2020).

Not modelled: directories, so that a file never vanishes or gets renamed.
"""

from typing import Final

import msgspec
import numpy as np

from tidings.errors import DiskError, DiskFull, InputError

DISK_FAULTS: Final = (
    "power_cut",
    "lost_write",
    "reordered_writes",
    "torn_write",
    "write_error",
    "sync_error",
    "disk_full",
    "slow_sync",
    "read_flip",
    "rot",
    "stale_disk",
)
"""What a disk counts."""

_IMAGE_SHARE: Final = 0.25
"""Chance of a sync to become the state that a stale disk falls back to."""


class DiskFaults(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a disk may do; the defaults are a disk that never fails and takes no time.

    All but the last three can be survived; those break the promise of any log, and ask for detection only.
    """

    power_cut: float = 0.0
    """Chance of a crash to take along what was not synced: all of it from a random write on."""
    reorder: float = 0.0
    """Chance of a power cut to keep any subset of the unsynced writes instead of the first few."""
    tear: float = 0.0
    """Chance of a power cut to leave the last write kept unfinished, at a random byte."""
    write_error: float = 0.0
    """Chance of a write to fail, part of it done."""
    sync_error: float = 0.0
    """Chance of a sync to fail; the first few writes may have reached the platter, the others never will."""
    capacity_bytes: int | None = None
    """Room; None: no end of it."""
    sync_min_ns: int = 0
    """Least time of a sync."""
    sync_mean_ns: int = 0
    """Mean of what comes on top, exponential."""
    slow: float = 0.0
    """Chance of a sync to take `slow_factor` times as long."""
    slow_factor: float = 1.0
    read_flip: float = 0.0
    """Chance of a read to return one bit wrong; the platter is right."""
    rot: float = 0.0
    """Chance of a crash to leave one bit wrong for good."""
    stale: float = 0.0
    """Chance of a crash to bring back an earlier synced state as a whole."""

    def __post_init__(self) -> None:
        for name in ("power_cut", "reorder", "tear", "write_error", "sync_error", "slow", "read_flip", "rot", "stale"):
            check_chance(f"disk.{name}", getattr(self, name))
        for name in ("capacity_bytes", "sync_min_ns", "sync_mean_ns"):
            check_not_negative(f"disk.{name}", getattr(self, name))
        if not 1 <= self.slow_factor <= 1e6:
            raise InputError(f"disk.slow_factor = {self.slow_factor}: must be from 1 to a million")


def check_chance(name: str, value: float) -> None:
    """InputError unless `value` is a probability."""
    if not 0 <= value <= 1:
        raise InputError(f"{name} = {value}: must be a probability, from 0 to 1")


def check_not_negative(name: str, value: int | None) -> None:
    """InputError for a number below 0."""
    if value is not None and value < 0:
        raise InputError(f"{name} = {value}: must not be negative")


class _Write(msgspec.Struct, frozen=True, gc=False):
    offset: int
    data: bytes


class _Truncate(msgspec.Struct, frozen=True, gc=False):
    size: int


class SimulatedDisk:
    """One file. The same generator, options and calls give the same bytes and failures.

    `counts` says what really happened, by the names in `DISK_FAULTS`; `faults` may be exchanged as time goes by.
    """

    __slots__ = ("_cache", "_generator", "_pending", "_platter", "_stale", "counts", "faults")

    def __init__(self, faults: DiskFaults, generator: np.random.Generator, data: bytes = b"") -> None:
        self.faults, self._generator = faults, generator
        self._cache = bytearray(data)
        self._platter = bytearray(data)
        self._pending: list[_Write | _Truncate] = []
        self._stale: bytes | None = None
        self.counts: dict[str, int] = dict.fromkeys(DISK_FAULTS, 0)

    @property
    def synced(self) -> bytes:
        """What would be left if every unsynced write were lost now."""
        return bytes(self._platter)

    @property
    def unsynced_writes(self) -> int:
        """How many writes and truncations wait for a sync."""
        return len(self._pending)

    def read(self) -> bytes:
        """The whole file as the cache shows it, a flipped bit perhaps included."""
        data = bytearray(self._cache)
        if data and self._happens("read_flip", self.faults.read_flip):
            _flip_bit(data, self._below(8 * len(data)))
        return bytes(data)

    def write(self, offset: int, data: bytes) -> None:
        """Put `data` at `offset`, in the cache; a gap before it reads as zeros.

        Raises:
            DiskFull: it does not fit; what fits has been written.
            DiskError: it failed; a part of random length has been written.
        """
        capacity = self.faults.capacity_bytes
        if capacity is not None and offset + len(data) > capacity:
            self.counts["disk_full"] += 1
            self._do(_Write(offset, data[: max(capacity - offset, 0)]))
            raise DiskFull(f"no space left on the disk: {offset + len(data)} bytes wanted, {capacity} there are")
        if self._happens("write_error", self.faults.write_error):
            self._do(_Write(offset, data[: self._below(len(data) + 1)]))
            raise DiskError(f"input/output error in a write of {len(data)} bytes at {offset}")
        self._do(_Write(offset, data))

    def truncate(self, size: int) -> None:
        """Cut the file to `size` bytes, in the cache."""
        self._do(_Truncate(size))

    def sync(self) -> None:
        """Bring everything to the platter.

        Raises:
            DiskError: the first few operations may be there; the others never will be, though the cache shows them.
        """
        if self._happens("sync_error", self.faults.sync_error):
            self._settle(self._pending[: self._below(len(self._pending) + 1)])
            raise DiskError("input/output error in a sync")
        self._settle(self._pending)
        if self.faults.stale and self._generator.random() < _IMAGE_SHARE:
            self._stale = bytes(self._platter)

    def sync_ns(self) -> int:
        """How long the next sync takes, in nanoseconds of virtual time; drawn anew with each call."""
        faults = self.faults
        extra = self._generator.exponential(faults.sync_mean_ns) if faults.sync_mean_ns else 0.0
        factor = faults.slow_factor if self._happens("slow_sync", faults.slow) else 1.0
        return round((faults.sync_min_ns + extra) * factor)

    def crash(self) -> bool:
        """The process dies; True when what was not synced went with it, as far as chance has it."""
        power_cut = self.faults.power_cut > 0 and self._generator.random() < self.faults.power_cut
        if power_cut:
            self.cut_power()
        if self._stale is not None and self._happens("stale_disk", self.faults.stale):
            self._cache[:] = self._platter[:] = self._stale
            self._pending = []
            power_cut = True
        if self._platter and self._happens("rot", self.faults.rot):
            bit = self._below(8 * len(self._platter))
            _flip_bit(self._platter, bit)
            _flip_bit(self._cache, bit)
        return power_cut

    def cut_power(self) -> None:
        """Keep the platter and, of the unsynced operations, what `reorder` and `tear` let survive."""
        self.counts["power_cut"] += 1
        kept = self._survivors()
        self.counts["lost_write"] += len(self._pending) - len(kept)
        if kept and self._happens("torn_write", self.faults.tear):
            kept[-1] = self._torn(kept[-1])
        self._settle(kept)
        self._cache[:] = self._platter

    def _survivors(self) -> list[_Write | _Truncate]:
        pending = self._pending
        if len(pending) > 1 and self._happens("reordered_writes", self.faults.reorder):
            chosen = self._generator.random(len(pending)) < 0.5
            return [operation for operation, survives in zip(pending, chosen.tolist(), strict=True) if survives]
        return pending[: self._below(len(pending) + 1)]

    def _torn(self, operation: _Write | _Truncate) -> _Write | _Truncate:
        if isinstance(operation, _Truncate):
            return operation
        return _Write(operation.offset, operation.data[: self._below(len(operation.data))])

    def _do(self, operation: _Write | _Truncate) -> None:
        _apply(operation, self._cache)
        self._pending.append(operation)

    def _settle(self, operations: list[_Write | _Truncate]) -> None:
        for operation in operations:
            _apply(operation, self._platter)
        self._pending = []

    def _happens(self, kind: str, chance: float) -> bool:
        """Draw only for what is enabled, and count what came of it."""
        happens = chance > 0 and self._generator.random() < chance
        self.counts[kind] += happens
        return happens

    def _below(self, bound: int) -> int:
        return int(self._generator.integers(max(bound, 1)))


def _apply(operation: _Write | _Truncate, image: bytearray) -> None:
    if isinstance(operation, _Truncate):
        del image[operation.size :]
        return
    if operation.data and operation.offset > len(image):
        image.extend(bytes(operation.offset - len(image)))
    image[operation.offset : operation.offset + len(operation.data)] = operation.data


def _flip_bit(image: bytearray, bit: int) -> None:
    if bit // 8 < len(image):
        image[bit // 8] ^= 1 << bit % 8
