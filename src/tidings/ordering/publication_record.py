"""What a publisher attaches to each event about those before it, so that a receiver can judge a hole in the numbers.

In *basic* mode that is one instant: when the event before departed. In *enhanced* mode it is, for each of the last y
events, when it departed and what it was about: its topic, where filters are on topics only, or a summary of topic and
attributes in 16 bytes.
"""

from collections import deque
from typing import Final, Literal, TypeAlias

import msgspec

from tidings.errors import InputError, PeerError
from tidings.ordering.summary import SUMMARY_BYTES, summarise
from tidings.vocabulary.event import Event, split_event_id

RECORD_MAX: Final = 1_024
"""Most events that a record tells of."""

About: TypeAlias = Literal["topics", "summaries"]


class Past(msgspec.Struct, frozen=True, gc=False):
    """One earlier event. Neither topic nor summary: nothing is told of it but when it departed."""

    departed_ns: int
    topic: str | None = None
    summary: bytes | None = None


class Stamp(msgspec.Struct, frozen=True, gc=False):
    """What travels with an event. The event's own number and departure are in the event itself."""

    first: int = 0
    """The first number of this incarnation: below it nothing is missing."""
    before: tuple[Past, ...] = ()
    """Of the numbers below the event's own, newest first, without a hole."""


def check_stamp(stamp: Stamp, event: Event) -> None:
    """PeerError for a stamp that no publisher makes for `event`."""
    number = split_event_id(event.id)[1]
    if not 0 <= stamp.first <= number:
        raise PeerError(f"event {event.id}: its stamp begins at number {stamp.first}, after its own {number}")
    if len(stamp.before) > min(RECORD_MAX, number - stamp.first):
        raise PeerError(f"event {event.id}: its stamp tells of {len(stamp.before)} earlier events, more than there are")
    for past in stamp.before:
        if past.summary is not None and len(past.summary) != SUMMARY_BYTES:
            raise PeerError(f"event {event.id}: a summary has {len(past.summary)} bytes instead of {SUMMARY_BYTES}")


class PublicationRecord:
    """The publisher's side: remembers the last events and stamps the next. One for each incarnation."""

    __slots__ = ("_about", "_first", "_length", "_next", "_past")

    def __init__(self, length: int, about: About = "topics") -> None:
        """`length` is y; 0 is the basic mode."""
        if not 0 <= length <= RECORD_MAX:
            raise InputError(f"record = {length} must be a whole number of messages from 0 to {RECORD_MAX}")
        self._length, self._about = length, about
        self._past: deque[Past] = deque(maxlen=max(1, length))
        self._first: int | None = None
        self._next = 0

    def stamp(self, event: Event) -> Stamp:
        """The stamp of `event`, which departs now; its number must follow that of the event before."""
        number = split_event_id(event.id)[1]
        if self._first is None:
            self._first = self._next = number
        if number != self._next:
            raise InputError(f"event {event.id} has number {number}; a publisher's next would be {self._next}")
        stamp = Stamp(self._first, tuple(self._past))
        self._next += 1
        self._past.appendleft(self._told(event))
        return stamp

    def _told(self, event: Event) -> Past:
        if not self._length:
            return Past(event.published_ns)
        if self._about == "topics":
            return Past(event.published_ns, topic=event.topic)
        return Past(event.published_ns, summary=summarise(event))
