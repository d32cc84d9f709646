"""Group commit: a store on a thread of its own, where all that gathers during one sync goes into the next.

What is asked for is done in the order asked, and the answers come back in that order: nobody overtakes a sync.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeAlias

from tidings.runtime.histogram import Histogram
from tidings.runtime.store import Store, Stored

Then: TypeAlias = Callable[[], None]

READ_BYTES: Final = 4 << 20
"""Of one read, but for a record that is larger."""


@dataclass(slots=True)
class Batch:
    """What is to be on disk together, and what may happen only then."""

    records: Sequence[bytes] = ()
    claims: Sequence[int] = ()
    """How often each record is claimed."""
    released: Sequence[int] = ()
    """Numbers of records, each as often as one claim on it ends."""


@dataclass(slots=True)
class _Work:
    """One visit to the disk: one sync at most, then what was to be read."""

    records: list[bytes] = field(default_factory=list)
    claims: list[int] = field(default_factory=list)
    released: list[int] = field(default_factory=list)
    checkpoint: Sequence[bytes] | None = None
    """Instead of the above: a new segment."""
    after: list[Callable[[Store], Then]] = field(default_factory=list)
    """Done on the disk's thread when all is synced; what each gives is called back in the loop, in order."""

    @property
    def is_idle(self) -> bool:
        return not self.records and not self.released and self.checkpoint is None

    def run(self, store: Store) -> list[Then]:
        if self.checkpoint is not None:
            store.begin(self.checkpoint)
        elif not self.is_idle:
            store.commit(self.records, self.claims, self.released)
        return [one(store) for one in self.after]


class Committer:
    """One store's; lives in one event loop."""

    def __init__(self, store: Store, *, failed: Callable[[BaseException], None]) -> None:
        """`failed` is told when the disk fails; nothing that waits is ever answered then."""
        self._store, self._failed = store, failed
        self._loop = asyncio.get_running_loop()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._queue: list[_Work] = []
        self._running: _Work | None = None
        self._idle = asyncio.Event()
        self._idle.set()
        self.wants_checkpoint = False
        """As of the last sync."""
        self.syncs = 0
        self.sync_seconds = Histogram()
        self.synced_records = 0

    def commit(self, batch: Batch, then: Then) -> None:
        """Put the batch on disk, then call `then`; at once when there is nothing to put and nothing before it."""
        if not batch.records and not batch.released and self._running is None:
            then()
            return
        work = self._last()
        work.records += batch.records
        work.claims += batch.claims
        work.released += batch.released
        work.after.append(lambda _store: then)
        self._start()

    def read(self, numbers: Sequence[int], then: Callable[[Sequence[int], list[Stored]], None]) -> None:
        """Read data records, after everything asked for so far; `then` is told which were looked for, and found.

        As many of `numbers` are looked for as fit into READ_BYTES, the first at least.
        """

        def look(store: Store) -> Then:
            return partial(then, *store.read(numbers, READ_BYTES))

        self._last().after.append(look)
        self._start()

    def begin(self, checkpoint: Sequence[bytes], then: Then) -> None:
        """Start a new segment with a checkpoint, which says what all batches so far say."""
        work = _Work(checkpoint=checkpoint)
        work.after.append(lambda _store: then)
        self._queue.append(work)
        self.wants_checkpoint = False
        self._start()

    async def settled(self) -> None:
        """Returns when nothing is under way; not to be relied on after a failure."""
        await self._idle.wait()

    def close(self) -> None:
        """End the thread, when it has done what it is about."""
        self._thread.shutdown()

    def _last(self) -> _Work:
        """The work that what comes next can still join."""
        if not self._queue or self._queue[-1].checkpoint is not None:
            self._queue.append(_Work())
        return self._queue[-1]

    def _start(self) -> None:
        if self._running is not None or not self._queue:
            return
        self._idle.clear()
        self._running = self._queue.pop(0)
        self._loop.run_in_executor(self._thread, self._work, self._running).add_done_callback(self._finished)

    def _work(self, work: _Work) -> tuple[list[Then], bool, float]:
        begin = time.monotonic()
        answers = work.run(self._store)
        return answers, self._store.wants_checkpoint, time.monotonic() - begin

    def _finished(self, done: "asyncio.Future[tuple[list[Then], bool, float]]") -> None:
        problem = done.exception()
        if problem is not None:
            self._failed(problem)
            return
        answers, self.wants_checkpoint, seconds = done.result()
        assert self._running is not None
        if not self._running.is_idle:
            self.syncs += 1
            self.sync_seconds.add(seconds)
        self.synced_records += len(self._running.records)
        for answer in answers:  # what they ask for queues up: none of it may overtake the answers that follow
            answer()
        self._running = None
        self._start()
        if self._running is None:
            self._idle.set()
