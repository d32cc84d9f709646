"""Runs as recorded traffic."""

import shutil

import pyarrow.parquet as pq

from tidings.profiling.run_folders import read

S = 10**9


def test_publications_are_events(profiled):
    """With their lifetimes, sizes and contents."""
    found = profiled.by("publishers", "publisher")["p"]
    assert (found["events"], found["rate"], found["scv"], found["lifetime_ns"]) == (5, 1.0, 0.0, S // 5)
    assert found["contents"] == [{"topic": "t", "attributes": [("x", "1")], "payload_bytes": 64, "weight": 1.0}]
    assert pq.read_metadata(profiled.out / "trace-p.parquet").num_rows == 5


def test_outages_and_copies(profiled):
    """A component that stays down is so to the end; copies say what the link lost."""
    found = profiled.by("components", "component")["a"]
    assert (found["failures"], found["watched_ns"], found["availability"]) == (2, 10 * S, 0.6)
    link = profiled.by("links", "one", "other")["a", "b"]
    assert (link["packets"], link["measured"], link["delivery"], link["delay_ns"]) == (4, 0, 0.75, None)


def test_runs_lie_behind_each_other(spark, profiled, tmp_path):
    """The second begins where the first ends."""
    again = shutil.copytree(profiled.records / "run", tmp_path / "again")
    tables = read(spark, [profiled.records / "run", again])
    at = sorted(row["at_ns"] for row in tables["events"].select("at_ns").collect())
    assert at == [S * second for second in (*range(5), *range(10, 15))]
    since = {row["since_ns"] for row in tables["outages"].collect()}
    assert since == {0, 10 * S}
