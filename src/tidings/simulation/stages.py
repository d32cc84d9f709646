"""The stages of a simulated world: each a process of its own beside a broker, with a log, crashing with it or alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tidings.node import StageNode, StageOptions
from tidings.ordering.precedence import crossings_of
from tidings.scenario.world import World
from tidings.sequencing import Stamping
from tidings.simulation.agenda import Agenda
from tidings.simulation.endpoint import Shortly
from tidings.simulation.host import Host, HostOptions
from tidings.simulation.journal import Journal
from tidings.simulation.order_plan import OrderPlan, PlacedStage
from tidings.simulation.recorder import Recorder
from tidings.vocabulary.event import NUMBER_BITS
from tidings.vocabulary.frames import Frame
from tidings.vocabulary.machine import DeliverEvent, DropEvent

COLUMNS = (
    "event",
    "topic",
    "number",
    "version",
    "term",
    "requested_ns",
    "stamped_ns",
    "stages",
    "entries",
    "bytes",
    "wan_hops",
)
ROWS_PER_BATCH = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class StagesParts:
    """What stages share with the rest of the world."""

    world: World
    order: OrderPlan
    agenda: Agenda
    recorder: Recorder
    brokers: Mapping[str, Host]
    """Filled after the stages are made."""
    journals: Mapping[str, Journal]
    """By the name of the stage's client."""
    renew_ns: int | None
    disk_failed: Callable[[int, str], None]
    """Told of a process that its disk has ended."""


class _Line:
    """From a stage to its broker. Before time 0 what it says is only noted."""

    def __init__(self, early: list[Frame], line: Shortly) -> None:
        self.early, self._line = early, line
        self.down = 0
        self.is_open = False

    def send(self, now: int, frame: Frame) -> None:
        """Note it, or send it."""
        if self.is_open:
            self._line.send(now, frame)
        else:
            self.early.append(frame)


class Stages:
    """All stages of a world; what their hosts call their surroundings."""

    def __init__(self, parts: StagesParts) -> None:
        self._parts, self._deployment = parts, parts.order.deployment
        self._lines: list[tuple[PlacedStage, _Line]] = []
        self._begun = False
        self._site = {broker.id: broker.site or broker.id for broker in parts.world.brokers}
        self._home = {one.id: one.broker for one in parts.world.publishers}
        self._broker_of = {one.stage.name: one.broker for one in parts.order.placed}
        self._ways = {topic: self._crossings(topic) for topic in self._deployment.topics}
        self._rows: list[tuple[object, ...]] = []
        clients = len(parts.world.publishers) + len(parts.world.subscribers)
        first = parts.order.publishers + clients
        self.hosts = {one.client: self._host(one, first + place) for place, one in enumerate(parts.order.placed)}

    def begin(self) -> list[tuple[str, str, Frame]]:
        """What brokers have heard of stages before time 0: broker, client, frame. From now on frames travel."""
        self._begun = True
        for _, line in self._lines:
            line.is_open = True
        return [(placed.broker, placed.client, frame) for placed, line in self._lines for frame in line.early]

    def close(self) -> None:
        """Write what is left; what has no timestamp now never got one."""
        for host in self.hosts.values():
            assert isinstance(host.machine, StageNode)
            process = host.machine.process
            for event, number, requested_ns in process.unfinished:
                known = event.id, event.topic, number, self._deployment.version, host.incarnation + 1
                length = len(self._deployment.plan.routes[event.topic].path)
                self._rows.append((*known, requested_ns, None, length, 0, 0, self._hops(event.topic, event.id)))
        self._flush()

    # ---- what hosts ask of their surroundings

    def to_client(self, now: int, broker: str, client: str, frame: Frame) -> None:
        """A stage has no clients."""

    def to_clients(self, now: int, broker: str, delivery: DeliverEvent) -> None:
        """A stage has no clients."""

    def given_up(self, now: int, broker: str, drop: DropEvent) -> None:
        """Messages of the order are no events of the scenario; those that are lost are sent again."""

    def never_taken(self, event_id: int) -> None:
        """The same."""

    # ---- inside

    def _host(self, placed: PlacedStage, index: int) -> Host:
        parts = self._parts
        options = StageOptions(
            name=placed.client,
            stage=placed.stage.name,
            broker=placed.broker,
            index=index,
            deployment=self._deployment,
            renew_ns=parts.renew_ns,
        )

        def arrive(now: int, sender: str, frame: Frame) -> None:
            parts.brokers[placed.broker].arrive(now, sender, frame)

        line = _Line([], Shortly(placed.client, arrive, parts.agenda))
        self._lines.append((placed, line))
        return Host(
            HostOptions(
                name=placed.client,
                new_machine=lambda: StageNode(options),
                channels={placed.broker: line},
                service_ns=None,
                drop_expired=False,
                journal=parts.journals[placed.client],
                touched=self._collect,
                disk_failed=parts.disk_failed,
            ),
            parts.agenda,
            self,
        )

    def _collect(self, client: str) -> None:
        """Write down what timestamps cost."""
        if not self._begun:
            return
        machine = self.hosts[client].machine
        assert isinstance(machine, StageNode)
        if machine.stamped:
            now, stamped, machine.stamped = self._parts.agenda.now, machine.stamped, []
            self._rows += [self._row(one, now) for one in stamped]
            if len(self._rows) >= ROWS_PER_BATCH:
                self._flush()

    def _row(self, one: Stamping, now: int) -> tuple[object, ...]:
        hops = self._hops(one.topic, one.event)
        numbers = one.event, one.topic, one.number, one.version, one.term
        return (*numbers, one.requested_ns, now, one.stages, one.entries, one.size, hops)

    def _flush(self) -> None:
        rows, self._rows = self._rows, []
        self._parts.recorder.rows("timestamps", rows, COLUMNS)

    def _hops(self, topic: str, event: int) -> int:
        """Between sites: to the stage, up, and back."""
        publisher = self._parts.world.publishers[event >> NUMBER_BITS]
        home = self._broker_of[self._deployment.plan.routes[topic].stage]
        return self._ways[topic] + (self._site[publisher.broker] != self._site[home])

    def _crossings(self, topic: str) -> int:
        path = self._deployment.plan.routes[topic].path
        return crossings_of([self._site[self._broker_of[stage]] for stage in path])
