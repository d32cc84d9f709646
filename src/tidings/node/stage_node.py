"""A stage's process beside a broker: the stage of `tidings.sequencing` around a client of that broker."""

from collections.abc import Sequence
from dataclasses import dataclass

from tidings.errors import PeerError
from tidings.node.client import Client, ClientOptions
from tidings.node.overlay_port import OverlayPort, carried_by
from tidings.sequencing import Deployment, Retention, StageProcess, Stamping
from tidings.vocabulary.event import Event
from tidings.vocabulary.machine import DropEvent, Effects, Notice, ShowEvent, Started, StoreRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class StageOptions:
    """What a stage's process is told when it is made."""

    name: str
    """Of the client that it is at its broker."""
    stage: str
    """As the plan calls it."""
    broker: str
    index: int
    """Of the identity under which its messages travel."""
    deployment: Deployment
    retention: Retention | None = None
    renew_ns: int | None = None
    """How often it says again on which names it listens; None: never."""


class StageNode:
    """The machine. One object lives as long as one process; its first notice is `Started`."""

    clients: Sequence[str] = ()
    """It has none of its own."""

    def __init__(self, options: StageOptions) -> None:
        self.options = options
        self.process = StageProcess(options.deployment, options.stage, options.retention)
        self.stamped: list[Stamping] = []
        """What timestamps cost, for the logs; whoever reads them takes them."""
        self._client = Client(ClientOptions(name=options.name, broker=options.broker))
        self._port = OverlayPort(self._client, options.name, options.index)
        self._renew_at: int | None = None
        self._effects = Effects()

    @property
    def holds(self) -> bool:
        """True while somebody may not have heard what was published."""
        return self.process.holds

    def receive(self, notice: Notice, now: int) -> None:
        """Take in what happened."""
        if isinstance(notice, Started):
            options = self.options
            self._port = OverlayPort(self._client, options.name, options.index, notice.incarnation)
            self.process.start(notice.incarnation + 1, notice.records, now)
            self._renew_at = None if options.renew_ns is None else now + options.renew_ns
        else:
            self._client.receive(notice, now)
        self._take(now)

    def expire(self, now: int) -> None:
        """Send again, probe, renew."""
        self.process.expire(now)
        if self._renew_at is not None and self._renew_at <= now and self.options.renew_ns is not None:
            self._renew_at = now + self.options.renew_ns
            self._port.repeat(now)
        self._take(now)

    def deadline(self) -> int | None:
        """The earliest of all."""
        return min((at for at in (self.process.deadline(), self._renew_at) if at is not None), default=None)

    def drain(self) -> Effects:
        """Everything wanted since the last call."""
        effects, self._effects = self._effects, Effects()
        return effects

    def _take(self, now: int) -> None:
        inner = self._client.drain()
        for show in inner.show:
            if isinstance(show, ShowEvent):
                self._hear(show.event, now)
        wishes = self.process.drain()
        self._port.fulfil(wishes, now)
        self.stamped += wishes.stamped
        effects = self._effects
        effects.store += map(StoreRecord, wishes.store)
        effects.send += inner.send + self._client.drain().send
        effects.report += inner.report

    def _hear(self, carrier: Event, now: int) -> None:
        message = carried_by(carrier)
        try:
            if message is not None:
                self.process.receive(carrier.topic, message, now)
                return
        except PeerError:
            # One publisher's nonsense must not stop the order of all the others.
            pass
        self._effects.report.append(DropEvent(carrier, "malformed", (self.options.name,)))
