"""Atoms: one for every two groups that overlap, where the messages of both pass and are put in order.

Groups are to their members what topics are to subscribers, so they overlap as topics do. An atom gives the messages of
its two groups one sequence of numbers, which matters to those members alone whom the groups share.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tidings.ordering.overlap import OverlapGraph, overlap_graph
from tidings.ordering.timestamp import Timestamp


@dataclass(frozen=True, slots=True)
class Atom:
    """What puts the messages of two groups in order."""

    groups: tuple[str, str]
    """In the order of their identifiers."""
    shared: frozenset[str]
    """The members of both."""


@dataclass(frozen=True, slots=True)
class Atoms:
    """All groups and their atoms."""

    groups: tuple[str, ...]
    """In the order of their identifiers."""
    atoms: tuple[Atom, ...]
    """In the order of their groups."""
    overlap: OverlapGraph
    """Of the groups."""

    def of(self, group: str) -> tuple[int, ...]:
        """The positions of the group's atoms: the numbers that each of its messages collects."""
        return tuple(place for place, atom in enumerate(self.atoms) if group in atom.groups)


def atoms_of(interests: Mapping[str, Collection[str]], *, groups: Sequence[str] | None = None, k: int = 2) -> Atoms:
    """The atoms for members (by name) of these groups; arguments and errors are those of `overlap_graph`."""
    overlap = overlap_graph(interests, topics=groups, k=k)
    members: dict[str, set[str]] = {group: set() for group in overlap.topics}
    for member, wanted in interests.items():
        for group in wanted:
            members[group].add(member)
    pairs = [(overlap.topics[one], overlap.topics[other]) for one, other in overlap.edges()]
    atoms = tuple(Atom(pair, frozenset(members[pair[0]] & members[pair[1]])) for pair in pairs)
    return Atoms(overlap.topics, atoms, overlap)


def atom_numbers(stamp: Timestamp) -> dict[str, int]:
    """What each atom between the message's group and another gave it, by the other group.

    An atom needs no counter: a timestamp holds the numbers of both groups as they stood where both pass, and their sum
    says how many messages of either have passed. A member of both sees these sums without a gap, and so knows at once
    whether to show a message or to wait.
    """
    return {other: stamp.number + before for other, before in stamp.pairs().items() if other != stamp.topic}
