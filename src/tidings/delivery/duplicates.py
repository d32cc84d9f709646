"""Remembering which events have passed, in bounded memory."""


class Duplicates:
    """Recognises the last events seen: at least `remembered` of them, at most twice as many.

    Two generations of a set: when the younger is full it becomes the older, and the older is forgotten. An event that
    comes again after that many others passes for new.
    """

    __slots__ = ("_older", "_younger", "remembered")

    def __init__(self, remembered: int) -> None:
        self.remembered = remembered
        self._younger: set[int] = set()
        self._older: set[int] = set()

    def seen(self, event_id: int) -> bool:
        """True when `event_id` is remembered; it is remembered afterwards."""
        if event_id in self._younger or event_id in self._older:
            return True
        if len(self._younger) == self.remembered:
            self._older, self._younger = self._younger, set()
        self._younger.add(event_id)
        return False
