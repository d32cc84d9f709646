"""`tidings predict`: what is printed, what is written, which exit code."""

import pyarrow.parquet as pq
import pytest

from cli.command import LINE, document, refused, tidings

BUSY = LINE.replace('id = "a"', 'id = "a"\nservice = { dist = "exponential", mean = "400ms" }')


@pytest.fixture
def place(tmp_path):
    """A folder with scenarios in it."""
    (tmp_path / "line.toml").write_text(LINE, "utf-8")
    (tmp_path / "busy.toml").write_text(BUSY, "utf-8")
    (tmp_path / "full.toml").write_text(BUSY.replace("400ms", "600ms"), "utf-8")
    (tmp_path / "asks.toml").write_text(BUSY + "requires = 0.9\n", "utf-8")
    return tmp_path


def test_json_is_the_contract(place):
    """Subscribers, brokers, assumptions; M/M/1 with a load of 0.8."""
    ended = tidings("predict", "busy.toml", "--json", folder=place)
    assert ended.returncode == 0, ended.stderr
    found = document(ended)
    assert set(found["subscribers"]["s"]) >= {"reliability", "delay_mean_s", "rate"}
    assert found["brokers"]["a"]["load"] == pytest.approx(0.8)
    assert found["brokers"]["a"]["wait_mean_s"] == pytest.approx(1.6)
    assert found["assumptions"]


def test_people_get_bars(place):
    """One for each group of subscribers, and the busiest brokers."""
    ended = tidings("predict", "busy.toml", folder=place)
    assert "█" in ended.stdout
    assert "busiest brokers" in ended.stdout
    assert "assumed: " in ended.stdout
    quiet = tidings("predict", "line.toml", folder=place).stdout
    assert "1.0000" in quiet
    assert "busiest" not in quiet


def test_what_does_not_hold(place):
    """Exit code 1: overloaded, and asked for more than there is."""
    full = tidings("predict", "full.toml", folder=place)
    assert full.returncode == 1
    assert "OVERLOADED: a" in full.stdout
    assert "∞" in full.stdout
    asks = tidings("predict", "asks.toml", folder=place)
    assert asks.returncode == 1
    assert "NOT MET: 1" in asks.stdout
    found = document(tidings("predict", "full.toml", "--json", folder=place))
    assert found["overloaded"] == ["a"]


def test_table(place):
    """A row for each subscriber; a folder that is not there is an error of one line."""
    assert tidings("predict", "busy.toml", "--table", "x.parquet", folder=place).returncode == 0
    assert pq.read_table(place / "x.parquet").column("subscriber").to_pylist() == ["s"]
    assert "nowhere" in refused(tidings("predict", "busy.toml", "--table", "nowhere/x.parquet", folder=place))


def test_modes(place):
    """Two, and others are refused; in mode mean no event waits less than the mean wait."""
    found = document(tidings("predict", "busy.toml", "--mode", "mean", "--json", folder=place))
    assert found["brokers"]["a"]["method"] == "mean"
    assert found["subscribers"]["s"]["reliability"] == 0.0
    assert "there is no median" in refused(tidings("predict", "busy.toml", "--mode", "median", folder=place))


def test_what_cannot_be_predicted(place):
    """Named, with the key."""
    (place / "total.toml").write_text(LINE + '[ordering]\nguarantee = "total"\n', "utf-8")
    assert "ordering.guarantee" in refused(tidings("predict", "total.toml", folder=place))
