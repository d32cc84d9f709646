"""The receiver's side of probabilistic FIFO: holds an event back while an earlier one of its publisher may still come.

A part of a client endpoint, in the shape of a machine: events that have arrived go in, `drain` says what to show, one
timer at `deadline`. It needs the publishers' numbers, departures by the publishers' own clocks, and arrivals by the
receiver's; no clocks in common. What comes too late is shown all the same: it breaks the order, and is counted.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Final

from tidings.errors import InputError, PeerError
from tidings.ordering.publication_record import Past, Stamp, check_stamp
from tidings.ordering.publisher_window import Held, PublisherWindow
from tidings.ordering.reach import Reach
from tidings.ordering.samples import Samples
from tidings.vocabulary.event import Event, split_event_id
from tidings.vocabulary.instant import FOREVER, MINUTE
from tidings.vocabulary.machine import DropEvent

PAIR_GAP_NS_MAX: Final = MINUTE
"""Two departures further apart give no sample: drift and steps of clocks would be taken for delay."""

JUMP_MAX: Final = 2**32
"""A number that is further above the last one comes from no publisher that counts."""


def everything_matters(_past: Past) -> bool:
    """For a subscriber that wants all that its publishers say: any hole may matter."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class LatchOptions:
    """How long to hold, and how much to keep."""

    reach: Reach | None = None
    """From the measured delays; None: the constant latch, which holds for `hold_ns` at every hole."""
    hold_ns: int = MINUTE
    """The constant latch; with a reach the longest that it may come to."""
    cold_ns: int = 0
    """How long to hold while there are too few samples for a reach."""
    margin_ns: int = 0
    """Show this long before a lifetime ends: for drivers whose timers ring late."""
    held_max: int = 1_024
    """Events held for one publisher's incarnation; one more, and the lowest is shown early."""
    windows_max: int = 4_096
    """Incarnations of publishers followed at once; one more, and the one that was silent longest is forgotten."""
    remembered: int = 1_024
    """Events of each incarnation known again when they come twice, beside those held."""
    may_matter: Callable[[Past], bool] = everything_matters
    """Whether a missing event may concern this subscriber, as `Relevance.may_matter` says."""

    def __post_init__(self) -> None:
        for name in ("hold_ns", "cold_ns", "margin_ns"):
            if not 0 <= getattr(self, name) <= FOREVER // 2:
                raise InputError(f"{name} = {getattr(self, name)} must be a duration in nanoseconds, not negative")
        for name in ("held_max", "windows_max", "remembered"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} = {getattr(self, name)} must be 1 or more")


@dataclass(slots=True)
class LatchCounts:
    """What has happened so far."""

    shown: int = 0
    held: int = 0
    """Shown later than they arrived."""
    held_ns: int = 0
    """By how much, all together."""
    late: int = 0
    """Shown after an event with a higher number: each breaks the order."""
    cold: int = 0
    """Arrived when there were too few samples for a reach."""
    forced: int = 0
    """Shown before their time because too many waited."""
    duplicates: int = 0
    """Not shown a second time."""
    expired: int = 0
    """Not shown, since their lifetime was over."""
    backwards: int = 0
    """Pairs in which the higher number departed earlier: the publisher's clock was set back."""

    def as_dict(self) -> dict[str, int]:
        """Every count by its name."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


@dataclass(frozen=True, slots=True)
class Showing:
    """An event for the application."""

    event: Event
    arrived_ns: int
    late: bool
    """An event with a higher number has been shown before it."""


@dataclass(slots=True)
class _Feed:
    """One incarnation of a publisher, as this subscriber sees it."""

    serial: int
    window: PublisherWindow
    samples: Samples
    """Shared with the publisher's other incarnations: the way is the same."""
    last: tuple[int, int, int] | None = None
    """Number, departure and arrival of the event that arrived last."""
    highest: int = -1
    """The highest number shown: whatever is shown below it breaks the order."""
    armed_ns: int | None = None


class Latch:
    """Holds events back, per publisher and incarnation; nothing is promised between publishers or incarnations."""

    def __init__(self, options: LatchOptions) -> None:
        self.options = options
        self.counts = LatchCounts()
        self._feeds: dict[tuple[str, int], _Feed] = {}
        self._samples: dict[str, Samples] = {}
        self._serials = 0
        self._timers: list[tuple[int, int, tuple[str, int]]] = []
        self._wanted: list[Showing | DropEvent] = []

    def receive(self, event: Event, stamp: Stamp, now: int, *, due_ns: int = FOREVER) -> None:
        """Take in an event that has just arrived; it is held neither past its lifetime nor past `due_ns`.

        Raises PeerError, and changes nothing, for a stamp or a number that no publisher makes.
        """
        check_stamp(stamp, event)
        number = split_event_id(event.id)[1]
        feed = self._feed(event, stamp, number, now)
        if feed.window.knows(number):
            self.counts.duplicates += 1
            return
        # The reach first: the event's own delay must not be among the samples that judge it.
        hold_ns, reach_ns = self._patience(feed.samples)
        self._measure(feed, event, number, now)
        if event.expired(now) or number < feed.window.floor:
            self._show(feed, event, now, now)
            feed.window.settle(number)
        else:
            feed.window.add(Held(event, stamp, now, hold_ns, reach_ns, self._due_ns(event, due_ns, now)))
        self._release(feed, now)
        self._arm((event.publisher, event.incarnation), feed)

    def expire(self, now: int) -> None:
        """Show what has been held long enough; harmless when nothing has."""
        while (instant := self.deadline()) is not None and instant <= now:
            _, _, key = heapq.heappop(self._timers)
            self._release(self._feeds[key], now)
            self._arm(key, self._feeds[key])

    def deadline(self) -> int | None:
        """When `expire` has something to do, or None."""
        while self._timers:
            instant, serial, key = self._timers[0]
            feed = self._feeds.get(key)
            if feed is not None and (feed.serial, feed.armed_ns) == (serial, instant):
                return instant
            heapq.heappop(self._timers)
        return None

    def drain(self) -> list[Showing | DropEvent]:
        """What to show and what to report since the last call, in this order. The caller owns the list."""
        wanted, self._wanted = self._wanted, []
        return wanted

    @property
    def holding(self) -> int:
        """Events held at the moment."""
        return sum(len(feed.window) for feed in self._feeds.values())

    def _feed(self, event: Event, stamp: Stamp, number: int, now: int) -> _Feed:
        """That of the event's incarnation, a new one if need be; the last in line to be forgotten."""
        key = (event.publisher, event.incarnation)
        feed = self._feeds.get(key)
        if feed is None:
            if len(self._feeds) == self.options.windows_max:
                self._forget(next(iter(self._feeds)), now)
            feed = self._new_feed(event.publisher, stamp.first)
        elif feed.last is not None and number - feed.last[0] > JUMP_MAX:
            raise PeerError(f"event {event.id}: its number is more than {JUMP_MAX} above the last one, {feed.last[0]}")
        else:
            del self._feeds[key]
        self._feeds[key] = feed
        return feed

    def _new_feed(self, publisher: str, first: int) -> _Feed:
        samples = self._samples.pop(publisher, None)
        if samples is None:
            if len(self._samples) == self.options.windows_max:
                del self._samples[next(iter(self._samples))]
            samples = Samples(1 if self.options.reach is None else self.options.reach.size)
        self._samples[publisher] = samples
        self._serials += 1
        return _Feed(self._serials, PublisherWindow(first, self.options.may_matter, self.options.remembered), samples)

    def _forget(self, key: tuple[str, int], now: int) -> None:
        """Show what one incarnation still holds, and follow it no longer."""
        feed = self._feeds.pop(key)
        while len(feed.window):
            self._force(feed, now)

    def _patience(self, samples: Samples) -> tuple[int, int | None]:
        """The longest hold, and the reach where there is one."""
        reach, hold_ns = self.options.reach, self.options.hold_ns
        if reach is None:
            return hold_ns, None
        reach_ns = reach.reach_ns(samples)
        if reach_ns is None:
            self.counts.cold += 1
            return min(hold_ns, self.options.cold_ns), None
        return hold_ns, reach_ns

    def _measure(self, feed: _Feed, event: Event, number: int, now: int) -> None:
        """Compare the event's delay with that of the one that arrived before it: no clock has to agree with another."""
        departed_ns = event.published_ns
        if feed.last is not None:
            earlier_number, earlier_departed_ns, earlier_now = feed.last
            gap_ns = departed_ns - earlier_departed_ns
            if (gap_ns < 0 < number - earlier_number) or (gap_ns > 0 > number - earlier_number):
                self.counts.backwards += 1
            elif abs(gap_ns) <= PAIR_GAP_NS_MAX:
                feed.samples.add(now - earlier_now - gap_ns)
        feed.last = (number, departed_ns, now)

    def _due_ns(self, event: Event, due_ns: int, now: int) -> int:
        """The last instant at which the event may be shown in time."""
        # What is late already is not hurried: that would help nobody, and push those below it out early.
        due_ns = FOREVER if due_ns < now else due_ns
        if event.expires_ns == FOREVER:
            return due_ns
        return min(due_ns, max(now, event.expires_ns - self.options.margin_ns))

    def _release(self, feed: _Feed, now: int) -> None:
        for held in feed.window.release(now):
            self._show(feed, held.event, held.arrived_ns, now)
        while len(feed.window) > self.options.held_max:
            self._force(feed, now)

    def _force(self, feed: _Feed, now: int) -> None:
        held = feed.window.pop()
        self.counts.forced += 1
        self._show(feed, held.event, held.arrived_ns, now)

    def _show(self, feed: _Feed, event: Event, arrived_ns: int, now: int) -> None:
        if event.expired(now):
            self.counts.expired += 1
            self._wanted.append(DropEvent(event, "expired"))
            return
        number = split_event_id(event.id)[1]
        late = number < feed.highest
        feed.highest = max(feed.highest, number)
        self.counts.shown += 1
        self.counts.late += late
        self.counts.held += now > arrived_ns
        self.counts.held_ns += now - arrived_ns
        self._wanted.append(Showing(event, arrived_ns, late))

    def _arm(self, key: tuple[str, int], feed: _Feed) -> None:
        due_ns = feed.window.deadline()
        if due_ns is not None and due_ns != feed.armed_ns:
            heapq.heappush(self._timers, (due_ns, feed.serial, key))
        feed.armed_ns = due_ns
        if len(self._timers) > 64 + 2 * len(self._feeds):
            armed = [(one.armed_ns, one.serial, key) for key, one in self._feeds.items()]
            self._timers = [(at, serial, key) for at, serial, key in armed if at is not None]
            heapq.heapify(self._timers)
