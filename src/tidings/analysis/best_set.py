"""The largest set of subscribers that can all be served: branch and bound, from a set that is known.

A branch is a set of subscribers that are in, and those that may still be. It is given up when those that are in are not
all served, or when too few of the others would be even as listeners; with brokers that work longer the more
subscriptions they know, already at as many as a larger set must have.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from tidings.analysis.trials import Trial, Trials
from tidings.scenario.world import Subscriber


@dataclass(frozen=True, slots=True)
class BestSet:
    """What was found."""

    members: frozenset[str]
    proven: bool
    """No larger set can be served; otherwise the search was ended before it was through."""


def best_set(trials: Trials, known: Iterable[str], *, predictions_max: int) -> BestSet:
    """A set at least as large as the one that is known, in about so many predictions."""
    best = frozenset(known)
    last = trials.predictions + predictions_max
    growing = any(one.service is not None and one.service.per_subscription for one in trials.world.brokers)
    branches: list[tuple[frozenset[str], Sequence[Subscriber]]] = [(frozenset(), trials.world.subscribers)]
    while branches:
        inside, left = branches.pop()
        missing = len(best) + 1 - len(inside)
        if len(left) < missing:
            continue
        if trials.predictions >= last:
            return BestSet(best, proven=False)
        bound = trials.of(inside, _subscriptions(trials, inside, left, missing) if growing else None)
        left = [one for one in left if bound.serves(one)] if bound.holds else []
        if len(left) < missing:
            continue
        whole = inside.union(one.id for one in left)
        if trials.holds(whole):
            best = whole
            continue
        if left:
            easiest = max(left, key=lambda one: _slack(bound, one))
            rest = [one for one in left if one is not easiest]
            branches += [(inside, rest), (inside | {easiest.id}, rest)]
    return BestSet(best, proven=True)


def _subscriptions(trials: Trials, inside: Iterable[str], left: Sequence[Subscriber], missing: int) -> float:
    """How many brokers know at least, when so many of those who are left are in too."""
    weights = trials.weights
    return sum(weights[name] for name in inside) + sum(nsmallest(missing, (weights[one.id] for one in left)))


def _slack(trial: Trial, one: Subscriber) -> float:
    return trial.reliability(one) - (one.requires or 0.0)
