"""The lower real branch of Lambert's function: w·eʷ = x with w ≤ −1, for −1/e ≤ x < 0."""

import math
from typing import Final

from tidings.errors import InputError

BRANCH_POINT: Final = -math.exp(-1.0)
"""The smallest argument, rounded to a double, which lies a hair below −1/e itself."""

_ROUNDED_OFF: Final = -1.2428753672788363e-17
"""1/e less the double next to it: close to the branch point every digit of the distance counts."""
_SERIES: Final = (-1.0, -1 / 3, -11 / 72, -43 / 540, -769 / 17280, -221 / 8505, -680863 / 43545600, -1963 / 204120)
"""Coefficients of s, s², … in W₋₁(x) + 1, with s² = 2(e·x + 1); from reverting the series of w·eʷ about w = −1."""
_SERIES_ALONE: Final = 0.02
_SERIES_GUESS: Final = 1.2


def lambert_lower(x: float) -> float:
    """W₋₁(x) to about a unit in the last place, near −1/e and near 0 included; InputError outside −1/e ≤ x < 0."""
    if not BRANCH_POINT <= x < 0.0:
        raise InputError(f"W₋₁ of {x}: the lower branch is real only from -1/e up to, and without, 0")
    s = math.sqrt(max(0.0, 2.0 * math.e * ((x - BRANCH_POINT) + _ROUNDED_OFF)))
    if s < _SERIES_ALONE:
        return _series(s)
    return _newton(math.log(-x), _series(s) if s < _SERIES_GUESS else _far(math.log(-x)))


def _series(s: float) -> float:
    total = 0.0
    for coefficient in reversed(_SERIES):
        total = (total + coefficient) * s
    return total - 1.0


def _far(logarithm: float) -> float:
    """First terms of the expansion towards 0."""
    again = math.log(-logarithm)
    return logarithm - again + again / logarithm


def _newton(logarithm: float, w: float) -> float:
    """The root of w + ln(−w) = ln(−x) below −1: logarithms, since eʷ would underflow.

    The left side is concave and rises: after one step all others come from below, and the first that does not go up any
    more has arrived.
    """
    w = _step(logarithm, w)
    while (closer := _step(logarithm, w)) > w:
        w = closer
    return w


def _step(logarithm: float, w: float) -> float:
    return w - (w + math.log(-w) - logarithm) * w / (w + 1.0)
