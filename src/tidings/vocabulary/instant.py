"""Instants and durations: integer nanoseconds, everywhere.

An instant counts from the start of a run. Text with a unit exists only at the edges (scenario files, user
properties); `parse_duration` and `format_duration` are the two doors.
"""

import re
from fractions import Fraction
from typing import Final

NANOSECOND: Final = 1
MICROSECOND: Final = 1_000
MILLISECOND: Final = 1_000_000
SECOND: Final = 1_000_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

FOREVER: Final = 2**63 - 1
"""Later than every instant; what an absent lifetime or deadline means."""

DRAWN_MAX: Final = 2**61
"""Longest duration that is drawn, 73 years: an instant and a duration together stay before the end of time."""

UNITS: Final = {
    "ns": NANOSECOND,
    "us": MICROSECOND,
    "ms": MILLISECOND,
    "s": SECOND,
    "min": MINUTE,
    "h": HOUR,
    "d": DAY,
}

_DURATION = re.compile(r"([0-9]{1,19}(?:\.[0-9]{1,18})?)\s*(ns|us|ms|s|min|h|d)")


def parse_duration(text: str) -> int:
    """Nanoseconds of `"20ms"`, exactly; a fraction of a nanosecond is rounded to even.

    Raises ValueError, with a sentence that says what would be right.
    """
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError('a duration is a number and a unit (ns us ms s min h d), as in "20ms"')
    nanoseconds = round(Fraction(match[1]) * UNITS[match[2]])
    if nanoseconds >= FOREVER:
        raise ValueError("a duration must stay below 292 years")
    return nanoseconds


def format_duration(nanoseconds: int) -> str:
    """The shortest text that `parse_duration` reads back as the same number."""
    if nanoseconds == 0:
        return "0s"
    for unit in ("d", "h", "min", "s", "ms", "us"):
        if nanoseconds % UNITS[unit] == 0:
            return f"{nanoseconds // UNITS[unit]}{unit}"
    return f"{nanoseconds}ns"
