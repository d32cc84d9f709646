"""Who is in which group, and the tree of nodes that follows when that changes, without a stop.

The paper asks for a global picture of members and sequencers; here it is. A new group gets a node above all that it
overlaps with: an elimination tree with one more vertex on top is one again, and nobody else has to move; the ways of the
groups below are prolonged up to it. Whoever joins a group, and by that makes two groups overlap that did not, turns it
into a new one: the *heir*, with the old members and the new one, put in order with the old one while that ends. Every
other join is a message of the group itself.

An atom retires when too few have both of its groups, and a member of a group that has ended has it until it has been
shown the last message: what is on its way to one member may have been shown to another long ago. A node without atoms,
and without a group that enters there, steps out. Trees that only grow at the top become chains; planning anew begins
another one.

Orders to a node must reach it in the order given, whenever that is; those of the first tree before anything is sent.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from tidings.errors import InputError
from tidings.ordering.atoms import atoms_of
from tidings.ordering.colocation import by_home, group_tree
from tidings.ordering.group_messages import (
    AddAtom,
    Admit,
    End,
    GoOn,
    Order,
    RetireAtom,
    Shut,
    StandBelow,
    StepOut,
    StopHere,
    TakeIn,
)
from tidings.ordering.node_tree import atom_tree

Orders = list[tuple[str, Order]]
"""Each with its node."""


@dataclass(slots=True)
class _Group:
    """A group under one id."""

    name: str
    members: dict[str, None]
    version: int
    entrance: str
    top: str
    """The node where its messages leave."""
    homes: dict[str, str] = field(default_factory=dict)
    """Of its atoms, by the other group."""
    ended: bool = False


class GroupDirectory:
    """Members, groups and nodes. A group that is turned into another keeps its name and gets a new id."""

    def __init__(self, interests: Mapping[str, Collection[str]], *, k: int = 2) -> None:
        """Starts with the groups of each member on a planned tree; `start` tells the nodes of it."""
        self._k = k
        self._groups: dict[str, _Group] = {}
        self._current: dict[str, str] = {}
        self._serials: dict[str, int] = {}
        self._parents: dict[str, str | None] = {}
        self._nodes = 0
        self._tickets = 0
        self._version = 0
        self._leaving: str | None = None
        self._orders: Orders = []
        self._plan(interests)

    @property
    def nodes(self) -> Mapping[str, str | None]:
        """Every node's parent."""
        return self._parents

    def group(self, name: str) -> str:
        """The id of what is called `name` today. Raises InputError when there is none."""
        if name not in self._current:
            raise InputError(f"there is no group {name}; it begins when somebody joins it")
        return self._current[name]

    def members(self, group: str) -> list[str]:
        """Of the group with this id, those included that join or have not seen its end."""
        return list(self._groups[group].members)

    def version(self, group: str) -> int:
        """How often everything had been planned anew when the group with this id began."""
        return self._groups[group].version

    def entrance(self, group: str) -> str | None:
        """The node where messages of the group with this id enter; None when nobody is left in it."""
        return self._groups[group].entrance if group in self._groups else None

    def way(self, group: str) -> list[str]:
        """The nodes from the entrance of the group with this id to where its messages leave."""
        found = self._groups[group]
        return [*self._climb(found.entrance, found.top), found.top]

    def drain(self) -> Orders:
        """Orders since the last call."""
        orders, self._orders = self._orders, []
        return orders

    def join(self, member: str, name: str) -> tuple[str, int | None]:
        """Let `member` into the group called `name`: gives the id of the group, and a ticket.

        Without a ticket the group is new, whether `member` is the first in it or others come with it.
        """
        if name not in self._current:
            return self._create(name, [member]), None
        group = self._groups[self._current[name]]
        if member in group.members:
            raise InputError(f"{member} is in group {name} already; once is enough")
        group.members[member] = None
        if any(other not in group.homes for other in self._overlapping(self._current[name])):
            del group.members[member]
            return self._succeed(self._current[name], [*group.members, member]), None
        self._tickets += 1
        self._order(group.entrance, Admit(self._current[name], member, self._tickets))
        return self._current[name], self._tickets

    def leave(self, member: str, name: str) -> list[str]:
        """`member` wants no more of the group called `name`; gives the ids of what it was in."""
        left = [group for group in self._called(name) if member in self._groups[group].members]
        if not left:
            raise InputError(f"{member} is not in group {name}")
        for group in left:
            self.depart(member, group)
        return left

    def depart(self, member: str, group: str) -> None:
        """`member` is out of the group with this id: most often it has been shown the end."""
        found = self._groups.get(group)
        if found is None or member not in found.members:
            raise InputError(f"{member} is not in group {group}")
        del found.members[member]
        for other in [other for other in found.homes if member in self._groups[other].members]:
            if not self._ordered(group, other):
                self._retire(group, other)
        if not found.members:
            self._remove(group)
        self._tidy()

    def end(self, name: str) -> None:
        """End the group called `name`; its members stay until they have been shown its end."""
        group = self.group(name)
        del self._current[name]
        self._groups[group].ended = True
        self._order(self._groups[group].entrance, End(group))

    def plan_anew(self) -> dict[str, str]:
        """Give every group an heir, on a tree that is planned for the members of today; gives the ids of the heirs, by name.

        Old groups and heirs are not put in order with each other. Every member is shown all of the old ones first, to
        their ends (see `GroupMember`), so that it costs a pause.
        """
        interests: dict[str, list[str]] = {}
        for name, group in self._current.items():
            for member in self._groups[group].members:
                interests.setdefault(member, []).append(name)
        self._version += 1
        lowest_first = reversed(group_tree(atoms_of(interests, k=self._k)).stages)
        return {
            name: self._succeed(self._current[name], self._groups[self._current[name]].members) for name in lowest_first
        }

    def gone(self, node: str) -> None:
        """A node that was to step out has gone."""
        assert node == self._leaving, f"{node} was not to go"
        self._leaving = None
        self._tidy()

    def _plan(self, interests: Mapping[str, Collection[str]]) -> None:
        atoms = atoms_of(interests, k=self._k)
        tree = atom_tree(atoms, by_home(atoms))
        names = [self._new_node() for _ in tree.nodes]
        for node, parent in enumerate(tree.parents):
            self._parents[names[node]] = None if parent is None else names[parent]
            if parent is not None:
                self._order(names[node], StandBelow(names[parent]))
        for name, way in tree.ways.items():
            members = dict.fromkeys(member for member, groups in interests.items() if name in groups)
            group = self._new_group(name, _Group(name, members, 0, names[way[0]], names[way[-1]]))
            self._order(names[way[0]], TakeIn(group, 0))
            for node in way[:-1]:
                self._order(names[node], GoOn(group, 0))
        for node, name in enumerate(names):
            for atom in tree.nodes[node]:
                one, other = (self._current[group] for group in atom.groups)
                self._groups[one].homes[other] = self._groups[other].homes[one] = name
                self._order(name, AddAtom((one, other)))

    def _create(self, name: str, members: Collection[str]) -> str:
        """A group on a node of its own above everything that it overlaps with."""
        node = self._new_node()
        self._parents[node] = None
        group = self._new_group(name, _Group(name, dict.fromkeys(members), self._version, node, node))
        below = self._overlapping(group)
        call = self._nodes
        self._order(node, TakeIn(group, call, tuple(below)))
        for root in dict.fromkeys(self._root(self._groups[other].top) for other in below):
            self._parents[root] = node
            self._order(root, StandBelow(node))
        for other in below:
            self._groups[group].homes[other] = self._groups[other].homes[group] = node
            for step in self._climb(self._groups[other].entrance, node):
                self._order(step, GoOn(other, call))
            self._groups[other].top = node
        return group

    def _succeed(self, group: str, members: Collection[str]) -> str:
        """The group again, with these members."""
        old = self._groups[group]
        heir = self._create(old.name, members)
        old.ended = True
        self._order(old.entrance, End(group))
        return heir

    def _overlapping(self, group: str) -> list[str]:
        """What the group must be put in order with."""
        return [other for other in self._groups if other != group and self._ordered(group, other)]

    def _ordered(self, group: str, other: str) -> bool:
        """Whether somebody has both, and enough people do who have anything of these names; or the names are one.

        People are counted by names: who lags behind in what a group was before is in the group all the same. What
        began before everything was planned anew is not put in order with what began after.
        """
        one, two = self._groups[group], self._groups[other]
        if one.version != two.version:
            return False
        if one.name == two.name:
            return bool(one.members and two.members)
        together = not one.members.keys().isdisjoint(two.members)
        return together and len(self._people(one.name) & self._people(two.name)) >= self._k

    def _people(self, name: str) -> set[str]:
        return {member for group in self._called(name) for member in self._groups[group].members}

    def _called(self, name: str) -> list[str]:
        """What is or was called `name` and has members still, the latest last."""
        return [group for group, found in self._groups.items() if found.name == name]

    def _retire(self, group: str, other: str) -> None:
        self._order(self._groups[group].homes[other], RetireAtom((group, other)))
        del self._groups[group].homes[other], self._groups[other].homes[group]
        for one in (group, other):
            self._shorten(one)

    def _shorten(self, group: str) -> None:
        """Let the group's messages leave at the highest node that they still need."""
        found = self._groups[group]
        needed = {found.entrance, *found.homes.values()}
        way = self.way(group)
        place = max(place for place, node in enumerate(way) if node in needed)
        found.top = way[place]
        for node in way[place:-1]:
            self._order(node, StopHere(group))

    def _remove(self, group: str) -> None:
        """Nobody is left."""
        found = self._groups[group]
        for other in list(found.homes):
            self._retire(group, other)
        del self._groups[group]
        if not found.ended:
            del self._current[found.name]
        self._order(found.entrance, Shut(group))

    def _tidy(self) -> None:
        """Let one node step out that nobody needs, unless another one is still about to."""
        if self._leaving is not None:
            return
        needed = {group.entrance for group in self._groups.values()}
        needed |= {home for group in self._groups.values() for home in group.homes.values()}
        node = next((node for node in self._parents if node not in needed), None)
        if node is None:
            return
        parent = self._parents.pop(node)
        children = tuple(child for child, above in self._parents.items() if above == node)
        for child in children:
            self._parents[child] = parent
            self._order(child, StandBelow(parent, drained=True))
        self._order(node, StepOut(children))
        self._leaving = node

    def _climb(self, node: str, end: str) -> Iterator[str]:
        """From `node` up to below `end`."""
        while node != end:
            yield node
            above = self._parents[node]
            assert above is not None, f"{end} is not above"
            node = above

    def _root(self, node: str) -> str:
        while (above := self._parents[node]) is not None:
            node = above
        return node

    def _new_node(self) -> str:
        self._nodes += 1
        return f"n{self._nodes}"

    def _new_group(self, name: str, found: _Group) -> str:
        self._serials[name] = self._serials.get(name, 0) + 1
        group = f"{name}.{self._serials[name]}"
        self._current[name] = group
        self._groups[group] = found
        return group

    def _order(self, node: str, order: Order) -> None:
        self._orders.append((node, order))
