"""One direction of a link: loss, delay, duplication, bandwidth, order, outages.

Draws come from streams named after the direction, so what one link does never depends on another.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

import numpy as np

from tidings.scenario.world import LinkLaw
from tidings.simulation.agenda import Agenda
from tidings.vocabulary.distribution import Draws
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import (
    Accepted,
    Deliver,
    Forward,
    Frame,
    HandedOver,
    Interests,
    InterestsKnown,
    LinkReports,
    Packet,
    Publish,
    Relayed,
    Routed,
    event_of,
)
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.streams import Streams

HEADER_BYTES: Final = 64
"""What a frame needs on the wire beside its payload; only bandwidth asks."""

EVENT_FRAMES: Final = frozenset((Forward, Publish, Deliver, Accepted, Relayed, Routed, Packet))
"""Frames about events: the world does not end while one is on its way."""

Arrive: TypeAlias = Callable[[int, str, Frame], None]
"""The receiving end: instant, sender, frame."""

Note: TypeAlias = Callable[[int, Frame, str], None]
"""Told what the link did with each copy: instant sent, frame, and `arrived`, `lost` or `down`."""

Trouble: TypeAlias = Callable[[int], tuple[int, ...]]
"""What a campaign does to a packet sent at this instant: extra nanoseconds of each copy, none for a packet lost."""


class Rare:
    """Says for each trial whether a rare thing happens, by drawing how long it does not."""

    __slots__ = ("_generator", "_left", "_probability")

    def __init__(self, probability: float, generator: np.random.Generator) -> None:
        self._probability, self._generator = probability, generator
        self._left = self._gap()

    def happens(self) -> bool:
        """True for the share `probability` of all calls, each by itself."""
        self._left -= 1
        if self._left > 0:
            return False
        self._left = self._gap()
        return True

    def _gap(self) -> int:
        return int(self._generator.geometric(self._probability)) if self._probability > 0 else 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """Who is at the two ends of a channel, and what each copy is reported to."""

    sender: str
    receiver: str
    arrive: Arrive
    note: Note | None = None
    trouble: Trouble | None = None


class Line(Protocol):
    """One direction of a link, whoever keeps its state."""

    down: int
    """How many outages hold it down at the moment."""

    def send(self, now: int, frame: Frame) -> None:
        """Take `frame` at `now`; it arrives later, or never, or twice."""


class Channel:
    """Carries frames from `sender` to `receiver` through virtual time."""

    __slots__ = (
        "_agenda",
        "_arrive",
        "_delays",
        "_duplicates",
        "_ends",
        "_fifo",
        "_free_ns",
        "_last_ns",
        "_losses",
        "_note",
        "_ns_per_byte",
        "_trouble",
        "down"
    )  # fmt: skip

    def __init__(self, law: LinkLaw, ends: Ends, agenda: Agenda, streams: Streams) -> None:
        way = f"{ends.sender}>{ends.receiver}"
        self.down = 0
        """How many outages hold the channel down at the moment."""
        self._ends, self._agenda = ends, agenda
        self._arrive, self._note = ends.arrive, ends.note
        self._delays = None if law.delay is None else Draws(law.delay, streams(f"delay {way}"))
        self._losses = Rare(law.loss, streams(f"loss {way}")) if law.loss > 0 else None
        self._duplicates = Rare(law.duplication, streams(f"duplication {way}")) if law.duplication > 0 else None
        self._ns_per_byte = ns_per_byte(law)
        self._fifo = law.fifo
        self._trouble = ends.trouble
        self._free_ns = 0
        self._last_ns = 0

    def send(self, now: int, frame: Frame) -> None:
        """Take `frame` at `now`; it arrives later, or never, or twice."""
        if self.down:
            outcome = "down"
        elif self._losses is not None and self._losses.happens():
            outcome = "lost"
        else:
            outcome = self._accept(now, frame)
        if self._note is not None:
            self._note(now, frame, outcome)

    def _accept(self, now: int, frame: Frame) -> str:
        leaves = self._queue(now, frame) if self._ns_per_byte else now
        if self._trouble is None:
            self._carry(leaves, frame)
        else:
            extras = self._trouble(now)
            if not extras:
                return "lost"
            for extra in extras:
                self._carry(leaves + extra, frame)
        if self._duplicates is not None and self._duplicates.happens():
            self._carry(leaves, frame)
        return "arrived"

    def _carry(self, leaves: int, frame: Frame) -> None:
        arrives = leaves if self._delays is None else leaves + self._delays.next_ns()
        if self._fifo:
            arrives = self._last_ns = max(arrives, self._last_ns)
        if type(frame) in EVENT_FRAMES:
            self._agenda.at(arrives, self._deliver, frame)
        else:
            self._agenda.in_background(arrives, self._deliver, frame)

    def _deliver(self, now: int, frame: Frame, _: None) -> None:
        self._arrive(now, self._ends.sender, frame)

    def _queue(self, now: int, frame: Frame) -> int:
        """The instant at which the last bit leaves, after everything that was sent before."""
        self._free_ns = max(now, self._free_ns) + round(wire_bytes(frame) * self._ns_per_byte)
        return self._free_ns


def ns_per_byte(law: LinkLaw) -> float:
    """How long a byte takes to leave; 0 when bandwidth is unlimited."""
    return 0.0 if law.bandwidth_bps is None else 8 * SECOND / law.bandwidth_bps


def wire_bytes(frame: Frame) -> int:
    """The size that a frame is taken to have on a link."""
    event = event_of(frame)
    if event is not None:
        return event_bytes(event)
    if isinstance(frame, Relayed):
        return HEADER_BYTES + _relayed_bytes(frame)
    if isinstance(frame, Interests):
        return HEADER_BYTES + sum(len(text) for text in (*frame.added, *frame.removed))
    if isinstance(frame, LinkReports):
        return HEADER_BYTES + sum(len(text) for report in frame.reports for text in report.wants)
    if isinstance(frame, InterestsKnown):
        return HEADER_BYTES + sum(len(name) for name in frame.missing)
    return HEADER_BYTES


def _relayed_bytes(frame: Relayed) -> int:
    about = frame.frame
    if isinstance(about, HandedOver):
        return sum(event_bytes(event) for event in about.events)
    return wire_bytes(about) if isinstance(about, Interests | InterestsKnown) else 0


def event_bytes(event: Event) -> int:
    """The size that a frame with this event is taken to have."""
    return HEADER_BYTES + event.payload_bytes
