"""Durable appends beside SQLite: records a second by size of the group, from one thread, on the disk of the folder given.

`python benchmarks/store.py [FOLDER]`. SQLite: one table, a write-ahead log, synchronous FULL, one transaction per group. Ours:
`tidings.runtime.store`, whose records carry checksums that SQLite's do not. Both in turns, in one run; the ratio counts.
"""

import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tidings.runtime.data_folder import DataFolder
from tidings.runtime.store import Store, StoreOptions

GROUPS: Final = (1, 10, 100, 1000)
RECORD: Final = bytes(range(256))
SECONDS: Final = 1.0
READ: Final = 20_000


def main() -> None:
    """One line for each size of group, and one for reading back."""
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as name:
        folder = Path(name)
        store = Store(DataFolder(folder / "store"), StoreOptions(owner="bench"))
        store.begin([])
        table = sqlite3.connect(folder / "table.sqlite", isolation_level=None)
        table.execute("pragma journal_mode = wal")
        table.execute("pragma synchronous = full")
        table.execute("create table record (number integer primary key, payload blob)")

        def into_table(group: int) -> None:
            table.execute("begin")
            table.executemany("insert into record (payload) values (?)", [(RECORD,)] * group)
            table.execute("commit")

        print(f"{'group':>8}{'ours/s':>12}{'SQLite/s':>12}{'ratio':>8}")
        for group in GROUPS:
            ours = rate(lambda group=group: store.commit([RECORD] * group, [1] * group, []), group)
            theirs = rate(lambda group=group: into_table(group), group)
            print(f"{group:>8,}{ours:>12,.0f}{theirs:>12,.0f}{ours / theirs:>8.2f}")
        ours = rate(lambda: len(store.read(range(READ))), READ)
        theirs = rate(lambda: table.execute(f"select payload from record limit {READ}").fetchall(), READ)  # noqa: S608 - a number of ours
        print(f"{'read':>8}{ours:>12,.0f}{theirs:>12,.0f}{ours / theirs:>8.2f}")


def rate(act: Callable[[], object], records: int) -> float:
    """Records a second, over about a second."""
    act()
    began, done = time.perf_counter(), 0
    while time.perf_counter() - began < SECONDS:
        act()
        done += records
    return done / (time.perf_counter() - began)


if __name__ == "__main__":
    main()
