"""All checks over one run: the same report as the plain audit, by allowed means only."""

import re
import shutil
from dataclasses import replace

import pytest

from architecture.rooms import SOURCE
from pipeline.made_logs import Made, random_logs
from pipeline.planted import planted, planted_logs
from tidings.checking import audit
from tidings.errors import InputError
from tidings.logs import RunsFolder, open_folder, runs_of
from tidings.pipeline.auditing import STEPS, audit_runs

FORBIDDEN_NODES = r"BatchEvalPython|ArrowEvalPython|MapInPandas|InPandas|ExistingRDD|PythonUDTF"
FORBIDDEN_WORDS = r"sparkContext|_jvm|\.rdd\b|\bbroadcast\(|pandas_udf|InPandas\(|@udf|fn\.udf\b|toPandas"
RANDOM = (
    Made(seed=3, reacting=3, subscribers=70, received=0.4),
    Made(seed=4, jitter_ns=0, bad=0.0, skewed=True),
)


def test_the_report_is_that_of_the_plain_audit(audited):
    """Every count, every quantile, every subscriber."""
    plain = audit(audited.folder.path)
    assert plain.exact
    assert plain.causal_inversions > plain.fifo_inversions > 0
    assert audited.report == plain


@pytest.mark.slow
@pytest.mark.parametrize("made", RANDOM, ids=lambda made: f"seed {made.seed}")
def test_other_logs_give_the_same(spark, tmp_path, made):
    """Many subscribers with partial overlap; one publisher with half of all events and perfect order."""
    path = random_logs(tmp_path / "logs", made)
    assert audit_runs(spark, runs_of(path)) == audit(path)


def test_planted_faults_are_counted_exactly(spark, tmp_path):
    """As many as were planted, neither more nor fewer, and as the plain audit says."""
    path = planted_logs(tmp_path / "logs", subscribers=70, blocks=3)
    report = audit_runs(spark, runs_of(path))
    document = report.to_json()
    assert {name: document[name] for name in planted(70)} == {name: 3 * count for name, count in planted(70).items()}
    assert report == audit(path)


@pytest.mark.slow
def test_planted_faults_among_millions_of_rows(spark, tmp_path):
    """The same with three million deliveries."""
    path = planted_logs(tmp_path / "logs", subscribers=100, blocks=50, calm=30_000)
    report = audit_runs(spark, runs_of(path))
    document = report.to_json()
    assert {name: document[name] for name in planted(100)} == {name: 50 * count for name, count in planted(100).items()}
    assert report == audit(path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20, 30))
def test_many_random_logs(spark, tmp_path, seed):
    """Another world for every seed."""
    made = Made(seed=seed, publishers=3 + seed % 5, subscribers=10 + 9 * (seed % 9), reacting=seed % 3)
    made = replace(made, received=0.3 + 0.07 * (seed % 10), jitter_ns=1_000_000 * (seed % 7))
    path = random_logs(tmp_path / "logs", made)
    assert audit_runs(spark, runs_of(path)) == audit(path)


@pytest.mark.slow
def test_several_runs_are_summed(spark, tmp_path):
    """Each stands beside the sums, under its own name; what was kept is used again."""
    with RunsFolder(tmp_path / "runs") as folder:
        for seed in (1, 2):
            random_logs(folder.stage / f"seed-{seed}", Made(seed=seed, events=60, subscribers=3))
        folder.finish_runs({}, ["seed-1", "seed-2"])
    report = audit_runs(spark, runs_of(tmp_path / "runs"), work=tmp_path / "work")
    assert report == audit(tmp_path / "runs")
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == ["seed-1", "seed-2"]
    assert audit_runs(spark, runs_of(tmp_path / "runs"), work=tmp_path / "work") == report


def test_progress_names_the_steps(audited):
    """Each once, in order, with how many there are."""
    assert audited.steps == [(step, done, len(STEPS)) for done, step in enumerate(STEPS)]


def test_an_event_published_twice_is_refused(spark, tmp_path):
    """As the plain audit does, with the event."""
    path = random_logs(tmp_path / "logs", Made(events=40, subscribers=2))
    from tidings.logs import LogFolder

    rows = open_folder(path).table("publications")
    with LogFolder.create(tmp_path / "twice", names=()) as folder:
        columns = {name: rows.column(name).to_pylist() for name in rows.column_names}
        columns["attributes"] = [dict(one) for one in columns["attributes"]]
        folder.write("publications", {name: [*values, values[0]] for name, values in columns.items()})
        folder.finish({})
    with pytest.raises(InputError, match="more than one row"):
        audit_runs(spark, runs_of(tmp_path / "twice"))


def test_a_damaged_table_is_refused(spark, tmp_path):
    """A page whose bytes changed, in a file of the right length."""
    path = random_logs(tmp_path / "logs", Made(events=400, subscribers=4))
    shutil.copytree(path, tmp_path / "damaged")
    file = tmp_path / "damaged" / "deliveries.parquet"
    content = bytearray(file.read_bytes())
    content[200:260] = bytes(60)
    file.write_bytes(content)
    with pytest.raises(InputError, match="damaged"):
        audit_runs(spark, runs_of(tmp_path / "damaged"))


def test_no_plan_goes_row_by_row(audited):
    """Neither Python row by row nor pandas nor RDDs in any stage; and the Arrow stages are seen at all."""
    assert {"clients", "events", "showings", "suspects", "pairs-0", "islands", "holds", "wanted", "judged"} <= set(
        audited.space.plans
    )
    assert "MapInArrow" in audited.space.plans["pairs-0"] + audited.space.plans["carried"]
    for name, plan in audited.space.plans.items():
        assert re.findall(FORBIDDEN_NODES, plan) == [], name


def test_no_source_reaches_behind_dataframes():
    """The same code has to run over Connect."""
    texts = {file.name: file.read_text("utf-8") for file in sorted((SOURCE / "pipeline").glob("*.py"))}
    assert "auditing.py" in texts
    assert {name: found for name, text in texts.items() if (found := re.findall(FORBIDDEN_WORDS, text))} == {}
