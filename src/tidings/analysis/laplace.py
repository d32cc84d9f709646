"""Functions of time from their Laplace transforms on the real axis."""

import math
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

_TERMS: Final = 12


def rates_for(times: Floats) -> Floats:
    """Where a transform has to be known for the function at these times: a row for each time."""
    found: Floats = np.arange(1, _TERMS + 1) * math.log(2) / times[:, None]
    return found


def inverted(times: Floats, transform: Floats) -> Floats:
    """A smooth function at times above 0, from its transform at `rates_for(times)` (Gaver and Stehfest)."""
    found: Floats = transform @ _WEIGHTS * math.log(2) / times
    return found


def _weights(terms: int) -> Floats:
    half = terms // 2
    found = []
    for k in range(1, terms + 1):
        total = sum(
            j**half
            * math.factorial(2 * j)
            / (math.factorial(half - j) * math.factorial(j) * math.factorial(j - 1))
            / (math.factorial(k - j) * math.factorial(2 * j - k))
            for j in range((k + 1) // 2, min(k, half) + 1)
        )
        found.append((-1) ** (k + half) * total)
    return np.array(found, np.float64)


_WEIGHTS: Final = _weights(_TERMS)
