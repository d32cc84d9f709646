"""Events in safe keeping on their way: written down before anybody is told, sent until every neighbour has them.

Puts the keeper's records and the courier's frames into one batch of effects; what is told to whom is the broker's business.
"""

from collections.abc import Callable, Iterable, Sequence

from tidings.delivery.courier import Courier
from tidings.delivery.keeper import Keeper, Kept, Noted, Remembered
from tidings.node.care import Care
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Interests, Subscribe, Unsubscribe
from tidings.vocabulary.machine import Effects, StoreRecord


class SafePassage:
    """One broker's events and records."""

    def __init__(self, neighbours: Iterable[str], *, drop_expired: bool) -> None:
        self._keeper = Keeper()
        self.courier = Courier(neighbours, drop_expired=drop_expired)
        self.care = Care(self.courier)
        self._is_asked_anew = False

    def take(self, event: Event, towards: Sequence[str], now: int, effects: Effects, *, for_clients: bool) -> None:
        """An event that somebody wants: keep it, and send it on."""
        effects.store.append(StoreRecord(self._keeper.keep(event, towards, for_clients=for_clients)))
        effects.send += self.courier.send(event, towards, now)

    def note(self, sender: str, frame: Interests | Subscribe | Unsubscribe, effects: Effects) -> None:
        """Keep what somebody wants."""
        effects.store.append(StoreRecord(self._keeper.note(sender, frame)))

    def stored(self, count: int) -> None:
        """So many records more are on disk, and done what they ask for."""
        self._keeper.stored(count)

    def begin_anew(self) -> None:
        """With the next batch everything is to be written again."""
        self._is_asked_anew = True

    def remember(self, records: Sequence[bytes]) -> Remembered:
        """What an earlier process wrote down."""
        return self._keeper.remember(records)

    def resume(self, kept: Kept, now: int, effects: Effects) -> None:
        """An event that an earlier process kept: send it on, but to clients that have gone since."""
        towards = [name for name in kept.towards if self.courier.serves(name)]
        effects.send += self.courier.send(kept.event, towards, now)
        if kept.towards and not towards:
            self._keeper.finished((kept.event.id,))

    def finish(self, notes: Callable[[], Iterable[Noted]], effects: Effects) -> None:
        """A batch is about to be drained: let go what was acknowledged or given up, and write all anew if it is time."""
        if self.courier.has_news:
            self._keeper.finished(self.courier.take_finished())
            effects.report += self.courier.take_dropped()
        if self._keeper.is_overgrown or self._is_asked_anew:
            self._is_asked_anew = False
            records = self._keeper.begin_anew(self.care.notes(notes()), self.courier.owed())
            effects.store += [StoreRecord(record) for record in records]
            effects.anew = True
        if effects.store:
            self._keeper.drained(len(effects.store))
