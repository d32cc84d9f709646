"""Lists in Parquet files: rows are entries, and what is written reads back equal."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import ScenarioError
from tidings.scenario.parquet_lists import ROWS_MAX, read_entries, write_entries
from tidings.scenario.source import Place, Source

VALUES = st.recursive(
    st.text(max_size=5) | st.integers() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def place_in(folder):
    """A key of a scenario in `folder`."""
    return Place(Source(folder / "x.toml"), "list")


@given(rows=st.lists(st.dictionaries(st.sampled_from(["id", "x", "y"]), VALUES, min_size=1), max_size=5))
def test_what_is_written_reads_back_equal(tmp_path_factory, rows):
    """Whatever mixture of types a column holds."""
    folder = tmp_path_factory.mktemp("lists")
    write_entries(folder / "l.parquet", rows)
    assert read_entries(place_in(folder), "l.parquet") == rows


def test_plain_columns_stay_plain(tmp_path):
    """So that other tools read them without JSON."""
    write_entries(tmp_path / "l.parquet", [{"id": "a", "n": 1, "x": 0.5, "up": True, "topics": ["t"], "law": {"a": 1}}])
    schema = pq.read_schema(tmp_path / "l.parquet")
    assert schema.types == [pa.string(), pa.int64(), pa.float64(), pa.bool_(), pa.list_(pa.string()), pa.string()]
    assert schema.field("law").metadata == {b"tidings": b"json"}


def test_numbers_beyond_64_bits(tmp_path):
    """As JSON, digit by digit."""
    rows = [{"n": 2**70}, {"n": 1}]
    write_entries(tmp_path / "l.parquet", rows)
    assert read_entries(place_in(tmp_path), "l.parquet") == rows


def test_no_rows(tmp_path):
    """An empty list is a list."""
    write_entries(tmp_path / "l.parquet", [])
    assert read_entries(place_in(tmp_path), "l.parquet") == []


def test_files_that_are_no_tables(tmp_path):
    """Damaged, and with something else than JSON where JSON was promised."""
    (tmp_path / "l.parquet").write_text("nonsense")
    with pytest.raises(ScenarioError, match="must be a Parquet table"):
        read_entries(place_in(tmp_path), "l.parquet")
    for values in (["{"], [3]):
        kind = pa.string() if isinstance(values[0], str) else pa.int64()
        field = pa.field("law", kind, metadata={b"tidings": b"json"})
        pq.write_table(pa.table({"law": pa.array(values)}, schema=pa.schema([field])), tmp_path / "l.parquet")
        with pytest.raises(ScenarioError, match="JSON text"):
            read_entries(place_in(tmp_path), "l.parquet")


def test_there_is_a_limit_on_rows(tmp_path):
    """It is looked at before anything is read."""
    pq.write_table(pa.table({"id": pa.nulls(ROWS_MAX + 1, pa.string())}), tmp_path / "l.parquet")
    with pytest.raises(ScenarioError, match="1000001 rows"):
        read_entries(place_in(tmp_path), "l.parquet")
