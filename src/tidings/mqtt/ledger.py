"""What one turn wants on disk: records in their order, how often each is claimed, and the claims that end."""

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from tidings.mqtt.limits import SEEN_REMEMBERED
from tidings.mqtt.parcel import Parcel
from tidings.mqtt.records import AnyRecord, Taken, write_record


class Written(NamedTuple):
    """A turn's share of the log."""

    records: list[bytes]
    claims: list[int]
    released: list[int]


class Ledger:
    """Numbers records as the log will, in the order noted."""

    __slots__ = ("_records", "_released", "next_number", "notes", "recent")

    def __init__(self) -> None:
        self.next_number = 0
        self.recent: deque[int] = deque(maxlen=SEEN_REMEMBERED)
        """Events that were stored lately."""
        self._records: list[Parcel | bytes] = []
        self._released: list[int] = []
        self.notes = 0
        """Records since the start."""

    def begin(self, next_number: int, seen: Iterable[int]) -> None:
        """Go on where an earlier life has ended."""
        self.next_number = next_number
        self.recent.extend(seen)

    def note(self, record: AnyRecord) -> None:
        """Write `record` down; nobody claims it."""
        self._records.append(write_record(record))
        self.next_number += 1
        self.notes += 1

    def claim(self, parcel: Parcel, session: int) -> list[int]:
        """Have an event stored for a session; gives session and packet identifier, the latter to be filled in."""
        if parcel.number is None:
            parcel.number = self.next_number
            self.recent.append(parcel.event.id)
            self._records.append(parcel)
            self.next_number += 1
            self.notes += 1
        claim = [session, 0]
        parcel.claims.append(claim)
        return claim

    def release(self, number: int) -> None:
        """One claim on a record ends."""
        self._released.append(number)

    def take(self) -> Written:
        """Everything since the last call."""
        records, claims = [], []
        for one in self._records:
            if isinstance(one, bytes):
                records.append(one)
                claims.append(0)
            else:
                records.append(
                    write_record(Taken(one.event, tuple((session, packet_id) for session, packet_id in one.claims)))
                )
                claims.append(len(one.claims))
        written = Written(records, claims, self._released)
        self._records, self._released = [], []
        return written
