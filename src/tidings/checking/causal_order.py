"""Effects that were shown before their causes.

Causes of an event: what its publisher published before, and what the same client had been shown by then
(`delivered_ns` < `published_ns`, tagged or not), closed transitively. With an event all earlier ones of its publisher
are causes, so the causes of an event are, for each publisher, the first so many: a row of counts.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tidings.checking.history import History, Integers, Showings
from tidings.checking.reversed_pairs import spread

_CHUNK = 1 << 22


@dataclass(frozen=True, kw_only=True)
class CausalLimits:
    """Where exact counting ends; beyond, counts are lower bounds."""

    cells_max: int = 100_000_000
    """Counts of causes kept (events × publishers), four bytes each; beyond, only program order counts as cause."""
    steps_max: int = 3_000_000_000
    """Counts of causes looked at (showings × publishers); beyond, the same."""
    candidates_max: int = 200_000_000
    """Pairs of showings compared one by one; beyond, a cause shown too late counts once, whatever its effects."""


class CausalOrder(NamedTuple):
    """Inversions, counted; without `exact`, there are at least so many."""

    inversions: int
    exact: bool


def causal_order(history: History, limits: CausalLimits | None = None) -> CausalOrder:
    """Count, over all subscribers, the pairs of showings of which the first is an effect of the second."""
    limits = limits or CausalLimits()
    showings = history.showings.ordered
    showings = showings.take(history.events.published[showings.event])
    past = _Past(history)
    exact = bool((showings.delivered_ns >= history.events.published_ns[showings.event]).all())
    cells, steps = (len(rows) * past.publishers for rows in (history.events, showings))
    if cells <= limits.cells_max and steps <= limits.steps_max:
        past.follow_showings(history)
    else:
        exact = False
    inversions, budget = 0, limits.candidates_max
    for subscriber in np.unique(showings.subscriber).tolist():
        event = showings.event[showings.of(subscriber)]
        for publisher in np.unique(past.publisher[event]).tolist():
            late = _late_causes(*past.seen(event, publisher))
            whole = int(np.searchsorted(np.cumsum(late.position - late.begin), budget, "right"))
            budget -= int((late.position - late.begin)[:whole].sum())
            inversions += _effects_before(late, whole) + len(late.position) - whole
            exact &= whole == len(late.position)
    return CausalOrder(inversions, exact)


class _Past:
    """How many events of each publisher, from its first on, each event has as causes, itself included."""

    def __init__(self, history: History) -> None:
        events = history.events
        known = np.flatnonzero(events.published)
        clients, own = np.unique(events.publisher[known], return_inverse=True)
        self.clients = clients
        self.publishers = len(clients)
        self.publisher = np.full(len(events), -1, np.int64)
        self.publisher[known] = own
        self.order = known[np.lexsort((events.number[known], events.published_ns[known]))]
        """Published events by time: an event stands behind all its causes."""
        self.rank = np.zeros(len(events), np.int64)
        """1 for the first event of its publisher, 2 for the next …"""
        mine = self.order[np.argsort(self.publisher[self.order], kind="stable")]
        _, first = np.unique(self.publisher[mine], return_index=True)
        self.rank[mine] = np.arange(len(mine)) - first[self.publisher[mine]] + 1
        self._counts: np.ndarray[tuple[int, int], np.dtype[np.int32]] | None = None

    def follow_showings(self, history: History) -> None:
        """Take in what publishers had been shown; without this only their own earlier events are causes."""
        counts = np.zeros((len(self.rank), self.publishers), np.int32)
        counts[self.order, self.publisher[self.order]] = self.rank[self.order]
        inboxes = {
            publisher: _Inbox(history, self.publisher, rows)
            for publisher, client in enumerate(self.clients.tolist())
            if (rows := history.showings.of(client)).stop > rows.start
        }
        reacting = np.isin(self.publisher[self.order], list(inboxes))
        state = np.zeros((self.publishers, self.publishers), np.int32)
        for event in self.order[reacting].tolist():
            publisher = int(self.publisher[event])
            shown = inboxes[publisher].before(int(history.events.published_ns[event]))
            mine = state[publisher]
            if len(shown):
                np.maximum(mine, counts[shown].max(axis=0), out=mine)
            np.maximum(counts[event], mine, out=mine)
            counts[event] = mine
        self._counts = counts

    def seen(self, event: Integers, publisher: int) -> tuple[Integers, Integers, Integers]:
        """For a sequence of events: how many of `publisher` each has as causes; where its own stand; their ranks."""
        own = np.flatnonzero(self.publisher[event] == publisher)
        if self._counts is None:
            return self.rank[event[own]], np.arange(len(own)), self.rank[event[own]]
        return self._counts[event, publisher], own, self.rank[event[own]]


class _Inbox:
    """What one client was shown, by time, read once from front to back."""

    def __init__(self, history: History, publisher: Integers, rows: slice) -> None:
        showings: Showings = history.showings.take(np.arange(rows.start, rows.stop))
        showings = showings.take(publisher[showings.event] >= 0)
        order = np.argsort(showings.delivered_ns, kind="stable")
        self._event, self._delivered_ns = showings.event[order], showings.delivered_ns[order]
        self._next = 0

    def before(self, instant: int) -> Integers:
        """What was shown before `instant` and not given yet."""
        begin, self._next = self._next, int(np.searchsorted(self._delivered_ns, instant))
        return self._event[begin : self._next]


class _Late(NamedTuple):
    """Showings of one publisher's events behind effects of theirs."""

    seen: Integers
    """For the whole sequence, as in `_Past.seen`."""
    position: Integers
    rank: Integers
    begin: Integers
    """All effects before `position` stand from here on."""


def _late_causes(seen: Integers, position: Integers, rank: Integers) -> _Late:
    highest = np.maximum.accumulate(seen)
    begin = np.searchsorted(highest, rank)
    late = begin < position
    return _Late(seen, position[late], rank[late], begin[late])


def _effects_before(late: _Late, whole: int) -> int:
    """Effects that stand before the first `whole` of the late causes, in pieces of bounded size."""
    lengths = late.position - late.begin
    total = 0
    first = 0
    while first < whole:
        fitting = int(np.searchsorted(np.cumsum(lengths[first:whole]), _CHUNK, "right"))
        part = slice(first, first + max(fitting, 1))
        seen = late.seen[spread(late.begin[part], lengths[part])]
        total += int((seen >= np.repeat(late.rank[part], lengths[part])).sum())
        first = part.stop
    return total
