"""One publisher's messages as they reach one subscriber, and what a latch makes of them.

The latch is the one of the product, fed as the latch machine wants to be fed. Any number of latches see the same arrivals.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tidings.ordering import Latch, LatchOptions, Past, Reach, Relevance, Showing, Stamp
from tidings.ordering.summary import summarise
from tidings.vocabulary.event import Event, event_id
from tidings.vocabulary.filter_parser import parse_filter
from tidings.vocabulary.instant import MINUTE


@dataclass(frozen=True, slots=True)
class Flow:
    """What one publisher sent, and what of it one subscriber got, undelayed by any latch."""

    departures_ns: tuple[int, ...]
    """Of every message, wanted or not, in the order of their numbers."""
    kinds: tuple[int, ...]
    """What each is about."""
    wanted: int
    """The kind that the subscriber wants."""
    arrivals: tuple[tuple[int, int], ...]
    """Instant and number of each message that reached it, in the order of arrival."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LatchSetting:
    """One latch under comparison."""

    name: str
    reach: Reach | None = None
    hold_ns: int = MINUTE
    record: int = 0
    """Messages that the publisher tells of."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one latch made of one flow."""

    shown: int
    late: int
    held_ns: int
    """Extra delay, all together."""

    @property
    def extra_s(self) -> float:
        """Mean extra delay in seconds."""
        return self.held_ns / self.shown / 1e9 if self.shown else 0.0


def constant(hold_ns: int) -> LatchSetting:
    """The latch that holds for a fixed time, named as in the paper; 0 is no latch at all."""
    return LatchSetting(name=f"CST-{hold_ns / 1e6:.1f}", hold_ns=hold_ns)


def latched(flow: Flow, setting: LatchSetting, *, warm: int = 0) -> Outcome:
    """Drive the product's latch through the arrivals of a flow; what the first `warm` of them saw is not counted."""
    wish = Relevance()
    wish.wish(0, parse_filter(f"kind == {flow.wanted}"))
    latch = Latch(LatchOptions(reach=setting.reach, hold_ns=setting.hold_ns, may_matter=wish.may_matter))
    before = Outcome(0, 0, 0)
    for place, (now, event, stamp) in enumerate(stamped(flow, setting.record), 1):
        while (due := latch.deadline()) is not None and due < now:
            latch.expire(due)
        latch.receive(event, stamp, now)
        latch.drain()
        if place == warm:
            before = Outcome(latch.counts.shown, latch.counts.late, latch.counts.held_ns)
    while (due := latch.deadline()) is not None:
        latch.expire(due)
    counts = latch.counts
    return Outcome(counts.shown - before.shown, counts.late - before.late, counts.held_ns - before.held_ns)


def showings(flow: Flow, setting: LatchSetting) -> list[tuple[int, int]]:
    """Number and extra delay of each message, in the order shown."""
    wish = Relevance()
    wish.wish(0, parse_filter(f"kind == {flow.wanted}"))
    latch = Latch(LatchOptions(reach=setting.reach, hold_ns=setting.hold_ns, may_matter=wish.may_matter))
    found: list[tuple[int, int]] = []

    def take(now: int) -> None:
        shown = [one for one in latch.drain() if isinstance(one, Showing)]
        found.extend((one.event.id, now - one.arrived_ns) for one in shown)

    for now, event, stamp in stamped(flow, setting.record):
        while (due := latch.deadline()) is not None and due < now:
            latch.expire(due)
            take(due)
        latch.receive(event, stamp, now)
        take(now)
    while (due := latch.deadline()) is not None:
        latch.expire(due)
        take(due)
    return found


def stamped(flow: Flow, record: int) -> Iterator[tuple[int, Event, Stamp]]:
    """Each arrival: its instant, the event, and the stamp that a publisher with this record would have put on it."""
    told = [Past(at, summary=_summary(kind)) for at, kind in zip(flow.departures_ns, flow.kinds, strict=True)]
    for now, number in flow.arrivals:
        before: Sequence[Past] = told[max(0, number - record) : number][::-1]
        if not record and number:
            before = (Past(flow.departures_ns[number - 1]),)
        yield now, _event(number, flow.kinds[number], flow.departures_ns[number]), Stamp(0, tuple(before))


def _event(number: int, kind: int, departed_ns: int) -> Event:
    return Event(event_id(0, number), "p", "news", departed_ns, {"kind": kind, "source": "wire"})


@lru_cache(maxsize=4096)
def _summary(kind: int) -> bytes:
    return summarise(_event(0, kind, 0))
