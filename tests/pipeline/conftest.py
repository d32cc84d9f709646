"""One audited log that the tests of its stages share."""

from dataclasses import dataclass, field

import pytest
from pyspark.sql import DataFrame

from pipeline.made_logs import Made, random_logs
from tidings.checking import History, read_history
from tidings.logs import Folder, open_folder
from tidings.pipeline.auditing import audit_run
from tidings.pipeline.tables import log_table
from tidings.pipeline.workspace import Workspace


@dataclass
class Audited:
    """A log, judged: its folder, its stages, and its history as the plain audit reads it."""

    folder: Folder
    space: "Explaining"
    report: object = None
    history: History | None = None
    clients: dict = field(default_factory=dict)

    def stage(self, name) -> DataFrame:
        """One of the stages on disk."""
        return self.space.spark.read.parquet(str(self.space.path / name))

    def read(self, table) -> DataFrame:
        """A log table."""
        return log_table(self.space.spark, self.folder, table)

    def rows(self, name) -> list[dict]:
        """A stage's rows."""
        return self.stage(name).toArrow().to_pylist()


class Explaining(Workspace):
    """A workspace that keeps the physical plan of every stage."""

    def __init__(self, *given) -> None:
        self.plans = {}
        super().__init__(*given)

    def stage(self, name, make):
        """As the stage is made, with its plan noted."""
        return super().stage(name, lambda: self._noted(name, make()))

    def _noted(self, name, frame):
        self.plans[name] = plan_of(frame)
        return frame


def plan_of(frame) -> str:
    """What Spark means to do, as it prints it."""
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()) as said:
        frame.explain("formatted")
    return said.getvalue()


@pytest.fixture(scope="session")
def audited(spark, tmp_path_factory):
    """Random logs with every fault, two publishers who react among them; all stages of their audit."""
    place = tmp_path_factory.mktemp("audited")
    folder = open_folder(random_logs(place / "logs", Made(seed=2, reacting=2, jitter_ns=6_000_000)))
    space = Explaining(spark, place / "stages", "made")
    steps = []
    report = audit_run(space, folder, lambda *told: steps.append(told))
    made = Audited(folder, space, report, read_history(folder.table))
    made.steps = steps
    made.clients = {row["client"]: row["name"] for row in made.rows("clients")}
    return made
