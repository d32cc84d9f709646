"""One publisher's events, as its subscribers were shown them.

An *inversion* is a showing of an event whose number is below one that this subscriber was shown before, of the same
publisher in the same incarnation. Its *chances* are the showings that had one before them to be compared with. What
was never shown is no inversion.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from tidings.checking.history import History, Integers, grouped


@dataclass(frozen=True)
class PublisherOrder:
    """Where inversions happened."""

    subscribers: Integers
    """The subscriber of each inversion."""
    chances: int

    @property
    def inversions(self) -> int:
        """How many there were."""
        return len(self.subscribers)


def publisher_order(history: History, *, within_topic: bool = False) -> PublisherOrder:
    """Inversions over all topics of a publisher, or only between events on one topic."""
    events, showings = history.events, history.showings.ordered
    showings = showings.take(events.published[showings.event])
    event = showings.event
    topic = events.topic[event] if within_topic else np.zeros(len(event), np.int64)
    group = grouped(showings.subscriber, events.publisher[event], events.incarnation[event], topic)
    rows = np.argsort(group, kind="stable")
    group = group[rows]
    _, number = np.unique(events.number[event[rows]], return_inverse=True)
    # Each group's numbers are lifted above those of the group before: one running maximum serves all.
    lifted = group * (int(number.max(initial=0)) + 1) + number
    highest = np.maximum.accumulate(lifted)
    follows = group[1:] == group[:-1]
    inverted = follows & (lifted[1:] < highest[:-1])
    return PublisherOrder(showings.subscriber[rows[1:][inverted]], int(follows.sum()))


def interval(violations: int, chances: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Bounds on the probability of a violation, after Clopper and Pearson: never narrower than promised."""
    tail = (1 - confidence) / 2
    low = 0.0 if violations == 0 else float(betaincinv(violations, chances - violations + 1, tail))
    high = 1.0 if violations == chances else float(betaincinv(violations + 1, chances - violations, 1 - tail))
    return low, high
