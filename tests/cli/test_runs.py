"""Runs and their judgement, one or several, here or in processes of their own."""

import multiprocessing
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.command import LINE, written
from tidings.checking import audit
from tidings.cli import runs
from tidings.errors import InputError
from tidings.logs import runs_of

LOSSY = LINE.replace('delay   = "10ms"', 'delay   = "10ms"\nloss    = 0.3')


@pytest.fixture
def scenario(tmp_path):
    """A scenario whose reliability differs from seed to seed."""
    path = tmp_path / "lossy.toml"
    path.write_text(LOSSY, "utf-8")
    return path


@pytest.fixture
def job(scenario, tmp_path):
    """Its first run."""
    return runs.Job(scenario=scenario, seed=4, out=tmp_path / "logs")


def test_a_run_tells_what_its_audit_tells(job):
    """The counts in the document are those of the logs."""
    found = runs.run_job(job)
    (report,) = audit(job.out).subscribers.values()
    one = found["subscribers"]["s"]
    assert {name: one[name] for name in ("wanted", "on_time", "lost")} == {
        name: getattr(report, name) for name in ("wanted", "on_time", "lost")
    }
    assert 0 < one["lost"] < one["wanted"] == found["events"]
    assert found["deliveries"] == one["on_time"] + one["late"]


def test_several_runs_are_single_runs_with_seeds_in_a_row(job, tmp_path):
    """Each folder holds what a run of that seed alone would."""
    together = runs.run_several(job, 3)
    apart = [
        runs.run_job(runs.Job(scenario=job.scenario, seed=seed, out=tmp_path / f"alone-{seed}")) for seed in (4, 5, 6)
    ]
    assert [folder.name for folder in runs_of(job.out)] == ["seed-4", "seed-5", "seed-6"]
    assert together == {"folder": str(job.out), **runs.combined(apart)}
    for folder in runs_of(job.out):
        alone = tmp_path / folder.name.replace("seed", "alone")
        for table in alone.glob("*.parquet"):
            assert table.read_bytes() == (folder.path / table.name).read_bytes()


def test_processes_change_nothing(job, tmp_path):
    """The same document and the same folders, in the order of seeds."""
    here = runs.run_several(job, 2)
    steps = []
    other = runs.Job(scenario=job.scenario, seed=4, out=tmp_path / "elsewhere")
    there = runs.run_several(other, 2, processes=2, progress=lambda done, total: steps.append((done, total)))
    assert {**there, "folder": here["folder"]} == here
    assert steps == [(1, 2), (2, 2)]


@pytest.mark.parametrize("processes", [1, 2])
def test_an_interrupt_ends_all_runs(processes, job, tmp_path):
    """Those under way in other processes, too: no folder is left, and no process."""

    def interrupt(_done, _total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runs.run_several(job, 6, processes=processes, progress=interrupt)
    assert list(tmp_path.iterdir()) == [job.scenario]
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("processes", [1, 2])
def test_a_run_that_cannot_be_leaves_nothing(processes, job, tmp_path):
    """An error of the input in any run takes the whole folder back."""
    job.scenario.write_text(LOSSY.replace('"b"]', '"c"]'), "utf-8")
    with pytest.raises(InputError, match="lossy"):
        runs.run_several(job, 2, processes=processes)
    assert written(tmp_path) == ["lossy.toml"]


def test_counts_are_sums_and_reliability_a_mean():
    """A subscriber that wanted nothing in one run is averaged over the others."""
    entry = {"reliability": 1.0, "wanted": 4, "on_time": 4, "late": 0, "expired": 0, "lost": 0}
    half = {"reliability": 0.5, "wanted": 2, "on_time": 1, "late": 1, "expired": 0, "lost": 0}
    none = {"reliability": None, "wanted": 0, "on_time": 0, "late": 0, "expired": 0, "lost": 0}
    documents = [{"events": 4, "deliveries": 2, "subscribers": {"s": one, "t": none}} for one in (entry, half, none)]
    found = runs.combined(documents)
    assert (found["runs"], found["events"], found["deliveries"]) == (3, 12, 6)
    assert found["subscribers"]["s"]["reliability"] == 0.75
    assert found["subscribers"]["s"]["wanted"] == 6
    low, high = (found["subscribers"]["s"][f"reliability_{end}"] for end in ("low", "high"))
    assert (low + high) / 2 == pytest.approx(0.75)
    assert found["subscribers"]["t"] == {**none, "reliability_low": None, "reliability_high": None}


def test_the_interval_is_students():
    """Against the table: with five values the half width is 2.776 standard errors."""
    values = [0.1, 0.4, 0.2, 0.9, 0.6]
    low, high = runs.student_interval(values)
    error = statistics.stdev(values) / 5**0.5
    assert high - low == pytest.approx(2 * 2.776445 * error, rel=1e-6)
    assert runs.student_interval([0.5]) == (None, None)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_the_interval_holds_the_mean(values):
    """Whatever the values."""
    low, high = runs.student_interval(values)
    assert low - 1e-9 <= statistics.fmean(values) <= high + 1e-9
