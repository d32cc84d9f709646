"""When trades happen: busy at the open and at the close, in clusters of every size, and with the whole market in shocks."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidings.market.symbols import Symbol
from tidings.vocabulary.streams import Streams

DAY_NS: Final = int(6.5 * 3600) * 10**9
"""From half past nine to four."""
Ints = NDArray[np.int64]

_SHAPE: Final = 4_096
"""Pieces in which the day's shape is held."""
_CLUSTER_MAX: Final = 200
_TAIL: Final = 1.6
"""Of the sizes of clusters: P(size ≥ n) ~ n^-1.6, so that a few are very large."""
_SPREAD_NS: Final = 400e6
"""Median time from the first trade of a cluster to another."""
_SHOCKS: Final = 12
"""On a day, on average."""
_SHOCK_SHARE: Final = 0.3
"""Of the symbols that a shock reaches."""


@dataclass(frozen=True, slots=True)
class Trades:
    """Trades of one symbol, ascending in time."""

    at_ns: Ints
    price: NDArray[np.float64]
    """In cents."""
    size: Ints


def shape() -> NDArray[np.float64]:
    """The share of a day's trades in each piece of it: a U, steep at its ends."""
    at = (np.arange(_SHAPE) + 0.5) / _SHAPE
    busy = 0.55 + 1.5 * np.exp(-at / 0.04) + 1.1 * (2 * at - 1) ** 2 + 2.2 * np.exp(-(1 - at) / 0.025)
    found: NDArray[np.float64] = busy / busy.sum()
    return found


def shocks_of(day: int, streams: Streams) -> Ints:
    """Instants at which the market as a whole is startled."""
    draw = streams(f"shocks of day {day}")
    return np.sort(_instants(draw, int(draw.poisson(_SHOCKS))))


def trades_of(symbol: Symbol, day: int, trades: float, streams: Streams) -> Trades:
    """What is traded of a symbol on a day on which the whole market has `trades` of them, roughly."""
    draw = streams(f"{symbol.name} on day {day}")
    mean = trades * symbol.weight
    first = _instants(draw, int(draw.poisson(mean / _mean_cluster())))
    startled = shocks_of(day, streams)
    first = np.concatenate([first, startled[draw.random(len(startled)) < _SHOCK_SHARE]])
    sizes = np.minimum(np.floor(draw.random(len(first)) ** (-1 / _TAIL)), _CLUSTER_MAX).astype(np.int64)
    heads = np.repeat(first, sizes)
    follows = np.ones(len(heads), bool)
    follows[np.cumsum(sizes) - sizes] = False
    delays = np.where(follows, draw.lognormal(np.log(_SPREAD_NS), 1.8, len(heads)), 0.0)
    at = np.sort(np.minimum(heads + delays.astype(np.int64), DAY_NS - 1)) // 1_000_000 * 1_000_000
    return Trades(at, _prices(symbol, at, draw), _sizes(draw, len(at)))


def _instants(draw: np.random.Generator, count: int) -> Ints:
    """By the shape of the day, to the millisecond."""
    pieces = draw.choice(_SHAPE, count, p=shape())
    found: Ints = ((pieces + draw.random(count)) / _SHAPE * DAY_NS).astype(np.int64)
    return found


def _mean_cluster() -> float:
    sizes = np.arange(1, _CLUSTER_MAX + 1)
    return float((sizes.astype(np.float64) ** -_TAIL).sum())


def _prices(symbol: Symbol, at: Ints, draw: np.random.Generator) -> NDArray[np.float64]:
    """A walk whose steps have heavy tails (Student, 3 degrees), and as much variance over a day as the symbol has."""
    steps = draw.standard_t(3, len(at)) / np.sqrt(3.0)
    gaps = np.diff(at, prepend=0) / DAY_NS
    walked = np.cumsum(steps * np.sqrt(np.maximum(gaps, 1e-7))) * symbol.volatility
    found: NDArray[np.float64] = np.maximum(np.round(symbol.open * np.exp(walked), 2), 0.01)
    return found


def _sizes(draw: np.random.Generator, count: int) -> Ints:
    """Shares: hundreds mostly, now and then very many."""
    found: Ints = (np.ceil(draw.lognormal(0.4, 1.1, count)) * 100).astype(np.int64)
    return found
