"""`tidings profile`: what is printed, what is refused."""

import pytest

from cli.command import document, refused, tidings

TRADES = "who,ms,price\nibm,0,10.5\nibm,1000,11\nsun,5,x\n"
MAPPING = """
kind = "events"
[fields]
publisher = "who"
published = { column = "ms", unit = "ms" }
[attributes]
price = { column = "price", as = "number" }
"""


@pytest.fixture
def place(tmp_path):
    """A record and its mapping."""
    (tmp_path / "trades.csv").write_text(TRADES, "utf-8")
    (tmp_path / "map.toml").write_text(MAPPING, "utf-8")
    return tmp_path


def test_a_record_with_a_mapping(place):
    """One document; the folder is there, bad rows aside."""
    ended = tidings("profile", "trades.csv", "--mapping", "map.toml", "--out", "p", "--json", folder=place)
    assert ended.returncode == 0, ended.stderr
    found = document(ended)
    assert (found["publishers"], found["events"], found["quarantined"]) == (1, 2, 1)
    assert (place / "p" / "publishers.parquet").is_file()
    assert ended.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("trades.csv",), "--mapping FILE"),
        (("trades.csv", "--layout", "stocks"), "there is no stocks"),
        (("trades.csv", "--mapping", "nowhere.toml"), "cannot be read as a mapping"),
        (("nowhere",), "no such file"),
        (("trades.csv", "trades.csv"), "same bytes"),
        (("trades.csv", "--from", "9.30"), "--from 9.30: give a time of day, as in 09:30"),
        (("trades.csv", "--from", "10:00", "--until", "09:00"), "the earlier one first"),
        (("trades.csv", "--until", "25:00"), "--until 25:00"),
        (("trades.csv", "--mapping", "map.toml", "--master", "spark://127.0.0.1:1"), "no master answers there"),
    ],
)
def test_bad_input(place, arguments, says):
    """One line, exit code 2, nothing written; most before Spark is started."""
    assert says in refused(tidings("profile", *arguments, "--out", "p", folder=place))
    assert not (place / "p").exists()
