"""What one sequencing node knows of ways: which groups come past it, from where, and which of them climb on.

The directory says which groups are to climb on; the node below says which come. Of what is both, the parent is told.
Orders and items travel apart, so that either may be late; what is told is put right when they arrive.
"""

from tidings.errors import PeerError
from tidings.ordering.group_messages import Began, Ceased, Entered, GroupMessage, Item, Left


class GroupWays:
    """The forwarding and the reverse-path table, with the last number of every group that comes this way."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.parent: str | None = None
        self.numbers: dict[str, int] = {}
        """Of the last message that entered or passed, by group."""
        self._from: dict[str, str] = {}
        """The node before; for groups that do not enter here."""
        self._calls: dict[str, int] = {}
        """For the same groups, the call that all nodes below have heard."""
        self._onward: dict[str, int] = {}
        """Groups that are to climb on, with the call that says so."""
        self._told: dict[str, int] = {}
        """What the parent knows: which groups come from here, and the call that has been answered."""
        self._unsaid: list[str] = []
        """Children that have left, of which there was no parent to be told."""
        self._wanted: list[tuple[str, Item]] = []

    def drain(self) -> list[tuple[str, Item]]:
        """What is to be sent since the last call, with the node that it is for."""
        wanted, self._wanted = self._wanted, []
        return wanted

    def next(self, group: str) -> str | None:
        """The node that the group's messages go to; None: they leave for the members."""
        return self.parent if group in self._told else None

    def heard(self, group: str, call: int) -> bool:
        """Whether the group comes from below over nodes that have all heard this call."""
        return self._calls.get(group, -1) >= call

    def enter(self, group: str) -> None:
        """A new group enters here."""
        self.numbers[group] = 0
        self._settle(group)

    def shut(self, group: str) -> None:
        """A group that enters here is no more."""
        del self.numbers[group]
        self._settle(group)

    def go_on(self, group: str, call: int) -> None:
        """The group is to climb on."""
        self._onward[group] = call
        self._settle(group)

    def stop(self, group: str) -> None:
        """The group's messages are to leave here."""
        self._onward.pop(group, None)
        self._settle(group)

    def begin(self, child: str, began: Began) -> None:
        """The group comes from `child`."""
        group = began.group
        self._from[group], self.numbers[group], self._calls[group] = child, began.number, began.call
        self._settle(group)

    def cease(self, child: str, group: str) -> None:
        """It does not any more; unless it comes from another node by now."""
        if self._from.get(group) == child:
            self._forget(group)
            self._settle(group)

    def check(self, child: str, message: GroupMessage) -> None:
        """Raise PeerError unless the message is the next of its group, and comes from where the group does."""
        group, number = message.group, message.number
        if self._from.get(group) != child:
            raise PeerError(f"node {self.name}: a message of group {group} came from {child}, which is not on its way")
        if number != self.numbers[group] + 1:
            raise PeerError(
                f"node {self.name}: number {number} of group {group} came where {self.numbers[group] + 1} is next; the "
                "channel lost, repeated or reordered a message"
            )

    def stand_below(self, parent: str | None, *, drained: bool) -> None:
        """Have another parent; when the former one is drained, the new one is told at once of all that it will be sent."""
        if self.parent is not None:
            self._wanted.append((self.parent, Left(self.name)))
        self.parent = parent
        if parent is not None and drained:
            self._wanted.append((parent, Entered(tuple(self._began(group) for group in self._told))))
        else:
            self._told.clear()
            for group in self._onward:
                self._settle(group)
        if parent is not None:
            self._wanted += [(parent, Left(node)) for node in self._unsaid]
            self._unsaid.clear()

    def let_go(self, child: str) -> None:
        """A child has another parent. What came from it comes another way now, for which it speaks itself."""
        for group in [group for group, before in self._from.items() if before == child]:
            self._forget(group)
            self._told.pop(group, None)
        if self.parent is None:
            self._unsaid.append(child)
        else:
            self._wanted.append((self.parent, Left(child)))

    def _forget(self, group: str) -> None:
        del self.numbers[group], self._from[group], self._calls[group]

    def _began(self, group: str) -> Began:
        return Began(group, self.numbers[group], self._told[group])

    def _settle(self, group: str) -> None:
        """Let the parent know whether the group comes, when that has changed."""
        if self.parent is None:
            return
        if group in self.numbers and group in self._onward:
            call = min(self._onward[group], self._calls.get(group, self._onward[group]))
            if self._told.get(group) != call:
                self._told[group] = call
                self._wanted.append((self.parent, self._began(group)))
        elif group in self._told:
            del self._told[group]
            self._wanted.append((self.parent, Ceased(group)))
