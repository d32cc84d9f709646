"""Keeps order while a node's way changes: what comes the new way waits until the old way is empty.

A node that stood below one that steps out sends to the next one up from then on. What it had sent before is still on its
way over the old one, with `Left` behind it; what it sends now, with `Entered` before it, may well arrive first.
"""

from tidings.ordering.group_messages import Entered, Item


class Detours:
    """What waits, by the node that sent it; what waits is as much as passes while an old way runs empty."""

    __slots__ = ("_empty", "_held")

    def __init__(self) -> None:
        self._held: dict[str, list[Item]] = {}
        self._empty: set[str] = set()
        """Nodes whose old way is empty, and of which nothing came the new way yet."""

    def pass_on(self, child: str, item: Item) -> list[Item]:
        """What is to be taken in now that `item` has come from `child`: it alone, or nothing yet."""
        if isinstance(item, Entered) and child not in self._empty:
            self._held[child] = [item]
        elif child in self._held:
            self._held[child].append(item)
        else:
            self._empty.discard(child)
            return [item]
        return []

    def emptied(self, node: str) -> list[Item]:
        """Nothing more of `node` comes the old way; gives what has come the new way so far."""
        if node not in self._held:
            self._empty.add(node)
        return self._held.pop(node, [])
