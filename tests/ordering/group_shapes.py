"""Members of groups in shapes that tests share, and nodes that do nothing but what the definition says."""

import numpy as np

from tidings.ordering import ClimbTo, Complete
from tidings.ordering.timestamp import Timestamp


def ranked_interests(seed, *, members=24, groups=12):
    """Group r has the r-th part of all members: many overlaps, some within others."""
    rng = np.random.default_rng(seed)
    wanted = {}
    for group in range(groups):
        for member in rng.choice(members, max(1, members // (group + 1)), replace=False).tolist():
            wanted.setdefault(f"m{member:02}", []).append(f"g{group:02}")
    return {member: tuple(wanted[member]) for member in sorted(wanted)}


class Climbing:
    """A message on its way, as the random channels hand it on."""

    def __init__(self, event, group, numbers):
        self.event, self.group, self.numbers = event, group, numbers


class PlainNode:
    """A node of an atom tree: counts messages of each group that passes, one by one."""

    def __init__(self, tree, node):
        self.tree, self.node = tree, node
        self.numbers = dict.fromkeys(tree.passing(node), 0)

    def request(self, topic, event):
        """A message enters."""
        return self.climb(Climbing(event, topic, {topic: self.numbers[topic] + 1}))

    def climb(self, message):
        """A message passes: it is told how many of its other groups have, where there is an atom."""
        group, numbers = message.group, dict(message.numbers)
        assert numbers[group] == self.numbers[group] + 1, "channels keep order"
        self.numbers[group] += 1
        for atom in self.tree.nodes[self.node]:
            if group in atom.groups:
                other = atom.groups[atom.groups[0] == group]
                numbers[other] = self.numbers[other]
        above = self.tree.forwarding(self.node)[group]
        if above is None:
            return Complete(message.event, Timestamp.of(group, numbers))
        return ClimbTo(str(above), Climbing(message.event, group, numbers))
