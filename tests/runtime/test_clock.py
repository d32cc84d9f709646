"""The clocks: instants of one boot are compared as they are, those of another by way of the wall clock."""

import time

from tidings.runtime.clock import ClockReading, read_clocks


def test_one_boot_needs_no_shift():
    """However the wall clock was set in between."""
    before, after = read_clocks(), read_clocks()
    assert before.boot == after.boot
    assert before.instant_ns <= after.instant_ns
    jumped = ClockReading(before.boot, after.instant_ns, after.wall_ns - 10**12)
    assert before.shift_to(jumped) == 0


def test_another_boot_is_shifted_by_the_wall_clock():
    """An event that was to expire ten seconds after a reading still does, on a machine that was off for an hour."""
    then = ClockReading("a", 5_000, 1_000_000)
    now = ClockReading("b", 70, 1_000_000 + 3_600)
    expires = then.instant_ns + 10
    assert expires + then.shift_to(now) == now.instant_ns - 3_600 + 10


def test_instants_are_the_monotonic_clock():
    """The one that no administrator sets."""
    assert abs(read_clocks().instant_ns - time.monotonic_ns()) < 10**10
