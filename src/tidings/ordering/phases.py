"""Chains of exponential phases: where in the chain one is after some time.

A chain visits its phases in order and stays in phase i for an exponential time with rate i. All that is computed here
are sums of products of numbers that are not negative, so that no digit is lost to cancellation, whether rates are
equal, nearly equal or far apart. (Partial fractions lose all of them when two rates are close.)
"""

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidings.errors import InputError

Floats: TypeAlias = NDArray[np.float64]

PHASES_MAX: Final = 64
_TERMS: Final = 20
"""Terms of the exponential series; the norm is at most 1 there, and 1/20! is far below a double's last digit."""


def check_positive(what: str, values: Sequence[float]) -> None:
    """InputError unless there are 1 to `PHASES_MAX` values, each finite and greater than 0."""
    if not 1 <= len(values) <= PHASES_MAX:
        raise InputError(f"{what}: {len(values)} of them; 1 to {PHASES_MAX} would be right")
    for value in values:
        if not (math.isfinite(value) and value > 0):
            raise InputError(f"{what} holds {value}; each must be finite and greater than 0")


def transitions(rates: Sequence[float], times: Floats) -> Floats:
    """For each time the matrix of probabilities to be in phase j, having started in phase i; rows lose what has left.

    Scaling and squaring; the relative error of an entry is about 10⁻¹⁶ times the largest rate times the time.
    """
    count = len(rates)
    fastest = max(rates)
    longest = fastest * float(times.max(initial=0.0))
    doublings = max(0, math.ceil(math.log2(longest))) if longest > 0 else 0
    share = fastest * times / 2.0**doublings
    # The generator with the fastest rate added on the diagonal: nothing in it is negative.
    shifted = np.diag([1 - rate / fastest for rate in rates])
    shifted += np.diag([rate / fastest for rate in rates[:-1]], 1)
    matrices: Floats = np.broadcast_to(np.eye(count), (len(times), count, count)).copy()
    for term in range(_TERMS, 0, -1):
        matrices = np.eye(count) + (share[:, None, None] / term) * (shifted @ matrices)
    matrices *= np.exp(-share)[:, None, None]
    for _ in range(doublings):
        matrices = matrices @ matrices
    return matrices


def first_rows(rates: Sequence[float], step: float, doublings: int) -> Floats:
    """Probabilities of the phases at (j + ½)·step, j = 0 … 2^doublings − 1, having started in the first."""
    rows: Floats = transitions(rates, np.array([step / 2]))[0][:1]
    stride = transitions(rates, np.array([step]))[0]
    for _ in range(doublings):
        rows = np.concatenate([rows, rows @ stride])
        stride = stride @ stride
    return rows
