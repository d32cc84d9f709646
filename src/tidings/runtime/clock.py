"""The clocks of this machine: instants count from its start, and are worth nothing after the next one."""

import time
from pathlib import Path
from typing import Final

import msgspec

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


class ClockReading(msgspec.Struct, frozen=True, array_like=True):
    """Both clocks at one moment. Instants of another boot become ours by way of the wall clock."""

    boot: str
    """Which start of which machine the instant counts from."""
    instant_ns: int
    wall_ns: int

    def shift_to(self, other: "ClockReading") -> int:
        """What must be added to an instant of this reading's boot to make it one of `other`'s; 0 for the same boot."""
        if self.boot == other.boot:
            return 0
        return (self.wall_ns - other.wall_ns) - (self.instant_ns - other.instant_ns)


def read_clocks() -> ClockReading:
    """Now, by both clocks."""
    return ClockReading(_boot(), time.monotonic_ns(), time.time_ns())


def _boot() -> str:
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except OSError:  # not Linux: nobody can tell boots apart, so that none is trusted to be the same
        return f"unknown {time.time_ns() - time.monotonic_ns()}"
