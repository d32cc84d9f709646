"""Fetching what waits for a client at another broker: asked for piece by piece, again when no answer comes.

The order of a publisher survives because the asker's own events are held back until the other side has said that it is
through: first everything that waits there, up to when the asker's own interest is known everywhere, then what was held.
"""

from dataclasses import dataclass, field
from typing import Final

from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import HandedOver, HandoffAsked
from tidings.vocabulary.instant import MILLISECOND, SECOND

EVENTS_PER_ANSWER: Final = 64
ASK_AGAIN_NS: Final = 200 * MILLISECOND
"""Time to the first repetition of a question; twice as long before each further one, up to `ASK_AGAIN_NS_MAX`."""
ASK_AGAIN_NS_MAX: Final = SECOND
GIVE_UP_NS: Final = 10 * SECOND
"""After so long without an answer the other broker is taken for gone, with what waits there."""


@dataclass(slots=True)
class Fetch:
    """One client's events on their way from `origin`; begins with a question."""

    client: str
    session: int
    """Of the stay there."""
    origin: str
    copy: bool
    """What is fetched stays there too: nobody knows yet where the client will turn up."""
    began_ns: int
    unconfirmed: set[int]
    """Wishes (by the client's numbers) of which it is not known that everybody knows them."""
    start: int = 0
    held: list[Event] = field(default_factory=list)
    """What came here by itself meanwhile."""
    seen: set[int] = field(default_factory=set)
    deadline_ns: int = 0
    _wait_ns: int = ASK_AGAIN_NS
    _heard_ns: int = 0

    def __post_init__(self) -> None:
        self._heard_ns = self.began_ns

    def ask(self, now: int) -> HandoffAsked:
        """The next question."""
        self.deadline_ns = now + self._wait_ns
        self._wait_ns = min(2 * self._wait_ns, ASK_AGAIN_NS_MAX)
        return HandoffAsked(self.client, self.session, self.start, self.copy, not self.unconfirmed)

    def confirmed(self, number: int) -> bool:
        """Everybody knows that wish; true when that was the last, so that it is worth asking at once."""
        waited = bool(self.unconfirmed)
        self.unconfirmed.discard(number)
        if waited and not self.unconfirmed:
            self._wait_ns = ASK_AGAIN_NS
            return True
        return False

    def take(self, answer: HandedOver, now: int) -> list[Event]:
        """What is new in an answer."""
        self._heard_ns, self._wait_ns = now, ASK_AGAIN_NS
        events = list(answer.events[max(0, self.start - answer.start) :])
        self.start = max(self.start, answer.start + len(answer.events))
        self.seen.update(event.id for event in events)
        return events

    def rest(self) -> list[Event]:
        """What was held and did not come from the other side too."""
        return [event for event in self.held if event.id not in self.seen]

    def hopeless(self, now: int) -> bool:
        """True when there has been no answer for too long."""
        return now - self._heard_ns >= GIVE_UP_NS
