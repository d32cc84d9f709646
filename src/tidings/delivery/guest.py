"""A roaming client as one broker knows it, and where clients of that broker tend to go next."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tidings.delivery.backlog import Backlog
from tidings.delivery.fetch import Fetch
from tidings.vocabulary.event import Event
from tidings.vocabulary.machine import DropEvent

LEARNED_MAX: Final = 8
"""Brokers that a client may come to next, when they are learned from where clients went."""


@dataclass(slots=True)
class Guest:
    """One stay of a roaming client at a broker, and what waits there for it afterwards.

    Stays follow each other: the events of one are shown before those of the next, whatever brokers they were at. So the
    next one first fetches all that waits for this one, which first fetches all that waits for the one before.
    """

    client: str
    session: int
    present: bool
    backlog: Backlog
    wishes: dict[int, str] = field(default_factory=dict)
    fetch: Fetch | None = None
    standby_for: str | None = None
    """The broker of the stay, when this is a copy of what waits there: the client may come here next."""
    leaving: bool = False
    """Events are taken in elsewhere now; what waits is still to be fetched."""
    told: list[str] = field(default_factory=list)
    """Brokers that stand by for it on our word."""
    away_ns: int = 0
    """Since when it has been away."""

    @property
    def is_open(self) -> bool:
        """Present, with nothing to be fetched first: events go straight to the client."""
        return self.present and self.fetch is None

    def keep(self, event: Event, now: int) -> list[DropEvent]:
        """The event waits; returns what is given up for it or has expired."""
        given_up = self.give_up_expired(now)
        pushed_out = self.backlog.add(event)
        return given_up if pushed_out is None else [*given_up, *self._reports([pushed_out], "queue")]

    def give_up_expired(self, now: int) -> list[DropEvent]:
        """What has waited for too long."""
        return self._reports(self.backlog.take_expired(now), "expired")

    def _reports(self, events: Sequence[Event], reason: str) -> list[DropEvent]:
        """Only where the client was last: copies elsewhere come to nothing all the time."""
        return [DropEvent(event, reason, (self.client,)) for event in events] if self.standby_for is None else []


class GuestBook:
    """All stays at one broker, and which clients' events may not go straight to them."""

    def __init__(self, *, all_held: bool = False) -> None:
        """With `all_held` no client's events go straight to it."""
        self._all_held = all_held
        self._stays: dict[str, dict[int, Guest]] = {}
        """By client and session, the sessions ascending."""
        self.held: dict[int, str] = {}
        """Clients with anything but one open stay, by the broker's numbers of clients."""
        self._numbers: dict[str, int] = {}

    def __iter__(self) -> Iterator[Guest]:
        return (guest for stays in self._stays.values() for guest in stays.values())

    def of(self, client: str) -> Mapping[int, Guest]:
        """The stays of a client by session; empty for one that is no guest."""
        return self._stays.get(client, {})

    def add(self, guest: Guest) -> Guest:
        """A new stay, later than all others of its client, or the place of one that was removed."""
        stays = self._stays.setdefault(guest.client, {})
        stays[guest.session] = guest
        return guest

    def remove(self, guest: Guest) -> None:
        """The stay is over, and nothing waits any more."""
        stays = self._stays[guest.client]
        del stays[guest.session]
        if not stays:
            del self._stays[guest.client]

    def note(self, client: str, clients: Sequence[str]) -> None:
        """Keep `held` right after a change; `clients` are all names by the broker's numbers."""
        for place in range(len(self._numbers), len(clients)):
            self._numbers[clients[place]] = place
        number = self._numbers.get(client)
        if number is not None:
            self.held.pop(number, None)
            stays = self.of(client)
            is_open = len(stays) == 1 and all(guest.is_open for guest in stays.values())
            if stays and (self._all_held or not is_open):
                self.held[number] = client


class NextBrokers:
    """Where a client may turn up next: given, or the brokers that most clients have gone to."""

    def __init__(self, given: Sequence[str] | None) -> None:
        self._given = given
        self._gone: dict[str, int] = {}

    def learn(self, broker: str) -> None:
        """A client has gone there."""
        self._gone[broker] = self._gone.get(broker, 0) + 1

    def names(self) -> list[str]:
        """The likeliest first."""
        if self._given is not None:
            return list(self._given)
        return sorted(self._gone, key=lambda name: (-self._gone[name], name))[:LEARNED_MAX]
