"""Atoms that retire as the paper on groups says: as soon as the last message of a group has passed."""

from tidings.ordering.group_messages import Ended, GroupMessage
from tidings.ordering.group_sequencer import GroupSequencer


class PublishedRetirement(GroupSequencer):
    """A node that inspects last messages. For comparison only: members still wait for what others have been shown."""

    def _pass(self, message: GroupMessage) -> None:
        super()._pass(message)
        if isinstance(message.body, Ended):
            for other in list(self._atoms.get(message.group, ())):
                self._retire(message.group, other)
                self._retire(other, message.group)

    def _retire(self, group: str, other: str) -> None:
        """Once; the directory's own order comes later."""
        if other in self._atoms.get(group, ()):
            super()._retire(group, other)
