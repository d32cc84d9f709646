"""Symbols of a market: the same ones every day, busier and dearer or less so."""

import numpy as np
import pytest

from tidings.errors import InputError
from tidings.market.symbols import SYMBOLS_MAX, symbols_of
from tidings.vocabulary.streams import Streams

STREAMS = Streams(3)


def test_names_are_plain_and_different():
    """Three letters, four when there are many."""
    names = [one.name for one in symbols_of(300, 1, STREAMS)]
    assert names[:3] == ["AAA", "BAA", "CAA"]
    assert len(dict.fromkeys(names)) == 300
    many = [one.name for one in symbols_of(SYMBOLS_MAX, 1, STREAMS)]
    assert len(dict.fromkeys(many)) == SYMBOLS_MAX
    assert {len(one) for one in many} == {3, 4}


def test_few_are_busy():
    """Shares sum to 1 and fall with the rank, roughly."""
    weights = np.array([one.weight for one in symbols_of(300, 1, STREAMS)])
    assert weights.sum() == pytest.approx(1.0)
    assert weights[:30].sum() > 0.5
    assert np.corrcoef(np.log(weights), np.log(np.arange(1, 301)))[0, 1] < -0.9


def test_days_drift():
    """Rates change by some tens of per cent, opening prices by a per cent or two; nothing jumps to another world."""
    first, second = symbols_of(200, 1, STREAMS), symbols_of(200, 2, STREAMS)
    rates = np.log([one.weight / other.weight for one, other in zip(first, second, strict=True)])
    prices = np.log([one.open / other.open for one, other in zip(first, second, strict=True)])
    assert 0.1 < rates.std() < 0.6
    assert 0.005 < prices.std() < 0.03
    assert [one.volatility for one in first] == [one.volatility for one in second]


def test_prices_walk():
    """Ten days on they have gone further than in one."""
    opens = [np.log([one.open for one in symbols_of(200, day, STREAMS)]) for day in (1, 2, 11)]
    assert (opens[2] - opens[0]).std() > 2 * (opens[1] - opens[0]).std()


def test_the_seed_decides():
    """The same market from the same seed."""
    assert symbols_of(5, 2, Streams(7)) == symbols_of(5, 2, Streams(7))
    assert symbols_of(5, 2, Streams(7)) != symbols_of(5, 2, Streams(8))


@pytest.mark.parametrize("count", [0, SYMBOLS_MAX + 1])
def test_limits(count):
    """At least one, at most so many."""
    with pytest.raises(InputError, match="would be right"):
        symbols_of(count, 1, STREAMS)
