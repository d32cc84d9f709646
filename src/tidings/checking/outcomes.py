"""What became of every wanted event, and what was shown that should not have been.

Each wanted pair of event and subscriber is exactly one of on time, late, expired, lost.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tidings.checking.batches import Batch, counted, span_of
from tidings.checking.history import Flags, History, Integers
from tidings.checking.selection import Selection
from tidings.vocabulary.instant import FOREVER

QUANTILES = (0.5, 0.9, 0.99, 1.0)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One subscriber's events, counted."""

    wanted: int
    on_time: int
    late: int
    expired: int
    lost: int
    acknowledged_lost: int
    """Of the lost ones, those whose publisher had been told that they were taken, and that somebody still waits for.

    Who takes an interest back may miss what was on its way: there is nobody left to be shown it.
    """
    duplicates: int
    """Showings of what this subscriber had been shown before."""
    unexpected: int
    delay_ns: tuple[int, ...]
    """From published to shown, of wanted events that were shown, at each of `QUANTILES`; empty without any."""
    late_by_ns: tuple[int, ...]
    """The same, of late events only, from the last instant on time to shown."""
    batches: tuple[Batch, ...]
    """Wanted and on time in each part of the run."""


def outcomes(history: History) -> Mapping[int, Outcome]:
    """Every subscriber's outcome, in the order of `History.subscribers`."""
    selection = Selection(history.events, history.topics, history.interests.texts)
    judge = _Judge(history, selection)
    return {subscriber: judge.outcome(subscriber) for subscriber in history.subscribers}


def wanted_events(history: History, subscriber: int, selection: Selection, *, staying: bool = False) -> Flags:
    """Which events were published while an interest of `subscriber` that holds for them was effective.

    With `staying`, interests that were taken back later do not count.
    """
    events, interests = history.events, history.interests
    wanted = np.zeros(len(events), np.bool_)
    for row in np.flatnonzero(interests.subscriber == subscriber):
        if staying and interests.until_ns[row] < FOREVER:
            continue
        effective = events.published_ns >= interests.effective_ns[row]
        wanted |= (
            effective & (events.published_ns < interests.until_ns[row]) & selection.holds(int(interests.filter[row]))
        )
    return wanted & events.published


def unexpected_showings(history: History, subscriber: int, selection: Selection) -> Flags:
    """Which showings to `subscriber` (in their order) nothing allows.

    Allowed is an event that was published, whose lifetime was not over, and for which an interest holds that had been
    requested when the event was shown and had not been taken back when it was published. So a subscription that is
    still spreading may bring events that are not wanted yet.
    """
    events, interests = history.events, history.interests
    rows = history.showings.of(subscriber)
    event, delivered_ns = history.showings.event[rows], history.showings.delivered_ns[rows]
    allowed = np.zeros(len(event), np.bool_)
    for row in np.flatnonzero(interests.subscriber == subscriber):
        asked = interests.requested_ns[row] <= delivered_ns
        allowed |= (
            asked
            & (events.published_ns[event] < interests.until_ns[row])
            & selection.holds(int(interests.filter[row]))[event]
        )
    unexpected: Flags = ~(allowed & events.published[event] & (delivered_ns <= events.expires_ns[event]))
    return unexpected


class _Judge:
    """Holds what all subscribers share."""

    def __init__(self, history: History, selection: Selection) -> None:
        self._history, self._selection = history, selection
        self._expired_for_all = np.zeros(len(history.events), np.bool_)
        self._expired_for_all[history.expirations.event[history.expirations.subscriber < 0]] = True
        published_ns = history.events.published_ns[history.events.published]
        self._span = span_of(*((int(published_ns.min()), int(published_ns.max())) if len(published_ns) else (0, 0)))

    def outcome(self, subscriber: int) -> Outcome:
        events = self._history.events
        wanted = np.flatnonzero(wanted_events(self._history, subscriber, self._selection))
        rows = self._history.showings.of(subscriber)
        shown, first = np.unique(self._history.showings.event[rows], return_index=True)
        places = np.minimum(np.searchsorted(shown, wanted), len(shown) - 1)
        came = shown[places] == wanted if len(shown) else np.zeros(len(wanted), np.bool_)
        shown_ns = np.full(len(wanted), FOREVER, np.int64)
        shown_ns[came] = self._history.showings.delivered_ns[rows][first[places[came]]]
        limit_ns = self._limits(subscriber, wanted)
        on_time = came & (shown_ns <= limit_ns)
        late = came & ~on_time
        expired = ~came & self._expired_for(subscriber, wanted)
        lost = ~came & ~expired
        batch = self._span.batch(events.published_ns[wanted])
        missed = lost & wanted_events(self._history, subscriber, self._selection, staying=True)[wanted]
        return Outcome(
            wanted=len(wanted),
            on_time=int(on_time.sum()),
            late=int(late.sum()),
            expired=int(expired.sum()),
            lost=int(lost.sum()),
            acknowledged_lost=int((missed & events.acknowledged[wanted]).sum()),
            duplicates=rows.stop - rows.start - len(shown),
            unexpected=int(unexpected_showings(self._history, subscriber, self._selection).sum()),
            delay_ns=_quantiles((shown_ns - events.published_ns[wanted])[came]),
            late_by_ns=_quantiles((shown_ns - limit_ns)[late]),
            batches=tuple(zip(counted(batch), counted(batch[on_time]), strict=True)),
        )

    def _limits(self, subscriber: int, wanted: Integers) -> Integers:
        """The last instant at which each event is on time."""
        events, deadlines = self._history.events, self._history.deadlines
        longest = np.full(len(self._history.clients), FOREVER, np.int64)
        mine = np.flatnonzero(deadlines.subscriber == subscriber)
        general = mine[deadlines.publisher[mine] < 0]
        longest[:] = deadlines.deadline_ns[general].min(initial=FOREVER)
        own = mine[deadlines.publisher[mine] >= 0]
        longest[deadlines.publisher[own]] = FOREVER
        np.minimum.at(longest, deadlines.publisher[own], deadlines.deadline_ns[own])
        delay_ns = longest[events.publisher[wanted]]
        published_ns = events.published_ns[wanted]
        deadline_ns = np.where(delay_ns >= FOREVER - published_ns, FOREVER, published_ns + delay_ns)
        return np.minimum(deadline_ns, events.expires_ns[wanted])

    def _expired_for(self, subscriber: int, wanted: Integers) -> Flags:
        expirations = self._history.expirations
        own = expirations.event[expirations.subscriber == subscriber]
        expired: Flags = self._expired_for_all[wanted] | np.isin(wanted, own)
        return expired


def _quantiles(values: Integers) -> tuple[int, ...]:
    """Values that occur, so that whole numbers stay whole."""
    if not len(values):
        return ()
    return tuple(int(one) for one in np.quantile(values, QUANTILES, method="inverted_cdf"))
