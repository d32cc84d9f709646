"""A folder that appears whole or not at all.

Everything is written into a hidden folder beside the target, and renamed when it is finished. Whoever sees the target
sees a finished run; a run that fails leaves nothing, one that is killed leaves only the hidden folder.
"""

import contextlib
import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tidings.errors import InputError, WorldError

RUN_FILE: Final = "run.json"
_ATTEMPTS_MAX: Final = 10_000
_HASH_BYTES: Final = 1 << 20


class StagedFolder:
    """A folder under construction; `stage` is where to write. Left without `finish`, it vanishes.

    Used as a context manager: an exception inside removes everything.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        """Where the folder will be."""
        self.stage = _stage_beside(path)
        """Where it is written until then; folders of single runs may be created inside it."""
        self._open = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.abandon()

    def write_text(self, name: str, text: str) -> None:
        """Put a small UTF-8 file, such as `scenario.toml`, into the folder."""
        assert Path(name).name == name, f"{name} is not a plain file name"
        with saying(self.path):
            (self.stage / name).write_bytes(text.encode())

    def finish(self, run: Mapping[str, object], rows: Mapping[str, int]) -> None:
        """Write `run.json` last, with the list of complete files, and let the folder appear under its name.

        `rows` gives the row counts of those files that are tables.
        """
        assert self._open, "a folder is finished or abandoned once"
        with saying(self.path):
            files = [_description(file, rows) for file in sorted(self.stage.iterdir()) if file.is_file()]
            document = json.dumps({**run, "files": files}, indent=2, ensure_ascii=False)
            (self.stage / RUN_FILE).write_bytes(document.encode() + b"\n")
        self.appear()

    def appear(self) -> None:
        """Let the folder appear under its name as it is; `finish` does so for the folder of a run."""
        assert self._open, "a folder is finished or abandoned once"
        with saying(self.path):
            if self.path.is_dir():
                self.path.rmdir()
            self.stage.rename(self.path)
        self._open = False

    def abandon(self) -> None:
        """Remove what was written; nothing happens after `finish`."""
        if self._open:
            shutil.rmtree(self.stage, ignore_errors=True)
            self._open = False


class RunsFolder(StagedFolder):
    """A folder of several runs: create each with `LogFolder.create(folder.stage / "seed-1", …)`."""

    def finish_runs(self, run: Mapping[str, object], runs: Sequence[str]) -> None:
        """Finish with a `run.json` that lists the names of the runs, all of them finished, in this order."""
        missing = [name for name in runs if not (self.stage / name / RUN_FILE).is_file()]
        assert not missing, f"runs without {RUN_FILE}: {missing}"
        self.finish({**run, "runs": list(runs)}, {})


@contextlib.contextmanager
def saying(path: Path) -> Iterator[None]:
    """Turn what the disk refuses into one sentence about the folder `path`."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise WorldError(f"{path}: cannot write the folder: {reason}; free space or choose another place") from error


def _stage_beside(path: Path) -> Path:
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise InputError(f"{path}: exists and is not an empty folder; choose another name or remove it")
    with saying(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        for attempt in range(_ATTEMPTS_MAX):
            stage = path.with_name(f".{path.name}.partial-{attempt}")
            with contextlib.suppress(FileExistsError):
                stage.mkdir()
                return stage
    raise WorldError(f"{path}: too many unfinished runs beside it; remove .{path.name}.partial-*")


def _description(file: Path, rows: Mapping[str, int]) -> dict[str, object]:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while piece := stream.read(_HASH_BYTES):
            digest.update(piece)
    counted = {"rows": rows[file.name]} if file.name in rows else {}
    return {"name": file.name, "bytes": file.stat().st_size, "sha256": digest.hexdigest(), **counted}
