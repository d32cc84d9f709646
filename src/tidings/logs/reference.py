"""The page of the reference that describes the log tables, from the meanings that stand in the code."""

import pyarrow as pa

from tidings.vocabulary.records import COLUMNS, NAME_TYPE, Column


def logs_page() -> str:
    """`docs/reference/logs.md`, whole."""
    lines = [
        "# The log tables",
        "",
        (
            "Generated from `tidings.vocabulary.records`. Instants are integer nanoseconds from the start of the run, names are "
            "dictionary-encoded strings, and a table without rows may be absent."
        ),
        "",
    ]
    for table, columns in COLUMNS.items():
        lines += [f"## `{table}.parquet`", "", "| column | type | null | meaning |", "| --- | --- | --- | --- |"]
        lines += [_row(column) for column in columns]
        lines.append("")
    return "\n".join(lines)


def _row(column: Column) -> str:
    kinds: dict[pa.DataType, str] = {NAME_TYPE: "name", pa.int64(): "integer", pa.bool_(): "boolean"}
    kind = kinds.get(column.type, "map of strings")
    return f"| `{column.name}` | {kind} | {'yes' if column.nullable else ''} | {column.meaning} |"
