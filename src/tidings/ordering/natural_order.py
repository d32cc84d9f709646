"""The order of identifiers: digits inside a name count as numbers, so that t2 comes before t10."""

import re
from typing import TypeAlias

NaturalKey: TypeAlias = tuple[tuple[str | tuple[int, str], ...], str]

_DIGITS = re.compile(r"([0-9]+)")


def natural_key(name: str) -> NaturalKey:
    """Sorts names by their parts; names that differ only in leading zeros by their text."""
    parts: list[str | tuple[int, str]] = list(_DIGITS.split(name))
    for position in range(1, len(parts), 2):
        # By length, then text: equal to the order of the numbers, whatever their size.
        digits = str(parts[position]).lstrip("0")
        parts[position] = (len(digits), digits)
    return tuple(parts), name
