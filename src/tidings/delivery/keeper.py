"""What a broker writes down so that it survives a crash, and what it reads when it is back.

Two kinds of record: *kept* events with the neighbours that they are for, and *noted* frames that changed what neighbours and
clients want, which a new process takes in again in their order. That an event is done with is said in passing, by the
next record: should it get lost, the event is sent once more and recognised where it arrives. When what is over
outweighs what is not, the log is begun anew.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from tidings.errors import LogCorrupt
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Interests, Subscribe, Unsubscribe

RECORDS_MIN: Final = 1_024
"""A log of fewer records is never begun anew."""


class Kept(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """An event in safe keeping: the neighbours that must acknowledge it, and whether clients of ours want it."""

    event: Event
    towards: tuple[str, ...]
    for_clients: bool
    done: tuple[int, ...] = ()
    """Events that were in safe keeping and need it no more."""


class Noted(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """A frame that changed what somebody wants."""

    sender: str
    frame: Interests | Subscribe | Unsubscribe


Record: TypeAlias = Kept | Noted

_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(Kept | Noted)


class Remembered(msgspec.Struct, frozen=True):
    """What the records of an earlier life say."""

    notes: tuple[Noted, ...]
    """To be taken in again, in this order."""
    kept: tuple[Kept, ...]
    """Events not known to be done with, in the order in which they were taken."""
    seen: tuple[int, ...]
    """All events that were ever in safe keeping, as far as the log goes back."""


class Keeper:
    """Makes the records of one process, in the order in which they are to be stored."""

    def __init__(self) -> None:
        self._events: dict[int, Kept] = {}
        """In safe keeping now."""
        self._done: list[int] = []
        self._delivering: list[int] = []
        """Events of this batch that only clients of ours want: over when the batch has been applied."""
        self._batches: deque[tuple[int, list[int]]] = deque()
        """Of batches that are not known to be applied: the number of their last record, and such events."""
        self._written = self._applied = 0
        self._records = 0
        self._records_max = RECORDS_MIN

    def keep(self, event: Event, towards: Sequence[str], *, for_clients: bool) -> bytes:
        """The record of an event that somebody wants."""
        kept = Kept(event, tuple(towards), for_clients, tuple(self._done))
        self._done.clear()
        self._hold(kept)
        return _ENCODER.encode(kept)

    def note(self, sender: str, frame: Interests | Subscribe | Unsubscribe) -> bytes:
        """The record of a frame that changed what somebody wants."""
        return _ENCODER.encode(Noted(sender, frame))

    def drained(self, records: int) -> None:
        """A batch with so many records goes out."""
        self._written += records
        self._records += records
        if self._delivering:
            self._batches.append((self._written, self._delivering))
            self._delivering = []

    def stored(self, records: int) -> None:
        """So many records more are on disk and their batches applied: events for our clients only are over."""
        self._applied += records
        while self._batches and self._batches[0][0] <= self._applied:
            self.finished(self._batches.popleft()[1])

    def finished(self, event_ids: Iterable[int]) -> None:
        """These events need no safe keeping any more; those that have none are passed over."""
        self._done += [event_id for event_id in event_ids if self._events.pop(event_id, None) is not None]

    @property
    def is_overgrown(self) -> bool:
        """True when the log should be begun anew."""
        return self._records > self._records_max

    def begin_anew(self, notes: Iterable[Noted], owed: Mapping[int, Sequence[str]]) -> list[bytes]:
        """Records that say all that earlier ones do; `owed`: by event, the neighbours that have not acknowledged it."""
        self._done.clear()
        kept = [
            msgspec.structs.replace(one, towards=tuple(owed.get(event_id, ())), done=())
            for event_id, one in self._events.items()
        ]
        for one in kept:
            self._hold(one)
        records: list[Record] = [*notes, *kept]
        self._records = 0
        self._records_max = max(RECORDS_MIN, 2 * len(records))
        return [_ENCODER.encode(record) for record in records]

    def remember(self, records: Sequence[bytes]) -> Remembered:
        """Take over what an earlier process wrote; LogCorrupt for what none wrote."""
        notes: list[Noted] = []
        kept: dict[int, Kept] = {}
        seen: list[int] = []
        for place, data in enumerate(records):
            record = _decoded(data, place)
            if isinstance(record, Noted):
                notes.append(record)
                continue
            for event_id in record.done:
                kept.pop(event_id, None)
            kept[record.event.id] = record
            seen.append(record.event.id)
        for one in kept.values():
            self._hold(one)
        self._records = RECORDS_MIN + len(records)
        return Remembered(tuple(notes), tuple(kept.values()), tuple(seen))

    def _hold(self, kept: Kept) -> None:
        self._events[kept.event.id] = kept
        if not kept.towards:
            self._delivering.append(kept.event.id)


def _decoded(data: bytes, place: int) -> Record:
    try:
        record: Record = _DECODER.decode(data)
    except (msgspec.DecodeError, ValueError) as problem:
        raise LogCorrupt("a broker's records", place, place) from problem
    return record
