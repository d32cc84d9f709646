"""The endpoint of a client that roams: tells every broker that it comes to where it was before and what it wants."""

from typing import Final

from tidings.node.client import REMEMBERED, Client, ClientOptions
from tidings.vocabulary.frames import Frame, MoveIn, Subscribe, Subscribed, Unsubscribe
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.machine import (
    Attached,
    Detached,
    Effects,
    FramesArrived,
    Notice,
    SendFrame,
    SubscribeRequested,
    UnsubscribeRequested,
)

SAY_AGAIN_NS: Final = SECOND
SAY_AGAIN_NS_MAX: Final = 32 * SECOND


class RoamingClient:
    """The machine; begins out of reach. What it is shown, it recognises at every broker."""

    def __init__(self, name: str, remembered: int = REMEMBERED) -> None:
        self.name = name
        self.broker: str | None = None
        self.session = 0
        self._previous: str | None = None
        self._wishes: dict[int, str] = {}
        self._ears = Client(ClientOptions(name=name, broker="", remembered=remembered))
        self._sends: list[SendFrame] = []
        self._deadline: int | None = None
        self._wait_ns = SAY_AGAIN_NS

    def receive(self, notice: Notice, now: int) -> None:
        """Take in what happened; frames of a broker that it has left are not listened to."""
        if isinstance(notice, Attached):
            self.broker, self.session = notice.broker, self.session + 1
            self._wait_ns = SAY_AGAIN_NS
            self._move_in(now)
        elif isinstance(notice, Detached):
            if self.broker is not None:
                self.broker, self._previous, self._deadline = None, self.broker, None
        elif isinstance(notice, SubscribeRequested):
            self._wishes[notice.number] = notice.filter
            self._say(Subscribe(notice.number, notice.filter))
        elif isinstance(notice, UnsubscribeRequested):
            self._wishes.pop(notice.number, None)
            self._say(Unsubscribe(notice.number))
        elif isinstance(notice, FramesArrived) and notice.sender == self.broker:
            if any(type(frame) is Subscribed for frame in notice.frames):
                self._deadline = None
            self._ears.receive(notice, now)

    def expire(self, now: int) -> None:
        """Say again that it has come, while nobody has answered."""
        if self._deadline is not None and now >= self._deadline:
            self._move_in(now)

    def deadline(self) -> int | None:
        """When to say it again."""
        return self._deadline

    def drain(self) -> Effects:
        """Everything wanted since the last call."""
        effects = self._ears.drain()
        effects.send += self._sends
        self._sends = []
        return effects

    def _move_in(self, now: int) -> None:
        self._say(MoveIn(self.session, self._previous, tuple(self._wishes.items())))
        self._deadline = None
        if self._wishes:
            self._deadline = now + self._wait_ns
            self._wait_ns = min(2 * self._wait_ns, SAY_AGAIN_NS_MAX)

    def _say(self, frame: Frame) -> None:
        if self.broker is not None:
            self._sends.append(SendFrame(self.broker, frame))
