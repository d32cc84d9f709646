"""Which clients of a broker that keeps events are no plain ones: they acknowledge what they are sent, or only pass through."""

from collections.abc import Iterable, Iterator

from tidings.delivery.courier import Courier
from tidings.delivery.keeper import Noted
from tidings.vocabulary.frames import Keeping, Subscribe

CAREFUL: tuple[Keeping, ...] = ("receipts", "repairs")


class Care:
    """One broker's."""

    def __init__(self, courier: Courier) -> None:
        self._courier = courier
        self._keepings: dict[str, Keeping] = {}
        self._wishes: dict[str, set[int]] = {}

    def __bool__(self) -> bool:
        return bool(self._keepings)

    def subscribed(self, client: str, frame: Subscribe) -> None:
        """A client wants something, and says how it is to be kept."""
        if frame.keeping == "plain":
            return
        self._keepings[client] = frame.keeping
        self._wishes.setdefault(client, set()).add(frame.number)
        if frame.keeping in CAREFUL:
            self._courier.serve(client, repairs=frame.keeping == "repairs")

    def unsubscribed(self, client: str, number: int) -> None:
        """A client takes a wish back; who wants nothing is owed nothing."""
        wishes = self._wishes.get(client)
        if wishes is None:
            return
        wishes.discard(number)
        if not wishes:
            del self._wishes[client]
            if self._keepings.pop(client) in CAREFUL:
                self._courier.dismiss(client)

    def keeping(self, client: str) -> Keeping:
        """How a client is kept."""
        return self._keepings.get(client, "plain")

    def notes(self, notes: Iterable[Noted]) -> Iterator[Noted]:
        """The records of wishes as they are to be written: as they were said, and of no one who only passes through."""
        for note in notes:
            keeping = self.keeping(note.sender)
            if keeping == "plain" or not isinstance(note.frame, Subscribe):
                yield note
            elif keeping != "none":
                yield Noted(note.sender, Subscribe(note.frame.number, note.frame.filter, keeping))
