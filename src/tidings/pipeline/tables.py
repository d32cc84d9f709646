"""Log tables as DataFrames, with one explicit schema each, checked before Spark reads a row."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as fn
from pyspark.sql.types import BooleanType, DataType, LongType, MapType, StringType, StructField, StructType

from tidings.errors import InputError
from tidings.logs import Folder
from tidings.vocabulary.records import ATTRIBUTES_TYPE, NAME_TYPE, TABLES

ROW: Final = "row"
"""Place of a row in its file: what breaks ties."""
_TYPES: Final[Mapping[pa.DataType, DataType]] = {
    NAME_TYPE: StringType(),
    pa.string(): StringType(),
    pa.int64(): LongType(),
    pa.bool_(): BooleanType(),
    ATTRIBUTES_TYPE: MapType(StringType(), StringType()),
}


def spark_schema(schema: pa.Schema) -> StructType:
    """The same columns for Spark, with the same nulls."""
    return StructType([StructField(one.name, _TYPES[one.type], one.nullable) for one in schema])


def log_table(spark: SparkSession, folder: Folder, name: str) -> DataFrame:
    """A table of a finished run, with the place of each row as `row`; without rows where it was not written.

    Raises InputError for a file that Spark would misread: not Parquet, columns missing or of another type, nulls where
    none may be.
    """
    schema = spark_schema(TABLES[name])
    file = folder.file_of(name)
    if file is None:
        return spark.createDataFrame([], schema.add(ROW, LongType()))
    check_file(file, TABLES[name])
    frame = (
        spark.read.schema(schema).option("parquet.page.verify-checksum.enabled", "true").parquet(str(file.resolve()))
    )
    return frame.select("*", fn.col("_metadata.row_index").alias(ROW))


def check_file(file: Path, schema: pa.Schema) -> None:
    """Compare the file's own description with `schema`: cheap, and with a remedy in the refusal."""
    try:
        with pq.ParquetFile(file) as parquet:
            found, metadata = parquet.schema_arrow, parquet.metadata
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{file}: is not a whole Parquet file ({reason}); run it again") from error
    for field in schema:
        if field.name not in found.names:
            raise InputError(f"{file}: has no column {field.name}; run it again with this version")
        kind = found.field(field.name).type
        if _plain(kind) != _plain(field.type):
            raise InputError(f"{file}: column {field.name} is {kind}, not {field.type}; run it again with this version")
    for name in [field.name for field in schema if not field.nullable]:
        if _nulls(metadata, name):
            raise InputError(f"{file}: column {name} has nulls and must not; run it again with this version")


def _plain(kind: pa.DataType) -> pa.DataType:
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.string() if pa.types.is_large_string(value) else value


def _nulls(metadata: pq.FileMetaData, name: str) -> int:
    places = [place for place in range(metadata.num_columns) if metadata.schema.column(place).path == name]
    chunks = [metadata.row_group(group).column(place) for group in range(metadata.num_row_groups) for place in places]
    return sum(one.statistics.null_count or 0 for one in chunks if one.statistics is not None)


def numbered(names: DataFrame, number: str, by: Column | None = None) -> DataFrame:
    """The rows of a small table, numbered from 0 in the order of `by` or of its first column."""
    order = fn.col(names.columns[0]) if by is None else by
    return names.select("*", (fn.row_number().over(Window.orderBy(order)) - 1).cast("long").alias(number))
