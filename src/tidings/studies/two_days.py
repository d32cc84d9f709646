"""Two days of trades: of a made market, and recorded ones where they are there."""

import csv
import io
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from tidings.market.symbols import symbols_of
from tidings.market.trading_day import Trades, trades_of
from tidings.vocabulary.streams import Streams

Day: TypeAlias = Mapping[str, Trades]
"""By stock."""

STOCKS: Final = 2_792
"""As many as the thesis's trace has on its first day, and as many trades."""
TRADES: Final = 258_853
TICKS: Final = Path("../shared/data/ticks")
"""Of recorded trades, seen from where the study is run."""
_DATES: Final = ("20131007", "20131008")
_OPEN_MS: Final = 34_200_000
_CLOSE_MS: Final = 57_600_000


def made_days(seed: int, picked: int) -> tuple[Day, Day]:
    """So many stocks, drawn from those that are traded on both days of a made market."""
    streams = Streams(seed)
    places = streams("content stocks").permutation(STOCKS).tolist()
    listed = [symbols_of(STOCKS, day, streams) for day in (1, 2)]
    days: tuple[dict[str, Trades], dict[str, Trades]] = ({}, {})
    for place in places:
        pair = [trades_of(symbols[place], day, TRADES, streams) for day, symbols in enumerate(listed, 1)]
        if all(len(one.at_ns) for one in pair):
            for found, one in zip(days, pair, strict=True):
                found[listed[0][place].name] = one
        if len(days[0]) == picked:
            break
    return days


def recorded_days(folder: Path = TICKS) -> tuple[Day, Day] | None:
    """Of all shares that have been recorded on both days, in the hours of trading; None where nothing is there."""
    names = sorted(path.name.split("_")[0] for path in folder.glob(f"*_{_DATES[0]}_trade.zip"))
    both = [name for name in names if (folder / f"{name}_{_DATES[1]}_trade.zip").is_file()]
    if not both:
        return None
    first, second = ({name.upper(): _read(folder / f"{name}_{date}_trade.zip") for name in both} for date in _DATES)
    return first, second


def _read(path: Path) -> Trades:
    """Milliseconds since midnight, price × 10,000, size, exchange, condition, whether it is suspicious."""
    rows = np.array(list(_rows(path)), np.int64).reshape(-1, 3)
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    return Trades((rows[:, 0] - _OPEN_MS) * 1_000_000, rows[:, 1] / 10_000, rows[:, 2])


def _rows(path: Path) -> Iterator[tuple[int, int, int]]:
    with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as raw:
        for row in csv.reader(io.TextIOWrapper(raw, "utf-8")):
            at_ms, price, size = (int(row[column]) for column in range(3))
            if _OPEN_MS <= at_ms < _CLOSE_MS and row[5] == "0":
                yield at_ms, price, size
