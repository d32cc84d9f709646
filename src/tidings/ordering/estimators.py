"""Scales from measured delay differences, and bounds that need no law.

The two scale estimators are for `TwoLaplace`; they differ in nothing that matters (the spread over samples is the
same), and the first needs no more than a sum. The bounds hold for known moments; with moments estimated from few
samples they hold as far as the estimate does.
"""

import math
from collections.abc import Sequence

import numpy as np

from tidings.errors import InputError
from tidings.ordering.delay_law import check_probability
from tidings.ordering.phases import Floats


def scale_by_moments(differences: Sequence[float]) -> float:
    """The scale 2/(3n)·Σ|x|, from E|X| = 1.5 b. The paper calls it the maximum-likelihood estimate, which it is not."""
    return 2.0 * math.fsum(_sizes(differences)) / (3.0 * len(differences))


def scale_by_likelihood(differences: Sequence[float]) -> float:
    """The b under which the differences are likeliest: the root of Σ b/(|x| + b) + Σ|x|/b = 2n; 0 when all are 0."""
    sizes = np.array(_sizes(differences))
    total, count = float(sizes.sum()), len(sizes)
    if total == 0:
        return 0.0
    # In u = 1/b the equation is convex, −n at 0 and not negative at 2n/Σ|x|: from there Newton only comes down to the
    # root, and the first step that does not has arrived.
    inverse = 2.0 * count / total
    while (closer := inverse - _excess_over_slope(sizes, inverse)) < inverse:
        inverse = closer
    return 1.0 / inverse


def _excess_over_slope(sizes: Floats, inverse: float) -> float:
    share = 1.0 / (1.0 + inverse * sizes)
    excess = float((share + inverse * sizes - 2.0).sum())
    return excess / float((sizes * (1.0 - share**2)).sum())


def chebyshev_bound(tail: float, variance: float) -> float:
    """What a symmetric variable with mean 0 exceeds with probability at most `tail`: σ/√(2·tail), no other condition."""
    check_probability("tail", tail)
    _check_not_negative("variance", variance)
    return math.sqrt(variance / (2.0 * tail))


def bernstein_bound(tail: float, variance: float, growth: float) -> float:
    """What a sum of independent variables with mean 0 and this total `variance` exceeds with probability at most `tail`.

    Holds when each term's absolute moments grow no faster than E|X|^q ≤ ½·q!·v·growth^(q−2), v being its variance. For
    Laplace terms `growth` is the largest scale; for terms within ±M it is M/3.
    """
    check_probability("tail", tail)
    _check_not_negative("variance", variance)
    _check_not_negative("growth", growth)
    depth = -math.log(tail)
    return growth * depth + math.sqrt((growth * depth) ** 2 + 2.0 * variance * depth)


def hoeffding_bound(tail: float, widths: Sequence[float]) -> float:
    """What a sum of independent differences exceeds with probability at most `tail`, each hop's time having a known width.

    A hop that takes between a and a + width adds a difference within ± width. Exponential times have no width: there
    this bound does not apply.
    """
    check_probability("tail", tail)
    for width in widths:
        _check_not_negative("width", width)
    return math.sqrt(-2.0 * math.log(tail) * math.fsum(width**2 for width in widths))


def _sizes(differences: Sequence[float]) -> list[float]:
    if not len(differences):
        raise InputError("a scale needs at least one delay difference")
    sizes = [abs(float(one)) for one in differences]
    if not all(map(math.isfinite, sizes)):
        raise InputError("delay differences must be finite numbers")
    return sizes


def _check_not_negative(what: str, value: float) -> None:
    if not (math.isfinite(value) and value >= 0):
        raise InputError(f"{what} = {value} must be finite and not negative")
