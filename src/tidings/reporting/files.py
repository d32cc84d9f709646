"""Reports as files: a page, a JSON document, or a Parquet table; the name's end says which."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from tidings.errors import InputError
from tidings.logs.staging import saying
from tidings.reporting.judged import Judged
from tidings.reporting.page import page

FORMS: Final = (".html", ".json", ".parquet")
_COUNTS: Final = (
    "wanted",
    "on_time",
    "late",
    "expired",
    "lost",
    "acknowledged_lost",
    "duplicates",
    "unexpected",
    "fifo_inversions",
)
_DELAYS: Final = ("delay_p50_ns", "delay_p90_ns", "delay_p99_ns", "delay_max_ns")


def check_report_file(path: Path) -> None:
    """Refuse a report before anything is judged for it."""
    if path.suffix not in FORMS:
        raise InputError(f"--report {path}: the name must end in {', '.join(FORMS)}, which say what to write")
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"--report {path}: is a folder, or in none that is there; name a file")


def write_report(path: Path, title: str, judged: Sequence[Judged]) -> None:
    """Write it whole or not at all; a report that is there already is replaced."""
    partial = path.with_name(f".{path.name}.partial")
    with saying(path):
        try:
            if path.suffix == ".parquet":
                pq.write_table(table(judged), partial)
            elif path.suffix == ".json":
                text = json.dumps({one.name: one.document() for one in judged}, indent=1, ensure_ascii=False)
                partial.write_text(text + "\n", "utf-8")
            else:
                partial.write_text(page(title, judged), "utf-8")
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)


def table(judged: Sequence[Judged]) -> pa.Table:
    """One row for each folder and subscriber."""
    rows: list[dict[str, Any]] = []
    for one in judged:
        predicted = {} if one.comparison is None else {row.subscriber: row.predicted for row in one.comparison.rows}
        for name, entry in one.report.subscribers.items():
            low, high = entry.interval or (None, None)
            rows.append(
                {
                    "folder": one.name,
                    "subscriber": name,
                    "reliability": entry.reliability,
                    "reliability_low": low,
                    "reliability_high": high,
                    "predicted": predicted.get(name),
                    **{count: getattr(entry, count) for count in _COUNTS},
                    **dict(zip(_DELAYS, entry.delay_ns or (None,) * len(_DELAYS), strict=True)),
                }
            )
    return pa.Table.from_pylist(rows, schema=SCHEMA)


SCHEMA: Final = pa.schema(
    [
        pa.field("folder", pa.string(), nullable=False),
        pa.field("subscriber", pa.string(), nullable=False),
        *(pa.field(name, pa.float64()) for name in ("reliability", "reliability_low", "reliability_high", "predicted")),
        *(pa.field(name, pa.int64(), nullable=False) for name in _COUNTS),
        *(pa.field(name, pa.int64()) for name in _DELAYS),
    ]
)
