"""A world of groups that people join, leave, begin and end all the time, over a network that loses, repeats and reorders.

Frames between machines are lost, repeated and reordered; orders of the directory reach each node in order, late by any
time; messages reach members in any order. Some events are answers: what their sender had been shown is their cause.
"""

import heapq
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import numpy as np

from tidings.errors import InputError
from tidings.ordering.group_directory import GroupDirectory
from tidings.ordering.group_member import Depart, GroupMember, Outcome, Show
from tidings.ordering.group_messages import GroupMessage, Joined, Order, Said
from tidings.ordering.group_sequencer import GroupSequencer
from tidings.ordering.sequencing_machine import Frame, SequencingMachine, Wanted
from tidings.studies.random_channels import Outcome as Seen

LENGTH_NS: Final = 60_000
RESEND_NS: Final = 20_000
EVENTS_MAX_TIMES: Final = 4
"""With answers to answers, so many times the events at most."""
DELAYS_NS: Final = (100, 1_000, 8_000)
"""At most, by way: ways differ eightyfold in speed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangingRun:
    """Who is there, how much happens, and how bad the network is."""

    k: int = 2
    members: int = 8
    groups: int = 6
    machines: int = 3
    events: int = 40
    changes: int = 20
    """Joins, leaves, ends and plans; who joins a group that is not there begins it."""
    plans: float = 0.05
    """How often, instead of a join, everything is planned anew."""
    answers: float = 0.1
    """How likely a member answers what it is shown."""
    loss: float = 0.1
    """Of frames between machines; as many are repeated."""
    order_delay_ns: int = 3_000
    """Orders of the directory are late by up to this."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What the world is made of; tests and studies put others in."""

    directory: type[GroupDirectory] = GroupDirectory
    sequencer: Callable[[str], GroupSequencer] = GroupSequencer
    member: Callable[[str], GroupMember] = GroupMember


@dataclass(frozen=True, slots=True)
class Changed:
    """How it went."""

    seen: Seen
    """What everybody was shown, and what is held for ever."""
    lives: Seen
    """The same by life: who has left a group, or seen it end, is somebody else from then on as far as order goes."""
    missing: int
    """Events that came through their sequencers and that somebody in their group was never shown."""
    unopened: int
    """Events that never came through, though there is somebody in their group."""
    happened: Counter[str]
    """By kind."""
    depth: int
    """Nodes on the longest way up, in the end."""


def run_changing(what: ChangingRun, draw: np.random.Generator, parts: Parts | None = None) -> Changed:
    """Until nothing is on its way."""
    world = _World(what, draw, parts or Parts())
    while world.agenda:
        world.step()
    return world.outcome()


@dataclass(slots=True)
class _Person:
    """One member, and what it is to be shown."""

    member: GroupMember
    shown: list[int] = field(default_factory=list)
    begun: dict[str, int] = field(default_factory=dict)
    """The number of the last message of each group that it is not to be shown."""
    entitled: dict[str, list[int]] = field(default_factory=dict)
    """Events of those behind."""
    missing: int = 0
    lives: list[list[int]] = field(default_factory=lambda: [[]])
    """What was shown between one parting from a group and the next."""

    def show(self, event: int) -> None:
        """The application is shown an event."""
        self.shown.append(event)
        self.lives[-1].append(event)

    def part(self) -> None:
        """The person is out of something for good."""
        self.lives.append([])

    def begin(self, group: str, number: int) -> None:
        """The person is to be shown what comes after this one."""
        self.begun[group], self.entitled[group] = number, []

    def take(self, message: GroupMessage) -> None:
        """A message is on its way to all members, this one among them."""
        body = message.body
        if isinstance(body, Said) and message.number > self.begun.get(message.group, message.number):
            self.entitled[message.group].append(body.event)
        elif isinstance(body, Joined) and self.member.awaits(message.group, body):
            self.begin(message.group, message.number)

    def close(self, group: str, *, counted: bool) -> None:
        """The person is out of the group; what it should have been shown counts when it has seen the end."""
        self.begun.pop(group, None)
        events = self.entitled.pop(group, [])
        if counted:
            self.missing += len(set(events) - set(self.shown))


class _World:
    def __init__(self, what: ChangingRun, draw: np.random.Generator, parts: Parts) -> None:
        self.what, self.draw = what, draw
        self.names = [f"g{number}" for number in range(what.groups)]
        interests = {f"m{number}": self._some_groups() for number in range(what.members)}
        self.directory = parts.directory({one: groups for one, groups in interests.items() if groups}, k=what.k)
        self.people = {one: _Person(parts.member(one)) for one in interests}
        self.machine_of: dict[str, str] = {}
        self.machines = {
            f"x{number}": SequencingMachine(self.machine_of, resend_ns=RESEND_NS, flight_max=8, node=parts.sequencer)
            for number in range(what.machines)
        }
        self.causes: dict[int, set[int]] = {}
        self.target: dict[int, str] = {}
        """The name of the group that each event is for."""
        self.name_of: dict[str, str] = {}
        """Of every id of a group."""
        self.unheard: dict[int, None] = {}
        """Events that have not come through."""
        self.happened: Counter[str] = Counter()
        self.agenda: list[tuple[int, int, Callable[..., None], tuple[Any, ...]]] = []
        self.turn, self.events = count(), count()
        self.speeds: dict[tuple[str, str], int] = {}
        self.heard: dict[str, int] = {}
        """When the last order to each node arrives."""
        self.armed: dict[str, int | None] = {}
        for one, groups in interests.items():
            for name in groups:
                self._appoint(one, name, self.directory.group(name))
        self._spread_orders(0)
        for action, times in ((self._somebody_says, what.events), (self._something_changes, what.changes)):
            for at in draw.integers(1, LENGTH_NS, times).tolist():
                self._later(at, action)

    def step(self) -> None:
        now, _, action, about = heapq.heappop(self.agenda)
        action(now, *about)

    def outcome(self) -> Changed:
        for person in self.people.values():
            for group in list(person.entitled):
                person.close(group, counted=True)
        shown = {name: person.shown for name, person in self.people.items()}
        lives = {f"{name} {life}": order for name, one in self.people.items() for life, order in enumerate(one.lives)}
        held = sum(person.member.held for person in self.people.values())
        return Changed(
            Seen(shown, held, self.causes, Counter()),
            Seen(lives, held, self.causes, Counter()),
            sum(person.missing for person in self.people.values()),
            sum(bool(self._members(self.target[event])) for event in self.unheard),
            self.happened,
            max(map(self._depth, self.directory.nodes), default=0),
        )

    def _depth(self, node: str) -> int:
        parent = self.directory.nodes[node]
        return 1 if parent is None else 1 + self._depth(parent)

    def _members(self, name: str) -> list[str]:
        try:
            return self.directory.members(self.directory.group(name))
        except InputError:
            return []

    def _some_groups(self) -> tuple[str, ...]:
        wanted = self.draw.integers(0, min(4, len(self.names)) + 1)
        return tuple(sorted(self.draw.choice(self.names, wanted, replace=False).tolist()))

    def _anybody(self) -> str:
        return f"m{self.draw.integers(len(self.people))}"

    def _groups_of(self, person: str) -> list[str]:
        return [name for name in self.names if person in self._members(name)]

    def _later(self, at: int, action: Callable[..., None], *about: object) -> None:
        heapq.heappush(self.agenda, (at, next(self.turn), action, about))

    def _delay(self, here: str, there: str) -> int:
        if (here, there) not in self.speeds:
            self.speeds[here, there] = DELAYS_NS[int(self.draw.integers(len(DELAYS_NS)))]
        return 1 + int(self.draw.integers(self.speeds[here, there]))

    # What people do.

    def _somebody_says(self, now: int) -> None:
        """Senders are members where cause is promised (k = 1)."""
        names = self._groups_of(self._anybody()) if self.what.k == 1 else self.names
        self._say(now, names, frozenset())

    def _say(self, now: int, names: list[str], causes: frozenset[int]) -> None:
        if not names or len(self.causes) >= EVENTS_MAX_TIMES * self.what.events:
            return
        event = next(self.events)
        self.causes[event] = set(causes)
        self.target[event] = names[int(self.draw.integers(len(names)))]
        self.unheard[event] = None
        self._send(now, event)

    def _send(self, now: int, event: int) -> None:
        """To where the group is today; where there is none, nobody misses the event."""
        if not self._members(self.target[event]):
            del self.unheard[event]
            return
        group = self.directory.group(self.target[event])
        node = self.directory.entrance(group)
        self._later(now + self._delay("senders", str(node)), self._asked, node, group, event)

    def _something_changes(self, now: int) -> None:
        person, name = self._anybody(), self.names[int(self.draw.integers(len(self.names)))]
        members = self._members(name)
        if members and self.draw.random() < 0.1:
            self.happened["ended"] += 1
            self.directory.end(name)
        elif person in members:
            self.happened["left"] += 1
            self._leave(now, person, name)
        elif self.draw.random() < self.what.plans:
            self._plan_anew()
        else:
            self._join(person, name, begins=not members)
        self._spread_orders(now)

    def _leave(self, now: int, person: str, name: str) -> None:
        groups = self.directory.leave(person, name)
        for group in groups:
            self.people[person].close(group, counted=False)
        self.people[person].part()
        self._done(now, person, self.people[person].member.leave(groups))

    def _join(self, person: str, name: str, *, begins: bool) -> None:
        group, ticket = self.directory.join(person, name)
        if ticket is not None:
            self.happened["let in"] += 1
            self.people[person].member.join(group, ticket, self.directory.version(group))
        else:
            self.happened["begun" if begins else "succeeded"] += 1
            for one in self.directory.members(group):
                self._appoint(one, name, group)

    def _plan_anew(self) -> None:
        self.happened["planned anew"] += 1
        for name, group in self.directory.plan_anew().items():
            for one in self.directory.members(group):
                self._appoint(one, name, group)

    def _appoint(self, person: str, name: str, group: str) -> None:
        self.name_of[group] = name
        self.people[person].member.appoint(group, self.directory.version(group))
        self.people[person].begin(group, 0)

    # What arrives.

    def _asked(self, now: int, node: str, group: str, event: int) -> None:
        machine = self.machine_of[node]
        self.machines[machine].ask(node, group, event, now)
        self._apply(now, machine)

    def _ordered(self, now: int, node: str, order: Order) -> None:
        machine = self.machine_of[node]
        self.machines[machine].order(node, order, now)
        self._apply(now, machine)

    def _framed(self, now: int, sender: str, receiver: str, frame: Frame) -> None:
        self.machines[receiver].receive(sender, frame, now)
        self._apply(now, receiver)

    def _rung(self, now: int, machine: str) -> None:
        if self.armed.get(machine) == now:
            self.armed[machine] = None
            self.machines[machine].expire(now)
            self._apply(now, machine)

    def _delivered(self, now: int, person: str, message: GroupMessage) -> None:
        self._done(now, person, self.people[person].member.receive(message))

    # What is wanted.

    def _apply(self, now: int, machine: str) -> None:
        wanted = self.machines[machine].drain()
        self._transmit(now, machine, wanted)
        for one in wanted.distribute:
            self._distribute(now, one.message)
        for refused in wanted.again:
            self.happened["asked again"] += 1
            self._send(now, refused.event)
        for node in wanted.gone:
            self.happened["nodes gone"] += 1
            self.directory.gone(node)
            self._spread_orders(now)
        due = self.machines[machine].deadline()
        if due is not None and due != self.armed.get(machine):
            self.armed[machine] = due
            self._later(due, self._rung, machine)

    def _transmit(self, now: int, machine: str, wanted: Wanted) -> None:
        for peer, frame in wanted.frames:
            lost, repeated = (self.draw.random(2) < self.what.loss).tolist()
            self.happened["frames lost"] += lost
            self.happened["frames repeated"] += repeated
            for _ in range(1 - lost + repeated):
                self._later(now + self._delay(machine, peer), self._framed, machine, peer, frame)

    def _distribute(self, now: int, message: GroupMessage) -> None:
        group = message.group
        for one in self.directory.members(group) if self.directory.entrance(group) else ():
            self.people[one].take(message)
            self._later(now + self._delay(group, one), self._delivered, one, message)
        if isinstance(message.body, Said):
            self.unheard.pop(message.body.event)

    def _spread_orders(self, now: int) -> None:
        for node, order in self.directory.drain():
            if node not in self.machine_of:
                self.machine_of[node] = f"x{self.draw.integers(len(self.machines))}"
            # The first tree is there from the start.
            late = int(self.draw.integers(self.what.order_delay_ns + 1)) if now else 0
            self.heard[node] = max(self.heard.get(node, 0), now + late)
            self._later(self.heard[node], self._ordered, node, order)

    def _done(self, now: int, person: str, outcomes: list[Outcome]) -> None:
        for outcome in outcomes:
            match outcome:
                case Show(event):
                    self.people[person].show(event)
                    if self.draw.random() < self.what.answers:
                        self._say(now, self._groups_of(person), frozenset(self.people[person].shown))
                case Depart(group):
                    self.people[person].close(group, counted=True)
                    self.directory.depart(person, group)
                    self._spread_orders(now)
                    if self.name_of[group] not in self._groups_of(person):
                        self.people[person].part()
