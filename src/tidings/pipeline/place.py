"""Where the pipeline runs, and whether it should: known without starting Spark, or having it."""

import os
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tidings.errors import WorldError
from tidings.logs import Folder

AUDITED: Final = ("publications", "deliveries", "interests", "deadlines", "drops")
"""The log tables that an audit reads."""
ROWS_FOR_SPARK: Final = 2_000_000
"""From so many rows of them on Spark judges."""


@dataclass(frozen=True, kw_only=True)
class Where:
    """Where Spark runs: inside this process, on `master`, or behind `remote` (Spark Connect)."""

    master: str | None = None
    """Such as `spark://host:7077` or `local[4]`; None: embedded, on all cores."""
    remote: str | None = None
    """Such as `sc://host:15002`."""
    memory: str | None = None
    """For the embedded process, such as `8g`."""

    @property
    def chosen(self) -> bool:
        """True when somebody asked for a place."""
        return self.master is not None or self.remote is not None

    def __str__(self) -> str:
        return self.remote or self.master or "embedded"


def spark_installed() -> bool:
    """True when the extra `spark` is there."""
    return find_spec("pyspark") is not None


def check_spark() -> None:
    """Raise WorldError, with the remedy, when the extra `spark` is missing."""
    if not spark_installed():
        raise WorldError("this needs Spark: pip install 'tidings[spark]' (and Java 17 or 21)")


def rows_audited(folder: Folder) -> int:
    """Rows of the tables that an audit reads."""
    return sum(folder.rows(table) for table in AUDITED)


def check_java() -> None:
    """Raise WorldError, with the remedy, when this machine has no Java runtime for an embedded Spark."""
    home = os.environ.get("JAVA_HOME")
    found = (Path(home) / "bin" / "java").is_file() if home else shutil.which("java") is not None
    if not found:
        raise WorldError(
            "no Java runtime is here, and Spark needs 17 or 21. On Debian and Ubuntu: apt-get install "
            "openjdk-17-jre-headless; without root, unpack a JDK and set JAVA_HOME to its folder; or let another machine "
            "do it: --remote sc://HOST:15002"
        )
