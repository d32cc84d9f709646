"""Where a value of a scenario stands: file and key. Every complaint is made here, so that each one names both.

Files that a scenario names are found here too: they lie beside it or below, unless the caller allows others.
"""

import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tidings.errors import ScenarioError, WorldError

FILE_BYTES_MAX: Final = 16 << 20
"""A scenario's TOML; longer lists belong into Parquet files beside it."""
COMPANION_BYTES_MAX: Final = 1 << 30
"""A file that a scenario names."""


@dataclass(frozen=True, slots=True)
class Source:
    """A scenario file and what it may name."""

    path: Path
    allow_files: bool = False

    @property
    def folder(self) -> Path:
        """Where the files that it names are looked for."""
        return self.path.parent


@dataclass(frozen=True, slots=True)
class Place:
    """A key of a scenario file, as in `publisher[0].every`."""

    source: Source
    key: str = ""
    file: str = ""
    """Named in complaints instead of the scenario, for a list that has a file of its own."""

    def child(self, name: str) -> "Place":
        """The key `name` inside this table."""
        return Place(self.source, f"{self.key}.{name}" if self.key else name, self.file)

    def item(self, index: int) -> "Place":
        """The entry `index`, from 0, of this list."""
        return Place(self.source, f"{self.key}[{index}]", self.file)

    def wrong(self, value: object, remedy: str) -> ScenarioError:
        """The error to raise about `value`; `remedy` says what would be right."""
        return ScenarioError(self.file or str(self.source.path), self.key or "(whole file)", value, remedy)

    def companion(self, name: object) -> Path:
        """The file that is named here, checked to exist, to be a plain file of bearable size and to lie where it may."""
        if not isinstance(name, str) or not name or "\0" in name:
            raise self.wrong(name, "must be the name of a file beside the scenario, in quotes")
        path = self.source.folder / name
        self._check_inside(path, name)
        try:
            status = path.stat()
        except OSError as error:
            raise self.wrong(
                name, f"this file cannot be opened ({error.strerror}); it is looked for at {path}"
            ) from None
        if not stat.S_ISREG(status.st_mode):
            raise self.wrong(name, "must be a file, not a folder or a device")
        if status.st_size > COMPANION_BYTES_MAX:
            raise self.wrong(name, f"is larger than {COMPANION_BYTES_MAX >> 20} MiB; split it or take a part of it")
        return path

    def _check_inside(self, path: Path, name: str) -> None:
        if self.source.allow_files:
            return
        if not path.resolve().is_relative_to(self.source.folder.resolve()):
            raise self.wrong(
                name, "a scenario names files beside it or below only; move the file there, or give --allow-files"
            )


def read_scenario_text(path: Path) -> str:
    """The text of a scenario file, at most 16 MiB of UTF-8.

    Raises ScenarioError for what the file holds, WorldError when the system does not let us read it.
    """
    whole = Place(Source(path))
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except (FileNotFoundError, IsADirectoryError) as error:
        raise whole.wrong(
            path.name, f"is not a scenario file ({error.strerror}); give the path of a TOML file"
        ) from None
    except OSError as error:
        raise WorldError(f"{path}: cannot be read: {error.strerror}") from error
    if len(content) > FILE_BYTES_MAX:
        remedy = f"is larger than {FILE_BYTES_MAX >> 20} MiB; put long lists into Parquet files beside it"
        raise whole.wrong(path.name, remedy)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise whole.wrong(path.name, f"must be UTF-8; byte {error.start} is not") from None
