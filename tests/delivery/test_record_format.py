"""The bytes of a record log: every flip and every cut of a small one, and the laws of recovery."""

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.delivery.record_format import (
    FILE_HEAD_BYTES,
    KIND_TERM,
    OVERHEAD_BYTES,
    RECORD_HEAD_BYTES,
    LogRecord,
    Place,
    Recovered,
    decode_record,
    encode_file_head,
    encode_record,
    recover,
    seal_of,
)
from tidings.errors import LogForeign

OWNER = "lima"
HEAD = encode_file_head(OWNER)
SEAL = seal_of(HEAD)


def build(payloads, *, synced_each=True, term=0, kinds=()):
    """A log's bytes and the offsets at which its records end; `synced_each` False: all in one unsynced batch."""
    data, ends = HEAD, []
    for number, payload in enumerate(payloads):
        place = Place(SEAL, len(data), len(data) if synced_each else len(HEAD))
        data += encode_record(LogRecord(term, number, payload), place)
        ends.append(len(data))
    return data, ends


PAYLOADS = [b"a", b"", b"\0\0\0", b"longer than the others"]


def prefix_of(records, payloads):
    """True when `records` are the first few of `payloads`."""
    return [record.payload for record in records] == payloads[: len(records)]


def test_a_log_reads_back():
    """What is written is read: payloads, numbers, terms, and how far the log says it is on disk."""
    data, ends = build(PAYLOADS)
    found = recover(data, owner=OWNER)
    assert found == Recovered(
        records=tuple(LogRecord(0, number, payload) for number, payload in enumerate(PAYLOADS)),
        valid_bytes=len(data),
        synced_bytes=ends[-2],
    )


def test_sizes_are_as_stated():
    """The constants say what is written."""
    _, ends = build([b"12345"])
    assert len(HEAD) == FILE_HEAD_BYTES
    assert ends[0] - len(HEAD) == OVERHEAD_BYTES + 5


def test_an_empty_file_is_a_log_not_yet_begun():
    """Nothing is neither torn nor corrupt."""
    assert recover(b"") == Recovered()


def test_a_head_alone_is_an_empty_log():
    """Begun, no records."""
    assert recover(HEAD) == Recovered(valid_bytes=len(HEAD))


@pytest.mark.parametrize("size", range(1, FILE_HEAD_BYTES))
def test_an_unfinished_head_is_torn(size):
    """Before its head is synced a log holds nothing that was acknowledged."""
    assert recover(HEAD[:size]) == Recovered(torn=True)


def test_a_head_of_zeros_is_torn():
    """A file may have grown without its bytes having arrived."""
    assert recover(bytes(FILE_HEAD_BYTES)) == Recovered(torn=True)


def test_more_zeros_than_a_head_are_damage():
    """Records may have been acknowledged there."""
    assert recover(bytes(FILE_HEAD_BYTES + 1)).corrupt_at == 0


def test_every_byte_changed_in_every_way():
    """Exhaustive: detected as damage where it happened, or, in the last record only, cut as an unfinished write."""
    data, ends = build(PAYLOADS)
    starts = [len(HEAD), *ends[:-1]]
    for at in range(len(data)):
        damaged = bytearray(data)
        hit = sum(start <= at for start in starts) - 1
        for value in range(256):
            if value == data[at]:
                continue
            damaged[at] = value
            found = recover(bytes(damaged))
            assert prefix_of(found.records, PAYLOADS)
            if at < len(HEAD):
                assert (found.corrupt_at, found.records) == (0, ())
            elif found.torn:
                assert value == 0
                assert (hit, found.valid_bytes) == (len(PAYLOADS) - 1, starts[-1])
            else:
                assert (found.corrupt_at, len(found.records)) == (starts[hit], hit)


def test_every_single_bit_flip_is_damage():
    """One flipped bit is never taken for an unfinished write, wherever it is."""
    data, _ = build(PAYLOADS, synced_each=False)
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        found = recover(bytes(damaged))
        assert found.corrupt_at is not None
        assert not found.torn


@pytest.mark.parametrize("synced_each", [True, False])
def test_every_cut(synced_each):
    """Exhaustive: a cut between records cannot be seen; any other is a torn tail behind all whole records."""
    data, ends = build(PAYLOADS, synced_each=synced_each)
    edges = [len(HEAD), *ends]
    for size in range(len(HEAD), len(data) + 1):
        found = recover(data[:size])
        whole = sum(end <= size for end in ends)
        assert (len(found.records), found.valid_bytes) == (whole, edges[whole])
        assert prefix_of(found.records, PAYLOADS)
        assert found.torn == (size not in edges)
        assert found.corrupt_at is None


def test_every_cut_then_zeros_to_the_old_end():
    """A tail whose bytes did not arrive though the file had grown is torn, too."""
    data, ends = build(PAYLOADS, synced_each=False)
    edges = [len(HEAD), *ends]
    for size in range(len(HEAD), len(data)):
        found = recover(data[:size] + bytes(len(data) - size))
        whole = sum(end <= size for end in ends)
        assert found.corrupt_at is None
        assert found.torn
        # Bytes that were zero anyway may complete a record.
        assert found.valid_bytes >= edges[whole]
        assert prefix_of(found.records, PAYLOADS)


def test_a_lost_write_before_a_kept_one_is_torn():
    """Disks reorder: in the batch that was not synced a gap ends the log, whatever lies behind it."""
    data, ends = build(PAYLOADS, synced_each=False)
    gap = data[: ends[0]] + bytes(ends[2] - ends[0]) + data[ends[2] :]
    found = recover(gap)
    assert (found.torn, found.valid_bytes, len(found.records)) == (True, ends[0], 1)


def test_the_same_gap_in_what_was_synced_is_damage():
    """A later record says that the gap had been on disk."""
    data, ends = build(PAYLOADS)
    gap = data[: ends[0]] + bytes(ends[2] - ends[0]) + data[ends[2] :]
    found = recover(gap)
    assert (found.torn, found.corrupt_at, len(found.records)) == (False, ends[0], 1)


def test_damage_and_a_torn_tail_together_are_damage():
    """A head behind the gap is evidence enough, even when its own payload is unfinished."""
    data, ends = build(PAYLOADS)
    gap = data[: ends[0]] + bytes(ends[2] - ends[0]) + data[ends[2] : ends[2] + RECORD_HEAD_BYTES]
    assert recover(gap).corrupt_at == ends[0]


def test_moved_bytes_are_no_records():
    """Bytes cut out of the middle: what follows lies elsewhere now and is not taken for what it was."""
    data, ends = build([b"one", b"two", b"six", b"ten"])
    found = recover(data[: ends[0]] + data[ends[1] :])
    assert (found.corrupt_at, len(found.records)) == (ends[0], 1)


def test_records_of_another_log_are_no_records():
    """A tail copied from another owner's log, at the very same offset."""
    data, ends = build([b"one"])
    other = encode_file_head("oslo")
    stranger = encode_record(LogRecord(0, 1, b"two"), Place(seal_of(other), len(data), len(data)))
    found = recover(data + stranger)
    assert (found.corrupt_at, len(found.records)) == (ends[0], 1)


def test_a_payload_that_looks_like_a_record_is_only_a_payload():
    """A torn tail with a log inside: nothing of the inside is believed, nor taken as a sign of damage."""
    inner, _ = build([b"x" * 50, b"y"])
    data, ends = build([b"before", inner])
    found = recover(data[:-30])
    assert (found.torn, found.valid_bytes) == (True, ends[0])
    cut_in_head = data[: ends[0]] + bytes(RECORD_HEAD_BYTES) + inner
    assert recover(cut_in_head).torn


def at_end(data, record, *, kind=0, synced=0):
    """`data` and one more record, whole."""
    return data + encode_record(record, Place(SEAL, len(data), synced), kind=kind)


@pytest.mark.parametrize(
    ("record", "kind", "synced"),
    [
        (LogRecord(0, 2, b"a number left out"), 0, 0),
        (LogRecord(0, 0, b"a number again"), 0, 0),
        (LogRecord(1, 1, b"a term not begun"), 0, 0),
        (LogRecord(0, 1, b""), KIND_TERM, 0),
        (LogRecord(0, 1, b"of no kind"), 7, 0),
        (LogRecord(0, 1, b"synced before it was written"), 0, 10**6),
    ],
)
def test_a_whole_record_that_cannot_stand_there_is_damage(record, kind, synced):
    """Checksums alone do not make a record right."""
    data, ends = build([b"one"])
    assert recover(at_end(data, record, kind=kind, synced=synced)).corrupt_at == ends[0]


def test_terms_rise_by_records_of_their_own():
    """A term record takes no number; records of the old term cannot follow it."""
    data, _ = build([b"one"])
    data = at_end(data, LogRecord(5, 1, b""), kind=KIND_TERM)
    after = at_end(data, LogRecord(5, 1, b"two"))
    assert recover(data).term == 5
    assert [record.term for record in recover(after).records] == [0, 5]
    assert recover(at_end(data, LogRecord(0, 1, b"zombie"))).corrupt_at == len(data)
    assert recover(at_end(data, LogRecord(4, 1, b""), kind=KIND_TERM)).corrupt_at == len(data)


def test_a_newer_format_is_refused_with_a_clear_line():
    """An old binary says what it reads and touches nothing."""
    head = bytearray(HEAD[:-4])
    head[8:10] = struct.pack("<H", 2)
    newer = bytes(head) + zlib.crc32(head).to_bytes(4, "little")
    with pytest.raises(LogForeign, match=r"format 2.*format 1 only"):
        recover(newer)


def test_another_owners_log_is_refused():
    """Files copied from another process."""
    data, _ = build(PAYLOADS)
    with pytest.raises(LogForeign, match="somebody else than oslo"):
        recover(data, owner="oslo")


@given(st.binary(max_size=300))
def test_any_bytes_are_recovered_without_an_error(data):
    """Garbage is damage or an unfinished head; it never becomes a record."""
    assert recover(data).records == ()


@given(st.binary(max_size=200))
def test_any_bytes_behind_a_log_leave_it_whole(tail):
    """Whatever follows, what was there is read, and nothing is added."""
    data, _ = build(PAYLOADS)
    found = recover(data + tail)
    assert [record.payload for record in found.records] == PAYLOADS
    assert found.valid_bytes == len(data)
    assert (found.torn or found.corrupt_at is not None) == bool(tail)


@given(st.lists(st.binary(max_size=60), max_size=6), st.data())
def test_damage_anywhere_never_invents(payloads, draw):
    """Any stretch overwritten with anything: a clean prefix, and a word that something is wrong if it reached in."""
    data, _ = build(payloads)
    start = draw.draw(st.integers(0, len(data)))
    patch = draw.draw(st.binary(min_size=1, max_size=40))
    damaged = data[:start] + patch + data[start + len(patch) :]
    found = recover(damaged)
    assert prefix_of(found.records, payloads)
    assert (found == recover(data)) == (damaged == data)


def test_one_record_is_read_alone():
    """From its bytes and its offset; at any other offset, under another seal or damaged it is none."""
    data, ends = build(PAYLOADS)
    starts = [len(HEAD), *ends[:-1]]
    for start, end, payload in zip(starts, ends, PAYLOADS, strict=True):
        record = data[start:end]
        assert decode_record(record, seal=SEAL, offset=start) == payload
        assert decode_record(record, seal=SEAL, offset=start + 1) is None
        assert decode_record(record, seal=SEAL ^ 1, offset=start) is None
        for place in range(len(record)):
            assert decode_record(record[:place], seal=SEAL, offset=start) is None
            flipped = bytearray(record)
            flipped[place] ^= 0x10
            assert decode_record(bytes(flipped), seal=SEAL, offset=start) is None
