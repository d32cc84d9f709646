"""Files that only their owner may read: whoever runs the broker, and nobody else."""

import os
import stat
from pathlib import Path

from tidings.errors import InputError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_secret(path: Path) -> str:
    """The text of a file that holds secrets; InputError when others could read it, or it is not there."""
    check_secret(path)
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path}: is no text in UTF-8") from None


def check_secret(path: Path) -> None:
    """InputError unless the file is there, and its owner's alone."""
    try:
        mode = path.stat().st_mode
    except OSError as problem:
        raise InputError(f"{path}: {os.strerror(problem.errno or 0).lower()}") from None
    if not stat.S_ISREG(mode):
        raise InputError(f"{path}: is no file")
    if mode & _OTHERS:
        raise InputError(f"{path}: others may read or change it; chmod 600 {path}")


def write_secret(path: Path, text: str) -> None:
    """Put a file in its place whole, readable for its owner alone."""
    beside = path.with_name(path.name + ".new")
    beside.unlink(missing_ok=True)
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor, not a path
        file.write(text)
        file.flush()
        os.fsync(descriptor)
    beside.replace(path)
