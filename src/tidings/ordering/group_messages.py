"""What travels between senders, sequencing nodes and members of groups, and what the directory orders nodes to do."""

from dataclasses import dataclass
from typing import TypeAlias

from tidings.ordering.timestamp import Timestamp


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody's event, by its id."""

    event: int


@dataclass(frozen=True, slots=True)
class Joined:
    """The member has the group's messages from the next one on; to all others this means nothing."""

    member: str
    ticket: int
    """Of several times that it joined, which."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The group's last message."""


Body: TypeAlias = Said | Joined | Ended


@dataclass(frozen=True, slots=True)
class GroupMessage:
    """One message of a group, with what it has collected so far."""

    group: str
    number: int
    """Group-local, from 1."""
    body: Body
    before: tuple[tuple[str, int], ...] = ()
    """For each atom passed, its other group and how many messages of that one passed before."""

    def stamp(self) -> Timestamp:
        """As the delivery rule takes it."""
        return Timestamp.of(self.group, dict(self.before) | {self.group: self.number})


@dataclass(frozen=True, slots=True)
class Began:
    """From here on the group's messages come this way; the last that did not had this number."""

    group: str
    number: int
    call: int
    """The latest call (see `GoOn`) that all nodes from the entrance up to here have heard."""


@dataclass(frozen=True, slots=True)
class Ceased:
    """No more messages of the group come this way."""

    group: str


@dataclass(frozen=True, slots=True)
class Left:
    """Nothing more of `node` comes this way: it has another parent now."""

    node: str


@dataclass(frozen=True, slots=True)
class Farewell:
    """The sender has stepped out; this is the last of it."""


@dataclass(frozen=True, slots=True)
class Entered:
    """The first from a node that has left its parent for the receiver: groups that come from it now, with their last
    numbers. What follows has to wait until `Left` has come over the old way.
    """

    groups: tuple[Began, ...]


Item: TypeAlias = GroupMessage | Began | Ceased | Left | Entered | Farewell
"""What climbs from a node to its parent, in the order sent."""


@dataclass(frozen=True, slots=True)
class StandBelow:
    """Your parent is this node from now on; `drained`: through the former one, which steps out between you."""

    parent: str | None
    drained: bool = False


@dataclass(frozen=True, slots=True)
class GoOn:
    """Messages of the group do not leave here any more, but climb on.

    Every node of the way is called anew when the way becomes longer, under a higher number. What says that a group comes
    may be on its way still when the group has ceased to; nobody takes it for the answer to a later call.
    """

    group: str
    call: int


@dataclass(frozen=True, slots=True)
class StopHere:
    """Messages of the group leave here for the members."""

    group: str


@dataclass(frozen=True, slots=True)
class AddAtom:
    """Put the messages of the two groups in order; before either has any."""

    groups: tuple[str, str]


@dataclass(frozen=True, slots=True)
class RetireAtom:
    """No more numbers of the two groups to each other."""

    groups: tuple[str, str]


@dataclass(frozen=True, slots=True)
class TakeIn:
    """Messages of the group enter here, and are put in order with those of `awaited`.

    It opens when all of these come, as called.
    """

    group: str
    call: int
    awaited: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Admit:
    """Let the member in, by a message of the group."""

    group: str
    member: str
    ticket: int


@dataclass(frozen=True, slots=True)
class End:
    """Send the group's last message and take in no more."""

    group: str


@dataclass(frozen=True, slots=True)
class Shut:
    """Forget the group: it has ended, and everybody has been shown its last message."""

    group: str


@dataclass(frozen=True, slots=True)
class StepOut:
    """These nodes have another parent; go when each has left."""

    children: tuple[str, ...]


Order: TypeAlias = StandBelow | GoOn | StopHere | AddAtom | RetireAtom | TakeIn | Admit | End | Shut | StepOut
