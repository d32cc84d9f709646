"""A client endpoint that keeps one order across topics: publisher and subscriber of `tidings.sequencing` around a client.

What its application publishes goes to the stage of the topic; what it is shown comes in the order decided there. The rest of
its filter is applied after that, so that no number is ever missing because somebody did not want it.
"""

from dataclasses import dataclass

from tidings.errors import InputError, PeerError
from tidings.node.overlay_port import OverlayPort, carried_by
from tidings.sequencing import Deployment, OrderedPublisher, OrderedSubscriber, Wishes
from tidings.sequencing.messages import Taken
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter_logic import topics_of
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.machine import (
    DropEvent,
    Effects,
    Machine,
    Notice,
    PublishRequested,
    ShowAccepted,
    ShowEvent,
    ShowSubscribed,
    SubscribeRequested,
    UnsubscribeRequested,
)
from tidings.vocabulary.predicate import Predicate, predicate


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedOptions:
    """What an ordered endpoint is told when it is made."""

    name: str
    index: int
    """Of the identity under which its messages travel."""
    deployment: Deployment
    publishes: bool
    from_start: bool = True
    """Its subscription is there from the beginning of the version, and owed everything; else it joins."""
    incarnation: int = 0
    renew_ns: int | None = None
    """How often it says again on which names it listens; None: never."""


class OrderedClient:
    """The machine of one client; it keeps one subscription, which may name many topics."""

    def __init__(self, options: OrderedOptions, inner: Machine) -> None:
        self.options, self.inner = options, inner
        self._port = OverlayPort(inner, options.name, options.index, options.incarnation)
        self._publisher = OrderedPublisher(options.deployment, options.name, options.incarnation)
        self._subscriber: OrderedSubscriber | None = None
        self._number = 0
        self._wants: Predicate = _nothing
        self._renew_at = options.renew_ns
        self._effects = Effects()
        if options.publishes:
            self._take(0)

    @property
    def subscription(self) -> OrderedSubscriber | None:
        """What the client waits for, and how much it holds; None without a subscription."""
        return self._subscriber

    @property
    def holds(self) -> bool:
        """True while something is under way that is likely to come to a good end."""
        return self._publisher.holds or (self._subscriber is not None and self._subscriber.holds)

    def receive(self, notice: Notice, now: int) -> None:
        """Take in what happened."""
        if isinstance(notice, PublishRequested):
            assert self.options.publishes, f"{self.options.name} was made without a publisher"
            self._publisher.publish(notice.event, now)
        elif isinstance(notice, SubscribeRequested):
            self._subscribe(notice, now)
        elif isinstance(notice, UnsubscribeRequested):
            if self._subscriber is not None:
                self._subscriber.leave()
        else:
            self.inner.receive(notice, now)
        self._take(now)

    def expire(self, now: int) -> None:
        """Send again, ask again, renew."""
        self.inner.expire(now)
        self._publisher.expire(now)
        if self._subscriber is not None:
            self._subscriber.expire(now)
        if self._renew_at is not None and self._renew_at <= now and self.options.renew_ns is not None:
            self._renew_at = now + self.options.renew_ns
            self._port.repeat(now)
        self._take(now)

    def deadline(self) -> int | None:
        """The earliest of all."""
        instants = [self.inner.deadline(), self._publisher.deadline(), self._renew_at]
        if self._subscriber is not None:
            instants.append(self._subscriber.deadline())
        return min((at for at in instants if at is not None), default=None)

    def drain(self) -> Effects:
        """Everything wanted since the last call."""
        effects, self._effects = self._effects, Effects()
        return effects

    def _subscribe(self, notice: SubscribeRequested, now: int) -> None:
        """Once; the same wish again only tells the broker again."""
        if self._subscriber is not None:
            self._port.repeat(now)
            return
        options, wish = self.options, parsed(notice.filter)
        topics = topics_of(wish)
        if topics is None:
            raise InputError(
                f"{options.name}: an order across topics needs a finite set of topics, not {notice.filter}"
            )
        self._number, self._wants = notice.number, predicate(wish)
        if not topics:
            self._effects.show.append(
                ShowSubscribed(notice.number, ())
            )  # a filter that holds for nothing is owed nothing
            return
        self._subscriber = OrderedSubscriber(options.deployment, options.name, topics, from_start=options.from_start)
        self._subscriber.start(now)

    def _take(self, now: int) -> None:
        """Hand on what came in, fulfil what the endpoints want, and keep what is for others."""
        inner = self.inner.drain()
        for show in inner.show:
            if isinstance(show, ShowEvent):
                self._hear(show.event, now)
        wishes = [self._publisher.drain()] if self.options.publishes else []
        if self._subscriber is not None:
            wishes.append(self._subscriber.drain())
        for one in wishes:
            self._port.fulfil(one, now)
            self._show(one)
        effects, more = self._effects, self.inner.drain()
        effects.send += inner.send + more.send
        effects.report += inner.report + more.report

    def _hear(self, carrier: Event, now: int) -> None:
        message = carried_by(carrier)
        try:
            if isinstance(message, Taken):
                self._publisher.receive(carrier.topic, message, now)
                return
        except PeerError:
            # A stage that acknowledges what was never asked for must not end this client.
            message = None
        if message is None:
            self._effects.report.append(DropEvent(carrier, "malformed", (self.options.name,)))
        elif self._subscriber is not None:
            self._subscriber.receive(carrier.topic, message, now)

    def _show(self, wishes: Wishes) -> None:
        effects, version = self._effects, self.options.deployment.version
        effects.show += map(ShowAccepted, wishes.taken)
        effects.show += [
            ShowEvent(one.event, one.arrived_ns, one.late, version) for one in wishes.show if self._wants(one.event)
        ]
        for lost in wishes.given_up:
            if lost.reason != "expired":
                effects.report.append(DropEvent(lost.event, lost.reason))
            elif self._wants(lost.event):
                effects.report.append(DropEvent(lost.event, lost.reason, (self.options.name,)))
        if wishes.joined:
            effects.show.append(ShowSubscribed(self._number, ()))


def _nothing(_event: Event) -> bool:
    """Before there is a wish."""
    return False
