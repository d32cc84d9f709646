"""The files that a profile is made from: found below what was named, each of them once."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tidings.errors import InputError
from tidings.logs.staging import RUN_FILE

_SKIPPED: Final = ("license", "readme", ".")
_PIECE: Final = 1 << 20


def files_of(named: Sequence[Path]) -> list[Path]:
    """Every file below `named`, sorted; folders of runs stand for themselves.

    Papers that lie beside data (a licence, a README) are left out unless they are named themselves. Raises InputError
    for names without a file, and for files that hold the same bytes: their rows would count twice.
    """
    found = [file for place in named for file in _below(place)]
    if not found:
        raise InputError(f"{', '.join(map(str, named))}: no files are here; name recorded traces")
    _refuse_doubles(found)
    return found


def _below(place: Path) -> Iterator[Path]:
    if (place / RUN_FILE).is_file() or place.is_file():
        yield place
        return
    if not place.is_dir():
        raise InputError(f"{place}: no such file or folder")
    for one in sorted(place.iterdir()):
        if not one.name.lower().startswith(_SKIPPED):
            yield from _below(one)


def _refuse_doubles(files: Sequence[Path]) -> None:
    by_size: dict[int, list[Path]] = {}
    for file in files:
        if file.is_file():
            by_size.setdefault(file.stat().st_size, []).append(file)
    for alike in by_size.values():
        seen: dict[bytes, Path] = {}
        for file in alike if len(alike) > 1 else ():
            digest = _digest(file)
            if digest in seen:
                remedy = "its rows would count twice, name one of them"
                raise InputError(f"{file}: holds the same bytes as {seen[digest]}; {remedy}")
            seen[digest] = file


def digest_of(files: Sequence[Path]) -> str:
    """What tells these files from others: names, sizes and times of change."""
    digest = hashlib.sha256()
    for file in files:
        status = (file / RUN_FILE if file.is_dir() else file).stat()
        digest.update(f"{file.resolve()} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _digest(file: Path) -> bytes:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while piece := stream.read(_PIECE):
            digest.update(piece)
    return digest.digest()
