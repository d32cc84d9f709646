"""`tidings sweep`: means for people, all runs as a table."""

import pyarrow.parquet as pq
import pytest

from cli.command import LINE, document, refused, tidings, written


@pytest.fixture
def place(tmp_path):
    """A folder with a scenario."""
    (tmp_path / "line.toml").write_text(LINE, "utf-8")
    return tmp_path


def test_a_document_of_means(place):
    """A point for each combination, with Student's interval over seeds."""
    words = ("sweep", "line.toml", "--vary", "publisher.p.lifetime=1ms,1s", "--seeds", 2, "--out", "out")
    found = document(tidings(*words, "--json", folder=place))
    assert [one["vary"] for one in found["points"]] == [{"publisher.p.lifetime": "1ms"}, {"publisher.p.lifetime": "1s"}]
    assert [one["reliability"] for one in found["points"]] == [0.0, 1.0]
    assert found["points"][1]["reliability_low"] == found["points"][1]["reliability_high"] == 1.0
    assert pq.read_table(place / found["folder"] / found["table"]).num_rows == found["runs"] == 4


def test_people_get_a_table(place):
    """A row for each point."""
    ended = tidings("sweep", "line.toml", "--vary", "duration=5s,10s", "--out", "out", "--quiet", folder=place)
    assert ended.returncode == 0, ended.stderr
    assert "2 runs, means" in ended.stdout
    assert "1.0000" in ended.stdout


def test_bad_wishes_are_refused(place):
    """One line, and nothing written."""
    assert "--vary duration" in refused(tidings("sweep", "line.toml", "--vary", "duration", "--out", "o", folder=place))
    assert "mechanism" in refused(
        tidings("sweep", "line.toml", "--vary", "reliability.mechanism=magic", "--out", "o", folder=place)
    )
    assert written(place) == ["line.toml"]
