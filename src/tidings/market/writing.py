"""Days of a made market as files, one for each day, as somebody might have recorded them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tidings.errors import InputError
from tidings.logs.staging import StagedFolder, saying
from tidings.market.symbols import SYMBOLS_MAX, symbols_of
from tidings.market.trading_day import Trades, trades_of
from tidings.vocabulary.streams import Streams

DAYS_MAX: Final = 250
TRADES_MAX: Final = 100_000_000
_FIRST_DAY: Final = 15_985
"""Monday, the 7th of October 2013, in days since 1970; a week has five trading days."""
_OPEN_MS: Final = 34_200_000
_DAY_MS: Final = 86_400_000
_EXCHANGES: Final = ("N", "Q", "P", "Z", "K")


@dataclass(frozen=True, kw_only=True)
class MarketOptions:
    """How large a market, and which."""

    symbols: int = 300
    days: int = 2
    trades: int = 200_000
    """On a day, roughly."""
    seed: int = 1

    def __post_init__(self) -> None:
        for name, value, most in (
            ("symbols", self.symbols, SYMBOLS_MAX),
            ("days", self.days, DAYS_MAX),
            ("trades", self.trades, TRADES_MAX),
        ):
            if not 1 <= value <= most:
                raise InputError(f"{name} = {value}: 1 to {most:,} would be right")


def write_market(
    out: Path, options: MarketOptions, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Write `market_YYYYMMDD.parquet` for each day into the folder `out`; gives names and numbers of trades."""
    files = {}
    with StagedFolder(out) as staged:
        for day in range(1, options.days + 1):
            table = day_table(day, options)
            name = f"market_{_date(day).astype(object):%Y%m%d}.parquet"
            with saying(out):
                pq.write_table(table, staged.stage / name, compression="zstd")
            files[name] = table.num_rows
            if progress is not None:
                progress(day, options.days)
        said = {"symbols": options.symbols, "days": options.days, "seed": options.seed}
        staged.finish({"verb": "market", **said}, files)
    return {"folder": str(out), **said, "files": files}


def day_table(day: int, options: MarketOptions) -> pa.Table:
    """`time, symbol, price, size, exchange` of a day, in the order of time; equal seeds give equal tables."""
    streams = Streams(options.seed)
    symbols = symbols_of(options.symbols, day, streams)
    found = [trades_of(symbol, day, options.trades, streams) for symbol in symbols]
    places = np.repeat(np.arange(len(symbols)), [len(one.at_ns) for one in found])
    columns = {name: np.concatenate([getattr(one, name) for one in found]) for name in Trades.__slots__}
    order = np.lexsort((places, columns["at_ns"]))
    begin_ms = int(_date(day).astype(np.int64)) * _DAY_MS + _OPEN_MS
    listed = pa.array([symbol.name for symbol in symbols])
    exchanges = pa.array(_EXCHANGES)
    return pa.table(
        {
            "time": pa.array(columns["at_ns"][order] // 1_000_000 + begin_ms, pa.timestamp("ms", "UTC")),
            "symbol": pa.DictionaryArray.from_arrays(pa.array(places[order], pa.int32()), listed).cast(pa.string()),
            "price": pa.array(columns["price"][order]),
            "size": pa.array(columns["size"][order]),
            "exchange": pa.DictionaryArray.from_arrays(
                pa.array(places[order] % len(_EXCHANGES), pa.int32()), exchanges
            ).cast(pa.string()),
        }
    )


def _date(day: int) -> np.datetime64:
    """The trading day number `day`: weekends are left out."""
    weeks, rest = divmod(day - 1, 5)
    return np.datetime64(_FIRST_DAY + 7 * weeks + rest, "D")
