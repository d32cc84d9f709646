"""Where a simulated world writes its rows: a log folder, or memory, where nobody keeps them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Tables(Protocol):
    """What a world asks of a log folder."""

    def keeps(self, table: str) -> bool:
        """False when rows of `table` are not wanted; writing them is harmless and does nothing."""

    def code(self, name: str) -> int:
        """The code of `name`, a new one when it was not known."""

    def write(self, table: str, columns: Mapping[str, Any]) -> None:
        """Add rows by columns, names as codes."""


class TablesInMemory:
    """Keeps columns of integers of the tables named, for those who count a run and throw it away."""

    def __init__(self, tables: Collection[str]) -> None:
        self._parts: dict[str, list[Mapping[str, Any]]] = {table: [] for table in tables}
        self._codes: dict[str, int] = {}

    def keeps(self, table: str) -> bool:
        """True for those named."""
        return table in self._parts

    def code(self, name: str) -> int:
        """Counted from 0 as names come."""
        return self._codes.setdefault(name, len(self._codes))

    def write(self, table: str, columns: Mapping[str, Any]) -> None:
        """Rows of other tables are thrown away."""
        if table in self._parts:
            self._parts[table].append(columns)

    def column(self, table: str, name: str) -> NDArray[np.int64]:
        """A column, whole."""
        parts: Sequence[Any] = [part[name] for part in self._parts[table]]
        return np.concatenate([np.empty(0, np.int64), *(np.asarray(part, np.int64) for part in parts)])
