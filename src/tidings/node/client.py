"""The client endpoint: carries an application's wishes to its broker and shows it what comes back, once and in time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tidings.delivery.duplicates import Duplicates
from tidings.errors import PeerError
from tidings.vocabulary.frames import Accepted, Deliver, Frame, Publish, Received, Subscribe, Subscribed, Unsubscribe
from tidings.vocabulary.machine import (
    DropEvent,
    Effects,
    FramesArrived,
    Notice,
    PublishRequested,
    SendFrame,
    ShowAccepted,
    ShowEvent,
    ShowSubscribed,
    SubscribeRequested,
    UnsubscribeRequested,
)

REMEMBERED: Final = 4_096
"""Events that an endpoint recognises as duplicates, at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientOptions:
    """What an endpoint is told when it is made."""

    name: str
    broker: str
    remembered: int = REMEMBERED
    receipts: bool = False
    """Tell the broker what was shown, and be sent again what was not."""


class Client:
    """The machine of one client at one broker; it has no timer."""

    def __init__(self, options: ClientOptions) -> None:
        self.options = options
        self._duplicates = Duplicates(options.remembered)
        self._effects = Effects()

    def receive(self, notice: Notice, now: int) -> None:
        """Take in what the application asked for or the broker sent; raises PeerError for a frame no client takes."""
        if type(notice) is FramesArrived:
            for frame in notice.frames:
                self._take(frame, now)
        elif type(notice) in _REQUESTS:
            request = _REQUESTS[type(notice)](notice)
            if self.options.receipts and type(request) is Subscribe:
                request = Subscribe(request.number, request.filter, "receipts")
            self._effects.send.append(SendFrame(self.options.broker, request))

    def expire(self, now: int) -> None:
        """Nothing is ever due."""

    def deadline(self) -> int | None:
        """None: nothing is ever due."""
        return None

    def drain(self) -> Effects:
        """Everything wanted since the last call."""
        effects, self._effects = self._effects, Effects()
        return effects

    def _take(self, frame: Frame, now: int) -> None:
        if type(frame) is Deliver:
            self._show(frame, now)
        elif type(frame) is Accepted:
            self._effects.show.append(ShowAccepted(frame.event_id))
        elif type(frame) is Subscribed:
            self._effects.show.append(ShowSubscribed(frame.number, frame.missing))
        else:
            raise PeerError(f"{self.options.broker} sent {type(frame).__name__}, which no client takes")

    def _show(self, frame: Deliver, now: int) -> None:
        if self.options.receipts:
            self._effects.send.append(SendFrame(self.options.broker, Received((frame.event.id,))))
        if self._duplicates.seen(frame.event.id):
            return
        if now > frame.event.expires_ns:
            self._effects.report.append(DropEvent(frame.event, "expired", (self.options.name,)))
        else:
            self._effects.show.append(ShowEvent(frame.event))


_REQUESTS: Final[dict[type, Callable[[Any], Frame]]] = {
    PublishRequested: lambda notice: Publish(notice.event),
    SubscribeRequested: lambda notice: Subscribe(notice.number, notice.filter),
    UnsubscribeRequested: lambda notice: Unsubscribe(notice.number),
}
"""What each request of the application says to the broker."""
