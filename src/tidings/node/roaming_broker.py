"""A broker whose clients roam: any broker machine, with somebody at the door who knows which clients are out of reach.

What the broker inside hands to a client that is away waits here, and moves on when the client turns up elsewhere
(*reactive*), or is fetched by the brokers that it may come to as soon as it has left (*proactive*). With *none* a client
that leaves is forgotten. The broker inside knows nothing of all this: it sees clients that subscribe and unsubscribe.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

import numpy as np

from tidings.delivery.backlog import Backlog
from tidings.delivery.fetch import EVENTS_PER_ANSWER, Fetch
from tidings.delivery.guest import Guest, GuestBook, NextBrokers
from tidings.node.doorway import Inside, RoamingOptions
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import (
    AboutClients,
    Deliver,
    Frame,
    HandedOver,
    HandoffAsked,
    MoveIn,
    MoveOut,
    Received,
    Relayed,
    StandBy,
    Subscribe,
    Subscribed,
    Unsubscribe,
)
from tidings.vocabulary.instant import DAY
from tidings.vocabulary.machine import DeliverEvent, DropEvent, Effects, FramesArrived, Notice, SendFrame

AWAY_NS_MAX: Final = DAY
"""A client that has been away for so long is forgotten."""
EVERYTHING: Final = 2**62
"""A place behind all events: whoever asks from there has all he needs."""


class RoamingBroker:
    """The machine."""

    def __init__(self, inside: Inside, options: RoamingOptions) -> None:
        self.inside, self.options = inside, options
        self._acknowledged = options.keeping == "none"
        """Guests acknowledge what they are sent; what they have not goes with them."""
        self._guests = GuestBook(all_held=self._acknowledged)
        self._wanted: dict[str, dict[int, str]] = {}
        """The wishes of roaming clients that the broker inside knows."""
        self._effects = Effects()
        self._next = NextBrokers(options.neighbours)
        self._now = 0

    @property
    def clients(self) -> Sequence[str]:
        """Names of clients by number, as the broker inside counts them."""
        return self.inside.clients

    @property
    def holds(self) -> bool:
        """As the broker inside says, while it has a timer; what waits here for clients may wait for a day."""
        return self.inside.holds and self.inside.deadline() is not None

    def leftovers(self) -> Iterator[tuple[str, Event]]:
        """What waits here for clients, copies for those who may come left out: client and event."""
        for guest in self._guests:
            held = guest.fetch.held if guest.fetch is not None else []
            for event in [*guest.backlog, *held] if guest.standby_for is None else ():
                yield guest.client, event

    # ---- the machine contract

    def receive(self, notice: Notice, now: int) -> None:
        """Take in what happened; raises PeerError when a neighbour or client breaks the rules."""
        self._now = now
        if not isinstance(notice, FramesArrived):
            self.inside.receive(notice, now)
            return
        for frame in notice.frames:
            action = self._ACTIONS.get(type(frame))
            if action is None:
                self.inside.receive(FramesArrived(notice.sender, (frame,)), now)
            else:
                self._absorb()
                action(self, notice.sender, frame)

    def expire(self, now: int) -> None:
        """Ask again, give up, forget; and whatever the broker inside has to do."""
        self._now = now
        self.inside.expire(now)
        self._absorb()
        for guest in list(self._guests):
            fetch = guest.fetch
            if fetch is not None and fetch.deadline_ns <= now:
                self._finish(guest) if fetch.hopeless(now) else self._relay(fetch.origin, fetch.ask(now))
            if not guest.present and guest.away_ns + AWAY_NS_MAX <= now:
                self._forget(guest)

    def deadline(self) -> int | None:
        """The earliest of ours and the inside's."""
        instants = [guest.fetch.deadline_ns for guest in self._guests if guest.fetch is not None]
        instants += [guest.away_ns + AWAY_NS_MAX for guest in self._guests if not guest.present]
        instants += [] if (inner := self.inside.deadline()) is None else [inner]
        return min(instants, default=None)

    def drain(self) -> Effects:
        """Everything wanted since the last call, with what is for clients that are away kept here."""
        self._absorb()
        effects, self._effects = self._effects, Effects()
        return effects

    # ---- what comes from the broker inside

    def _absorb(self) -> None:
        """Take over what the broker inside wants, before anything here changes."""
        inner = self.inside.drain()
        self._effects.store += inner.store
        self._effects.anew |= inner.anew
        for send in inner.send:
            self._pass(send)
        for delivery in inner.deliver:
            self._sort(delivery)
        self._effects.show += inner.show
        self._effects.report += inner.report

    def _pass(self, send: SendFrame) -> None:
        stays, frame = self._guests.of(send.to), send.frame
        if not stays or any(guest.present for guest in stays.values()):
            self._effects.send.append(send)
        if isinstance(frame, Subscribed):
            for guest in stays.values():
                if guest.fetch is not None and guest.fetch.confirmed(frame.number):
                    self._relay(guest.fetch.origin, guest.fetch.ask(self._now))

    def _sort(self, delivery: DeliverEvent) -> None:
        """Straight to those who are here; kept for the others."""
        if not self._guests.held:
            self._effects.deliver.append(delivery)
            return
        held = np.isin(delivery.clients, np.fromiter(self._guests.held, np.int64, len(self._guests.held)))
        if not held.all():
            self._effects.deliver.append(DeliverEvent(delivery.event, delivery.clients[~held]))
        for number in delivery.clients[held].tolist():
            for guest in self._guests.of(self._guests.held[number]).values():
                self._came_by_itself(guest, delivery.event)

    def _came_by_itself(self, guest: Guest, event: Event) -> None:
        if guest.leaving:
            return
        if guest.fetch is not None:
            guest.fetch.held.append(event)
        else:
            self._take(guest, event)

    # ---- clients come and go

    def _move_in(self, client: str, frame: MoveIn) -> None:
        stays = self._guests.of(client)
        if stays and max(stays) > frame.session:
            return
        guest = stays.get(frame.session)
        if guest is None or guest.standby_for is not None:
            guest = self._begin_stay(client, frame)
        guest.wishes = wishes = dict(frame.wishes)
        self._want(client)
        self._subscribe(client, wishes)
        self._note(client)

    def _begin_stay(self, client: str, frame: MoveIn) -> Guest:
        previous = frame.previous if self.options.scheme != "none" else None
        before = self._guests.of(client).get(frame.session - 1)
        if previous == self.options.name and before is not None:
            return self._resume(before)
        if before is not None and before.standby_for is not None and before.standby_for == previous:
            self._resume(before)
            self._take_over(before, previous)
            return before
        guest = self._guests.add(Guest(client, frame.session, True, Backlog(self.options.backlog_max)))
        if previous not in {None, self.options.name}:
            unconfirmed = {number for number, _ in frame.wishes}
            guest.fetch = Fetch(client, frame.session - 1, str(previous), False, self._now, unconfirmed)
            self._relay(guest.fetch.origin, guest.fetch.ask(self._now))
        return guest

    def _resume(self, guest: Guest) -> Guest:
        """The client is where its events wait already: the stay goes on as the next one."""
        self._guests.remove(guest)
        self._end_standby(guest)
        guest.session, guest.present, guest.standby_for = guest.session + 1, True, None
        self._guests.add(guest)
        for event in guest.backlog.take_all():
            self._take(guest, event)
        return guest

    def _take_over(self, guest: Guest, previous: str) -> None:
        """What waits at the previous broker has been brought here already, or is on its way."""
        if guest.fetch is None:
            done = HandoffAsked(guest.client, guest.session - 1, EVERYTHING, copy=False, closing=True)
            self._relay(previous, done)
        else:
            guest.fetch.copy = False
            self._relay(previous, guest.fetch.ask(self._now))

    def _move_out(self, client: str, frame: MoveOut) -> None:
        guest = self._guests.of(client).get(frame.session)
        if guest is None or not guest.present:
            return
        if self.options.scheme == "none":
            self._forget(guest)
            return
        self._leave(guest)
        if self.options.scheme == "proactive":
            guest.told = self._next.names()
            for broker in guest.told:
                self._relay(broker, StandBy(client, guest.session, tuple(guest.wishes.items())))

    def _leave(self, guest: Guest) -> None:
        guest.present, guest.away_ns = False, self._now
        self._note(guest.client)

    # ---- brokers about clients

    def _relayed(self, sender: str, frame: Relayed) -> None:
        about = frame.frame
        if not isinstance(about, AboutClients):
            self.inside.receive(FramesArrived(sender, (frame,)), self._now)
        elif (hop := frame.after(self.options.name)) is not None:
            self._effects.send.append(SendFrame(hop, frame))
        elif isinstance(about, HandoffAsked):
            self._asked(frame.way[0], about)
        elif isinstance(about, HandedOver):
            self._handed(frame.way[0], about)
        else:
            self._stand_by(frame.way[0], about)

    def _asked(self, origin: str, ask: HandoffAsked) -> None:
        guest = self._guests.of(ask.client).get(ask.session)
        if guest is None or guest.standby_for is not None:
            # Fetched and forgotten, or lost with a crash: nothing waits here.
            self._relay(origin, HandedOver(ask.client, ask.session, ask.start, (), complete=True))
            return
        if guest.present:
            self._leave(guest)
        if not ask.copy:
            guest.backlog.forget_before(ask.start)
            guest.fetch = None if ask.start == EVERYTHING else guest.fetch
            self._next.learn(origin)
        self._effects.report += guest.give_up_expired(self._now)
        start, events = guest.backlog.some(ask.start, EVENTS_PER_ANSWER)
        complete = ask.closing and guest.fetch is None and start + len(events) >= guest.backlog.end
        if ask.closing and not ask.copy and not guest.leaving:
            guest.leaving = True
            self._want(ask.client)
            self._end_standby(guest, but=origin)
        self._relay(origin, HandedOver(ask.client, ask.session, start, events, complete))
        if complete and not events and not ask.copy:
            self._forget(guest)

    def _handed(self, origin: str, answer: HandedOver) -> None:
        for guest in list(self._guests.of(answer.client).values()):
            fetch = guest.fetch
            if fetch is not None and fetch.origin == origin and fetch.session == answer.session:
                self._take_answer(guest, fetch, answer)

    def _take_answer(self, guest: Guest, fetch: Fetch, answer: HandedOver) -> None:
        events = fetch.take(answer, self._now)
        for event in events:
            self._take(guest, event)
        if answer.complete:
            if answer.events and not fetch.copy:
                self._relay(fetch.origin, fetch.ask(self._now))
            self._finish(guest)
        elif events:
            self._relay(fetch.origin, fetch.ask(self._now))

    def _stand_by(self, origin: str, frame: StandBy) -> None:
        stays = self._guests.of(frame.client)
        guest = stays.get(frame.session)
        if frame.over:
            if guest is not None and guest.standby_for == origin:
                self._forget(guest)
        elif guest is None and not (stays and max(stays) > frame.session):
            guest = Guest(frame.client, frame.session, False, Backlog(self.options.backlog_max))
            guest.standby_for, guest.away_ns, guest.wishes = origin, self._now, dict(frame.wishes)
            guest.fetch = Fetch(frame.client, frame.session, origin, True, self._now, set(guest.wishes))
            self._guests.add(guest)
            self._want(frame.client)
            self._subscribe(frame.client, guest.wishes)
            self._relay(origin, guest.fetch.ask(self._now))
        self._note(frame.client)

    # ---- small steps

    def _want(self, client: str) -> None:
        """Make the broker inside forget wishes that no stay needs any more."""
        open_stays = [guest for guest in self._guests.of(client).values() if not guest.leaving]
        needed = {number: text for guest in open_stays for number, text in guest.wishes.items()}
        for number in self._wanted.get(client, {}).keys() - needed.keys():
            self._tell(client, Unsubscribe(number))
        self._wanted[client] = needed
        if not needed:
            del self._wanted[client]

    def _subscribe(self, client: str, wishes: Mapping[int, str]) -> None:
        for number, text in wishes.items():
            self._tell(client, Subscribe(number, text, self.options.keeping))

    def _tell(self, client: str, frame: Frame) -> None:
        self.inside.receive(FramesArrived(client, (frame,)), self._now)

    def _said(self, client: str, frame: Subscribe | Unsubscribe) -> None:
        """A client, maybe one that roams, changes its wishes while it is here."""
        stays = self._guests.of(client)
        if stays:
            newest = stays[max(stays)]
            if isinstance(frame, Subscribe):
                newest.wishes[frame.number] = frame.filter
            else:
                newest.wishes.pop(frame.number, None)
            self._want(client)
        self._tell(client, frame)

    def _received(self, sender: str, frame: Received) -> None:
        stays = self._guests.of(sender)
        if not stays:
            self._tell(sender, frame)
        for guest in stays.values():
            if guest.present:
                guest.backlog.forget(frame.event_ids)

    def _take(self, guest: Guest, event: Event) -> None:
        if guest.present:
            self._hand(guest.client, event)
            if self._acknowledged:
                guest.backlog.add(event)
        else:
            self._effects.report += guest.keep(event, self._now)

    def _hand(self, client: str, event: Event) -> None:
        if event.expired(self._now):
            self._effects.report.append(DropEvent(event, "expired", (client,)))
        else:
            self._effects.send.append(SendFrame(client, Deliver(event)))

    def _finish(self, guest: Guest) -> None:
        """The fetch is over: what came here meanwhile is next."""
        fetch, guest.fetch = guest.fetch, None
        assert fetch is not None
        for event in fetch.rest():
            self._take(guest, event)
        self._note(guest.client)

    def _forget(self, guest: Guest) -> None:
        self._guests.remove(guest)
        self._want(guest.client)
        self._note(guest.client)

    def _note(self, client: str) -> None:
        self._guests.note(client, self.inside.clients)

    def _end_standby(self, guest: Guest, but: str | None = None) -> None:
        for broker in guest.told:
            if broker != but:
                self._relay(broker, StandBy(guest.client, guest.session, over=True))
        guest.told = []

    def _relay(self, to: str, frame: AboutClients) -> None:
        if to != self.options.name and (way := self.options.way(to)) is not None:
            self._effects.send.append(SendFrame(way[1], Relayed(way, frame)))

    _ACTIONS: ClassVar[dict[type, Callable[["RoamingBroker", str, Any], None]]] = {
        MoveIn: _move_in,
        MoveOut: _move_out,
        Received: _received,
        Relayed: _relayed,
        Subscribe: _said,
        Unsubscribe: _said,
    }
    """What the door does about each kind of frame; all others go inside."""
