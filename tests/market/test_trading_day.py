"""When trades happen, and at which price: the features of a day that make it hard to predict."""

import numpy as np
import pytest

from tidings.market.symbols import Symbol
from tidings.market.trading_day import DAY_NS, shape, shocks_of, trades_of
from tidings.vocabulary.streams import Streams

BUSY = Symbol(name="AAA", weight=0.2, open=50.0, volatility=0.02)
TRADES = trades_of(BUSY, 1, 200_000, Streams(2))


def test_the_shape_is_a_u():
    """Busiest at its ends, quiet at noon."""
    found = shape()
    assert found.sum() == pytest.approx(1.0)
    middle = found[len(found) // 2]
    assert found[0] > 3 * middle
    assert found[-1] > 3 * middle
    assert found.min() > 0


def test_trades_follow_it():
    """Ascending, to the millisecond, within the day, about as many as asked for."""
    at = TRADES.at_ns
    assert (np.diff(at) >= 0).all()
    assert (at % 1_000_000 == 0).all()
    assert at.min() >= 0
    assert at.max() < DAY_NS
    assert len(at) == pytest.approx(40_000, rel=0.1)
    counts = np.histogram(at, 13, (0, DAY_NS))[0]
    assert counts[0] > 2 * counts[6]
    assert counts[-1] > 2 * counts[6]


def test_trades_come_in_clusters():
    """Far more uneven than at random, over a second and over a minute; also within the quiet middle of the day."""
    noon = TRADES.at_ns[(TRADES.at_ns > 0.4 * DAY_NS) & (TRADES.at_ns < 0.6 * DAY_NS)]
    for window, least in ((10**9, 2.0), (60 * 10**9, 3.0)):
        counts = np.bincount((noon - noon[0]) // window)
        assert counts.var() / counts.mean() > least


def test_clusters_have_heavy_tails():
    """Now and then very many within two seconds."""
    counts = np.bincount(TRADES.at_ns // (2 * 10**9))
    assert counts.max() > 30


def test_the_market_is_startled_together():
    """At the instants of a day's shocks several symbols trade at once."""
    streams = Streams(2)
    shocks = shocks_of(1, streams) // 1_000_000 * 1_000_000
    quiet = [Symbol(name=f"Q{place}", weight=1e-4, open=9.0, volatility=0.02) for place in range(60)]
    hit = [np.isin(shocks, trades_of(one, 1, 200_000, streams).at_ns).sum() for one in quiet]
    assert 0.15 < np.mean(hit) / len(shocks) < 0.5


def test_prices_have_heavy_tails():
    """In cents, around the open; a day's change as large as the symbol's volatility, roughly."""
    assert (TRADES.price == np.round(TRADES.price, 2)).all()
    assert TRADES.price[0] == pytest.approx(50.0, rel=0.01)
    closes = [np.log(trades_of(BUSY, day, 20_000, Streams(5)).price[-1] / 50.0) for day in range(40)]
    assert 0.01 < np.std(closes) < 0.04
    steps = np.diff(np.log(TRADES.price))
    assert (steps**4).mean() / (steps**2).mean() ** 2 > 4


def test_prices_stay_above_nothing():
    """The cheapest is a cent."""
    poor = Symbol(name="P", weight=0.1, open=0.01, volatility=1.0)
    assert trades_of(poor, 1, 20_000, Streams(1)).price.min() == 0.01


def test_sizes_are_hundreds():
    """Most small, few very large."""
    assert (TRADES.size % 100 == 0).all()
    assert TRADES.size.min() == 100
    assert TRADES.size.max() > 10 * np.median(TRADES.size)


def test_another_symbol_changes_nothing():
    """Each draws by itself."""
    again = trades_of(BUSY, 1, 200_000, Streams(2))
    assert (again.at_ns == TRADES.at_ns).all()
    assert len(trades_of(BUSY, 2, 200_000, Streams(2)).at_ns) != len(TRADES.at_ns)


def test_a_quiet_symbol():
    """May not be traded at all."""
    silent = Symbol(name="S", weight=1e-12, open=1.0, volatility=0.02)
    assert len(trades_of(silent, 1, 10, Streams(900)).at_ns) < 50
