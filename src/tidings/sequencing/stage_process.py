"""A stage as a process: logs requests, numbers them, sees to their timestamps, and alone publishes.

Processing order is log order is sending order, for its own requests and for those that pass. Everything that it says
stands behind the records of what made it say so (`Wishes`), so that a process that comes back with its log goes on as if
nothing had been. A repeated request is answered from memory and never numbered again.

A process that was paused may come back when another owns the log. Its next append is refused, and it ends; what it says from
memory before that is still true. But it may also be sent what only its successor can know. What does not follow from
its own log shows it that it has been overtaken, and it falls silent.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec

from tidings.errors import PeerError
from tidings.ordering import ClimbTo, Complete, Request, Stage, Timestamp, TimestampWriter
from tidings.ordering.varints import from_varints, to_varints
from tidings.sequencing.deployment import Deployment
from tidings.sequencing.messages import (
    Climbing,
    Finished,
    Gone,
    Hop,
    HopTaken,
    Item,
    Message,
    NumbersAsked,
    ProbeAsked,
    Published,
    Reached,
    Requested,
)
from tidings.sequencing.port import Stamping, Wishes
from tidings.sequencing.probes import Probes
from tidings.sequencing.request_desk import RequestDesk
from tidings.sequencing.retained import Kept, Retained, Retention
from tidings.sequencing.stage_channels import StageChannels
from tidings.sequencing.stage_records import (
    GoneLogged,
    HopLogged,
    RequestLogged,
    StageRecord,
    TakenLogged,
    from_record,
    to_record,
)
from tidings.vocabulary.event import Event


@dataclass(frozen=True, slots=True)
class _Own:
    """A request of a topic of ours, numbered and not complete."""

    request: Requested
    at_ns: int


class StageProcess:
    """The machine of one stage. One object lives as long as one process; `start` comes first."""

    def __init__(self, deployment: Deployment, name: str, retention: Retention | None = None) -> None:
        self.deployment, self.name = deployment, name
        self.refused = 0
        """Messages of another version, or for somebody else."""
        self._term = 0
        self._stage = Stage(deployment.plan, name)
        self._desk = RequestDesk()
        self._channels = StageChannels(deployment.version, name)
        self._pending: dict[str, deque[_Own]] = {topic: deque() for topic in self._stage.topics}
        self._complete = dict.fromkeys(self._stage.topics, 0)
        self._writers = {topic: TimestampWriter(deployment.codes_of(topic)) for topic in self._stage.topics}
        self._retained = Retained(retention or Retention())
        self._probes = Probes()
        self.overtaken = False
        """True when it has seen that another process owns the stage: it takes nothing in and says nothing more."""
        self._remembering = False
        """True while the log is read: everything is done again, but said only where it may not have been heard."""
        self._wishes = Wishes()

    def start(self, term: int, records: Sequence[bytes], now: int) -> None:
        """Take up what earlier processes wrote down; nothing is published again, but everybody hears how far we are."""
        self._term, self._remembering = term, True
        for data in records:
            self._remember(from_record(data))
        self._remembering = False
        self._channels.repeat(now)
        names = self.deployment.names
        self._wishes.listen += [names.stage(self.name), *(names.inlet(topic) for topic in self._stage.topics)]
        for topic, number in self._complete.items():
            if number:
                self._probe(topic)
                self._probes.published(topic, now)

    # ---- the machine contract

    def receive(self, _name: str, message: Message, now: int) -> None:
        """Take in what came on a name of ours."""
        action = self._ACTIONS.get(type(message))
        if self.overtaken:
            return
        if action is None or message.version != self.deployment.version:
            self.refused += 1
        else:
            action(self, message, now)

    def expire(self, now: int) -> None:
        """Send again, and probe."""
        if self.overtaken:
            return
        self._channels.expire(now)
        for topic in self._probes.due(now):
            self._probe(topic)

    def deadline(self) -> int | None:
        """When `expire` has something to do."""
        if self.overtaken:
            return None
        instants = [self._channels.deadline(), self._probes.deadline()]
        return min((one for one in instants if one is not None), default=None)

    @property
    def holds(self) -> bool:
        """True while somebody may not have heard what was published, or a stage what was sent."""
        return not self.overtaken and (self._channels.holds or self._probes.holds)

    def drain(self) -> Wishes:
        """Everything wanted since the last call."""
        wishes, self._wishes = self._wishes, Wishes()
        if self.overtaken:
            return wishes
        if wishes.store:
            wishes.store += map(to_record, self._channels.news())
        names = self.deployment.names
        wishes.tell += [(names.stage(stage), hop) for stage, hop in self._channels.drain()]
        return wishes

    @property
    def unfinished(self) -> list[tuple[Event, int, int]]:
        """Events that have no timestamp yet, with their numbers and when they were asked for."""
        return [
            (one.request.event, self._complete[topic] + place, one.at_ns)
            for topic, owned in self._pending.items()
            for place, one in enumerate(owned, 1)
        ]

    # ---- requests

    def _request(self, message: Requested, now: int) -> None:
        if message.topic not in self._pending or message.event.topic != message.topic:
            raise PeerError(f"{message.publisher} asks stage {self.name} about topic {message.topic}, which it has not")
        for request in self._desk.receive(message):
            self._write(RequestLogged(request, now))
            self._number(request, now)
        self._answer(message.topic, message.publisher)

    def _answer(self, topic: str, publisher: str) -> None:
        self._tell(self.deployment.names.own(publisher), self._desk.state(self.deployment.version, topic, publisher))

    def _number(self, request: Requested, now: int) -> None:
        self._pending[request.topic].append(_Own(request, now))
        self._forward(self._stage.request(request.topic, request.event.id), now)

    def _forward(self, step: ClimbTo | Complete, now: int) -> None:
        if isinstance(step, ClimbTo):
            one = step.request
            item = Climbing(one.event, one.topic, one.number, to_varints(one.numbers))
            self._channels.send(step.stage, item, now)
            return
        stamp = step.timestamp
        home = self.deployment.plan.routes[stamp.topic].stage
        if home == self.name:
            self._finish(stamp, now)
        else:
            self._channels.send(home, Finished(stamp.topic, to_varints(stamp.numbers)), now)

    # ---- what other stages say

    def _hop(self, message: Hop, now: int) -> None:
        for one in self._channels.receive(message):
            if not self._follows(one.item):
                self.overtaken, self._wishes = True, Wishes()
                return
            self._write(HopLogged(one.sender, one.item, now))
            self._pass(one.item, now)
        self._tell(self.deployment.names.stage(message.sender), self._channels.taken_from(message.sender))

    def _follows(self, item: Item) -> bool:
        if isinstance(item, Climbing):
            return item.number == self._stage.number(item.topic) + 1
        return bool(self._pending.get(item.topic))

    def _pass(self, item: Item, now: int) -> None:
        numbers = from_varints(item.numbers)
        if isinstance(item, Climbing):
            self._forward(self._stage.climb(Request(item.event, item.topic, item.number, numbers)), now)
        else:
            self._finish(Timestamp(self.deployment.layouts[item.topic], numbers), now)

    def _hop_taken(self, message: HopTaken, now: int) -> None:
        self._channels.taken(message.receiver, message.number, now)

    # ---- publishing

    def _finish(self, stamp: Timestamp, now: int) -> None:
        topic = stamp.topic
        own = self._pending[topic].popleft()
        self._complete[topic] += 1
        assert stamp.number == self._complete[topic], "a topic's timestamps are complete in the order of their numbers"
        self._desk.completed(own.request)
        kept = Kept(own.request.event, stamp, now)
        self._retained.keep(kept)
        writer = self._writers[topic]
        data = writer.write(stamp) if self.deployment.reliable else writer.whole(stamp)
        if self._remembering:
            return
        self._publish(self.deployment.names.outlet(topic), kept, data, now)
        self._probes.published(topic, now)
        if self.deployment.program_order:
            self._answer(topic, own.request.publisher)
        self._wishes.stamped.append(
            Stamping(
                event=own.request.event.id,
                topic=topic,
                number=stamp.number,
                version=self.deployment.version,
                term=self._term,
                requested_ns=own.at_ns,
                stages=len(self.deployment.plan.routes[topic].path),
                entries=len(stamp.numbers),
                size=len(data),
            )
        )

    def _publish(self, name: str, kept: Kept, data: bytes, now: int) -> None:
        """To everybody, or to one who asked; what has expired travels on as a header."""
        event = kept.event
        if event.expired(now):
            event = msgspec.structs.replace(event, payload=b"", payload_bytes=0)
        self._tell(name, Published(self.deployment.version, kept.stamp.topic, kept.stamp.number, data, event))

    def _probe(self, topic: str) -> None:
        reached = Reached(self.deployment.version, topic, self._complete[topic])
        self._tell(self.deployment.names.outlet(topic), reached)

    def _probe_asked(self, message: ProbeAsked, _now: int) -> None:
        if message.topic in self._complete:
            self._probe(message.topic)
            self._writers[message.topic].begin_anew()  # who has just come cannot read a difference

    # ---- what somebody lacks

    def _asked(self, message: NumbersAsked, now: int) -> None:
        topic, own = message.topic, self.deployment.names.own(message.subscriber)
        if topic not in self._complete:
            self.refused += 1
            return
        self._retained.forget(now)
        gone = 0
        for number in sorted(message.numbers):
            kept = self._retained.find(topic, number)
            if kept is not None:
                self._publish(own, kept, self._writers[topic].whole(kept.stamp), now)
            elif number <= self._complete[topic]:
                gone = number
            else:
                self._tell(own, Reached(self.deployment.version, topic, self._complete[topic]))
                break
        if gone:
            self._say_gone(own, topic, gone)

    def _say_gone(self, own: str, topic: str, number: int) -> None:
        """Only what is on the log is said, so that everybody who asks hears the same."""
        if number > self._retained.gone(topic):
            self._retained.say_gone(topic, number)
            self._write(GoneLogged(topic, number))
        self._tell(own, Gone(self.deployment.version, topic, self._retained.gone(topic)))

    # ---- inside

    def _remember(self, record: StageRecord) -> None:
        if isinstance(record, RequestLogged):
            self._desk.receive(record.request)
            self._number(record.request, record.at_ns)
        elif isinstance(record, HopLogged):
            self._channels.replay(record.sender, record.item)
            self._pass(record.item, record.at_ns)
        elif isinstance(record, TakenLogged):
            self._channels.taken(record.receiver, record.number, 0)
        else:
            self._retained.say_gone(record.topic, record.number)

    def _write(self, record: StageRecord) -> None:
        self._wishes.store.append(to_record(record))

    def _tell(self, name: str, message: Message) -> None:
        self._wishes.tell.append((name, message))

    _ACTIONS: ClassVar[dict[type, Callable[["StageProcess", Any, int], None]]] = {
        Requested: _request,
        Hop: _hop,
        HopTaken: _hop_taken,
        ProbeAsked: _probe_asked,
        NumbersAsked: _asked,
    }
    """What a stage does about each kind of message."""
