"""Which files were recorded on which day, by the dates in their names."""

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tidings.errors import InputError

_DATE: Final = re.compile(r"(?<!\d)(\d{8})(?!\d)")


def two_days(files: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The files of the first day and those of the second.

    Raises InputError where names tell of fewer than two days.
    """
    days: dict[str, list[Path]] = defaultdict(list)
    for file in files:
        found = _DATE.search(file.name)
        if found is not None:
            days[found.group(1)].append(file)
    if len(days) < 2:
        known = ", ".join(days) or "none"
        raise InputError(
            f"the demo needs records of two days, told by names such as ibm_20131007_trade.zip; days found: {known}"
        )
    first, second = sorted(days)[:2]
    return days[first], days[second]
