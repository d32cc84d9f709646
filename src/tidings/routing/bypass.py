"""Who is reached instead of a broker of a tree that cannot be: the nearest ones behind it that can (thesis, 5.3.3).

Seen from one broker, every other one of a tree lies behind one of its neighbours: on that neighbour's *side*. Whatever is
said or sent to the brokers of a side goes away from here, so nothing led around a failure can go round in circles.
"""

from collections.abc import Callable, Mapping, Sequence


class TreeView:
    """One tree, seen from one broker."""

    def __init__(self, here: str, neighbours: Mapping[str, Sequence[str]]) -> None:
        self._here = here
        self._children: dict[str, tuple[str, ...]] = {}
        self._sides: dict[str, str] = {}
        self._walk(neighbours)

    def side(self, name: str) -> str | None:
        """The neighbour behind which a broker lies, itself included; None for one that is not in the tree, and for here."""
        return self._sides.get(name)

    def stand_ins(self, name: str, reaches: Callable[[str], bool]) -> tuple[str, ...]:
        """The broker itself if it can be reached; else, of those behind it, the first on every branch that can be."""
        found: list[str] = []
        border = [name]
        for one in border:
            if reaches(one):
                found.append(one)
            else:
                border += self._children[one]
        return tuple(found)

    def _walk(self, neighbours: Mapping[str, Sequence[str]]) -> None:
        first = tuple(neighbours.get(self._here, ()))
        self._sides.update((name, name) for name in first)
        border = [(name, self._here) for name in first]
        for name, parent in border:
            self._children[name] = tuple(one for one in neighbours[name] if one != parent)
            self._sides.update((child, self._sides[name]) for child in self._children[name])
            border += [(child, name) for child in self._children[name]]
