"""Which files are which: the layouts that come with the package, and whoever reads them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final, TypeAlias

from pyspark.sql import SparkSession

from tidings.errors import InputError
from tidings.logs.staging import RUN_FILE
from tidings.profiling import cities, matrices, monitor, posts, run_folders
from tidings.profiling.mapping import TableMapping, mapping_from
from tidings.profiling.normalise import part_of
from tidings.profiling.normalised import Part, Tables

Read: TypeAlias = Callable[[SparkSession, Sequence[Path]], Part | Tables]


@dataclass(frozen=True)
class Layout:
    """A kind of files: what their paths look like, and how they are read."""

    about: str
    files: str
    read: Read


_WRITTEN: Final[Mapping[str, Layout]] = {
    "monitor": Layout("what a monitor says of sites, up or down, with response times", monitor.FILES, monitor.read),
    "matrices": Layout("matrices of round-trip times in milliseconds, packed", matrices.FILES, matrices.read),
    "posts": Layout("posts with tags, threads with users: one number a line", posts.FILES, posts.read),
}
"""Layouts that no mapping can say."""
RUN: Final = "run"


@cache
def layouts() -> Mapping[str, Layout]:
    """All that come with the package, by name."""
    found = dict(_WRITTEN)
    for entry in sorted((files("tidings.profiling") / "layouts").iterdir(), key=lambda one: one.name):
        name = entry.name.removesuffix(".toml")
        mapping = mapping_from(entry.read_text(encoding="utf-8"), entry.name)
        found[name] = Layout(mapping.about, mapping.files, _reader(name, mapping))
    return found


def sorted_by_layout(
    paths: Sequence[Path], mapping: TableMapping | None, layout: str | None
) -> list[tuple[Read, list[Path]]]:
    """Who reads which of these files: a mapping or layout that was named takes them all, else their names decide.

    Raises InputError for a file that nothing fits.
    """
    if layout is not None and layout not in layouts():
        raise InputError(f"--layout: there is no {layout}; there are {', '.join(layouts())}")
    runs = [path for path in paths if (path / RUN_FILE).is_file()]
    others = [path for path in paths if path not in runs]
    found: dict[str, list[Path]] = {}
    for path in others:
        found.setdefault("" if mapping is not None else layout or _layout_of(path), []).append(path)
    chosen = [(_reads(mapping) if mapping is not None else layouts()[name].read, some) for name, some in found.items()]
    return [*chosen, (run_folders.read, runs)] if runs else chosen


def _layout_of(path: Path) -> str:
    for name, layout in layouts().items():
        if re.search(layout.files, path.as_posix()):
            return name
    raise InputError(
        f"{path}: no layout knows files of this name; say what its columns are with --mapping FILE, "
        f"or which layout it has with --layout ({', '.join(layouts())})"
    )


def _reads(mapping: TableMapping) -> Read:
    return lambda spark, some: part_of(spark, mapping, some)


def _reader(name: str, mapping: TableMapping) -> Read:
    if name != "cities":
        return _reads(mapping)
    return lambda spark, some: cities.named_alike(part_of(spark, mapping, some))
