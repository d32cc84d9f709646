"""Files of measurements, outages and traces."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tidings.errors import ScenarioError
from tidings.scenario.measured import (
    VALUES_MAX,
    check_spans,
    is_portable,
    named_file,
    read_measured,
    read_outages,
    trace_topics,
    write_measured,
)
from tidings.scenario.source import Place, Source
from tidings.vocabulary.distribution import Empirical


@pytest.fixture
def place(tmp_path):
    """A key of a scenario in the test's folder."""
    return Place(Source(tmp_path / "x.toml"), "file")


def test_files_that_the_system_does_not_let_us_read(tmp_path):
    """A file that opens and cannot be read."""
    place = Place(Source(tmp_path / "x.toml", allow_files=True), "file")
    with pytest.raises(ScenarioError, match="cannot be read"):
        read_measured(place, "/proc/self/mem")


def test_values_stand_one_a_line(tmp_path, place):
    """Comments and blank lines are skipped; texts with units stay texts."""
    (tmp_path / "v.csv").write_text("# measured\n1.5\n\n20ms\n 3 \n")
    assert read_measured(place, "v.csv") == [1.5, "20ms", 3.0]


def test_values_in_a_parquet_file(tmp_path, place):
    """The only column."""
    pq.write_table(pa.table({"x": [1.0, 2.0]}), tmp_path / "v.parquet")
    assert read_measured(place, "v.parquet") == [1.0, 2.0]


@pytest.mark.parametrize(
    ("name", "content", "remedy"),
    [
        ("v.csv", b"", "holds 0 values"),
        ("v.csv", b"1,2\n", "one value a line"),
        ("v.csv", b"\xff\n", "UTF-8"),
        ("v.parquet", b"nonsense", "Parquet"),
    ],
)
def test_files_of_values_that_are_refused(tmp_path, place, name, content, remedy):
    """Empty, with columns, in another encoding, damaged."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ScenarioError, match=remedy):
        read_measured(place, name)


@pytest.mark.parametrize(
    ("columns", "remedy"),
    [
        ({"a": [1], "b": [2]}, "one column"),
        ({"a": [1, None]}, "without nulls"),
        ({"a": [[1]]}, "numbers, or durations"),
    ],
)
def test_tables_of_values_that_are_refused(tmp_path, place, columns, remedy):
    """One column of plain values is wanted."""
    pq.write_table(pa.table(columns), tmp_path / "v.parquet")
    with pytest.raises(ScenarioError, match=remedy):
        read_measured(place, "v.parquet")


@pytest.mark.parametrize("name", ["sub/v.txt", "v.parquet"])
def test_values_survive_being_written(tmp_path, place, name):
    """Floats to the last bit, in either form."""
    law = Empirical.of(name, [0.1, 1e9 / 3, 5.0])
    write_measured(tmp_path / name, law)
    assert read_measured(place, name) == law.values.tolist()


def test_outages_stand_two_instants_a_line(tmp_path, place):
    """With units, or in nanoseconds; a header as the log table has it may stand above."""
    (tmp_path / "o.csv").write_text("down_ns,up_ns\n# one\n1s, 2s\n3000000000,4000000000\n\n")
    assert read_outages(place, "o.csv") == ((10**9, 2 * 10**9), (3 * 10**9, 4 * 10**9))


@pytest.mark.parametrize("text", ["1s\n", "1s,2s,3s\n", "x,y\n", "-1,2\n"])
def test_lines_that_are_no_outage(tmp_path, place, text):
    """The line is named."""
    (tmp_path / "o.csv").write_text(text)
    with pytest.raises(ScenarioError, match="line 1 must be two instants"):
        read_outages(place, "o.csv")


@pytest.mark.parametrize("spans", [[(2, 2)], [(3, 2)], [(1, 4), (4, 5)], [(5, 6), (1, 2)], [(1, 2**63)]])
def test_outages_must_be_apart_and_ascending(place, spans):
    """Empty ones, overlapping ones, and ones that end never."""
    with pytest.raises(ScenarioError, match="must come after the one before"):
        check_spans(spans, place, spans)


def trace(path, **columns):
    """Write a trace with some columns replaced, None for absent."""
    full = {"published_ns": [1, 2], "topic": ["b", "a"], "attributes": [None] * 2, "payload_bytes": [0, 0]} | columns
    pq.write_table(pa.table({name: values for name, values in full.items() if values is not None}), path)


def test_a_trace_of_dictionaries_and_maps(tmp_path, place):
    """As Arrow and Spark write them."""
    names = pa.array(["b", "a"]).dictionary_encode()
    attributes = pa.array([[("x", "1")], None], pa.map_(pa.string(), pa.large_string()))
    trace(tmp_path / "t.parquet", topic=names, attributes=attributes, payload_bytes=[None, None])
    assert trace_topics(place, tmp_path / "t.parquet") == ("a", "b")


def test_the_topics_of_a_trace_are_known_beforehand(tmp_path, place):
    """Each once, sorted."""
    trace(tmp_path / "t.parquet", topic=["b", "a"])
    assert trace_topics(place, tmp_path / "t.parquet") == ("a", "b")


@pytest.mark.parametrize(
    ("columns", "remedy"),
    [
        ({"payload_bytes": None}, "lacks the column payload_bytes"),
        ({"topic": [None, "a"]}, "a topic with each"),
        ({"topic": [1, 2]}, "column topic must be string, not int64"),
        ({"published_ns": [1.5, 2.5]}, "column published_ns must be integer, not double"),
        ({"payload_bytes": ["1", "2"]}, "column payload_bytes must be integer, not string"),
        ({"attributes": ["", ""]}, "column attributes must be map<string, string>, not string"),
        (
            {"attributes": pa.array([[("x", 1)]] * 2, pa.map_(pa.string(), pa.int64()))},
            "column attributes must be map<string, string>, not map<string, int64",
        ),
    ],
)
def test_traces_that_are_refused(tmp_path, place, columns, remedy):
    """A column too few or of another type, an event without topic."""
    trace(tmp_path / "t.parquet", **columns)
    with pytest.raises(ScenarioError, match=remedy):
        trace_topics(place, tmp_path / "t.parquet")


def test_a_trace_that_is_no_table(tmp_path, place):
    """Damaged files are the input's fault."""
    (tmp_path / "t.parquet").write_text("nonsense")
    with pytest.raises(ScenarioError, match="must be a Parquet table"):
        trace_topics(place, tmp_path / "t.parquet")


@pytest.mark.parametrize(("name", "portable"), [("a.csv", True), ("b/a.csv", True), ("../a", False), ("/a", False)])
def test_names_that_another_folder_can_use(name, portable):
    """Beside or below."""
    assert is_portable(name) is portable


def test_files_that_a_world_names(tmp_path):
    """Those beside keep their names; those from elsewhere are named by content, and equal by name alone."""
    folder = tmp_path / "scenarios"
    folder.mkdir()
    (tmp_path / "day.parquet").write_text("events")
    (folder / "day.parquet").write_text("events")
    place = Place(Source(folder / "x.toml", allow_files=True), "trace")
    assert named_file(place, "day.parquet").name == "day.parquet"
    outside = named_file(place, "../day.parquet")
    assert outside.name.startswith("day-")
    assert outside.name.endswith(".parquet")
    assert outside == named_file(place, str(tmp_path / "day.parquet"))


def test_there_is_a_limit_on_values(tmp_path, place):
    """A million is enough."""
    (tmp_path / "v.csv").write_text("1\n" * (VALUES_MAX + 1))
    with pytest.raises(ScenarioError, match="holds 1000001 values"):
        read_measured(place, "v.csv")
