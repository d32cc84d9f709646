"""A law as a few values, each as likely as the others: what numerical sums over laws go through."""

from collections.abc import Callable

import numpy as np

from tidings.analysis.law_shapes import Floats, quantile
from tidings.vocabulary.distribution import Distribution

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def atoms(law: Distribution, count: int, of: Callable[[Floats], Floats] | None = None) -> Floats:
    """`count` values (one for a constant): means of `of` what the law draws, over shares of it of one size."""
    of = of or _itself
    if law.variance == 0:
        return of(np.array([law.mean]))
    shares = (np.arange(count)[:, None] + (_NODES + 1) / 2) / count
    found: Floats = of(quantile(law, shares.ravel()).reshape(shares.shape)) @ (_WEIGHTS / 2)
    return found


def _itself(values: Floats) -> Floats:
    return values
