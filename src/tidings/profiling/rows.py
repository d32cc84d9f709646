"""Rows of files as text by column: CSV and JSON from lines, Parquet as it is; what is no row goes to the quarantine."""

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from tidings.errors import InputError
from tidings.profiling.lines import first_line, lines
from tidings.profiling.mapping import TableMapping

Cell: TypeAlias = Callable[[str], Column]
"""From the name of a column to its value in a row."""
_CORRUPT: Final = "__not_a_row"


@dataclass(frozen=True)
class Rows:
    """Rows of files that are alike: `file, place, text, reason` beside the columns; `reason` where it is no row."""

    frame: DataFrame
    cell: Cell
    text: bool
    """Every cell is text."""


def rows_of(spark: SparkSession, mapping: TableMapping, files: Sequence[Path], needed: Sequence[str]) -> list[Rows]:
    """The rows of all files, those with one header together.

    Raises InputError for a file that lacks a column of `needed`.
    """
    if mapping.format == "parquet":
        return [_parquet(spark, file, needed) for file in files]
    if mapping.format == "json":
        return [_json(spark, mapping, files)]
    headers: dict[tuple[str, ...], list[Path]] = {}
    for file in files:
        headers.setdefault(_header(mapping, file), []).append(file)
    for header, alike in headers.items():
        _check(alike[0], header, needed)
    return [_csv(spark, mapping, alike, header) for header, alike in headers.items()]


def _header(mapping: TableMapping, file: Path) -> tuple[str, ...]:
    if mapping.columns is not None:
        return tuple(mapping.columns)
    text = first_line(file, mapping.encoding)
    if not text.strip():
        raise InputError(f"{file}: is empty; leave it out")
    return tuple(name.strip().lstrip("\ufeff") for name in next(csv.reader([text], delimiter=mapping.separator)))


def _check(file: Path, found: Sequence[str], needed: Sequence[str]) -> None:
    for name in needed:
        if name not in found:
            raise InputError(f"{file}: has no column {name!r}; it has {', '.join(found)}: give a --mapping that fits")


def _csv(spark: SparkSession, mapping: TableMapping, files: Sequence[Path], header: Sequence[str]) -> Rows:
    names = [f"c{place}" for place in range(len(header))]
    schema = ", ".join([*(f"{name} string" for name in names), f"{_CORRUPT} string"])
    options = {"sep": mapping.separator, "mode": "PERMISSIVE", "columnNameOfCorruptRecord": _CORRUPT}
    found = lines(spark, files, mapping.encoding, header=mapping.columns is None)
    parsed = found.withColumn("row", fn.from_csv("text", schema, options))
    wrong = fn.when(
        fn.col(f"row.{_CORRUPT}").isNotNull(), fn.lit(f"does not have {len(header)} columns, or quotes do not close")
    )
    places = {name: f"row.c{place}" for place, name in enumerate(header)}
    return Rows(parsed.withColumn("reason", fn.coalesce("reason", wrong)), lambda name: fn.col(places[name]), text=True)


def _json(spark: SparkSession, mapping: TableMapping, files: Sequence[Path]) -> Rows:
    found = lines(spark, files, mapping.encoding)
    parsed = found.withColumn("row", fn.from_json("text", "map<string,string>"))
    wrong = fn.when(fn.col("row").isNull(), fn.lit("is no JSON record"))
    return Rows(parsed.withColumn("reason", fn.coalesce("reason", wrong)), lambda name: fn.col("row")[name], text=True)


def _parquet(spark: SparkSession, file: Path, needed: Sequence[str]) -> Rows:
    try:
        with pq.ParquetFile(file) as parquet:
            _check(file, parquet.schema_arrow.names, needed)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{file}: is not a whole Parquet file ({str(error).splitlines()[0]})") from None
    frame = spark.read.parquet(str(file.resolve())).select(fn.struct("*").alias("row"), "_metadata.row_index")
    shown = frame.select(
        "row",
        fn.lit(str(file.resolve())).alias("file"),
        fn.col("row_index").alias("place"),
        fn.to_json("row").alias("text"),
        fn.lit(None).cast("string").alias("reason"),
    )
    return Rows(shown, lambda name: fn.col("row").getField(name), text=False)
