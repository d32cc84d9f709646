"""A client with a machine of its own: one whose link takes time or loses frames, or who does more than show events.

All other clients need no machine; the world shows them events in bulk. The tests hold the two to the same tables.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tidings.scenario.world import LinkLaw
from tidings.simulation.agenda import Agenda
from tidings.simulation.channel import Arrive, Channel, Ends, Line, Note
from tidings.vocabulary.frames import Frame
from tidings.vocabulary.machine import Effects, FramesArrived, Machine, Notice
from tidings.vocabulary.streams import Streams


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointOptions:
    """What an endpoint is told when it is made."""

    name: str
    broker: str | None
    """Where it is attached from the beginning; None: nowhere yet."""
    machine: Machine
    link: LinkLaw | None
    """To whatever broker it is attached to; None: frames are there at once."""
    arrive: Callable[[str], Arrive]
    """What takes frames at a broker, by its name."""
    note: Callable[[str], Note]
    """Told of the frames on each direction of a link, by its name."""
    apply: Callable[[int, Effects], None]
    """Takes what the machine shows and reports."""
    patient: Callable[[], bool] = lambda: False
    """True while the world need not go on for the sake of the machine's timer."""
    answers: bool = False
    """It sends frames when it hears some: its broker must have come to rest by then."""


class Endpoint:
    """Runs one client, with a channel each way between it and its broker."""

    def __init__(self, options: EndpointOptions, agenda: Agenda, streams: Streams) -> None:
        self._options, self._agenda, self._streams = options, agenda, streams
        self.machine = options.machine
        self.broker: str | None = options.broker
        """The broker that frames can travel to and from."""
        self._lines: dict[str, tuple[Line, Line]] = {}
        self._timer: tuple[int, bool] | None = None

    def attach(self, broker: str | None) -> None:
        """From now on frames travel between the client and this broker alone; None: out of reach."""
        self.broker = broker

    def hear(self, now: int, broker: str, frame: Frame) -> bool:
        """The broker sends a frame; false when there is no link between the two any more."""
        if broker == self.broker:
            self._between(broker)[1].send(now, frame)
        return broker == self.broker

    def arrive(self, now: int, sender: str, frame: Frame) -> None:
        """A frame from the broker."""
        self.feed(now, FramesArrived(sender, (frame,)))

    def feed(self, now: int, notice: Notice) -> None:
        """The driver recipe: feed, drain, apply, re-arm."""
        self.machine.receive(notice, now)
        self._finish(now)

    def _finish(self, now: int) -> None:
        effects = self.machine.drain()
        for send in effects.send:
            self._between(send.to)[0].send(now, send.frame)
        self._options.apply(now, effects)
        due = self.machine.deadline()
        if due is not None:
            timer = due, self._options.patient()
            if timer != self._timer:
                self._timer = timer
                enter = self._agenda.in_background if timer[1] else self._agenda.at
                enter(max(due, now), self._ring, timer)

    def _ring(self, now: int, timer: tuple[int, bool], _: None) -> None:
        """The timer; one that was re-armed rings in vain."""
        if timer == self._timer:
            self._timer = None
            self.machine.expire(now)
            self._finish(now)

    def _between(self, broker: str) -> tuple[Line, Line]:
        """To the broker, and from it; made at the first need and kept, since their draws go on where they stopped."""
        lines = self._lines.get(broker)
        if lines is None:
            name, to_broker = self._options.name, self._options.arrive(broker)
            if self._options.link is None and self._options.answers:
                lines = Shortly(name, to_broker, self._agenda), Direct(broker, self.arrive)
            else:
                lines = self._line(name, broker, to_broker), self._line(broker, name, self.arrive)
            self._lines[broker] = lines
        return lines

    def _line(self, sender: str, receiver: str, arrive: Arrive) -> Line:
        if self._options.link is None:
            return Direct(sender, arrive)
        note = self._options.note(f"{sender}>{receiver}")
        ends = Ends(sender=sender, receiver=receiver, arrive=arrive, note=note)
        return Channel(self._options.link, ends, self._agenda, self._streams)


class Shortly:
    """A link without delay or loss for who answers frames: what is sent arrives when what happens now is over."""

    def __init__(self, sender: str, arrive: Arrive, agenda: Agenda) -> None:
        self._sender, self._arrive, self._agenda = sender, arrive, agenda
        self.down = 0

    def send(self, now: int, frame: Frame) -> None:
        """Take `frame` at `now`; it arrives at the same instant."""
        self._agenda.at(now, self._deliver, frame)

    def _deliver(self, now: int, frame: Frame, _: None) -> None:
        self._arrive(now, self._sender, frame)


class Direct:
    """A link without delay or loss: what is sent has arrived."""

    def __init__(self, sender: str, arrive: Arrive) -> None:
        self._sender, self._arrive = sender, arrive
        self.down = 0

    def send(self, now: int, frame: Frame) -> None:
        """Take `frame` at `now`; it has arrived when this returns."""
        self._arrive(now, self._sender, frame)
