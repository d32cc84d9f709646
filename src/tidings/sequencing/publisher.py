"""The publishing end: brings every event to the stage of its topic, until the stage has it.

Requests are numbered by topic and sent again until they are acknowledged. Where a publisher's order holds across topics, a
request on another topic leaves when those before it have their timestamps; so it comes after them everywhere.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from tidings.ordering.hop_channel import OutputBuffer
from tidings.sequencing.deployment import Deployment
from tidings.sequencing.messages import Message, Requested, Taken
from tidings.sequencing.port import GivenUp, Wishes
from tidings.sequencing.request_desk import AHEAD_MAX
from tidings.vocabulary.event import Event
from tidings.vocabulary.instant import MILLISECOND

RESEND_NS: Final = 500 * MILLISECOND
SLOWER: Final = 5
TRIES_HELD: Final = 12
WAITING_MAX: Final = 65_536
"""Events that an endpoint keeps for stages that do not answer; further ones are given up."""


def _buffer() -> OutputBuffer[Event]:
    return OutputBuffer(RESEND_NS, flight_max=AHEAD_MAX, slower=SLOWER)


@dataclass(slots=True)
class _Lane:
    """The requests of one topic."""

    requests: OutputBuffer[Event] = field(default_factory=_buffer)
    ids: deque[int] = field(default_factory=deque)
    """Of events that are not known to be on the stage's log."""
    logged: int = 0


class OrderedPublisher:
    """The machine of one publisher in one incarnation."""

    def __init__(self, deployment: Deployment, name: str, incarnation: int = 0) -> None:
        self.deployment, self.name, self.incarnation = deployment, name, incarnation
        self.refused = 0
        """Messages of another version or incarnation."""
        self._lanes: dict[str, _Lane] = {}
        self._open: dict[str, _Lane] = {}
        """Those with requests that are not acknowledged."""
        self._queue: deque[Event] = deque()
        """In program order: events that wait for those before them."""
        self._topic: str | None = None
        """In program order: the topic that requests are under way on."""
        self._wishes = Wishes(listen=[deployment.names.own(name)])

    def publish(self, event: Event, now: int) -> None:
        """The application wants it published."""
        if event.topic not in self.deployment.plan.routes:
            self._wishes.given_up.append(GivenUp(event, "no stage"))
        elif self._waiting >= WAITING_MAX:
            self._wishes.given_up.append(GivenUp(event, "queue"))
        else:
            self._queue.append(event)
            self._let_go(now)

    def receive(self, _name: str, message: Message, now: int) -> None:
        """The stage of a topic says how far it is."""
        if (
            not isinstance(message, Taken)
            or message.version != self.deployment.version
            or message.incarnation != self.incarnation
            or message.topic not in self._lanes
        ):
            self.refused += 1
            return
        lane = self._lanes[message.topic]
        done = message.complete if self.deployment.program_order else message.logged
        lane.requests.acknowledge(done, now)
        while lane.logged < message.logged:
            lane.logged += 1
            self._wishes.taken.append(lane.ids.popleft())
        if not len(lane.requests):
            self._open.pop(message.topic, None)
        self._let_go(now)

    def expire(self, now: int) -> None:
        """Send again."""
        for lane in self._open.values():
            lane.requests.expire(now)

    def deadline(self) -> int | None:
        """When something is to be sent again."""
        return min((due for one in self._open.values() if (due := one.requests.deadline()) is not None), default=None)

    @property
    def holds(self) -> bool:
        """True while a request waits for an answer that is likely to come."""
        return any(one.requests.tries < TRIES_HELD for one in self._open.values())

    def drain(self) -> Wishes:
        """Everything wanted since the last call."""
        wishes, self._wishes = self._wishes, Wishes()
        names, version = self.deployment.names, self.deployment.version
        for topic, lane in self._open.items():
            for one in lane.requests.drain():
                request = Requested(version, topic, self.name, self.incarnation, one.number, one.item)
                wishes.tell.append((names.inlet(topic), request))
        return wishes

    @property
    def _waiting(self) -> int:
        return len(self._queue) + sum(len(lane.requests) for lane in self._open.values())

    def _let_go(self, now: int) -> None:
        """Send what need not wait for anything before it."""
        while self._queue and self._may_follow(self._queue[0].topic):
            event = self._queue.popleft()
            self._topic = event.topic
            lane = self._lanes.get(event.topic)
            if lane is None:
                lane = self._lanes[event.topic] = _Lane()
            self._open[event.topic] = lane
            lane.ids.append(event.id)
            lane.requests.send(event, now)

    def _may_follow(self, topic: str) -> bool:
        if not self.deployment.program_order or self._topic in (None, topic):
            return True
        return self._topic not in self._open
