"""The bytes of a record log: how they are written, and what can be believed when they are read again.

    file    ::= head record*
    head    ::= magic "TIDINGSL" | version | 0 0 | owner's digest | crc
    record  ::= magic | payload length | term | number | synced | kind | crc | mark   payload | crc | mark

All numbers are little-endian. A record's checksums also cover its offset and the head of the file, so that bytes that were
moved, or that came from another log, or that a payload happens to contain, are never taken for a record.

Two things tell a torn tail, which may be cut, from damage, which must be reported:

- *synced*: how far the file was known to be on disk when the record was written. A break before a later record's
  `synced` is damage, since those bytes had been there.
- *marks*: a byte that is not zero ends each head and each record. A write that was cut short lacks it: the file
  ends earlier, or, where a later write survived, the gap reads as zeros. A break behind a mark in place is damage.

What no format can see: a file cut at the end of a record, or put back to an earlier state as a whole.
"""

import hashlib
import struct
import zlib
from dataclasses import dataclass
from typing import Final, NamedTuple

from tidings.errors import LogForeign

VERSION: Final = 1
NUMBER_MAX: Final = 2**63 - 1
"""Bound of terms and numbers."""
PAYLOAD_BYTES_MAX: Final = 2**31 - 1
"""What the format can hold; a log allows less."""

_FILE_MAGIC: Final = b"TIDINGSL"
_FILE_HEAD: Final = struct.Struct("<8sHxx8s")
_RECORD_MAGIC: Final = b"\xf1Trc"
_RECORD_HEAD: Final = struct.Struct("<4sIQQQB")
_CHECK: Final = struct.Struct("<IB")
_PLACE: Final = struct.Struct("<QI")
_MARK: Final = 0xA5
"""Four bits: no single flipped bit makes it the zero of an unfinished write."""

FILE_HEAD_BYTES: Final = _FILE_HEAD.size + 4
RECORD_HEAD_BYTES: Final = _RECORD_HEAD.size + _CHECK.size
OVERHEAD_BYTES: Final = RECORD_HEAD_BYTES + _CHECK.size
"""What a record takes beside its payload."""

KIND_DATA: Final = 0
KIND_TERM: Final = 1


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One payload, under the term of the owner who appended it; numbers count from 0 without holes."""

    term: int
    number: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record goes: `seal` of the file, its offset there, and how many bytes of the file are surely on disk."""

    seal: int
    offset: int
    synced: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """What is left of a log: a clean prefix, and how it ended.

    `torn` and `corrupt_at` exclude each other. Behind `valid_bytes` nothing has been read.
    """

    records: tuple[LogRecord, ...] = ()
    term: int = 0
    """The highest that was begun."""
    valid_bytes: int = 0
    synced_bytes: int = 0
    """How far the log itself says that it was on disk."""
    torn: bool = False
    """An unfinished write follows, which was never acknowledged: to be cut."""
    corrupt_at: int | None = None
    """Damage follows at this byte: to be reported, never to be cut."""


class _Head(NamedTuple):
    length: int
    term: int
    number: int
    synced: int
    kind: int
    crc: int


class _Break(NamedTuple):
    """Why there is no record at an offset; later ones can only begin at `resume` or behind."""

    unfinished: bool
    resume: int


def encode_file_head(owner: str) -> bytes:
    """The first bytes of the log of `owner`."""
    head = _FILE_HEAD.pack(_FILE_MAGIC, VERSION, _digest(owner))
    return head + zlib.crc32(head).to_bytes(4, "little")


def seal_of(file_head: bytes) -> int:
    """What ties the records of a file to its head."""
    # The checksum stored in it; one over the whole head is the same for all heads.
    return int.from_bytes(file_head[_FILE_HEAD.size : FILE_HEAD_BYTES], "little")


def encode_record(record: LogRecord, place: Place, *, kind: int = KIND_DATA) -> bytes:
    """The bytes of `record`, valid at `place` only."""
    head = _RECORD_HEAD.pack(_RECORD_MAGIC, len(record.payload), record.term, record.number, place.synced, kind)
    crc = zlib.crc32(head, _start(place.seal, place.offset))
    return b"".join(
        (head, _CHECK.pack(crc, _MARK), record.payload, _CHECK.pack(zlib.crc32(record.payload, crc), _MARK))
    )


def decode_record(data: bytes, *, seal: int, offset: int) -> bytes | None:
    """The payload of one record, from its bytes, which stood at `offset` of their file; None when they are damaged."""
    if len(data) < OVERHEAD_BYTES:
        return None
    found = _record_at(data, 0, seal, offset)
    return None if isinstance(found, _Break) else found[1]


def recover(data: bytes, *, owner: str | None = None) -> Recovered:
    """Everything that can be believed of a log's bytes; never raises for damage, never invents a record.

    Args:
        data: the whole file.
        owner: whose log it must be; None: anybody's.

    Raises:
        LogForeign: the head is whole, and of another owner or of a format that this version does not read.
    """
    if len(data) < FILE_HEAD_BYTES or (len(data) == FILE_HEAD_BYTES and not any(data)):
        return Recovered(torn=len(data) > 0)
    if not _file_head_is_whole(data, owner):
        return Recovered(corrupt_at=0)
    seal = seal_of(data)
    records: list[LogRecord] = []
    offset, synced, term = FILE_HEAD_BYTES, 0, 0
    ending = _Break(unfinished=False, resume=offset)
    while offset < len(data):
        found = _record_at(data, offset, seal)
        if isinstance(found, _Break):
            ending = found
            break
        head, payload, end = found
        if not _continues(head, offset, term, len(records)):
            break
        if head.kind == KIND_DATA:
            records.append(LogRecord(head.term, head.number, payload))
        offset, synced, term = end, max(synced, head.synced), head.term
    whole = offset == len(data)
    torn = ending.unfinished and not _synced_beyond(data, offset, ending.resume, seal)
    return Recovered(
        records=tuple(records),
        term=term,
        valid_bytes=offset,
        synced_bytes=synced,
        torn=torn,
        corrupt_at=None if whole or torn else offset,
    )


def _digest(owner: str) -> bytes:
    return hashlib.blake2b(owner.encode(), digest_size=8).digest()


def _start(seal: int, offset: int) -> int:
    return zlib.crc32(_PLACE.pack(offset, seal))


def _file_head_is_whole(data: bytes, owner: str | None) -> bool:
    head = data[: _FILE_HEAD.size]
    magic, version, digest = _FILE_HEAD.unpack(head)
    if magic != _FILE_MAGIC or zlib.crc32(head) != seal_of(data):
        return False
    if version != VERSION:
        raise LogForeign(f"the log has format {version}, and this version of Tidings reads format {VERSION} only")
    if owner is not None and digest != _digest(owner):
        raise LogForeign(f"the log belongs to somebody else than {owner}: were files copied from another process?")
    return True


def _head_at(data: bytes, offset: int, seal: int, before: int = 0) -> _Head | None:
    """The head at `offset`, which fits into `data`, when it is whole; `before`: bytes of the file that `data` lacks."""
    magic, length, term, number, synced, kind = _RECORD_HEAD.unpack_from(data, offset)
    crc, mark = _CHECK.unpack_from(data, offset + _RECORD_HEAD.size)
    body = data[offset : offset + _RECORD_HEAD.size]
    if magic != _RECORD_MAGIC or mark != _MARK or crc != zlib.crc32(body, _start(seal, before + offset)):
        return None
    return _Head(length, term, number, synced, kind, crc)


def _record_at(data: bytes, offset: int, seal: int, before: int = 0) -> tuple[_Head, bytes, int] | _Break:
    payload_start = offset + RECORD_HEAD_BYTES
    if payload_start > len(data):
        return _Break(unfinished=True, resume=len(data))
    head = _head_at(data, offset, seal, before)
    if head is None:
        return _Break(unfinished=data[payload_start - 1] == 0, resume=offset + 1)
    end = payload_start + head.length + _CHECK.size
    if end > len(data):
        # The length can be trusted: whatever came later lay behind the end of the file.
        return _Break(unfinished=True, resume=len(data))
    payload = data[payload_start : payload_start + head.length]
    crc, mark = _CHECK.unpack_from(data, end - _CHECK.size)
    if mark != _MARK or crc != zlib.crc32(payload, head.crc):
        return _Break(unfinished=mark == 0, resume=end)
    return head, payload, end


def _continues(head: _Head, offset: int, term: int, next_number: int) -> bool:
    """Whether a record that is whole may stand where it stands."""
    term_fits = head.term > term if head.kind == KIND_TERM else head.term == term
    return term_fits and head.kind <= KIND_TERM and head.number == next_number and head.synced <= offset


def _synced_beyond(data: bytes, broken: int, start: int, seal: int) -> bool:
    """Whether a later record says that the byte at `broken` had been on disk."""
    at = data.find(_RECORD_MAGIC, start)
    while 0 <= at <= len(data) - RECORD_HEAD_BYTES:
        head = _head_at(data, at, seal)
        if head is not None and head.synced > broken:
            return True
        at = data.find(_RECORD_MAGIC, at + 1)
    return False
