"""A member of groups: is shown their messages in the one order, joins and leaves.

Whether a message is shown or waits is decided when it arrives. While the member waits to be let into a group it is
shown nothing: the message that lets it in says where it stands between the messages of its other groups, and what it
had been shown by then must come before. Groups of a later *version* of the tree wait until all earlier ones have ended.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from tidings.ordering.delivery_rule import OrderedWindow
from tidings.ordering.group_messages import Ended, GroupMessage, Joined, Said


@dataclass(frozen=True, slots=True)
class Show:
    """Hand the event to the application."""

    event: int
    group: str


@dataclass(frozen=True, slots=True)
class Depart:
    """The group's end has been shown: tell the directory that the member has left."""

    group: str


Outcome: TypeAlias = Show | Depart


class GroupMember:
    """What one member has been shown, by the ids of its groups."""

    def __init__(self, name: str, groups: Iterable[str] = (), *, held_max: int = 65_536, exact: bool = False) -> None:
        """Begins with the first message of each of `groups`.

        Args:
            name: as the directory knows it.
            groups: that it is in from the start.
            held_max: so many messages wait for others at most; further ones are not taken.
            exact: the published rule, under which numbers of atoms must follow each other. Messages may still be on
                their way with numbers of an atom that has retired, so that members may wait for ever under it.
        """
        self.name = name
        self._groups: dict[str, int] = {}
        """Their versions."""
        self._early: list[GroupMessage] = []
        """Of groups of later versions."""
        self._joining: dict[str, tuple[int, int]] = {}
        """Ticket and version."""
        self._kept: list[GroupMessage] = []
        self._unkept = 0
        self._held_max = held_max
        self._exact = exact
        self._window: OrderedWindow[GroupMessage] | None = None
        for group in groups:
            self._begin(group, 0, 0)

    @property
    def held(self) -> int:
        """Messages that wait."""
        return len(self._kept) + len(self._early) + (self._window.held if self._window else 0)

    @property
    def refused(self) -> int:
        """Messages that were not taken for want of room; they must come again."""
        return self._unkept + (self._window.refused if self._window else 0)

    def appoint(self, group: str, version: int = 0) -> None:
        """The member is in a group that begins: it has been the first to join, or was in what the group was before."""
        self._begin(group, 0, version)

    def join(self, group: str, ticket: int, version: int = 0) -> None:
        """The directory lets the member into a group that exists, by a message with this ticket."""
        self._joining[group] = ticket, version

    def awaits(self, group: str, joined: Joined) -> bool:
        """Whether this is the message of the group that lets the member in."""
        return joined.member == self.name and group in self._joining and self._joining[group][0] == joined.ticket

    def leave(self, groups: Collection[str]) -> list[Outcome]:
        """The member wants no more of these groups; gives what need not wait for them."""
        for group in groups:
            self._joining.pop(group, None)
        return [*self._forget(groups), *self._resume()]

    def receive(self, message: GroupMessage) -> list[Outcome]:
        """Take in a message; gives what is to be done now, in order."""
        if isinstance(message.body, Joined) and self.awaits(message.group, message.body):
            _, version = self._joining.pop(message.group)
            self._begin(message.group, message.number - 1, version)
        elif self._joining and len(self._kept) + len(self._early) >= self._held_max:
            self._unkept += 1
            return []
        self._kept.append(message)
        return self._resume()

    def _resume(self) -> list[Outcome]:
        """Take what was kept, unless the member waits to be let in."""
        if self._joining:
            return []
        kept, self._kept = self._kept, []
        return [outcome for message in kept for outcome in self._take(message)]

    def _take(self, message: GroupMessage) -> list[Outcome]:
        if self._window is None or message.group not in self._groups:
            return []
        if self._groups[message.group] == min(self._groups.values()):
            return self._done(self._window.receive(message.stamp(), message))
        if len(self._early) < self._held_max:
            self._early.append(message)
        else:
            self._unkept += 1
        return []

    def _done(self, shown: list[GroupMessage]) -> list[Outcome]:
        found: list[Outcome] = []
        for message in shown:
            if isinstance(message.body, Said):
                found.append(Show(message.body.event, message.group))
            elif isinstance(message.body, Ended):
                found.append(Depart(message.group))
                found += self._forget([message.group])
        return found

    def _begin(self, group: str, number: int, version: int) -> None:
        self._groups[group] = version
        if self._window is None:
            self._window = OrderedWindow((group,), held_max=self._held_max, exact=self._exact)
        self._window.begin(group, number)

    def _forget(self, groups: Collection[str]) -> list[Outcome]:
        """What waits for these groups does not any more; with the last of a version, nor does the next version."""
        before = set(self._groups.values())
        known = [group for group in groups if self._groups.pop(group, None) is not None]
        found = self._done(self._window.forget(known)) if self._window else []
        if self._early and before != set(self._groups.values()):
            early, self._early = self._early, []
            found += [outcome for message in early for outcome in self._take(message)]
        return found
