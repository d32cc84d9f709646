"""A broker that is the home of clients which roam, around one that has them as guests.

A client's home never changes. Where brokers keep what they acknowledge, it owes the client every event until the client
has acknowledged it, wherever it is; whoever the client is with brings most of them sooner. And what a roaming client
publishes goes through its home, which puts it into its order. The broker inside knows the client at home by another name.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from tidings.node.roaming_broker import RoamingBroker
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import (
    Accepted,
    AtHome,
    ClientHears,
    ClientSays,
    Deliver,
    Frame,
    Homely,
    Homeward,
    MoveIn,
    MoveOut,
    Publish,
    PublishInTurn,
    Received,
    Relayed,
    Subscribe,
    Subscribed,
)
from tidings.vocabulary.machine import (
    ClientLost,
    ClientReached,
    DropEvent,
    Effects,
    FramesArrived,
    Notice,
    SendFrame,
)

AT_HOME: Final = " at home"
"""What the broker inside knows a client by whose home it is; no name that a scenario may give ends so."""
IN_TURN_MAX: Final = 64
"""Events of a client that may wait at its home for one before them."""


@dataclass(slots=True)
class Resident:
    """A client whose home this is."""

    place: str | None = None
    """The broker that it has come to, as far as is known."""
    session: int = -1
    next_number: int = 0
    """Of the event that it publishes next."""
    early: dict[int, Event] = field(default_factory=dict)
    """Events that came before their turn."""

    def take(self, frame: PublishInTurn) -> list[Event]:
        """The events whose turn it is now; an event that had its turn before is given again, to be acknowledged again."""
        self.next_number = max(self.next_number, frame.first)
        if frame.number < self.next_number:
            return [frame.event]
        if frame.number < self.next_number + IN_TURN_MAX:
            self.early[frame.number] = frame.event
        self.early = {number: event for number, event in self.early.items() if number >= self.next_number}
        found = []
        while self.next_number in self.early:
            found.append(self.early.pop(self.next_number))
            self.next_number += 1
        return found


class HomeBroker:
    """The machine."""

    def __init__(self, inside: RoamingBroker) -> None:
        self.inside = inside
        self.name = inside.options.name
        self._residents: dict[str, Resident] = {}
        self._here: dict[str, int] = {}
        """Clients that are here, at home or not, with their sessions."""
        self._homes: dict[str, str] = {}
        """Where clients that are here are at home, if they have said so."""
        self._effects = Effects()

    @property
    def clients(self) -> Sequence[str]:
        """Names of clients by number, as the broker inside counts them; some are names of clients at home."""
        return self.inside.clients

    @property
    def holds(self) -> bool:
        """True while events wait for the timer of the broker inside."""
        return self.inside.holds

    def leftovers(self) -> Iterator[tuple[str, Event]]:
        """What waits here for clients that roam: client and event. Where homes owe events, theirs are what counts."""
        if self.inside.options.keeping == "plain":
            yield from self.inside.leftovers()
        for name, event in self.inside.inside.owed_to_clients():
            yield name.removesuffix(AT_HOME), event

    # ---- the machine contract

    def receive(self, notice: Notice, now: int) -> None:
        """Take in what happened; raises PeerError when a neighbour or client breaks the rules."""
        if not isinstance(notice, FramesArrived):
            self.inside.receive(notice, now)
            return
        for frame in notice.frames:
            if isinstance(frame, Homeward):
                self._homeward(notice.sender, frame, now)
            elif isinstance(frame, Relayed) and isinstance(frame.frame, AtHome):
                self._relayed(frame, frame.frame, now)
            else:
                self._look(notice.sender, frame, now)
                self.inside.receive(FramesArrived(notice.sender, (frame,)), now)

    def expire(self, now: int) -> None:
        """Whatever the broker inside has to do."""
        self.inside.expire(now)

    def deadline(self) -> int | None:
        """The inside's."""
        return self.inside.deadline()

    def drain(self) -> Effects:
        """Everything wanted since the last call, with what is for clients at home sent to where they are."""
        inner = self.inside.drain()
        effects, self._effects = self._effects, Effects()
        early, inner.send = inner.send, effects.send
        for send in early:
            if send.to.endswith(AT_HOME):
                inner.send += self._to_resident(send.to.removesuffix(AT_HOME), send.frame)
            else:
                inner.send.append(send)
        inner.report = [_by_name(drop) for drop in inner.report]
        return inner

    # ---- clients that are here

    def _look(self, sender: str, frame: Frame, now: int) -> None:
        """Who comes and who goes."""
        if isinstance(frame, MoveIn):
            self._here[sender] = max(frame.session, self._here.get(sender, 0))
        elif isinstance(frame, MoveOut) and self._here.get(sender) == frame.session:
            del self._here[sender]
            home = self._homes.pop(sender, None)
            if home is not None:
                self._tell_home(sender, home, frame, now)

    def _homeward(self, client: str, frame: Homeward, now: int) -> None:
        if isinstance(frame.frame, MoveIn):
            self._homes[client] = frame.home
        elif isinstance(frame.frame, Received):
            self.inside.receive(FramesArrived(client, (frame.frame,)), now)
        self._tell_home(client, frame.home, frame.frame, now)

    def _tell_home(self, client: str, home: str, frame: Homely, now: int) -> None:
        if home == self.name:
            self._says(client, self.name, frame, now)
        else:
            self._relay(home, ClientSays(client, frame))

    def _relayed(self, frame: Relayed, about: AtHome, now: int) -> None:
        hop = frame.after(self.name)
        if hop is not None:
            self._effects.send.append(SendFrame(hop, frame))
        elif isinstance(about, ClientSays):
            self._says(about.client, frame.way[0], about.frame, now)
        elif self._here.get(about.client) == about.session:
            self._effects.send.append(SendFrame(about.client, about.frame))
        else:
            self._relay(frame.way[0], ClientSays(about.client, MoveOut(about.session)))

    def _relay(self, to: str, frame: AtHome) -> None:
        way = self.inside.options.way(to)
        if way is not None:
            self._effects.send.append(SendFrame(way[1], Relayed(way, frame)))

    # ---- clients that are at home here

    def _says(self, client: str, place: str, frame: Homely, now: int) -> None:
        """A client whose home this is says something, at `place`."""
        resident = self._residents.setdefault(client, Resident())
        if isinstance(frame, MoveIn):
            self._moved(client, resident, place, frame, now)
        elif isinstance(frame, MoveOut):
            if frame.session == resident.session:
                resident.place = None
                self.inside.receive(ClientLost(client + AT_HOME), now)
        elif isinstance(frame, PublishInTurn):
            for event in resident.take(frame):
                self._tell_inside(client, Publish(event), now)
        else:
            self._tell_inside(client, frame, now)

    def _moved(self, client: str, resident: Resident, place: str, frame: MoveIn, now: int) -> None:
        if frame.session < resident.session:
            return
        is_news = resident.place != place or frame.session > resident.session
        resident.place, resident.session = place, frame.session
        for number, text in frame.wishes:
            self._tell_inside(client, Subscribe(number, text, "repairs"), now)
        if is_news:
            self.inside.receive(ClientReached(client + AT_HOME), now)

    def _tell_inside(self, client: str, frame: Frame, now: int) -> None:
        self.inside.receive(FramesArrived(client + AT_HOME, (frame,)), now)

    def _to_resident(self, client: str, frame: Frame) -> list[SendFrame]:
        """To where a client is, if that is known; what it is owed is sent again, and the rest it asks for again."""
        resident = self._residents.get(client)
        if resident is None or resident.place is None:
            return []
        if resident.place == self.name:
            return [SendFrame(client, frame)]
        way = self.inside.options.way(resident.place)
        if way is None:
            return []
        assert isinstance(frame, Deliver | Accepted | Subscribed)
        return [SendFrame(way[1], Relayed(way, ClientHears(client, resident.session, frame)))]


def _by_name(drop: DropEvent) -> DropEvent:
    return DropEvent(drop.event, drop.reason, tuple(name.removesuffix(AT_HOME) for name in drop.towards))
