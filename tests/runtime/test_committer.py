"""Group commit: answers come in the order asked and only when all is on disk; reads see what was asked before them."""

import asyncio
import os

import pytest

from tidings.errors import DiskFull
from tidings.runtime.committer import Batch, Committer
from tidings.runtime.data_folder import DataFolder
from tidings.runtime.store import Store, StoreOptions


@pytest.fixture
def store(tmp_path):
    """An open store with one empty segment."""
    folder = DataFolder(tmp_path)
    store = Store(folder, StoreOptions(owner="lima", segment_bytes=2_000))
    store.begin([])
    yield store
    store.close()
    folder.close()


def played(store, play, failed=None):
    """Run `play(committer, log)` in a loop of its own; gives the log when all is settled."""
    log = []

    async def run():
        committer = Committer(store, failed=failed or log.append)
        play(committer, log)
        async with asyncio.timeout(30):
            await committer.settled()
        committer.close()
        return committer

    return asyncio.run(run()), log


def test_what_gathers_during_a_sync_goes_into_the_next(store):
    """A hundred batches, two syncs; answers in order."""

    def play(committer, log):
        for number in range(100):
            committer.commit(Batch([b"x"], [1]), lambda number=number: log.append(number))

    committer, log = played(store, play)
    assert log == list(range(100))
    assert (committer.syncs, committer.synced_records, store.next_number) == (2, 100, 100)


def test_nothing_to_put_is_answered_at_once_unless_it_would_overtake(store):
    """A batch without records waits for those before it."""

    def play(committer, log):
        committer.commit(Batch(), lambda: log.append("free"))
        assert log == ["free"]
        committer.commit(Batch([b"x"], [0]), lambda: log.append("stored"))
        committer.commit(Batch(), lambda: log.append("behind"))
        assert log == ["free"]

    assert played(store, play)[1] == ["free", "stored", "behind"]


def test_answers_never_overtake_answers(store):
    """What an answer asks for comes behind the answers that are already due."""

    def play(committer, log):
        def first():
            log.append("first")
            committer.commit(Batch(), lambda: log.append("asked by first"))

        committer.commit(Batch([b"x"], [0]), first)
        committer.commit(Batch([b"y"], [0]), lambda: log.append("second"))
        committer.commit(Batch([b"z"], [0]), lambda: log.append("third"))

    assert played(store, play)[1] == ["first", "second", "third", "asked by first"]


def test_reads_see_what_was_asked_before(store):
    """And claims that were released are gone when the next segment begins."""

    def play(committer, log):
        committer.commit(Batch([b"a", b"b"], [1, 1]), lambda: log.append("stored"))
        committer.read([0, 1], lambda looked, found: log.append((list(looked), [one.payload for one in found])))
        committer.commit(Batch(released=[0, 1]), lambda: log.append("released"))
        committer.begin([b"checkpoint"], lambda: log.append("begun"))
        committer.read([0, 1], lambda looked, found: log.append((list(looked), [one.payload for one in found])))

    assert played(store, play)[1] == [
        "stored",
        ([0, 1], [b"a", b"b"]),
        "released",
        "begun",
        ([0, 1], []),
    ]


def test_a_checkpoint_becomes_due(store):
    """As the segment grows; asking for it takes the wish away."""

    def play(committer, log):
        committer.commit(Batch([b"x" * 3_000], [1]), lambda: log.append(committer.wants_checkpoint))
        committer.commit(Batch([b"y"], [0]), lambda: log.append(committer.wants_checkpoint))

        def begin():
            committer.begin([b"checkpoint"], lambda: None)
            committer.commit(Batch([b"z"], [0]), lambda: log.append(committer.wants_checkpoint))

        committer.commit(Batch([b"y"], [0]), begin)

    assert played(store, play)[1][-1] is False
    assert [one.payload for one in store.read([0], 1)[1]] == [b"x" * 3_000]


def test_a_failing_disk_is_told_and_nothing_is_answered(store):
    """Nobody learns that something is on disk that may not be."""
    problems = []

    def play(committer, log):
        os.dup2(os.open("/dev/full", os.O_RDWR), store._current._disk._descriptor)
        committer.commit(Batch([b"x"], [1]), lambda: log.append("answered"))

        def failed(problem):
            problems.append(problem)
            committer._idle.set()

        committer._failed = failed

    assert played(store, play)[1] == []
    assert isinstance(problems[0], DiskFull)
