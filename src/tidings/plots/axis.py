"""An axis of a plot: where a number lies, and which numbers are written beside it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

TICKS = 6


@dataclass(frozen=True, slots=True)
class Axis:
    """From `low` to `high` in numbers, from `start` to `end` on the paper."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def place(self, value: float) -> float:
        """Where `value` lies, held within the axis."""
        low, high, at = (
            (math.log10(one) for one in (self.low, self.high, max(value, self.low)))
            if self.log
            else (
                self.low,
                self.high,
                value,
            )
        )
        share = (min(max(at, low), high) - low) / (high - low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round numbers within the axis, a handful of them."""
        return _powers(self.low, self.high) if self.log else _steps(self.low, self.high)


def axis_over(values: Iterable[float], start: float, end: float, *, log: bool = False, zero: bool = False) -> Axis:
    """The axis that shows all finite values (above 0 on a logarithmic one), with 0 when asked for."""
    shown = [value for value in values if math.isfinite(value) and not (log and value <= 0)]
    if zero and not log:
        shown.append(0.0)
    low, high = min(shown, default=1.0 if log else 0.0), max(shown, default=1.0)
    if log:
        low, high = 10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high))
        return Axis(low, high if high > low else 10 * low, start, end, log)
    if low == high:
        low, high = (low - 1.0, high + 1.0) if low else (0.0, 1.0)
    step = _step(low, high)
    return Axis(math.floor(low / step) * step, math.ceil(high / step) * step, start, end)


def written(value: float) -> str:
    """A number as a reader wants it: four digits, no noise behind them."""
    if value == 0:
        return "0"
    if 1e-4 <= abs(value) < 1e6:
        return f"{float(f'{value:.4g}'):,.10g}"
    return f"{value:.3g}"


def _step(low: float, high: float) -> float:
    rough = (high - low) / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)


def _steps(low: float, high: float) -> list[float]:
    step = _step(low, high)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(index * step, 12) for index in range(first, last + 1)]


def _powers(low: float, high: float) -> list[float]:
    first, last = round(math.log10(low)), round(math.log10(high))
    stride = max(1, math.ceil((last - first) / TICKS))
    return [10.0**power for power in range(first, last + 1, stride)]
