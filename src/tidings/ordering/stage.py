"""A stage: one sequential process that numbers the events of its topics and completes the timestamps that pass.

A request begins at the stage of its topic, which adds one to the topic and fills in the numbers of all members of the
sequencing group that are its own or below it. It then climbs from parent to parent; each stage on the way fills in its
own members of the group (none, perhaps) and learns the number of the request's topic. The highest stage of the group
completes the timestamp.

This is the order alone: nothing is stored or repaired here. It is correct when every channel from a stage to its
parent delivers each request once, in the order sent. A stage can tell when that is not so, and refuses.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tidings.errors import InputError, PeerError
from tidings.ordering.plan import SequencingPlan
from tidings.ordering.timestamp import Layout, Timestamp


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """An event's request for a timestamp, on its way: the id climbs, the payload stays below."""

    event: int
    topic: str
    number: int
    """Which event of the topic, from 1."""
    numbers: NDArray[np.int64]
    """As the topic's layout; what stages ahead fill in is still 0."""


@dataclass(frozen=True, slots=True)
class ClimbTo:
    """Send `request` to `stage`, over the one ordered channel there."""

    stage: str
    request: Request


@dataclass(frozen=True, slots=True)
class Complete:
    """Send the finished `timestamp` back to the stage of its topic, which publishes."""

    event: int
    timestamp: Timestamp


@dataclass(frozen=True, slots=True)
class _Pass:
    """What the stage does with one topic's requests: copy `numbers[known]` to the places `filled`, then send on."""

    layout: Layout
    counter: int
    filled: NDArray[np.int64]
    known: NDArray[np.int64]
    ahead: str | None
    own: bool
    """Requests of the topic begin here."""


class Stage:
    """The numbers of one stage: of its own topics, and of those whose requests pass."""

    __slots__ = ("_numbers", "_passes", "name", "topics")

    def __init__(self, plan: SequencingPlan, name: str, numbers: Mapping[str, int] | None = None) -> None:
        """Takes its part of `plan`; `numbers` are where topics start (0 where absent)."""
        self.name = name
        self.topics = plan.stage(name).topics
        passing = [topic for topic, route in plan.routes.items() if name in route.path]
        counter = {topic: place for place, topic in enumerate(passing)}
        self._numbers = np.array([(numbers or {}).get(topic, 0) for topic in passing], np.int64)
        self._passes = {topic: _pass(plan, name, topic, counter) for topic in passing}

    def number(self, topic: str) -> int:
        """The last number of `topic` that was given here or passed."""
        return int(self._numbers[self._known(topic).counter])

    def request(self, topic: str, event: int) -> ClimbTo | Complete:
        """Number `event`, published on a topic of this stage."""
        step = self._passes.get(topic)
        if step is None or not step.own:
            raise InputError(f"stage {self.name} has no topic {topic}; its requests belong to another stage")
        self._numbers[step.counter] += 1
        return self._forwarded(step, event, np.zeros(len(step.layout.members), np.int64))

    def climb(self, request: Request) -> ClimbTo | Complete:
        """Take in a request from below. Raises PeerError for one that does not belong here or is not the next."""
        step = self._known(request.topic)
        if step.own:
            raise PeerError(f"a request of topic {request.topic} came from below to its own stage, {self.name}")
        expected = int(self._numbers[step.counter]) + 1
        if request.number != expected:
            raise PeerError(
                f"stage {self.name}: number {request.number} of topic {request.topic} came where {expected} is next; "
                "the channel lost, repeated or reordered a request"
            )
        self._numbers[step.counter] = request.number
        return self._forwarded(step, request.event, request.numbers.copy())

    def _known(self, topic: str) -> _Pass:
        step = self._passes.get(topic)
        if step is None:
            raise PeerError(f"no requests of topic {topic} pass stage {self.name}")
        return step

    def _forwarded(self, step: _Pass, event: int, numbers: NDArray[np.int64]) -> ClimbTo | Complete:
        """Fill in what is known here; `numbers` are the caller's to give away."""
        numbers[step.filled] = self._numbers[step.known]
        if step.ahead is None:
            return Complete(event, Timestamp(step.layout, numbers))
        return ClimbTo(step.ahead, Request(event, step.layout.topic, int(self._numbers[step.counter]), numbers))


def _pass(plan: SequencingPlan, stage: str, topic: str, counter: Mapping[str, int]) -> _Pass:
    route = plan.routes[topic]
    layout = Layout(topic, route.group)
    place = route.path.index(stage)
    if place:
        members = [member for member in route.group if plan.routes[member].stage == stage]
    else:
        members = [member for member in route.group if stage in plan.routes[member].path]
    return _Pass(
        layout,
        counter[topic],
        np.array([layout.place[member] for member in members], np.int64),
        np.array([counter[member] for member in members], np.int64),
        route.path[place + 1] if place + 1 < len(route.path) else None,
        own=place == 0,
    )
