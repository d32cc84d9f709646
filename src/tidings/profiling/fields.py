"""Values of a row as Spark expressions: texts become numbers, instants and filter literals, or a reason why not."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from pyspark.sql import Column
from pyspark.sql import functions as fn

from tidings.profiling.mapping import UNITS, Field, Said, columns_of, field_of
from tidings.profiling.rows import Rows

_MICRO: Final = 1_000
_TRUE: Final = ("1", "true", "yes", "y", "t")
_FALSE: Final = ("0", "false", "no", "n", "f")


class Parsed(NamedTuple):
    """A value, null where there is none; and the reason why the row is bad, null where it is not."""

    value: Column
    reason: Column


Read: TypeAlias = Callable[[Rows, Field], Column]


def required(rows: Rows, name: str, said: Said, read: Read) -> Parsed:
    """A value that every row must have."""
    field = field_of(said)
    value = read(rows, field)
    return Parsed(value, fn.when(value.isNull(), _complaint(rows, name, field)))


def optional(rows: Rows, name: str, said: Said | None, read: Read, otherwise: Column) -> Parsed:
    """A value that a row may lack; one that is there and cannot be read is a bad row all the same."""
    if said is None:
        return Parsed(otherwise, fn.lit(None).cast("string"))
    field = field_of(said)
    value, raw = read(rows, field), text(rows, field)
    return Parsed(
        fn.coalesce(value, otherwise), fn.when(value.isNull() & raw.isNotNull(), _complaint(rows, name, field))
    )


def text(rows: Rows, field: Field) -> Column:
    """What stands there, trimmed; null where nothing does."""
    if field.value is not None:
        return fn.lit(str(field.value).lower() if isinstance(field.value, bool) else str(field.value))
    if field.file is not None:
        found = [fn.regexp_extract("file", field.file, 1)]
    else:
        found = [fn.trim(rows.cell(name).cast("string")) for name in columns_of(field)]
    if field.within is not None:
        found = [fn.regexp_extract(one, field.within, 1) for one in found]
    kept = fn.coalesce(*(fn.when(~one.isin("", *field.absent), one) for one in found))
    return fn.upper(kept) if field.upper else kept


def number(rows: Rows, field: Field) -> Column:
    """A finite number, in nanoseconds or metres where it has a unit."""
    return _double(text(rows, field)) * UNITS.get(field.unit or "", 1) / field.per


def whole(rows: Rows, field: Field) -> Column:
    """A number, rounded."""
    return fn.round(number(rows, field)).cast("bigint")


def instant(rows: Rows, field: Field) -> Column:
    """Nanoseconds since 1970, or since the day began where no day is said."""
    if field.format is not None:
        patterns = [field.format] if isinstance(field.format, str) else field.format
        found = fn.coalesce(*(_parsed(text(rows, field), pattern) for pattern in patterns))
    elif field.unit is None and not rows.text:
        found = fn.unix_micros(rows.cell(columns_of(field)[0]).try_cast("timestamp")) * _MICRO
    else:
        # Exactly: a double holds no nanoseconds of our century.
        size = fn.lit(int(UNITS[field.unit or "ns"])).cast("decimal(14,0)")
        found = fn.round(text(rows, field).try_cast("decimal(24,9)") * size).try_cast("bigint")
    return found if field.day is None else found + instant(rows, field.day)


def truth(rows: Rows, field: Field) -> Column:
    """True or false, in the words of many."""
    said = fn.lower(text(rows, field))
    return fn.when(said.isin(*_TRUE), fn.lit(True)).when(said.isin(*_FALSE), fn.lit(False))


def literal(rows: Rows, field: Field) -> Column:
    """A filter literal: `"IBM"`, `10`, `10.5`, `true`."""
    if field.kind == "number":
        return number(rows, field).cast("string")
    if field.kind == "whole":
        return whole(rows, field).cast("string")
    if field.kind == "truth":
        return truth(rows, field).cast("string")
    inside = fn.to_json(fn.array(text(rows, field)))
    return fn.when(text(rows, field).isNotNull(), fn.substr(inside, fn.lit(2), fn.length(inside) - 2))


def literals(rows: Rows, said: Mapping[str, Said]) -> Parsed:
    """The attributes of an event; those that a row lacks are left out."""
    kind = "map<string,string>"
    if not said:
        return Parsed(fn.create_map().cast(kind), fn.lit(None).cast("string"))
    parts = {name: optional(rows, name, one, literal, fn.lit(None).cast("string")) for name, one in said.items()}
    pairs = [column for name, part in parts.items() for column in (fn.lit(name), part.value)]
    kept = fn.map_filter(fn.create_map(*pairs), lambda _, value: value.isNotNull())
    return Parsed(kept.cast(kind), fn.coalesce(*(part.reason for part in parts.values())))


def _parsed(said: Column, pattern: str) -> Column:
    """Nanoseconds since 1970. Years of two digits are those from 1970 to 2069."""
    found = fn.try_to_timestamp(said, fn.lit(pattern))
    year = fn.year(found)
    century = fn.when(year < 70, fn.make_interval(fn.lit(2000))).when(year < 100, fn.make_interval(fn.lit(1900)))
    return fn.unix_micros(fn.coalesce(found + century, found)) * _MICRO


def _double(found: Column) -> Column:
    value = found.try_cast("double")
    return fn.when(~fn.isnan(value) & (fn.abs(value) < float("inf")), value)


def _complaint(rows: Rows, name: str, field: Field) -> Column:
    shown = fn.coalesce(fn.substring(text(rows, field), 1, 80), fn.lit("nothing"))
    return fn.concat(fn.lit(f"{name}: "), shown, fn.lit(" is not what the mapping says"))
