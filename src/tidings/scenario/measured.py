"""Files of measurements that a scenario names: single values, outages of a link, traces of a publisher."""

import csv
import hashlib
from pathlib import Path, PurePosixPath
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tidings.scenario.source import Place
from tidings.scenario.world import NamedFile
from tidings.vocabulary.distribution import Empirical
from tidings.vocabulary.instant import FOREVER, parse_duration

VALUES_MAX: Final = 1_000_000
TRACE_COLUMNS: Final = {
    "published_ns": "integer",
    "topic": "string",
    "attributes": "map<string, string>",
    "payload_bytes": "integer",
}
"""What a trace holds, and as which type; what is never there may have no type."""


def read_measured(place: Place, name: str) -> list[float | str]:
    """The values of a file: the only column of a Parquet file, or one value a line (blank lines and # are skipped)."""
    path = place.companion(name)
    values = _parquet_values(path, place) if path.suffix == ".parquet" else _text_values(path, place)
    if not 1 <= len(values) <= VALUES_MAX:
        raise place.wrong(name, f"holds {len(values)} values; 1 to {VALUES_MAX} would be right")
    return values


def named_file(place: Place, name: str) -> NamedFile:
    """A file that a world goes on naming. One from elsewhere gets a name that its content decides."""
    path = place.companion(name)
    return NamedFile(name=name if is_portable(name) else f"{path.stem}-{_digest(path)}{path.suffix}", path=path)


def is_portable(name: str) -> bool:
    """True when a scenario in another folder can name it too: beside it or below."""
    parts = PurePosixPath(name)
    return not parts.is_absolute() and ".." not in parts.parts


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=6)).hexdigest()


def write_measured(path: Path, found: Empirical) -> None:
    """Write the values of `found` so that `read_measured` gives the same numbers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pq.write_table(pa.table({"value": pa.array(found.values)}), path)
    else:
        path.write_text("".join(f"{value!r}\n" for value in found.values.tolist()), encoding="utf-8")


def read_outages(place: Place, name: str) -> tuple[tuple[int, int], ...]:
    """Two durations a line, down and up, counted from the start: `10s, 12s`; plain numbers are nanoseconds."""
    spans = []
    for number, line in enumerate(_text(place.companion(name), place).splitlines(), start=1):
        cells = [cell.strip() for cell in line.split(",")]
        if not line.strip() or line.lstrip().startswith("#") or cells == ["down_ns", "up_ns"]:
            continue
        try:
            down, up = (int(cell) if cell.isdecimal() else parse_duration(cell) for cell in cells)
        except ValueError:
            raise place.wrong(name, f'line {number} must be two instants, down and up, as in "10s, 12s"') from None
        spans.append((down, up))
    return check_spans(spans, place, name)


def check_spans(spans: list[tuple[int, int]], place: Place, value: object) -> tuple[tuple[int, int], ...]:
    """Outages must not be empty, and each must begin after the one before has ended."""
    before = -1
    for down, up in spans:
        if not before < down < up < FOREVER:
            raise place.wrong(
                value, f"outage ({down} ns, {up} ns) must come after the one before, and end after it began"
            )
        before = up
    return tuple(spans)


def trace_topics(place: Place, path: Path) -> tuple[str, ...]:
    """The topics of a trace, sorted; the table must have the contract's columns and hold events."""
    try:
        schema = pq.read_schema(path)
        for name, kind in TRACE_COLUMNS.items():
            if name not in schema.names:
                raise place.wrong(path.name, f"lacks the column {name}; a trace has {', '.join(TRACE_COLUMNS)}")
            if not _is_kind(schema.field(name).type, kind):
                raise place.wrong(path.name, f"column {name} must be {kind}, not {schema.field(name).type}")
        topics = pc.unique(pq.read_table(path, columns=["topic"]).column("topic")).to_pylist()
    except (pa.ArrowException, OSError) as problem:
        raise place.wrong(path.name, f"must be a Parquet table of events: {problem}") from None
    if not topics or not all(isinstance(topic, str) for topic in topics):
        raise place.wrong(path.name, "must hold at least one event, and a topic with each")
    return tuple(sorted(topics))


def _is_kind(found: pa.DataType, kind: str) -> bool:
    if pa.types.is_dictionary(found):
        return _is_kind(found.value_type, kind)
    if pa.types.is_map(found):
        return kind.startswith("map") and _is_kind(found.key_type, "string") and _is_kind(found.item_type, "string")
    if pa.types.is_string(found) or pa.types.is_large_string(found):
        return kind == "string"
    return pa.types.is_null(found) or (kind == "integer" and pa.types.is_integer(found))


def _parquet_values(path: Path, place: Place) -> list[float | str]:
    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as problem:
        raise place.wrong(path.name, f"must be a Parquet file: {problem}") from None
    if table.num_columns != 1 or table.column(0).null_count:
        raise place.wrong(path.name, "must have one column, without nulls")
    values: list[float | str] = table.column(0).to_pylist()
    if not all(isinstance(value, int | float | str) for value in values):
        raise place.wrong(path.name, "must hold numbers, or durations as text")
    return values


def _text_values(path: Path, place: Place) -> list[float | str]:
    values: list[float | str] = []
    for row in csv.reader(_text(path, place).splitlines()):
        if not row or not row[0].strip() or row[0].startswith("#"):
            continue
        if len(row) != 1:
            raise place.wrong(path.name, f"must hold one value a line, not {len(row)}")
        values.append(_number_or_text(row[0].strip()))
    return values


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _text(path: Path, place: Place) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise place.wrong(path.name, f"must be UTF-8; byte {error.start} is not") from None
    except OSError as error:
        raise place.wrong(path.name, f"cannot be read ({error.strerror})") from None
