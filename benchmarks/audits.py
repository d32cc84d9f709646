"""Audits on Spark, timed: stages as ratios within one run, beside a bare window query, DuckDB, and the self-join.

    .venv/bin/python benchmarks/audits.py                  # a million deliveries, then two; a minute or three
    .venv/bin/python benchmarks/audits.py --rows 10000000  # and twice as many

Each size is judged by a process of its own, so that the memory of one says nothing of another. Faults are planted, and
every count must come out as planted. One JSON document on standard output; progress on standard error.
"""

import argparse
import json
import multiprocessing
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import duckdb
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from pipeline.made_logs import Made, random_logs
from pipeline.planted import BLOCK, planted, planted_logs
from tidings.logs import Folder, open_folder
from tidings.pipeline.auditing import audit_run
from tidings.pipeline.causal_order import causal_order
from tidings.pipeline.one_order import order_cycles
from tidings.pipeline.pairwise_order import Conflicts, PairLimits, order_conflicts, pair_stage
from tidings.pipeline.publisher_order import inversions, suspect_stage
from tidings.pipeline.session import start
from tidings.pipeline.showings import client_stage, event_stage, showing_stage
from tidings.pipeline.tables import log_table
from tidings.pipeline.workspace import Workspace

Figures = dict[str, Any]
Found = TypeVar("Found")
SUBSCRIBERS = 100
BLOCKS = 50
WINDOW = "max({0}) over (partition by client, publisher order by place rows unbounded preceding)"


def timed(figures: Figures, name: str, work: Callable[[], Found]) -> Found:
    """What `work` gives; how long it took stands in `figures`."""
    begin = time.perf_counter()
    found = work()
    figures[f"{name}_s"] = round(time.perf_counter() - begin, 2)
    print(f"pipeline: {name} {figures[f'{name}_s']} s", file=sys.stderr)
    return found


def stages(space: Workspace, folder: Folder, figures: Figures) -> tuple[DataFrame, int]:
    """Each stage by itself, on showings that are read once."""

    def read(table: str) -> DataFrame:
        return log_table(space.spark, folder, table)

    def showings() -> tuple[DataFrame, DataFrame]:
        clients = client_stage(space, read)
        events = event_stage(space, read, clients)
        return events, showing_stage(space, read, clients, events)

    events, shown = timed(figures, "reading", showings)
    marked = shown.where("ordered and published").select(
        (fn.col("rank") < fn.expr(WINDOW.format("rank"))).cast("int").alias("behind")
    )
    bare = timed(figures, "bare_window", lambda: marked.agg(fn.sum("behind")).head()[0])
    behind = f"(rank < {WINDOW.format('rank')})::int as behind"
    files = f"{space.path}/showings/*.parquet"

    def ducks() -> int:
        known = duckdb.read_parquet(files).filter("ordered and published").project(behind)
        return int(known.aggregate("sum(behind)").fetchall()[0][0])

    duck = timed(figures, "duckdb", ducks)
    assert bare == duck, (bare, duck)

    def order() -> tuple[DataFrame, list[Any]]:
        suspects = suspect_stage(space, shown)
        return suspects, inversions(shown, suspects).collect()

    suspects, _ = timed(figures, "order", order)
    limits = PairLimits()

    def pairs() -> tuple[DataFrame, Conflicts, bool]:
        found, whole = pair_stage(space, shown, limits)
        return found, order_conflicts(shown, found, limits), whole

    found, conflicts, whole = timed(figures, "pairs", pairs)
    assert whole
    timed(figures, "one_order", lambda: order_cycles(space, shown, found))
    timed(figures, "causes", lambda: causal_order(space, shown, events, suspects))
    return shown, conflicts.pairs


def one_size(rows: int) -> Figures:
    """All figures of one size, and that every planted fault was counted."""
    figures: Figures = {"rows": rows}
    with tempfile.TemporaryDirectory(prefix="tidings-bench-") as place:
        calm = max(rows // SUBSCRIBERS - BLOCKS * BLOCK, BLOCK)
        path = Path(place) / "logs"
        timed(figures, "making", lambda: planted_logs(path, subscribers=SUBSCRIBERS, blocks=BLOCKS, calm=calm))
        folder = open_folder(path)
        figures["rows"] = int(folder.files()["deliveries.parquet"]["rows"])
        spark = timed(figures, "session", start)
        spark.range(1000).groupBy("id").count().count()
        stages(Workspace(spark, Path(place) / "stages", "bench"), folder, figures)
        space = Workspace(spark, Path(place) / "whole", "bench")
        report = timed(figures, "audit", lambda: audit_run(space, folder)).to_json()
        expected = {name: BLOCKS * count for name, count in planted(SUBSCRIBERS).items()}
        figures["planted_exact"] = {name: report[name] for name in expected} == expected
        figures["driver_peak_mb"] = java_peak_mb()
    return figures


def self_join(_size: int) -> Figures:
    """Conflicting pairs at 200,000 showings, as SQL says it first: every showing joined with every other."""
    figures: Figures = {}
    with tempfile.TemporaryDirectory(prefix="tidings-bench-") as place:
        made = Made(seed=1, events=4_000, subscribers=100, received=0.5, jitter_ns=4_000_000)
        folder = open_folder(random_logs(Path(place) / "logs", made))
        spark = start()
        space = Workspace(spark, Path(place) / "stages", "bench")
        shown, ours = stages(space, folder, figures)
        shown.where("ordered").select("client", "place", "reference").createOrReplaceTempView("shown")
        query = (
            "select count(*) from (select a.reference one, b.reference other, count_if(a.place < b.place) forward, "
            "count(*) both from shown a join shown b on a.client = b.client and a.reference < b.reference "
            "group by 1, 2) where forward > 0 and forward < both"
        )
        joined = timed(figures, "self_join", lambda: spark.sql(query).head()[0])
        figures |= {"rows": shown.count(), "equal": joined == ours}
    return figures


def java_peak_mb() -> int | None:
    """The most memory that the driver's Java process, a descendant of ours, has had."""
    parents, javas = {}, []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            text = (place / "status").read_text("utf-8")
        except OSError:
            continue
        facts = dict(re.findall(r"^(Name|PPid|VmHWM):\s+(\S+)", text, re.MULTILINE))
        parents[int(place.name)] = int(facts["PPid"])
        if facts["Name"] == "java":
            javas.append((int(place.name), int(facts.get("VmHWM", 0))))
    for process, peak_kb in javas:
        line = process
        while line in parents and line != os.getpid():
            line = parents[line]
        if line == os.getpid():
            return peak_kb // 1024
    return None


def ratios(small: Figures, large: Figures, joined: Figures) -> dict[str, float]:
    """What counts: times within one run, and growth."""
    order = large["order_s"]
    return {
        "order / bare window (want <= 1.2)": order / large["bare_window_s"],
        "order / DuckDB (want <= 2.5)": order / large["duckdb_s"],
        "pairs / order (want <= 4)": large["pairs_s"] / order,
        "one order / order (want <= 1.5)": large["one_order_s"] / order,
        "audit / order (want <= 7)": large["audit_s"] / order,
        "self-join / pairs at 200,000 (want >= 10)": joined["self_join_s"] / joined["pairs_s"],
        "time for twice the rows (want <= 2.2)": large["audit_s"] / small["audit_s"],
        "memory for twice the rows (want <= 1.2)": (large["driver_peak_mb"] or 0) / (small["driver_peak_mb"] or 1),
    }


def main() -> None:
    """Two sizes and the self-join, as one document."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--rows", type=int, default=1_000_000, help="deliveries; then twice as many")
    rows = options.parse_args().rows
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, max_tasks_per_child=1) as apart:
        work = [apart.submit(one, size) for one, size in ((one_size, rows), (one_size, 2 * rows), (self_join, 0))]
        small, large, joined = (one.result() for one in work)
    found = {name: round(value, 2) for name, value in ratios(small, large, joined).items()}
    print(json.dumps({"ratios": found, "small": small, "large": large, "self_join": joined}, indent=1))


if __name__ == "__main__":
    main()
