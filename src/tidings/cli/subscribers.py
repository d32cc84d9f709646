"""What subscribers got, as a table for people: copies of one entry share a row."""

import re
from collections.abc import Mapping
from typing import Any, Final

from tidings.cli.console import print_table

COUNTS: Final = ("wanted", "on_time", "late", "expired", "lost")
_NUMBERS: Final = re.compile(r"\d+")


def print_subscribers(title: str, subscribers: Mapping[str, Mapping[str, Any]]) -> None:
    """Write one row per group: its reliability over all events wanted, its worst member, and its counts."""
    columns = ("subscribers", "number", "reliability", "worst", *COUNTS)
    print_table(title, columns, [_row(name, members) for name, members in grouped(subscribers).items()])


def grouped(subscribers: Mapping[str, Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Entries whose names differ in numbers only, under the name with `*` for each number; alone, under its own name."""
    groups: dict[str, dict[str, Mapping[str, Any]]] = {}
    for name, entry in subscribers.items():
        groups.setdefault(_NUMBERS.sub("*", name), {})[name] = entry
    return {
        group if len(members) > 1 else next(iter(members)): list(members.values()) for group, members in groups.items()
    }


def _row(name: str, members: list[Mapping[str, Any]]) -> tuple[object, ...]:
    sums = {count: sum(member[count] for member in members) for count in COUNTS}
    shares = [member["reliability"] for member in members if member["reliability"] is not None]
    share = sums["on_time"] / sums["wanted"] if sums["wanted"] else None
    return (name, len(members), share, min(shares, default=None), *sums.values())
