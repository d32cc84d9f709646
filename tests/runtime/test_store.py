"""The store against a list, against crashes that cut its files, and against every flipped and every missing byte."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidings.errors import LogCorrupt, LogForeign
from tidings.runtime.data_folder import LOCK, SYNCED, DataFolder
from tidings.runtime.store import Store, StoreOptions

SMALL = StoreOptions(owner="lima", segment_bytes=300)


class Life:
    """One life of a store: opened, and closed with the block."""

    def __init__(self, path, options=SMALL):
        self.folder = DataFolder(path)
        try:
            self.store = Store(self.folder, options)
        except BaseException:
            self.folder.close()
            raise

    def __enter__(self):
        return self.store

    def __exit__(self, *_):
        self.store.close()
        self.folder.close()


def read(store, numbers):
    """The records with these numbers that are there."""
    looked, found = store.read(numbers, 1 << 30)
    assert looked == numbers
    return {one.number: one.payload for one in found}


def filled(path, rows=12):
    """A small store of several segments, whose data is all claimed; gives its records."""
    records = [f"record {number}".encode() * (1 + number % 3) for number in range(rows)]
    with Life(path) as store:
        store.begin([b"nothing yet"])
        for number, record in enumerate(records):
            store.commit([record], [1], [])
            if store.wants_checkpoint:
                store.begin([f"all up to {number}".encode()])
    return records


def test_what_is_committed_is_found(tmp_path):
    """The newest checkpoint, what came after it, and the numbers to go on with."""
    with Life(tmp_path) as store:
        assert store.found == ([], [], 0, None, False)
        store.begin([b"c0", b"c1"])
        store.commit([b"a", b"b"], [1, 0], [])
        store.begin([b"c2"])
        store.commit([b"c"], [1], [])
    with Life(tmp_path) as store:
        assert store.found[:3] == ([b"c2"], [b"c"], 2)
        assert store.next_number == 3
        store.begin([], np.array([0, 2]))
        assert read(store, [0, 2]) == {0: b"a", 2: b"c"}
        assert store.read([0], 99)[1][0].shift_ns == 0


def test_a_segment_lives_as_long_as_it_is_claimed(tmp_path):
    """Once for every claim; it goes when the next one begins."""
    with Life(tmp_path) as store:
        store.begin([])
        store.commit([b"a", b"b"], [2, 1], [])
        store.begin([])
        store.commit([], [], [0, 1])
        store.begin([])
        assert read(store, [0, 1]) == {0: b"a", 1: b"b"}
        store.commit([], [], [0])
        store.begin([])
        assert read(store, [0, 1]) == {}
        assert list(store.folder.segments()) == [4]


def test_a_read_has_an_end(tmp_path):
    """In bytes; the first record is read however large it is, and what was not looked for can be asked for again."""
    with Life(tmp_path) as store:
        store.begin([])
        store.commit([b"x" * 100] * 5, [1] * 5, [])
        looked, found = store.read([0, 1, 2, 3, 4], 150)
        assert (list(looked), [one.number for one in found]) == ([0, 1], [0, 1])
        assert list(store.read([2, 3, 4], 0)[0]) == [2]


def test_numbers_go_on_when_everything_is_gone(tmp_path):
    """A number is never used twice, whatever was deleted."""
    with Life(tmp_path) as store:
        store.begin([])
        store.commit([b"a"] * 3, [0] * 3, [])
        store.begin([])
    with Life(tmp_path) as store:
        assert (store.found.first, store.next_number) == (3, 3)


def test_the_oldest_go_when_there_is_no_room(tmp_path):
    """Claimed or not; how many claims were lost is said, and their records are left out from then on."""
    options = StoreOptions(owner="lima", segment_bytes=300, bytes_max=1_000)
    with Life(tmp_path, options) as store:
        dropped = store.begin([])
        for _ in range(30):
            store.commit([b"x" * 100], [1], [])
            if store.wants_checkpoint:
                dropped += store.begin([])
            assert store.size_bytes() < 1_000 + 500
        left = list(read(store, range(30)))
        assert 0 < len(left) < 12
        assert left == list(range(30 - len(left), 30))
        assert dropped == 30 - len(left)


def test_what_was_finished_too_long_ago_goes(tmp_path):
    """By the wall clock, counted from the next segment's beginning."""
    with Life(tmp_path) as store:
        store.begin([])
        store.commit([b"a"], [1], [])
    with Life(tmp_path, StoreOptions(owner="lima", age_max_ns=10**12)) as store:
        assert store.begin([], np.array([0])) == 0
    with Life(tmp_path, StoreOptions(owner="lima", age_max_ns=-1)) as store:
        assert store.begin([], np.array([0])) == 1
        assert read(store, [0]) == {}


def test_a_new_segment_is_due_by_size_and_by_age(tmp_path):
    """A large checkpoint makes for larger segments; an empty segment never ages."""
    with Life(tmp_path) as store:
        store.begin([b"c" * 1_000])
        store.commit([b"x" * 2_000], [1], [])
        assert not store.wants_checkpoint
        store.commit([b"x" * 2_000], [1], [])
        assert store.wants_checkpoint
    with Life(tmp_path, StoreOptions(owner="lima", segment_age_ns=-1)) as store:
        store.begin([])
        assert not store.wants_checkpoint
        store.commit([b"x"], [1], [])
        assert store.wants_checkpoint
        assert store.free_bytes() > 0


def test_a_start_that_was_cut_short_changes_nothing(tmp_path):
    """The new segment was not begun: the one before it says all, and the rest goes with the next start."""
    filled(tmp_path)
    with Life(tmp_path) as store:
        before, latest = store.found, max(store.folder.segments())
        (tmp_path / f"segment-{latest + 1:010}.log").write_bytes(b"TIDIN")
    with Life(tmp_path) as store:
        assert store.found == before
        store.begin([b"next"])
        assert list(store.folder.segments()) == [latest + 2]


def test_files_of_another_broker_are_refused(tmp_path):
    """Copied in by mistake: nothing is read, nothing changed."""
    filled(tmp_path)
    with pytest.raises(LogForeign, match="belongs to somebody else than oslo"):
        Life(tmp_path, StoreOptions(owner="oslo"))


def survey(path, records):
    """What a store makes of its files: every record that it hands out is one that was written, at its place."""
    with Life(path) as store:
        store.begin([], np.arange(store.next_number))
        found = {one.number: one.payload for one in store.read(range(store.next_number))}
    assert all(records[number] == payload for number, payload in found.items())
    return found


def store_files(path):
    """All but the lock, which says nothing."""
    return sorted(one for one in path.iterdir() if one.name != LOCK)


def assert_noticed(path):
    """Damage to this file is reported; the mark's does not matter."""
    if path.name == SYNCED:
        with Life(path.parent) as store:
            assert store.next_number == 6
    else:
        with pytest.raises((LogCorrupt, LogForeign)):
            Life(path.parent)


def test_every_flipped_byte_is_detected(tmp_path):
    """In every file: damage is reported and changes nothing; without its mark the store is as good."""
    filled(tmp_path, 6)
    files = store_files(tmp_path)
    assert len(files) == 4
    before = {path: path.read_bytes() for path in files}
    for path, data in before.items():
        with path.open("r+b", buffering=0) as file:
            for place, byte in enumerate(data):
                for value in (byte ^ 1 << place % 8, byte):
                    file.seek(place)
                    file.write(bytes((value,)))
                    if value != byte:
                        assert_noticed(path)
    assert {path: path.read_bytes() for path in files} == before


def test_every_cut_byte_is_detected(tmp_path):
    """Every file cut to every length, and gone: what had been synced is missed, wherever it stood."""
    filled(tmp_path, 6)
    for path in store_files(tmp_path):
        data = path.read_bytes()
        for size in reversed(range(len(data))):
            os.truncate(path, size)
            assert_noticed(path)
        path.unlink()
        assert_noticed(path)
        path.write_bytes(data)


def cut_power(path, generator):
    """Files as after a power cut: what was synced, and a torn tail of what was not."""
    folder = DataFolder(path)
    mark = folder.synced()
    folder.close()
    last = path / f"segment-{mark.segment:010}.log"
    data = last.read_bytes()
    tail = data[mark.size :]
    kept = tail[: int(generator.integers(len(tail) + 1))]
    if len(kept) > 4 and generator.random() < 0.5:  # some of it was not written, which reads as zeros
        hole = int(generator.integers(len(kept)))
        kept = kept[:hole] + bytes(len(kept) - hole)
    last.write_bytes(data[: mark.size] + kept)


class Twin:
    """What a store promises, as a dictionary: numbers that are claimed, and their records."""

    def __init__(self):
        self.claims, self.records, self.next = {}, {}, 0

    def commit(self, records, claims, released):
        for record, count in zip(records, claims, strict=True):
            self.records[self.next] = record
            if count:
                self.claims[self.next] = count
            self.next += 1
        for number in released:
            self.claims[number] -= 1
            if not self.claims[number]:
                del self.claims[number]

    def claimed(self):
        return np.array([number for number, count in self.claims.items() for _ in range(count)], np.int64)


@settings(max_examples=10)
@given(st.integers(0, 2**32))
def test_the_store_keeps_what_is_claimed(tmp_path_factory, seed):
    """Commits, checkpoints, kills and power cuts in any order: all that was committed and is claimed is there."""
    generator, twin = np.random.default_rng(seed), Twin()
    path = Path(tmp_path_factory.mktemp("store"))
    for _ in range(4):
        with Life(path, StoreOptions(owner="lima", segment_bytes=200)) as store:
            committed = store.next_number
            assert committed >= twin.next
            twin.next = committed
            store.begin([str(twin.next).encode()], twin.claimed())
            for _ in range(int(generator.integers(12))):
                records = [generator.bytes(int(generator.integers(60))) for _ in range(generator.integers(4))]
                claims = generator.integers(0, 3, len(records)).tolist()
                open_claims = sorted(twin.claims)
                released = [one for one in open_claims if generator.random() < 0.3]
                store.commit(records, claims, released)
                twin.commit(records, claims, released)
                if store.wants_checkpoint:
                    store.begin([str(twin.next).encode()])
            found = read(store, sorted(twin.claims))
            assert found == {number: twin.records[number] for number in twin.claims}
            # A last write that nobody waits for: it may be there afterwards, or not.
            store._current.append(b"never acknowledged" * int(generator.integers(1, 4)))
            store._current._disk.read()
        if generator.random() < 0.5:
            cut_power(path, generator)
