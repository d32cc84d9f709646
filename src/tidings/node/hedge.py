"""What `dcrd+` does beyond DCRD: who stands by with second copies, who hears that an event is there, whom nobody relies on.

A second copy is sent where the first one, if it failed, could not be sent again in time. Guards keep it (see
`tidings.routing.hedging`), and the broker that an event is for tells them when it has come. What is late already gets none. A
neighbour that did not answer is passed over for a while, until something is heard of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tidings.node.duties import Duty
from tidings.node.guard_room import GuardRoom
from tidings.routing.hedging import AT_ONCE, SLACK_NS, Need, Post, choose_guards, post_at
from tidings.routing.list_plans import Deadlines, Picture
from tidings.routing.ways import Links, Way
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Guard, Reached
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.machine import Effects, SendFrame

SUSPECTED_NS: Final = SECOND // 2
"""How long a neighbour that did not answer is passed over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HedgeOptions:
    """What a broker is told."""

    guards: int
    """For each destination that needs any, at most."""
    deadlines: Deadlines
    way: Callable[[str], Way | None]
    """To another broker, the ends included."""


class Hedge:
    """One broker's."""

    def __init__(self, here: str, neighbours: Sequence[str], options: HedgeOptions) -> None:
        self._here, self._neighbours, self._options = here, tuple(neighbours), options
        self.room = GuardRoom()
        self._suspects: dict[str, int] = {}

    # ---- whom to rely on

    def missed(self, neighbour: str, now: int) -> None:
        """It did not answer."""
        self._suspects[neighbour] = now + SUSPECTED_NS

    def heard(self, neighbour: str) -> None:
        """It is there."""
        self._suspects.pop(neighbour, None)

    def first(self, duty: Duty, names: Sequence[str], now: int, links: Links, picture: Picture) -> str:
        """The first by whom the event may be in time and who has not failed to answer lately; else the first of all."""
        for name in names:
            if self._suspects.get(name, 0) <= now and not self.is_late(duty, name, now, links, picture):
                return name
        return names[0]

    # ---- second copies

    def is_late(self, duty: Duty, hop: str, now: int, links: Links, picture: Picture) -> bool:
        """True when the event cannot be in time by this neighbour any more."""
        deadline = self._deadline_ns(duty.event, duty.destination)
        return deadline is not None and self._arrives(duty, hop, now, links, picture) > deadline

    def posts(
        self,
        firsts: Sequence[tuple[Duty, str]],
        now: int,
        patience_ns: Callable[[str], int],
        links: Links,
        picture: Picture,
    ) -> list[Post]:
        """Guards for those first copies of one event that need any, each with the neighbour that it goes to."""
        duties = {duty.destination: duty for duty, _ in firsts}
        needs = [need for duty, hop in firsts if (need := self._need(duty, hop, now, patience_ns, links, picture))]
        if not needs:
            return []

        def candidates(need: Need) -> Iterable[Post]:
            return self._candidates(duties[need.destination], need, now, links, picture)

        return choose_guards(needs, candidates, [hop for _, hop in firsts], self._options.guards)

    def post(self, duty: Duty, posts: Sequence[Post], now: int, links: Links, picture: Picture) -> list[Guard]:
        """What the guards of one duty are told, in the order of `posts`; the duty knows them from now on."""
        guards = tuple(post.guard for post in posts if post.guard != duty.destination)
        duty.tells = tuple(dict.fromkeys((*duty.tells, *guards)))
        found = []
        for one in posts:
            tell = (self._here, *(name for name in guards if name != one.guard))
            found.append(Guard(duty.destination, one.release_ns, tell))
            there_ns = round(links[self._here, one.guard].delay_ns)
            onward_ns = round(picture.shortest_ns(one.guard, duty.destination))
            # The news comes back by the way of the copy.
            heard = max(one.release_ns, now + there_ns) + 2 * onward_ns + there_ns + 2 * SLACK_NS
            duty.told_ns = max(duty.told_ns, heard)
        return found

    def told(self, event_id: int, names: Iterable[str], path: Sequence[str], effects: Effects) -> None:
        """The event has come here by `path`: tell those who want to hear so, by the way that it came where they are on it."""
        ways = [self._way_to(name, path) for name in names]
        self.pass_on(Reached(event_id, self._here, tuple(way for way in ways if way)), effects)

    def pass_on(self, frame: Reached, effects: Effects) -> None:
        """News on its way, one copy for all who are told by the same neighbour."""
        by_hop: dict[str, list[Way]] = {}
        for way in frame.ways:
            by_hop.setdefault(way[0], []).append(way)
        effects.send += [
            SendFrame(hop, Reached(frame.event_id, frame.broker, tuple(some))) for hop, some in by_hop.items()
        ]

    # ---- inside

    def _way_to(self, name: str, path: Sequence[str]) -> Way:
        """Empty where there is none. A link that failed the first copy would fail the news of the second."""
        if name in path:
            return tuple(reversed(path[path.index(name) :]))
        way = self._options.way(name)
        return () if way is None else way[1:]

    def _deadline_ns(self, event: Event, destination: str) -> int | None:
        allowed = self._options.deadlines.get(event.publisher, _NONE).get(destination)
        return None if allowed is None else event.published_ns + allowed

    def _arrives(self, duty: Duty, hop: str, now: int, links: Links, picture: Picture) -> float:
        return now + links[self._here, hop].delay_ns + picture.shortest_ns(hop, duty.destination)

    def _others(self, duty: Duty, hop: str, now: int, links: Links, picture: Picture) -> list[str]:
        """Neighbours that might get the event there by a way that does not lead back through here."""
        back = picture.shortest_ns(self._here, duty.destination)
        return [
            there
            for there in self._neighbours
            if there != hop
            and there not in duty.tried
            and there not in duty.path
            and self._suspects.get(there, 0) <= now
            and picture.shortest_ns(there, duty.destination) < links[there, self._here].delay_ns + back
        ]

    def _need(
        self,
        duty: Duty,
        hop: str,
        now: int,
        patience_ns: Callable[[str], int],
        links: Links,
        picture: Picture,
    ) -> Need | None:
        deadline = self._deadline_ns(duty.event, duty.destination)
        if deadline is None:
            return None
        arrives = self._arrives(duty, hop, now, links, picture)
        if arrives > deadline:
            return None
        again = now + patience_ns(hop)
        others = self._others(duty, hop, now, links, picture)
        second = min((self._arrives(duty, one, again, links, picture) for one in others), default=float("inf"))
        return Need(duty.destination, hop, round(arrives), deadline) if others and second > deadline else None

    def _candidates(self, duty: Duty, need: Need, now: int, links: Links, picture: Picture) -> Iterable[Post]:
        for name in self._others(duty, need.hop, now, links, picture):
            comes = now + round(links[self._here, name].delay_ns)
            if name == need.destination:
                if comes <= need.deadline_ns:
                    yield Post(name, name, AT_ONCE)
                continue
            post = post_at(need, name, comes_ns=comes, onward_ns=picture.shortest_ns(name, need.destination))
            if post is not None:
                yield post


_NONE: Final[Mapping[str, int]] = {}
