"""Values of rows: what becomes of texts, and which of them are no values."""

import datetime as dt

import pytest
from pyspark.sql import functions as fn

from tidings.profiling.fields import instant, literal, literals, number, optional, required, text, truth, whole
from tidings.profiling.mapping import Field
from tidings.profiling.rows import Rows

DAY_NS = 86_400 * 10**9
CELLS = {
    "n": " 12.5 ",
    "w": "-7",
    "t": "Yes",
    "word": 'a"b',
    "none": "  ",
    "bad": "1e999",
    "at": "1/2/2005 3:04",
    "m": "Nov-96",
}


@pytest.fixture(scope="module")
def row(spark):
    """One row of a text file."""
    columns = [fn.lit(value).alias(name) for name, value in CELLS.items()]
    frame = spark.range(1).select(fn.lit("/x/ibm_20131007_trade.zip!t.csv").alias("file"), *columns)
    return Rows(frame, fn.col, text=True)


def values(rows, *columns):
    """What expressions give."""
    return list(rows.frame.select(*(column.alias(f"v{place}") for place, column in enumerate(columns))).head())


def test_texts(row):
    """Trimmed, null where nothing stands; of the file's name, the same for all, the first of several, a part, capitals."""
    fields = [
        Field(column="word"),
        Field(column="none"),
        Field(column="t", absent=["Yes"]),
        Field(file=r"([a-z]+)_\d+_trade", upper=True),
        Field(file="(nowhere)"),
        Field(value=True),
        Field(value=3),
        Field(column=["none", "w"]),
        Field(column="at", within=r"/(\d{4})"),
        Field(column="t", upper=True),
    ]
    found = ['a"b', None, None, "IBM", None, "true", "3", "-7", "2005", "YES"]
    assert values(row, *(text(row, field) for field in fields)) == found


def test_numbers(row):
    """In their units, divided; nothing that is not finite."""
    fields = [
        Field(column="n"),
        Field(column="n", unit="ms"),
        Field(column="n", per=4),
        Field(column="word"),
        Field(column="bad"),
    ]
    assert values(row, *(number(row, field) for field in fields)) == [12.5, 12.5e6, 3.125, None, None]
    assert values(row, whole(row, Field(column="w")), whole(row, Field(column="n", per=100))) == [-7, 0]


def test_instants(row):
    """By pattern, the first that fits; by unit; on a day that is said elsewhere."""
    day = Field(file=r"_(\d{8})_", format="yyyyMMdd")
    fields = [
        Field(column="at", format="M/d/yyyy H:mm"),
        Field(column="m", format=["y-MMM", "MMM-y"]),
        Field(column="w", unit="s"),
        Field(column="n", unit="ms", day=day),
        Field(column="word", unit="s"),
        Field(column="word", format="yyyy"),
    ]
    at = dt.datetime(2005, 1, 2, 3, 4, tzinfo=dt.UTC)
    month = dt.datetime(1996, 11, 1, tzinfo=dt.UTC)
    found = [
        int(at.timestamp()) * 10**9,
        int(month.timestamp()) * 10**9,
        -7 * 10**9,
        15985 * DAY_NS + 12_500_000,
        None,
        None,
    ]
    assert values(row, *(instant(row, field) for field in fields)) == found


def test_typed_columns(spark):
    """Parquet knows instants and numbers itself."""
    at = dt.datetime(2013, 10, 7, tzinfo=dt.UTC)
    frame = spark.createDataFrame([(at, 5, True)], "at timestamp, ns bigint, flag boolean")
    rows = Rows(frame, fn.col, text=False)
    found = values(
        rows,
        instant(rows, Field(column="at")),
        instant(rows, Field(column="ns", unit="us")),
        truth(rows, Field(column="flag")),
    )
    assert found == [15985 * DAY_NS, 5_000, True]


def test_truths_and_literals(row):
    """As filters write them."""
    assert values(row, truth(row, Field(column="t")), truth(row, Field(column="n"))) == [True, None]
    fields = [
        Field(column="word"),
        Field(column="n", kind="number"),
        Field(column="w", kind="whole"),
        Field(column="t", kind="truth"),
        Field(column="none"),
    ]
    assert values(row, *(literal(row, field) for field in fields)) == ['"a\\"b"', "12.5", "-7", "true", None]


def test_attributes(row):
    """Those that are there; one that is not what it should be is a reason."""
    said = {"x": Field(column="n", kind="number"), "y": "none", "z": "word"}
    value, reason = literals(row, said)
    assert values(row, value, reason) == [{"x": "12.5", "z": '"a\\"b"'}, None]
    value, reason = literals(row, {"x": Field(column="word", kind="number")})
    assert values(row, reason) == ['x: a"b is not what the mapping says']
    assert values(row, *literals(row, {})) == [{}, None]


def test_what_must_be_there(row):
    """A missing value is a reason, of what may be missing only one that cannot be read."""
    lacking = required(row, "up", "none", instant)
    assert values(row, *lacking) == [None, "up: nothing is not what the mapping says"]
    otherwise = fn.lit(9).cast("bigint")
    assert values(row, *optional(row, "life", None, whole, otherwise)) == [9, None]
    assert values(row, *optional(row, "life", "none", whole, otherwise)) == [9, None]
    assert values(row, optional(row, "life", "word", whole, otherwise).reason) == [
        'life: a"b is not what the mapping says'
    ]
