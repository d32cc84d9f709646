"""From a data folder to a front that can be driven: what an earlier life left is taken up before anybody is let in."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tidings.mqtt.front import Ahead, BrokerMachine, Earlier, Front
from tidings.mqtt.house import FrontOptions
from tidings.mqtt.limits import Limits
from tidings.mqtt.publishing import INDEX_BITS
from tidings.mqtt.rights import Rights
from tidings.runtime.clock import read_clocks
from tidings.runtime.data_folder import DataFolder
from tidings.runtime.store import Store, StoreOptions
from tidings.vocabulary.instant import DAY
from tidings.vocabulary.machine import RecordsStored


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What a broker process is told about its front and its store."""

    name: str
    number: int = 0
    """Of the broker in its overlay."""
    data: Path | None
    """None: nothing is stored, and nothing survives the process."""
    rights_of: Callable[[str], Rights]
    new_broker: Callable[[Ahead], BrokerMachine]
    limits: Limits
    json: bool = False
    keep_bytes_max: int = 10 << 30
    keep_ns_max: int = 7 * DAY


@dataclass(slots=True)
class OpenFront:
    """A front that has begun, and the store behind it."""

    front: Front
    store: Store | None
    folder: DataFolder | None
    claims_dropped: int = 0
    """Events that sessions waited for, given up because of their age or for want of room."""
    torn: bool = False
    """The last write of the earlier life had not finished; it was never acknowledged."""

    def close(self) -> None:
        """Let go of the files."""
        if self.store is not None:
            self.store.close()
        if self.folder is not None:
            self.folder.close()


def open_front(one: Opening) -> OpenFront:
    """Read what is on disk, take it up, and put it down anew; raises one of `tidings.errors` and changes nothing.

    May take seconds: about two for a million records.
    """
    if one.data is None:
        front = _new_front(one, first_index=int.from_bytes(os.urandom(4), "big") % (1 << INDEX_BITS))
        front.start(Earlier(incarnation=time.time_ns()), time.monotonic_ns())
        return OpenFront(front, None, None)
    folder = DataFolder(one.data)
    try:
        return _open_stored(one, folder)
    except BaseException:
        folder.close()
        raise


def _open_stored(one: Opening, folder: DataFolder) -> OpenFront:
    options = StoreOptions(owner=one.name, bytes_max=one.keep_bytes_max, age_max_ns=one.keep_ns_max)
    store = Store(folder, options)
    try:
        front = _new_front(one, first_index=0)
        found = store.found
        shift_ns = 0 if found.clock is None else found.clock.shift_to(read_clocks())
        earlier = Earlier(
            incarnation=store.next_segment,
            checkpoint=found.checkpoint,
            records=found.data,
            first=found.first,
            shift_ns=shift_ns,
        )
        claims = front.start(earlier, time.monotonic_ns())
        first = front.drain()
        dropped = store.begin(front.checkpoint(), claims)
        store.commit(first.records, first.claims, first.released)
        for _ in range(1 + bool(first.records)):
            front.receive(RecordsStored(1), time.monotonic_ns())
    except BaseException:
        store.close()
        raise
    return OpenFront(front, store, folder, claims_dropped=dropped, torn=found.torn)


def _new_front(one: Opening, *, first_index: int) -> Front:
    options = FrontOptions(
        name=one.name,
        number=one.number,
        rights_of=one.rights_of,
        limits=one.limits,
        durable=one.data is not None,
        json=one.json,
        first_index=first_index,
        clock=read_clocks().boot,
    )
    return Front(options, one.new_broker)
