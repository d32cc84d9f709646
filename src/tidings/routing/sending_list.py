"""A sending list: neighbours tried one after the other until one delivers, and in which order (DCRD, Eq. 3, Theorem 1).

Each neighbour offers an expected delay, given that it delivers, and the probability that it does. A neighbour that fails
costs its delay all the same.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Offer(NamedTuple):
    """What sending by one neighbour promises, the link to it included: d and r."""

    delay_ns: float
    ratio: float


NEVER = Offer(math.inf, 0.0)
"""Nothing can be expected."""


def expectation(offers: Iterable[Offer]) -> Offer:
    """What trying `offers` in this order promises: the delay given that one of them delivers, and that probability."""
    spent = weighted = 0.0
    missed = 1.0
    for delay_ns, ratio in offers:
        spent += delay_ns
        weighted += spent * ratio * missed
        missed *= 1 - ratio
    return Offer(weighted / (1 - missed), 1 - missed) if missed < 1 else NEVER


def best_order(offers: Sequence[Offer]) -> list[int]:
    """Places of `offers` in the order that makes the expected delay least: by d/r; equal ones keep their order.

    It is the expected delay that is least (Theorem 1), not the probability of being late. An offer that cannot deliver
    comes last; by Eq. 3 it would lengthen the expected delay wherever it stood before one that can.
    """
    return sorted(range(len(offers)), key=lambda place: _cost(offers[place]))


def _cost(offer: Offer) -> float:
    return offer.delay_ns / offer.ratio if offer.ratio > 0 else math.inf
