"""Journals: the list and the disk keep the same, and a disk never loses what was synced."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import DiskError
from tidings.simulation.disk import DiskFaults
from tidings.simulation.journal import DiskJournal, ListJournal
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.machine import Effects, StoreRecord


def batch(*texts, anew=False):
    """A batch with these records."""
    effects = Effects()
    effects.store += [StoreRecord(text.encode()) for text in texts]
    effects.anew = anew
    return effects


def on_disk(seed=1, **faults):
    """A journal on a disk that does these things."""
    return DiskJournal("b", DiskFaults(**faults), np.random.default_rng(seed))


def texts(journal):
    """What is read when a process begins."""
    return [record.decode() for record in journal.open()]


courses = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.lists(st.text("ab", max_size=3), max_size=3), st.booleans()),
        st.just(("restart",)),
    ),
    max_size=12,
)


@given(courses)
def test_both_keep_the_same(course):
    """Where a disk does no harm, it is a list."""
    journals = [ListJournal(), on_disk()]
    for word, *rest in course:
        for journal in journals:
            if word == "restart":
                journal.crash()
                journal.open()
            else:
                assert journal.write([batch(*rest[0], anew=rest[1])]) == 0
                journal.sync()
        assert texts(journals[0]) == texts(journals[1])


@given(st.integers(0, 10_000), courses)
def test_what_was_synced_survives_every_crash(seed, course):
    """Torn, reordered or lost: what is left is what was synced, and perhaps the beginning of what was not."""
    journal, synced, attempts = on_disk(seed, power_cut=0.8, reorder=0.5, tear=0.7), [], 0
    for word, *rest in course:
        if word == "restart":
            journal.crash()
            found = texts(journal)
            assert found == synced
            continue
        attempts += 1
        journal.write([batch(*rest[0], anew=rest[1])])
        wanted = [*([] if rest[1] else synced), *rest[0]]
        if (seed + attempts) % 3 == 0:
            journal.crash()
            found = texts(journal)
            assert found == synced or (wanted[: len(found)] == found and len(found) >= (0 if rest[1] else len(synced)))
            if rest[1]:
                assert found in (synced, wanted)
            synced = found
        else:
            journal.sync()
            synced = wanted


def test_a_log_that_was_not_begun_whole_is_no_log():
    """Until the sync returns, all that was there before still is."""
    for seed in range(40):
        journal = on_disk(seed, power_cut=1.0, tear=1.0)
        journal.write([batch("a", "b")])
        journal.sync()
        journal.write([batch("c", "d", "e", anew=True)])
        journal.crash()
        assert texts(journal) in (["a", "b"], ["c", "d", "e"])


def test_several_batches_are_one_write():
    """Group commit: one sync for all, also when one of them begins anew."""
    for journal in (ListJournal(), on_disk()):
        journal.write([batch("a"), batch("b", anew=True), batch("c")])
        journal.sync()
        assert texts(journal) == ["b", "c"]


def test_a_sync_takes_its_time():
    """As the disk says; and what disks do is counted, those that are gone included."""
    journal = on_disk(sync_min_ns=SECOND, power_cut=1.0)
    assert journal.write([batch("a", anew=True)]) == SECOND
    journal.sync()
    journal.write([batch("b", anew=True)])
    journal.crash()
    assert journal.counts["power_cut"] == 2
    assert texts(journal) in (["a"], ["b"])
    assert journal.counts["power_cut"] == 2


FAILING = {"write_error": 0.2, "sync_error": 0.2, "capacity_bytes": 300}


def stored(journal, text):
    """Whether a record came to be on disk without an error; after one the process crashes."""
    try:
        journal.write([batch(text)])
        journal.sync()
    except DiskError:
        journal.crash()
        return False
    return True


def reopened(journal):
    """What is left, however many starts it takes."""
    for _ in range(100):
        try:
            return texts(journal)
        except DiskError:
            journal.crash()
    raise AssertionError("never opened")


def test_disks_fail_only_while_they_may():
    """Not when a journal is made, and not any more when trouble is over."""
    journal = on_disk(write_error=1.0)
    assert stored(journal, "a")
    journal.may_fail(may=True)
    assert not stored(journal, "b")
    journal.may_fail(may=False)
    assert texts(journal) == ["a"]
    assert stored(journal, "c")
    assert journal.counts["write_error"] == 1


@pytest.mark.parametrize("power_cut", [0.0, 0.5])
def test_what_was_synced_survives_failures(power_cut):
    """Whatever failed after it; what failed itself may be there or not."""
    failures = Counter()
    for seed in range(60):
        journal, kept = on_disk(seed, power_cut=power_cut, tear=0.5, **FAILING), []
        journal.may_fail(may=True)
        for number in range(12):
            text = f"{number}" * 20
            if stored(journal, text):
                kept.append(text)
                continue
            found = reopened(journal)
            assert found in (kept, [*kept, text]), seed
            kept = found
        failures.update(journal.counts)
        journal.may_fail(may=False)
        assert texts(journal) == kept
    assert min(failures[kind] for kind in ("write_error", "sync_error", "disk_full")) > 20


def test_room_is_made_before_the_next_start():
    """A full disk is twice as large then, and no larger without need."""
    journal = on_disk(capacity_bytes=250)
    journal.may_fail(may=True)
    written = 0
    while stored(journal, "x" * 20):
        written += 1
    assert 0 < written < 10
    assert texts(journal) == texts(journal) == ["x" * 20] * written
    assert stored(journal, "y" * 20)
    assert journal.counts["disk_full"] == 1


def test_a_log_that_could_not_be_begun_anew():
    """The one before it is still there."""
    journal = on_disk(capacity_bytes=250)
    journal.may_fail(may=True)
    assert stored(journal, "a")
    with pytest.raises(DiskError):
        journal.write([batch(*["x" * 50] * 9, anew=True)])
    journal.crash()
    assert texts(journal) == ["a"]
    assert journal.counts["disk_full"] == 1
