"""Stages on disk: each is written once as Parquet, and a manifest says which are complete.

A stage that the manifest does not list is no stage, whatever files there are: a killed run can be run again and goes on
behind the last complete one. The folder belongs to one set of inputs; with others it starts anew.
"""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from tidings.errors import InputError
from tidings.logs.staging import saying

MANIFEST: Final = "manifest.json"


class Workspace:
    """The stages of one run of the pipeline. `inputs` names what they are made from."""

    def __init__(self, spark: SparkSession, path: Path, inputs: str) -> None:
        self.spark = spark
        self.path = path
        self._manifest = path / MANIFEST
        self._inputs = inputs
        with saying(path):
            path.mkdir(parents=True, exist_ok=True)
            self._complete = self._kept()

    def stage(self, name: str, make: Callable[[], DataFrame], *, by: Sequence[str] = ()) -> DataFrame:
        """The stage `name`, read back from disk; `make` is asked for it only when it is not complete.

        With `by` rows are kept apart in folders, `column=value`.
        """
        place = self.path / name
        if name not in self._complete:
            make().write.mode("overwrite").partitionBy(*by).parquet(str(place))
            self._complete.append(name)
            self._write()
        return self.spark.read.parquet(str(place))

    def _kept(self) -> list[str]:
        """What an earlier run with the same inputs completed."""
        if not self._manifest.exists():
            if any(self.path.iterdir()):
                raise InputError(f"{self.path}: holds something else than stages; choose an empty folder")
            self._complete = []
            self._write()
        try:
            said = json.loads(self._manifest.read_bytes())
            inputs, stages = said["inputs"], [str(one) for one in said["stages"]]
        except (ValueError, TypeError, KeyError):
            raise InputError(f"{self._manifest}: is no list of stages; remove {self.path} and run again") from None
        if inputs == self._inputs:
            return stages
        for name in stages:
            shutil.rmtree(self.path / name, ignore_errors=True)
        return []

    def _write(self) -> None:
        """By renaming: whoever is killed here leaves the old list or the new one."""
        partial = self._manifest.with_suffix(".partial")
        with saying(self.path):
            partial.write_text(json.dumps({"inputs": self._inputs, "stages": self._complete}), "utf-8")
            partial.replace(self._manifest)


@contextmanager
def workspace(spark: SparkSession, path: Path | None, inputs: str) -> Iterator[Workspace]:
    """A workspace in `path`, which stays; or one in the system's temporary folder, which goes."""
    if path is not None:
        yield Workspace(spark, path, inputs)
        return
    with tempfile.TemporaryDirectory(prefix="tidings-") as place:
        yield Workspace(spark, Path(place) / "stages", inputs)
