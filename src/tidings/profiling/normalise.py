"""Rows of somebody's files become one of our tables, as a mapping says; bad ones get their reason."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from tidings.profiling.fields import Parsed, instant, literals, number, optional, required, text, truth, whole
from tidings.profiling.mapping import Field, Said, TableMapping, columns_of, field_of
from tidings.profiling.normalised import Part, judged, union
from tidings.profiling.rows import Rows, rows_of
from tidings.vocabulary.instant import parse_duration

_LIGHT_M_PER_NS: Final = 0.299792458


def part_of(spark: SparkSession, mapping: TableMapping, files: Sequence[Path]) -> Part:
    """The rows of these files, judged, and the table that they are."""
    found = [_judged(mapping, rows) for rows in rows_of(spark, mapping, files, list(_columns(mapping)))]
    return Part(union(found), lambda good: {mapping.kind: good if mapping.copies is None else _copied(good, mapping)})


def _judged(mapping: TableMapping, rows: Rows) -> DataFrame:
    parsed = _READ[mapping.kind](rows, mapping)
    reasons = [fn.col("reason"), *(one.reason for one in parsed.values()), *_rules(mapping, rows)]
    return judged(rows.frame, {name: one.value for name, one in parsed.items()}, fn.coalesce(*reasons))


def _columns(mapping: TableMapping) -> Iterator[str]:
    """Every column that the mapping speaks of."""
    for said in (*mapping.fields.values(), *mapping.attributes.values()):
        field: Field | None = field_of(said)
        while field is not None:
            yield from columns_of(field)
            field = field.day
    yield from (rule.column for rule in mapping.rules)
    if mapping.copies is not None:
        yield mapping.copies


def _rules(mapping: TableMapping, rows: Rows) -> Iterator[Column]:
    for rule in mapping.rules:
        value = number(rows, Field(column=rule.column))
        if rule.least is not None:
            yield fn.when(value < rule.least, fn.lit(f"{rule.column}: is below {rule.least:g}"))
        if rule.most is not None:
            yield fn.when(value > rule.most, fn.lit(f"{rule.column}: is above {rule.most:g}"))


def _events(rows: Rows, mapping: TableMapping) -> dict[str, Parsed]:
    fields = mapping.fields
    topic = optional(rows, "topic", fields.get("topic"), text, fn.lit("events"))
    wild = fn.when(topic.value.rlike("[+#]"), fn.lit("topic: has a wildcard, + or #"))
    found = {
        "publisher": required(rows, "publisher", fields["publisher"], text),
        "at_ns": required(rows, "published", fields["published"], instant),
        "topic": Parsed(topic.value, fn.coalesce(topic.reason, wild)),
        "attributes": literals(rows, mapping.attributes),
        "payload_bytes": optional(rows, "payload_bytes", fields.get("payload_bytes"), whole, fn.lit(0).cast("bigint")),
        "lifetime_ns": optional(rows, "lifetime", fields.get("lifetime"), whole, _null("bigint")),
        "file": _plain(fn.col("file")),
        "place": _plain(fn.col("place")),
    }
    if mapping.copies is not None:
        found["copies"] = required(rows, mapping.copies, mapping.copies, whole)
    return found


def _copied(events: DataFrame, mapping: TableMapping) -> DataFrame:
    """A row for each of the events that a row stood for, in the middle of equal parts of the time."""
    assert mapping.over is not None, "copies and over go together"
    over = parse_duration(mapping.over)
    many = events.where("copies > 0").withColumn("copy", fn.explode(fn.expr("sequence(0, copies - 1)")))
    return many.withColumn("at_ns", fn.col("at_ns") + fn.expr(f"({over} * (2 * copy + 1)) div (2 * copies)")).drop(
        "copies", "copy"
    )


def _outages(rows: Rows, mapping: TableMapping) -> dict[str, Parsed]:
    """Components of a group are named after it: others may have the same number."""
    fields = mapping.fields
    down = required(rows, "down", fields["down"], instant)
    up = required(rows, "up", fields["up"], instant)
    name = required(rows, "component", fields["component"], text)
    group = optional(rows, "group", fields.get("group"), text, _null("string"))
    backwards = fn.when(up.value < down.value, fn.lit("up: comes before down"))
    return {
        "component": Parsed(fn.concat_ws("/", group.value, name.value), name.reason),
        "down_ns": down,
        "up_ns": Parsed(up.value, fn.coalesce(up.reason, backwards)),
        "cause": optional(rows, "cause", fields.get("cause"), text, _null("string")),
        "group": group,
        "since_ns": optional(rows, "since", fields.get("since"), instant, _null("bigint")),
        "until_ns": optional(rows, "until", fields.get("until"), instant, _null("bigint")),
    }


def _delays(rows: Rows, mapping: TableMapping) -> dict[str, Parsed]:
    """A round trip counts as two equal ways that vary by themselves; a packet that was lost has no delay."""
    fields = mapping.fields
    lost = optional(rows, "lost", fields.get("lost"), truth, fn.lit(False))
    halves = 1 if "delay" in fields else 2
    said = fields["delay" if halves == 1 else "round_trip"]
    whole_way = optional(rows, "delay", said, number, _null("double"))
    spread = optional(rows, "deviation", fields.get("deviation"), number, fn.lit(0.0))
    shortest = optional(rows, "shortest", fields.get("shortest"), number, whole_way.value)
    metres = optional(rows, "distance", fields.get("distance"), number, fn.lit(0.0))
    wrong = (
        fn.when(lost.value, fn.lit(None).cast("string"))
        .when(whole_way.value.isNull(), fn.lit("delay: is missing"))
        .when(whole_way.value < 0, fn.lit("delay: is negative"))
        .when(shortest.value / halves < metres.value / _LIGHT_M_PER_NS, fn.lit("delay: is shorter than light takes"))
    )
    reasons = (lost.reason, whole_way.reason, spread.reason, shortest.reason, metres.reason, wrong)
    return {
        "one": required(rows, "one", fields["one"], text),
        "other": required(rows, "other", fields["other"], text),
        "delay_ns": Parsed(
            fn.when(~lost.value, fn.round(whole_way.value / halves).cast("bigint")), fn.coalesce(*reasons)
        ),
        "deviation_ns": _plain(fn.round(spread.value / halves**0.5).cast("bigint")),
        "lost": _plain(lost.value),
        "at_ns": optional(rows, "at", fields.get("at"), instant, _null("bigint")),
    }


def _places(rows: Rows, mapping: TableMapping) -> dict[str, Parsed]:
    """Metres as given, or degrees: these are laid on a plane when all are known."""
    fields = mapping.fields
    names = ("longitude", "latitude") if "longitude" in fields else ("x", "y")
    found = {axis: _plane(rows, name, fields[name]) for axis, name in zip("xy", names, strict=True)}
    return {**found, "degrees": _plain(fn.lit("longitude" in fields))}


def _plane(rows: Rows, name: str, said: Said) -> Parsed:
    return required(rows, name, said, number)


def _positions(rows: Rows, mapping: TableMapping) -> dict[str, Parsed]:
    return {
        "subject": required(rows, "subject", mapping.fields["subject"], text),
        "at_ns": required(rows, "at", mapping.fields["at"], instant),
        **_places(rows, mapping),
    }


def _points(rows: Rows, mapping: TableMapping) -> dict[str, Parsed]:
    return {"point": required(rows, "point", mapping.fields["point"], text), **_places(rows, mapping)}


def _interests(rows: Rows, mapping: TableMapping) -> dict[str, Parsed]:
    fields = mapping.fields
    return {
        "subject": required(rows, "subject", fields["subject"], text),
        "topic": required(rows, "topic", fields["topic"], text),
        "weight": optional(rows, "weight", fields.get("weight"), number, fn.lit(1.0)),
    }


def _plain(value: Column) -> Parsed:
    return Parsed(value, _null("string"))


def _null(kind: str) -> Column:
    return fn.lit(None).cast(kind)


_READ: Final[Mapping[str, Callable[[Rows, TableMapping], dict[str, Parsed]]]] = {
    "events": _events,
    "outages": _outages,
    "delays": _delays,
    "positions": _positions,
    "points": _points,
    "interests": _interests,
}
