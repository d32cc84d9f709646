"""A toy world for sequencers: random channels that keep their order, deliveries that do not, windows at the end.

Channels differ a hundredfold in speed. Some events are answers: what their publisher had been shown is their cause.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from itertools import combinations, count, pairwise
from typing import Any, Protocol

import numpy as np

from tidings.ordering import ClimbTo, Complete, OrderedWindow, Request


class Sequencer(Protocol):
    """A stage, ours or the published one."""

    def request(self, topic: str, event: int) -> ClimbTo | Complete:
        """Number an event."""

    def climb(self, request: Request) -> ClimbTo | Complete:
        """Take in a request from below."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Who was shown what in which order, and what was left over."""

    shown: dict[str, list[int]]
    stuck: int
    """Events held back for ever."""
    causes: dict[int, set[int]]
    steps: Counter[str]
    """Requests that each stage saw."""
    waits: list[float] = field(default_factory=list)
    """From publication to the finished timestamp."""

    def conflicts(self) -> int:
        """Pairs of subscribers that were shown two events in opposite order."""
        return sum(_disagree(one, other) for one, other in combinations(self.shown.values(), 2))

    def has_cycle(self) -> bool:
        """Whether the union of all orders goes round in a circle."""
        sorter: TopologicalSorter[int] = TopologicalSorter()
        for order in self.shown.values():
            for before, after in pairwise(order):
                sorter.add(after, before)
        try:
            sorter.prepare()
        except CycleError:
            return True
        return False

    def inversions(self) -> int:
        """Effects that somebody was shown before a cause, near or far."""
        far: dict[int, set[int]] = {}
        for event in sorted(self.causes):
            far[event] = self.causes[event].union(*(far.get(cause, set()) for cause in self.causes[event]))
        return sum(
            bool(far.get(event, set()).intersection(order[place + 1 :]))
            for order in self.shown.values()
            for place, event in enumerate(order)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomRun:
    """Who wants what, and who numbers it."""

    interests: Mapping[str, Collection[str]]
    stages: Mapping[str, Sequencer]
    stage_of: Mapping[str, str]
    """The stage of each topic."""
    events: int = 30
    answers: float = 0.0
    """How likely a subscriber answers what it is shown."""


def run_at_random(what: RandomRun, draw: np.random.Generator) -> Outcome:
    """Events are published at random, and answers; until nothing is on its way."""
    world = _World(what, draw)
    topics = sorted(what.stage_of)
    for at in (draw.random(what.events) * 20).tolist():
        world.publish(at, topics[int(draw.integers(len(topics)))], None)
    while world.agenda:
        world.step()
    stuck = sum(window.held for window in world.windows.values())
    return Outcome(world.shown, stuck, world.causes, world.steps, world.waits)


class _World:
    def __init__(self, what: RandomRun, draw: np.random.Generator) -> None:
        self.what, self.draw = what, draw
        self.windows: dict[str, OrderedWindow[int]] = {
            name: OrderedWindow(topics) for name, topics in what.interests.items()
        }
        self.shown: dict[str, list[int]] = {name: [] for name in what.interests}
        self.causes: dict[int, set[int]] = {}
        self.steps: Counter[str] = Counter()
        self.waits: list[float] = []
        self.agenda: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self.turn, self.names = count(), count()
        self.published: dict[int, float] = {}
        self.speeds: dict[tuple[str, str], float] = {}
        self.last: dict[tuple[str, str], float] = {}

    def publish(self, at: float, topic: str, publisher: str | None) -> None:
        event = next(self.names)
        self.causes[event] = set() if publisher is None else set(self.shown[publisher])
        self.published[event] = at
        self._later(at, self._requested, topic, event)

    def step(self) -> None:
        now, _, what, about = heapq.heappop(self.agenda)
        what(now, *about)

    def _later(self, at: float, what: Callable[..., None], *about: object) -> None:
        heapq.heappush(self.agenda, (at, next(self.turn), what, about))

    def _requested(self, now: float, topic: str, event: int) -> None:
        name = self.what.stage_of[topic]
        self._answered(now, name, self.what.stages[name].request(topic, event))

    def _climbed(self, now: float, name: str, request: Request) -> None:
        self._answered(now, name, self.what.stages[name].climb(request))

    def _answered(self, now: float, name: str, answer: ClimbTo | Complete) -> None:
        self.steps[name] += 1
        if isinstance(answer, ClimbTo):
            self._later(self._in_order(now, name, answer.stage), self._climbed, answer.stage, answer.request)
            return
        self.waits.append(now - self.published[answer.event])
        for subscriber, topics in self.what.interests.items():
            if answer.timestamp.topic in topics:
                self._later(now + self.draw.random() * 10, self._delivered, subscriber, answer)

    def _in_order(self, now: float, here: str, there: str) -> float:
        channel = here, there
        if channel not in self.speeds:
            self.speeds[channel] = (0.1, 1.0, 10.0)[self.draw.integers(3)]
        at = max(now + self.speeds[channel] * self.draw.random(), self.last.get(channel, 0.0) + 1e-9)
        self.last[channel] = at
        return at

    def _delivered(self, now: float, subscriber: str, answer: Complete) -> None:
        for event in self.windows[subscriber].receive(answer.timestamp, answer.event):
            self.shown[subscriber].append(event)
            if self.draw.random() < self.what.answers:
                topics = sorted(self.what.interests[subscriber])
                self.publish(now, topics[int(self.draw.integers(len(topics)))], subscriber)


def _disagree(one: list[int], other: list[int]) -> bool:
    common = set(one) & set(other)
    return [event for event in one if event in common] != [event for event in other if event in common]
