"""In which order greedy admission looks at subscribers: the four priorities of the thesis (3.3.2), and who came first.

An order is asked, again and again, who comes next given who is left and who is admitted; only one of them looks at that.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np

from tidings.analysis.contents import Bools, Floats
from tidings.analysis.predicting import Ground
from tidings.scenario.world import Subscriber
from tidings.vocabulary.streams import Streams

Subscribers: TypeAlias = Sequence[Subscriber]
Order: TypeAlias = Callable[[Subscribers, Subscribers], Iterator[Subscriber]]
"""Of who is left and who is admitted: who comes next, each one as if all those before it were admitted."""

PRIORITIES: Final = ("random", "hi-req-first", "low-req-first", "overlap-first")
"""The thesis's."""
ONLINE: Final = "online"


def order_of(name: str, subscribers: Subscribers, seed: int, ground: Ground) -> Order:
    """The order of this name; ties, and all that is random, by a stream of the seed."""
    places = Streams(seed)("admission order").permutation(len(subscribers)).tolist()
    random: dict[str, int] = {one.id: place for one, place in zip(subscribers, places, strict=True)}
    if name == "overlap-first":
        return Overlap(random, ground)
    file = {one.id: place for place, one in enumerate(subscribers)}
    keys: Mapping[str, Callable[[Subscriber], tuple[float, int]]] = {
        "random": lambda one: (0.0, random[one.id]),
        "hi-req-first": lambda one: (-(one.requires or 0.0), random[one.id]),
        "low-req-first": lambda one: (one.requires or 0.0, random[one.id]),
        ONLINE: lambda one: (float(one.joins_ns or 0), file[one.id]),
    }
    return lambda left, _: iter(sorted(left, key=keys[name]))


class Overlap:
    """A few at random, then always whose filter adds least to what those admitted want already.

    The thesis counts contents that are added. Contents need not be countable: here it is the rate of the events that
    nobody admitted wants yet.
    """

    def __init__(self, random: Mapping[str, int], ground: Ground) -> None:
        self._random = random
        self._first = math.ceil(math.log2(max(len(random), 2)))
        asked = [
            (source.rate * share, *ground.interest.answers(source, topic))
            for source in ground.sources
            for topic, share in source.topics.items()
        ]
        self._rates: Floats = np.concatenate([np.zeros(1), *(rate * contents.weights for rate, contents, _ in asked)])
        self._rows: dict[str, Bools] = {}
        start = 1
        for _, contents, answers in asked:
            for text, wanted, _ in answers:
                row = self._rows.setdefault(text, np.zeros(self._rates.size, np.bool_))
                row[start : start + wanted.size] = wanted
            start += contents.weights.size

    def __call__(self, left: Subscribers, admitted: Subscribers) -> Iterator[Subscriber]:
        """Who comes next, and next."""
        waiting = sorted(left, key=lambda one: self._random[one.id])
        drawn = sum(self._random[one.id] < self._first for one in waiting)
        yield from waiting[:drawn]
        covered = self._wanted(())
        for one in (*admitted, *waiting[:drawn]):
            covered = covered | self._wanted((one.filter,))[0]
        del waiting[:drawn]
        rows = self._wanted(tuple(one.filter for one in waiting))
        added = np.where(covered, 0.0, self._rates) @ rows.T if waiting else np.zeros(0)
        for _ in range(len(waiting)):
            place = int(np.argmin(added))
            yield waiting[place]
            new = np.flatnonzero(rows[place] & ~covered)
            covered = covered | rows[place]
            added = added - rows[:, new] @ self._rates[new]
            added[place] = math.inf

    def _wanted(self, texts: Sequence[str]) -> Bools:
        """A row of contents for each filter; for none of them what nobody wants."""
        nothing = np.zeros(self._rates.size, np.bool_)
        return np.array([self._rows.get(text, nothing) for text in texts], np.bool_) if texts else nothing
