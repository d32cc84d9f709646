"""`tidings market`."""

from cli.command import document, refused, tidings


def test_days_are_written(tmp_path):
    """One document, or a table for people; the days can be profiled."""
    small = ("--symbols", 5, "--days", 1, "--trades", 100)
    found = document(tidings("market", "--out", "m", *small, "--json", folder=tmp_path))
    assert (found["symbols"], found["days"], found["seed"]) == (5, 1, 1)
    assert (tmp_path / "m" / "market_20131007.parquet").is_file()
    assert "market_20131007.parquet" in tidings("market", "--out", "n", *small, folder=tmp_path).stdout


def test_bad_input(tmp_path):
    """A folder that is taken, a market without symbols."""
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "x").write_text("", "utf-8")
    assert "not an empty folder" in refused(tidings("market", "--out", "m", folder=tmp_path))
    assert "symbols = 0" in refused(tidings("market", "--out", "n", "--symbols", 0, folder=tmp_path))
