"""The symbols of a market: how they are called, how busy each is, how its price moves from day to day."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidings.errors import InputError
from tidings.vocabulary.streams import Streams

SYMBOLS_MAX: Final = 20_000
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_EXPONENT: Final = 0.9
"""Of the power law of rates: few symbols are busy, most are not."""
_RATE_DRIFT: Final = 0.25
"""Standard deviation of the logarithm of a day's rate, around the symbol's own."""
_PRICE_DRIFT: Final = 0.015
"""The same of an opening price, around the last one."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """One listed company, on one day."""

    name: str
    weight: float
    """Its share of the day's trades, on average."""
    open: float
    """Price at which the day begins."""
    volatility: float
    """Standard deviation of the logarithm of its price over a day."""


def symbols_of(count: int, day: int, streams: Streams) -> list[Symbol]:
    """The symbols on a day, counted from 1, the busiest on average first; another day has the same symbols."""
    if not 1 <= count <= SYMBOLS_MAX:
        raise InputError(f"symbols = {count}: 1 to {SYMBOLS_MAX:,} would be right")
    base = np.arange(1, count + 1) ** -_EXPONENT
    first = streams("listing").lognormal(3.5, 0.8, count)
    volatility = streams("volatility").lognormal(np.log(0.02), 0.4, count)
    prices = first * np.exp(_walked("opening prices", day, count, streams) * _PRICE_DRIFT)
    weights = base * np.exp(streams(f"rates of day {day}").standard_normal(count) * _RATE_DRIFT)
    weights /= weights.sum()
    return [
        Symbol(_name(place), float(weights[place]), float(prices[place]), float(volatility[place]))
        for place in range(count)
    ]


def _walked(what: str, day: int, count: int, streams: Streams) -> NDArray[np.float64]:
    """Sums of a step for each day before: yesterday is where today begins."""
    steps = [streams(f"{what} of day {one}").standard_normal(count) for one in range(2, day + 1)]
    return np.sum(steps, axis=0) if steps else np.zeros(count)


def _name(place: int) -> str:
    """AAA, BAA, CAA …: three letters, four when these are used up."""
    letters = 3 if place < len(_LETTERS) ** 3 else 4
    name = ""
    for _ in range(letters):
        place, letter = divmod(place, len(_LETTERS))
        name += _LETTERS[letter]
    return name
