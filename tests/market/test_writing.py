"""Days as files."""

import datetime as dt

import pyarrow.parquet as pq
import pytest

from tidings.errors import InputError
from tidings.market.writing import MarketOptions, day_table, write_market

SMALL = MarketOptions(symbols=20, days=6, trades=2_000, seed=4)


def test_files_are_named_by_their_day(tmp_path):
    """Monday to Friday, then Monday; a manifest lists them."""
    told = []
    document = write_market(tmp_path / "m", SMALL, lambda *step: told.append(step))
    days = ["07", "08", "09", "10", "11", "14"]
    assert list(document["files"]) == [f"market_201310{day}.parquet" for day in days]
    assert (tmp_path / "m" / "run.json").is_file()
    assert told == [(day, 6) for day in range(1, 7)]
    for name, rows in document["files"].items():
        assert pq.read_metadata(tmp_path / "m" / name).num_rows == rows


def test_a_table_is_one_day(tmp_path):
    """In the order of time, from half past nine to four; a symbol has one exchange."""
    table = day_table(2, SMALL)
    assert table.schema.names == ["time", "symbol", "price", "size", "exchange"]
    times = table.column("time").to_pylist()
    assert times == sorted(times)
    assert {one.date() for one in times} == {dt.date(2013, 10, 8)}
    assert dt.time(9, 30) <= min(times).time()
    assert max(times).time() < dt.time(16)
    pairs = {(row["symbol"], row["exchange"]) for row in table.select(["symbol", "exchange"]).to_pylist()}
    assert len(pairs) == len({symbol for symbol, _ in pairs})


def test_the_seed_decides(tmp_path):
    """Byte for byte; another seed is another market."""
    for name in ("a", "b"):
        write_market(tmp_path / name, SMALL)
    for file in sorted((tmp_path / "a").glob("*.parquet")):
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()
    assert day_table(1, MarketOptions(symbols=20, trades=2_000, seed=5)) != day_table(1, SMALL)


@pytest.mark.parametrize("options", [{"symbols": 0}, {"days": 0}, {"days": 251}, {"trades": 10**9}])
def test_limits(options):
    """Before anything is made."""
    with pytest.raises(InputError, match="would be right"):
        MarketOptions(**options)
