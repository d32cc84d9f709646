"""Greedy admission (thesis, 3.3.2, Algorithm 1): one after the other, each where all that are in stay satisfied.

The thesis admits whoever makes more subscribers satisfied. Since one more subscriber makes nobody else better off, that is
whoever is satisfied itself and leaves all others so.
"""

from itertools import islice

from tidings.analysis.priorities import Order
from tidings.analysis.trials import Trials
from tidings.scenario.world import Subscriber


def admitted_greedily(trials: Trials, order: Order) -> tuple[str, ...]:
    """Who is in at the end, in the order in which they came in.

    The same as with one prediction for each subscriber, in fewer: who is not served even as a listener is refused without
    one, and several are tried at once, twice as many after each success and half after each failure.
    """
    left, inside, size = list(trials.world.subscribers), list[Subscriber](), 1
    trial = trials.of(())
    while left := [one for one in left if trial.serves(one)]:
        chunk = list(islice(order(left, inside), size))
        members = [one.id for one in (*inside, *chunk)]
        served = trials.holds(members)
        if served:
            inside += chunk
            trial = trials.of(members)
        size = 2 * len(chunk) if served else max(len(chunk) // 2, 1)
        if served or len(chunk) == 1:
            left = [one for one in left if one not in chunk]
    return tuple(one.id for one in inside)
