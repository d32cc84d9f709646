"""The compiled path, seen from Python: when it runs, what it asks for, and the channels for what is no event.

It carries events from broker to broker between two entries of the agenda; everything else (interests, outages, clients
who come and go) happens in Python as ever. The tests hold it to the same bytes as the path through `Host` and `Channel`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tidings.node import Broker
from tidings.scenario.world import World
from tidings.simulation.agenda import Agenda
from tidings.simulation.channel import Ends, wire_bytes
from tidings.simulation.columns import Ints
from tidings.simulation.flow_build import initial_state, with_more_room
from tidings.simulation.flow_draws import FlowDraws
from tidings.simulation.flow_kernel import advance, carry
from tidings.simulation.flow_log import FlowLog
from tidings.simulation.flow_routes import FlowRoutes
from tidings.simulation.flow_state import (
    ARRIVED,
    KINDS,
    NEED_EVENTS,
    NEED_PLAN,
    NEED_ROOM,
    REACHED,
    State,
)
from tidings.simulation.flow_window import FlowWindow
from tidings.simulation.host import Host
from tidings.simulation.recorder import Recorder
from tidings.simulation.stretch import Stretch
from tidings.simulation.workload import Workload
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Frame, Interests
from tidings.vocabulary.instant import FOREVER
from tidings.vocabulary.streams import Streams

_LAST: Final = (FOREVER, 2**62)
_NO_EVENT: Final = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowParts:
    """What the compiled path shares with the rest of the world."""

    world: World
    agenda: Agenda
    streams: Streams
    recorder: Recorder
    workload: Workload
    hosts: Mapping[str, Host]
    """Filled after the flow is made."""
    broker: Callable[[str], Broker]
    """The machine of a broker, by name."""
    codes: Callable[[str, Ints], Ints]
    """Codes of a broker's clients, given by the broker's own numbers."""
    subscriptions: Callable[[], int]


class Flow:
    """Runs a world as `Agenda` does, events by the kernel."""

    def __init__(self, parts: FlowParts) -> None:
        self._parts = parts
        world = parts.world
        self._names = [broker.id for broker in world.brokers]
        self._places = {name: place for place, name in enumerate(self._names)}
        ways = [way for link in world.links for way in (link.between, link.between[::-1])]
        self._links = {way: number for number, way in enumerate(ways)}
        self.state: State = initial_state(world, self._places, ways)
        self._draws = FlowDraws(world, parts.streams, ways, self.state)
        self._log = FlowLog(parts.recorder, parts.workload, self._names, ways)
        self._window = FlowWindow([self._places[one.broker] for one in world.publishers])
        self._routes = FlowRoutes(len(self._names), self._ask)
        self._touched: dict[str, None] = {}
        self._versions = dict.fromkeys(self._names, -1)
        self._progress: Callable[[int, int], None] | None = None
        self._stretches: Iterator[Stretch] = iter(())

    # ---- what the world does with it

    def channel(self, ends: Ends) -> "FlowChannel":
        """One direction of a link, for frames that are not events."""
        return FlowChannel(self, self._links[ends.sender, ends.receiver], self._parts.agenda, ends)

    def touch(self, broker: str) -> None:
        """The broker's process or tables may have changed."""
        self._touched[broker] = None

    def begin(self, stretches: Iterator[Stretch], progress: Callable[[int, int], None] | None) -> None:
        """Take the first events in."""
        self._stretches, self._progress = stretches, progress
        self.state.counters["sequence"] = self._parts.agenda.sequence
        self._next_stretch()
        self._parts.agenda.sequence = int(self.state.counters["sequence"])

    def run(self, until: int) -> None:
        """Let everything happen up to and including `until`."""
        agenda = self._parts.agenda
        while True:
            head = agenda.head
            agenda_is_next = head is not None and head[0] <= until
            self._advance(head if head is not None and agenda_is_next else (until, _LAST[1]))
            if not agenda_is_next:
                return
            agenda.step()

    def run_out(self) -> None:
        """Let everything happen until only the background is left."""
        agenda = self._parts.agenda
        while True:
            self._advance(agenda.head or _LAST)
            if agenda.is_over and not self.state.counters["under_way"]:
                break
            agenda.step()
        self._write()

    # ---- the kernel and its needs

    def _advance(self, bound: tuple[int, int]) -> None:
        agenda, n = self._parts.agenda, self.state.counters
        n["sequence"], n["subscriptions"] = agenda.sequence, self._parts.subscriptions()
        self._take_in_changes()
        why = -1
        while why != REACHED:
            if n["drained"]:
                self._draws.refill(self.state)
            why = advance(self.state, *bound)
            if why == NEED_PLAN:
                self._plan()
            elif why == NEED_EVENTS:
                self._next_stretch()
            elif why == NEED_ROOM:
                self._write()
                if n["under_way"] > n["things_max"]:
                    self.state = with_more_room(self.state)
        agenda.sequence = int(n["sequence"])

    def _take_in_changes(self) -> None:
        brokers = self.state.brokers
        for name in self._touched:
            host, place = self._parts.hosts[name], self._places[name]
            brokers["up"][place] = host.up
            if brokers["life"][place] != host.incarnation:
                brokers["life"][place], brokers["free_ns"][place] = host.incarnation, self._parts.agenda.now
                self._versions[name] = -1
            version = self._parts.broker(name).version
            if self._versions[name] != version:
                self._versions[name] = version
                self._routes.changed(place)
        self._touched = {}

    def _plan(self) -> None:
        thing, brokers = self.state.thing, self.state.brokers
        if self._routes.plans.is_full:
            self._write()
            self._routes.forget_plans()
        broker = int(thing["broker"])
        self._routes.plan(broker, int(thing["event"]), self._window, int(brokers["visits"][broker]))
        brokers["visits"][broker] = 0
        self._hand_over()

    def _ask(self, broker: int, events: Sequence[Event]) -> list[tuple[list[int], Ints]]:
        name = self._names[broker]
        return [
            ([self._links[name, there] for there in neighbours], self._parts.codes(name, clients))
            for neighbours, clients in self._parts.broker(name).answers(events)
        ]

    def _next_stretch(self) -> None:
        """Take in the events of the next stretch of time, and forget those that are over."""
        self._write()
        n, window = self.state.counters, self._window
        stretch = next(self._stretches, None)
        self._parts.workload.write_decided()
        if self._progress is not None:
            self._progress(window.now, self._parts.world.duration_ns)
        if stretch is None:
            return
        under_way = self.state.heap["event"][: n["under_way"]]
        window.forget(int(under_way.min(initial=n["next"])))
        self._routes.forget_contents(window)
        window.add(stretch, self._routes.contents(stretch))
        n["base"], n["end"] = window.base, window.end
        n["sequence"] += 1
        n["next_sequence"] = n["sequence"]
        self._hand_over()

    def _hand_over(self) -> None:
        """The kernel sees the newest arrays."""
        plans, links = self._routes.plans.arrays
        self.state = self.state._replace(
            events=self._window.records, plan_of=self._routes.plan_of, plans=plans, plan_links=links
        )

    def _write(self) -> None:
        self._log.write(self.state, self._window, self._routes.plans)

    # ---- frames that are not events

    def send(self, now: int, link: int, frame: Frame) -> int | None:
        """Carry `frame` over a directed link; returns when it arrives."""
        n = self.state.counters
        if n["drained"]:
            self._draws.refill(self.state)
        if n["sent"] == len(self.state.sent):
            self._write()
        outcome, arrives = carry(n, self.state.links, self.state.delays, link, now, wire_bytes(frame))
        kind = KINDS.index("subscription" if isinstance(frame, Interests) else "control")
        self.state.sent[n["sent"]] = (_NO_EVENT, now, link, outcome, kind)
        n["sent"] += 1
        return arrives if outcome == ARRIVED else None


class FlowChannel:
    """One direction of a link whose state lives in the arrays: frames that are not events go over it from Python."""

    def __init__(self, flow: Flow, link: int, agenda: Agenda, ends: Ends) -> None:
        self._flow, self._link, self._agenda, self._ends = flow, link, agenda, ends

    @property
    def down(self) -> int:
        """How many outages hold the channel down at the moment."""
        return int(self._flow.state.links["down"][self._link])

    @down.setter
    def down(self, count: int) -> None:
        self._flow.state.links["down"][self._link] = count

    def send(self, now: int, frame: Frame) -> None:
        """Take `frame` at `now`."""
        arrives = self._flow.send(now, self._link, frame)
        if arrives is not None:
            self._agenda.in_background(arrives, self._deliver, frame)

    def _deliver(self, now: int, frame: Frame, _: None) -> None:
        self._ends.arrive(now, self._ends.sender, frame)
