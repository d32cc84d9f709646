"""`tidings demo`: refusals at once; the whole of it once, small."""

import json

import pytest

from cli.command import document, refused, tidings, written
from tidings.cli.demo import Replay, replay
from tidings.logs import open_folder


def test_impossible_wishes_are_refused(tmp_path):
    """Before anything is made."""
    assert "--order groups" in refused(tidings("demo", "--order", "groups", folder=tmp_path))
    assert "--from" in refused(tidings("demo", "--from", "late", folder=tmp_path))
    assert written(tmp_path) == []


def test_one_day_is_not_enough(tmp_path):
    """And the demo leaves nothing behind."""
    (tmp_path / "market_20131007.parquet").write_bytes(b"x")
    ended = tidings("demo", "--trace", "market_20131007.parquet", "--quiet", folder=tmp_path)
    assert "two days" in refused(ended)
    assert written(tmp_path) == ["market_20131007.parquet"]


def test_without_java_the_remedy_is_named(tmp_path):
    """Also the one that needs no root."""
    said = refused(tidings("demo", folder=tmp_path, JAVA_HOME=str(tmp_path)))
    assert "apt-get install openjdk-17-jre-headless" in said
    assert "without root" in said
    assert written(tmp_path) == []


def test_a_replay_writes_what_an_audit_needs(tmp_path):
    """And outages, which the map shows."""
    from cli.command import LINE

    (tmp_path / "line.toml").write_text(LINE, "utf-8")
    events, deliveries = replay(Replay(tmp_path / "line.toml", tmp_path / "logs"))
    folder = open_folder(tmp_path / "logs")
    assert (folder.table("publications").num_rows, folder.table("deliveries").num_rows) == (events, deliveries)


@pytest.mark.slow
def test_the_whole_of_it(tmp_path):
    """An hour of a small market: both runs are judged on Spark, predicted, reported; nothing hidden is left."""
    words = ("--trades", 3_000, "--subscribers", 12, "--from", "09:30", "--until", "10:30", "--json")
    ended = tidings("demo", *words, folder=tmp_path, patience_s=900)
    assert ended.returncode == 0, ended.stderr
    found = document(ended)
    assert [one["what"] for one in found["telling"]][:2] == ["on time", "prediction off by"]
    assert len(found["telling"]) == 5
    assert (tmp_path / found["report"]).read_text("utf-8").count("<svg") >= 6
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]
    for name in ("order-off", "order-on"):
        assert open_folder(tmp_path / "demo" / name).table("deliveries").num_rows > 0
    assert json.loads((tmp_path / "demo" / "market" / "run.json").read_text("utf-8"))["days"] == 2
