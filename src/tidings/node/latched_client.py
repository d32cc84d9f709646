"""A client endpoint that keeps each publisher's order with a stated probability: a latch around any other endpoint.

It stamps what its application publishes and holds back what comes in, as `tidings.ordering.latch` says. The network
between the two sees one payload, and knows nothing of order.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tidings.errors import PeerError
from tidings.ordering.latch import Latch, LatchCounts, LatchOptions
from tidings.ordering.publication_record import About, PublicationRecord
from tidings.ordering.relevance import Relevance
from tidings.ordering.stamp_coding import stamped, unstamped
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.instant import FOREVER
from tidings.vocabulary.machine import (
    DropEvent,
    Effects,
    Machine,
    Notice,
    PublishRequested,
    ShowEvent,
    SubscribeRequested,
    UnsubscribeRequested,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LatchedOptions:
    """What a latched endpoint is told when it is made."""

    name: str
    latch: LatchOptions
    """Its `may_matter` is taken from the wishes."""
    record: int
    """How many earlier events each event of this publisher tells of; 0: of none but when the one before departed."""
    about: About
    """What it tells of them: `topics` serves where nobody's filter asks for anything else."""
    deadline_ns: int = FOREVER
    """How long after its publication an event still helps this subscriber; it is not held longer."""
    deadlines: Mapping[str, int] = field(default_factory=dict)
    """By publisher, where they differ."""


class LatchedClient:
    """The machine of one client: `inner` talks to the broker, the latch decides when the application is shown what."""

    def __init__(self, options: LatchedOptions, inner: Machine) -> None:
        self.options, self.inner = options, inner
        self._relevance = Relevance()
        self._record = PublicationRecord(options.record, options.about)
        self._latch = Latch(replace(options.latch, may_matter=self._relevance.may_matter))
        self._effects = Effects()

    @property
    def counts(self) -> LatchCounts:
        """What the latch has done so far."""
        return self._latch.counts

    @property
    def holds(self) -> bool:
        """True while the latch holds an event back."""
        return self._latch.deadline() is not None

    def receive(self, notice: Notice, now: int) -> None:
        """Take in what happened; numbers of what the application publishes must follow each other."""
        if isinstance(notice, PublishRequested):
            notice = PublishRequested(stamped(notice.event, self._record.stamp(notice.event)))
        elif isinstance(notice, SubscribeRequested):
            self._relevance.wish(notice.number, parsed(notice.filter))
        elif isinstance(notice, UnsubscribeRequested):
            self._relevance.unwish(notice.number)
        self.inner.receive(notice, now)
        self._take(now)

    def expire(self, now: int) -> None:
        """Show what has been held long enough, and let the inner endpoint do what is due."""
        self.inner.expire(now)
        self._latch.expire(now)
        self._take(now)

    def deadline(self) -> int | None:
        """The earlier of the two."""
        instants = [at for at in (self.inner.deadline(), self._latch.deadline()) if at is not None]
        return min(instants, default=None)

    def drain(self) -> Effects:
        """Everything wanted since the last call."""
        effects, self._effects = self._effects, Effects()
        return effects

    def _take(self, now: int) -> None:
        """What the inner endpoint would show goes through the latch; all else passes."""
        inner, effects = self.inner.drain(), self._effects
        effects.store += inner.store
        effects.send += inner.send
        effects.deliver += inner.deliver
        effects.report += inner.report
        for show in inner.show:
            if isinstance(show, ShowEvent):
                self._latch_event(show.event, now)
            else:
                effects.show.append(show)
        for one in self._latch.drain():
            if isinstance(one, DropEvent):
                effects.report.append(DropEvent(one.event, one.reason, (self.options.name,)))
            else:
                effects.show.append(ShowEvent(one.event, one.arrived_ns))

    def _latch_event(self, event: Event, now: int) -> None:
        deadline_ns = self.options.deadlines.get(event.publisher, self.options.deadline_ns)
        due_ns = FOREVER if deadline_ns == FOREVER else event.published_ns + deadline_ns
        try:
            plain, stamp = unstamped(event)
            self._latch.receive(plain, stamp, now, due_ns=due_ns)
        except PeerError:
            # Somebody's nonsense must not end the connection over which everybody else's events come.
            self._effects.report.append(DropEvent(event, "malformed", (self.options.name,)))
