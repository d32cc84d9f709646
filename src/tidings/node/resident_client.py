"""The endpoint of a client that roams and has a home: what it publishes goes through there, and so does what it is owed.

Around the endpoint of a roaming client, which deals with the broker that it has come to. Everything that is said to the home is
said again until it is answered, or every now and then: neither the home nor those between must remember anything of it.
"""

from dataclasses import dataclass
from typing import Final

from tidings.delivery.backlog import BACKLOG_MAX
from tidings.delivery.round_trip import RoundTrip
from tidings.node.home_broker import IN_TURN_MAX
from tidings.node.roaming_client import RoamingClient
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import (
    Accepted,
    Deliver,
    Frame,
    Homely,
    Homeward,
    MoveIn,
    PublishInTurn,
    Received,
    Subscribed,
    Unsubscribe,
)
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.machine import (
    Attached,
    Detached,
    DropEvent,
    Effects,
    FramesArrived,
    Notice,
    PublishRequested,
    SendFrame,
    ShowSubscribed,
    SubscribeRequested,
    UnsubscribeRequested,
)

HOME_WISHES: Final = 1 << 32
"""What is added to the number of a wish to make the number of the same wish at home."""
REPORT_NS: Final = 10 * SECOND
"""How often the home is told where the client is and what it wants."""
REPORT_SOON_NS: Final = SECOND
"""The same while the home has not confirmed a wish."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResidentOptions:
    """What an endpoint is told when it is made."""

    home: str
    owed: bool
    """The home owes the client what it has not acknowledged."""


class ResidentClient:
    """The machine."""

    def __init__(self, inner: RoamingClient, options: ResidentOptions) -> None:
        self.inner, self.options = inner, options
        self._wishes: dict[int, str] = {}
        self._unconfirmed: set[int] = set()
        self._over: dict[int, None] = {}
        """Wishes that were taken back."""
        self._outgoing: dict[int, Event] = {}
        """What was published and not acknowledged, by number."""
        self._next_number = self._unsent = 0
        """Of the event that is published next, and of the first that has not been sent from here."""
        self._round_trip = RoundTrip()
        self._report_ns: int | None = None
        self._repeat_ns: int | None = None
        self._effects = Effects()

    @property
    def session(self) -> int:
        """Grows with every attachment."""
        return self.inner.session

    def waits(self, now: int) -> bool:
        """True when something that it has published is still alive and nobody has taken it."""
        return any(not event.expired(now) for event in self._outgoing.values())

    # ---- the machine contract

    def receive(self, notice: Notice, now: int) -> None:
        """Take in what happened."""
        if isinstance(notice, PublishRequested):
            self._publish(notice.event, now)
            return
        if isinstance(notice, FramesArrived):
            if notice.sender != self.inner.broker:
                return
            notice = FramesArrived(notice.sender, [one for one in notice.frames if not self._is_from_home(one, now)])
        self.inner.receive(notice, now)
        if isinstance(notice, SubscribeRequested):
            self._wishes[notice.number] = notice.filter
            self._unconfirmed.add(notice.number)
            self._over.pop(notice.number, None)
            self._report(now)
        elif isinstance(notice, UnsubscribeRequested):
            self._wishes.pop(notice.number, None)
            self._unconfirmed.discard(notice.number)
            self._over[notice.number] = None
            self._report(now)
        elif isinstance(notice, Attached):
            self._report(now)
            self._send_outgoing(now, everything=True)
        elif isinstance(notice, Detached):
            self._report_ns = self._repeat_ns = None

    def expire(self, now: int) -> None:
        """Say again what has not been answered."""
        self.inner.expire(now)
        if self._report_ns is not None and self._report_ns <= now:
            self._report(now)
        if self._repeat_ns is not None and self._repeat_ns <= now:
            self._round_trip.missed()
            self._send_outgoing(now, everything=True)

    def deadline(self) -> int | None:
        """When to say something again."""
        instants = [one for one in (self.inner.deadline(), self._report_ns, self._repeat_ns) if one is not None]
        return min(instants, default=None)

    def drain(self) -> Effects:
        """Everything wanted since the last call."""
        effects, self._effects = self._effects, Effects()
        inner = self.inner.drain()
        effects.send = inner.send + effects.send
        if self.options.owed:
            # Whether a wish is known where the client happens to be does not matter: the home must know it.
            inner.show = [show for show in inner.show if not isinstance(show, ShowSubscribed)]
        effects.show = inner.show + effects.show
        effects.report += inner.report
        return effects

    # ---- the home

    def _report(self, now: int) -> None:
        """Tell the home where we are, and what we want if it is to care for that."""
        if self.inner.broker is None:
            return
        owed = self.options.owed
        wishes = tuple((number + HOME_WISHES, text) for number, text in self._wishes.items()) if owed else ()
        self._say(MoveIn(self.inner.session, None, wishes))
        for number in self._over if owed else ():
            self._say(Unsubscribe(number + HOME_WISHES))
        self._report_ns = now + (REPORT_SOON_NS if owed and self._unconfirmed else REPORT_NS)

    def _is_from_home(self, frame: Frame, now: int) -> bool:
        """Deal with what the home says, and acknowledge events whoever brings them."""
        if isinstance(frame, Deliver) and self.options.owed:
            self._say(Received((frame.event.id,)))
        elif isinstance(frame, Subscribed) and frame.number >= HOME_WISHES:
            number = frame.number - HOME_WISHES
            if number in self._wishes:
                self._unconfirmed.discard(number)
                self._effects.show.append(ShowSubscribed(number, frame.missing))
            return True
        elif isinstance(frame, Accepted):
            self._accepted(frame.event_id, now)
        return False

    def _say(self, frame: Homely) -> None:
        if self.inner.broker is not None:
            self._effects.send.append(SendFrame(self.inner.broker, Homeward(self.options.home, frame)))

    # ---- what is published

    def _publish(self, event: Event, now: int) -> None:
        if len(self._outgoing) == BACKLOG_MAX:
            self._effects.report.append(DropEvent(self._outgoing.pop(next(iter(self._outgoing))), "queue"))
        self._outgoing[self._next_number] = event
        self._next_number += 1
        self._send_outgoing(now, everything=False)

    def _accepted(self, event_id: int, now: int) -> None:
        number = next((number for number, event in self._outgoing.items() if event.id == event_id), None)
        if number is not None:
            del self._outgoing[number]
            self._round_trip.answered()
            self._send_outgoing(now, everything=False)

    def _send_outgoing(self, now: int, *, everything: bool) -> None:
        """The first of those that are left: those not sent yet, or all again."""
        if self.inner.broker is None or not self._outgoing:
            self._repeat_ns = None
            return
        first = next(iter(self._outgoing))
        end = min(first + IN_TURN_MAX, self._next_number)
        for number in range(first if everything else max(first, self._unsent), end):
            if number in self._outgoing:
                self._say(PublishInTurn(number, first, self._outgoing[number]))
        self._unsent = max(self._unsent, end)
        if everything or self._repeat_ns is None:
            self._repeat_ns = now + self._round_trip.patience_ns
