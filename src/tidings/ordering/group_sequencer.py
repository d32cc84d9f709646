"""A sequencing node of groups that come and go: numbers what enters and puts in order what passes.

The number of every group that passes serves all its atoms (see `atoms`). A group that is new takes messages in at once,
but numbers none before everything that it is put in order with comes this way. Correct when every channel to a parent and
the channel of orders deliver each item once, in the order sent.
"""

from dataclasses import dataclass, field
from typing import TypeAlias

from tidings.ordering.detours import Detours
from tidings.ordering.group_messages import (
    AddAtom,
    Admit,
    Began,
    Body,
    Ceased,
    End,
    Ended,
    Farewell,
    GoOn,
    GroupMessage,
    Item,
    Joined,
    Left,
    Order,
    RetireAtom,
    Said,
    Shut,
    StandBelow,
    StopHere,
    TakeIn,
)
from tidings.ordering.group_ways import GroupWays


@dataclass(frozen=True, slots=True)
class Climb:
    """Send `item` to the node `to`, over the one ordered channel there."""

    to: str
    item: Item


@dataclass(frozen=True, slots=True)
class Distribute:
    """The message has all its numbers; hand it to the members of its group."""

    message: GroupMessage


@dataclass(frozen=True, slots=True)
class AskAgain:
    """The event was not taken: the group does not enter here (any more, or yet), or too much waits. Ask the directory
    where it enters today, and ask there.
    """

    event: int
    group: str


@dataclass(frozen=True, slots=True)
class Gone:
    """The node has stepped out, and nothing of it is on its way any more."""

    node: str


Wish: TypeAlias = Climb | Distribute | AskAgain | Gone


@dataclass(slots=True)
class _Entrance:
    """Where the messages of one group begin."""

    call: int
    awaited: dict[str, None]
    """Groups that are to come this way first."""
    waiting: list[Body] = field(default_factory=list)
    ended: bool = False

    @property
    def open(self) -> bool:
        return not self.awaited


class GroupSequencer:
    """One node: what it is ordered, asked and sent goes in, and wishes come out, to be fulfilled in their order."""

    def __init__(self, name: str, *, waiting_max: int = 65_536) -> None:
        """So many messages may wait for their group to open; further ones are not taken."""
        self.finished = False
        """Nothing goes in or out any more."""
        self._waiting_max = waiting_max
        self._ways = GroupWays(name)
        self._detours = Detours()
        self._atoms: dict[str, dict[str, None]] = {}
        """The other group of each atom, by group."""
        self._entrances: dict[str, _Entrance] = {}
        self._departed: set[str] = set()
        """Nodes that have left for another parent."""
        self._staying: set[str] | None = None
        """When stepping out: those that are to leave first."""
        self._wishes: list[Wish] = []

    def drain(self) -> list[Wish]:
        """What is wanted since the last call."""
        self._climb()
        wishes, self._wishes = self._wishes, []
        return wishes

    def ask(self, group: str, event: int) -> None:
        """A sender wants `event` in the group."""
        entrance = self._entrances.get(group)
        if entrance is None or entrance.ended or len(entrance.waiting) >= self._waiting_max:
            self._wishes.append(AskAgain(event, group))
        else:
            self._enter(group, Said(event))

    def climb(self, child: str, item: Item) -> None:
        """Take in what a node below sent. Raises PeerError for what cannot follow on what came before."""
        for one in self._detours.pass_on(child, item):
            self._take(child, one)

    def order(self, order: Order) -> None:
        """Do what the directory says."""
        match order:
            case StandBelow(parent, drained):
                self._ways.stand_below(parent, drained=drained)
            case GoOn(group, call):
                self._ways.go_on(group, call)
            case StopHere(group):
                self._ways.stop(group)
            case AddAtom((one, other)):
                self._add_atom(one, other)
            case RetireAtom((one, other)):
                self._retire(one, other)
                self._retire(other, one)
            case TakeIn():
                self._take_in(order)
            case Admit(group, member, ticket):
                self._enter(group, Joined(member, ticket))
            case End(group):
                self._enter(group, Ended())
                self._entrances[group].ended = True
            case Shut(group):
                del self._entrances[group]
                self._ways.shut(group)
            case _:
                self._staying = set(order.children)
                self._go_when_empty()

    def _take_in(self, order: TakeIn) -> None:
        group, call = order.group, order.call
        missing = dict.fromkeys(other for other in order.awaited if not self._ways.heard(other, call))
        self._entrances[group] = _Entrance(call, missing)
        for other in order.awaited:
            self._add_atom(group, other)
        self._ways.enter(group)

    def _take(self, child: str, item: Item) -> None:
        match item:
            case GroupMessage():
                self._ways.check(child, item)
                self._pass(item)
            case Began():
                self._begin(child, item)
            case Ceased(group):
                self._ways.cease(child, group)
            case Left(node):
                self._leave(child, node)
            case Farewell():
                self._wishes.append(Gone(child))
            case _:
                for began in item.groups:
                    self._begin(child, began)

    def _begin(self, child: str, began: Began) -> None:
        self._ways.begin(child, began)
        for group, entrance in self._entrances.items():
            if began.call >= entrance.call:
                self._come(group, began.group)

    def _enter(self, group: str, body: Body) -> None:
        entrance = self._entrances[group]
        if entrance.open:
            self._pass(GroupMessage(group, self._ways.numbers[group] + 1, body))
        else:
            entrance.waiting.append(body)

    def _pass(self, message: GroupMessage) -> None:
        """Number the message here, and send it on."""
        group, numbers = message.group, self._ways.numbers
        numbers[group] = message.number
        found = [(other, numbers[other]) for other in self._atoms.get(group, ()) if other in numbers]
        message = GroupMessage(group, message.number, message.body, (*message.before, *found))
        to = self._ways.next(group)
        self._climb()
        self._wishes.append(Distribute(message) if to is None else Climb(to, message))

    def _climb(self) -> None:
        """What the ways have to say goes before what follows."""
        self._wishes += [Climb(to, item) for to, item in self._ways.drain()]

    def _add_atom(self, one: str, other: str) -> None:
        self._atoms.setdefault(one, {})[other] = None
        self._atoms.setdefault(other, {})[one] = None

    def _retire(self, group: str, other: str) -> None:
        """No numbers of `other` any more, and no waiting for it."""
        del self._atoms[group][other]
        if not self._atoms[group]:
            del self._atoms[group]
        if group in self._entrances:
            self._come(group, other)

    def _come(self, group: str, other: str) -> None:
        """What enters here need not wait for `other` to come this way."""
        entrance = self._entrances[group]
        entrance.awaited.pop(other, None)
        if entrance.open:
            waiting, entrance.waiting = entrance.waiting, []
            for body in waiting:
                self._enter(group, body)

    def _leave(self, child: str, node: str) -> None:
        """`child` says that nothing more of `node` comes over it."""
        if node != child:
            for item in self._detours.emptied(node):
                self._take(node, item)
            return
        self._ways.let_go(node)
        self._departed.add(node)
        self._go_when_empty()

    def _go_when_empty(self) -> None:
        if self._staying is not None and self._staying <= self._departed:
            self._climb()
            parent = self._ways.parent
            self._wishes.append(Gone(self._ways.name) if parent is None else Climb(parent, Farewell()))
            self.finished = True
