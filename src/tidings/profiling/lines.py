"""Lines of text files, packed or not, as a table: read by Spark's workers, each piece of a file by one.

A plain file is cut into pieces; what is packed (gzip, zip, tar) is read from its beginning. A line that cannot be text
comes with the reason instead.
"""

import gzip
import json
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Final, NamedTuple, cast

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession

from tidings.errors import InputError

PIECE_BYTES: Final = 64 << 20
LINE_MAX: Final = 1 << 20
"""Bytes of one line; a longer one is no record."""
DOCUMENT_MAX: Final = 256 << 20
"""Bytes of a JSON document that is one list; larger ones are written one record a line."""
SCHEMA: Final = "file string, place bigint, text string, reason string"
_CHUNK: Final = 4 << 20
_SHOWN: Final = 80
_BATCH: Final = pa.schema(
    [("file", pa.string()), ("place", pa.int64()), ("text", pa.string()), ("reason", pa.string())]
)


class Piece(NamedTuple):
    """Part of a file, or all of it: lines that begin at byte `start` or later, and before `end`."""

    file: str
    start: int = 0
    end: int | None = None
    encoding: str = "utf-8"
    header: bool = False
    """The first line of the file (of each member of an archive) is left out."""


_PIECES: Final = pa.schema(
    [
        ("file", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("encoding", pa.string()),
        ("header", pa.bool_()),
    ]
)


def lines(spark: SparkSession, files: Sequence[Path], encoding: str = "utf-8", *, header: bool = False) -> DataFrame:
    """`file, place, text, reason` of every line that is not blank: its file and number, its text, and why it is none."""
    pieces = [piece for file in files for piece in pieces_of(file, encoding, header=header)]
    table = pa.Table.from_pylist([piece._asdict() for piece in pieces], _PIECES)
    return spark.createDataFrame(table).repartition(min(len(pieces), 64)).mapInArrow(_read, SCHEMA)


def pieces_of(file: Path, encoding: str = "utf-8", *, header: bool = False) -> list[Piece]:
    """The pieces that workers read."""
    size, name = file.stat().st_size, str(file.resolve())
    if size <= PIECE_BYTES or name.endswith((".gz", ".tgz", ".zip", ".json")):
        return [Piece(name, encoding=encoding, header=header)]
    ends = [*range(PIECE_BYTES, size, PIECE_BYTES), size]
    return [Piece(name, end - PIECE_BYTES if end < size else ends[-2], end, encoding, header) for end in ends]


def first_line(file: Path, encoding: str = "utf-8") -> str:
    """Of a file, for its header; empty for an empty file."""
    for batch in batches_of(Piece(str(file.resolve()), encoding=encoding)):
        return str(batch.column("text")[0].as_py())
    return ""


def batches_of(piece: Piece) -> Iterator[pa.RecordBatch]:
    """The lines of a piece, some at a time. InputError for a file that cannot be read to its end."""
    try:
        if piece.file.endswith(".json"):
            yield from _records(piece)
            return
        for name, stream, begin in _streams(piece):
            yield from _of_stream(name, stream, begin, piece)
    except (OSError, EOFError, RuntimeError, zlib.error, zipfile.BadZipFile, tarfile.TarError) as error:
        raise InputError(f"{piece.file}: cannot be read to its end ({error}); is it whole?") from None


def _read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for row in batch.to_pylist():
            yield from batches_of(Piece(**row))


def _of_stream(name: str, stream: IO[bytes], begin: int, piece: Piece) -> Iterator[pa.RecordBatch]:
    number = 0
    for found in _split(_chunks(stream, begin, piece.end)):
        raw = found[1:] if piece.header and begin == 0 and number == 0 else found
        first, number = number + 1 + len(found) - len(raw), number + len(found)
        yield _batch(name, first, raw, piece.encoding)


def _chunks(stream: IO[bytes], begin: int, end: int | None) -> Iterator[bytes]:
    """Bytes from `begin` to the end of the last line that begins before `end`."""
    data = b"\n"
    while end is None or begin < end:
        data = stream.read(_CHUNK if end is None else min(_CHUNK, end - begin))
        if not data:
            return
        begin += len(data)
        yield data
    if not data.endswith(b"\n"):
        yield stream.readline(LINE_MAX)


def _split(chunks: Iterator[bytes]) -> Iterator[list[bytes]]:
    """Lines; of one that is far too long no more than shows that it is."""
    carried = b""
    for chunk in chunks:
        parts = (carried + chunk).split(b"\n")
        carried = parts.pop()[: LINE_MAX + 2]
        if parts:
            yield parts
    if carried:
        yield [carried]


def _batch(name: str, first: int, raw: list[bytes], encoding: str) -> pa.RecordBatch:
    """Rows of lines that are not blank."""
    reasons: list[str | None] = [None] * len(raw)
    try:
        texts = pa.array(raw, pa.binary()).cast(pa.string()) if encoding == "utf-8" else _decoded(raw, encoding)
    except (pa.ArrowInvalid, UnicodeDecodeError):
        reasons = [None if _is_text(one, encoding) else f"is not {encoding}" for one in raw]
        texts = pa.array([one.decode(encoding, "replace") for one in raw], pa.string())
    if max(map(len, raw), default=0) > LINE_MAX:
        long = [len(one) > LINE_MAX for one in raw]
        reasons = [f"is longer than {LINE_MAX} bytes" if one else why for one, why in zip(long, reasons, strict=True)]
        texts = pc.if_else(long, pc.utf8_slice_codeunits(texts, 0, _SHOWN), texts)
    texts = pc.utf8_rtrim(texts, characters="\r")
    places = pa.array(range(first, first + len(raw)), pa.int64())
    names = pa.array([name] * len(raw), pa.string())
    batch = pa.RecordBatch.from_arrays([names, places, texts, pa.array(reasons, pa.string())], schema=_BATCH)
    return batch.filter(pc.not_equal(pc.utf8_trim_whitespace(texts), ""))


def _decoded(raw: list[bytes], encoding: str) -> pa.Array:
    return pa.array([one.decode(encoding) for one in raw], pa.string())


def _is_text(raw: bytes, encoding: str) -> bool:
    try:
        raw.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _streams(piece: Piece) -> Iterator[tuple[str, IO[bytes], int]]:
    """What is in a file, its name and where to begin; the members of an archive one by one, by name."""
    name = piece.file
    if name.endswith((".tar.gz", ".tgz")):
        with tarfile.open(name, "r:gz") as archive:
            for member in sorted((one for one in archive if one.isfile()), key=lambda one: one.name):
                stream = archive.extractfile(member)
                assert stream is not None, "a file has content"
                yield f"{name}!{member.name}", stream, 0
    elif name.endswith(".zip"):
        with zipfile.ZipFile(name) as packed:
            for inside in sorted(packed.namelist()):
                if not inside.endswith("/"):
                    with packed.open(inside) as stream:
                        yield f"{name}!{inside}", stream, 0
    elif name.endswith(".gz"):
        with gzip.open(name) as unpacked:
            yield name, cast("IO[bytes]", unpacked), 0
    else:
        with Path(name).open("rb") as plain:
            yield (name if piece.start == 0 else f"{name}+{piece.start}"), plain, _begin(plain, piece.start)


def _begin(stream: IO[bytes], start: int) -> int:
    """Where the first line begins that does so at `start` or later; the stream is left there."""
    if start:
        stream.seek(start - 1)
        stream.readline()
    return stream.tell()


def _records(piece: Piece) -> Iterator[pa.RecordBatch]:
    """Of a JSON file: entries of its list, or its lines."""
    with Path(piece.file).open("rb") as stream:
        begins = stream.read(_SHOWN).lstrip()[:1]
        stream.seek(0)
        if begins != b"[":
            yield from _of_stream(piece.file, stream, 0, piece)
            return
        text = stream.read(DOCUMENT_MAX + 1)
    if len(text) > DOCUMENT_MAX:
        raise InputError(f"{piece.file}: is a list of more than {DOCUMENT_MAX >> 20} MiB; write one record a line")
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InputError(f"{piece.file}: is not JSON ({error})") from None
    yield _batch(piece.file, 1, [json.dumps(record).encode() for record in found], "utf-8")
