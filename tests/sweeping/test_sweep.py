"""A whole sweep: the same table however it is cut, killed or spread."""

import json

import pyarrow.parquet as pq
import pytest

from cli.command import LINE
from tidings.errors import InputError, NotImplementedYet, ScenarioError
from tidings.logs.staging import RUN_FILE
from tidings.sweeping.sweep import TABLE, SweepOptions, sweep

VARIED = ("publisher.p.lifetime=1ms,1s", "duration=10s,5s")


@pytest.fixture
def scenario(tmp_path):
    """A scenario that is simulated in no time."""
    (tmp_path / "line.toml").write_text(LINE, "utf-8")
    return tmp_path / "line.toml"


def swept(scenario, name, **options):
    """The bytes of the table of a sweep."""
    sweep(scenario, scenario.parent / name, SweepOptions(varied=VARIED, **{"seeds": 2, **options}))
    return (scenario.parent / name / TABLE).read_bytes()


def test_every_run_has_a_row(scenario):
    """In the order of points and seeds, with the values varied in front."""
    told = []
    out = scenario.parent / "out"
    points, rows = sweep(scenario, out, SweepOptions(varied=VARIED, seeds=2), lambda *one: told.append(one))
    found = pq.read_table(out / TABLE).to_pylist()
    assert [(row["publisher.p.lifetime"], row["duration"], row["seed"]) for row in found] == [
        (lifetime, duration, seed) for lifetime in ("1ms", "1s") for duration in ("10s", "5s") for seed in (3, 4)
    ]
    assert [row["reliability"] for row in found] == [0.0] * 4 + [1.0] * 4
    assert len(points) == 4
    assert [row["wanted"] for row in rows] == [row["wanted"] for row in found]
    assert told == [(done, 8) for done in range(9)]
    assert json.loads((out / RUN_FILE).read_text("utf-8"))["seeds"] == 2
    assert sorted(path.name for path in scenario.parent.iterdir()) == ["line.toml", "out"]


def test_processes_change_nothing(scenario):
    """Byte for byte."""
    assert swept(scenario, "one") == swept(scenario, "two", processes=2)


def test_a_sweep_that_was_killed_goes_on(scenario):
    """What is kept is not run again, whatever was half done; the table is the same."""
    whole = swept(scenario, "whole")

    class Killed(Exception):
        pass

    def kill(done, _total):
        if done == 3:
            raise Killed

    out = scenario.parent / "out"
    options = SweepOptions(varied=VARIED, seeds=2)
    with pytest.raises(Killed):
        sweep(scenario, out, options, kill)
    assert not out.exists()
    kept = sorted((scenario.parent / ".out.sweep").glob("*.json"))
    assert len(kept) == 3
    kept[0].write_text(kept[0].read_text("utf-8")[:-5], "utf-8")
    told = []
    sweep(scenario, out, options, lambda *one: told.append(one))
    assert told == [(done, 8) for done in range(2, 9)]
    assert (out / TABLE).read_bytes() == whole
    assert not (scenario.parent / ".out.sweep").exists()


def test_rows_of_another_sweep_are_not_taken(scenario):
    """Another scenario, or other values, under the same name."""
    kept = scenario.parent / ".out.sweep"
    kept.mkdir()
    (kept / "inputs").write_text("another", "utf-8")
    (kept / "0-3.json").write_text('{"point": 0, "seed": 3, "events": 77}', "utf-8")
    _, rows = sweep(scenario, scenario.parent / "out", SweepOptions())
    assert rows[0]["events"] != 77


def test_the_first_seed_can_be_given(scenario):
    """Instead of the scenario's."""
    _, rows = sweep(scenario, scenario.parent / "out", SweepOptions(seeds=2, seed=40))
    assert [row["seed"] for row in rows] == [40, 41]


@pytest.mark.parametrize(
    ("varied", "error"),
    [
        ("duration=1s,never", ScenarioError),
        ("nonsense=1", ScenarioError),
        ('ordering={ guarantee = "none" },{ guarantee = "none", k = 0 }', ScenarioError),
        ("duration.x=1", InputError),
    ],
)
def test_points_that_cannot_be_are_refused_before_anything_runs(scenario, varied, error):
    """And nothing is left."""
    with pytest.raises((error, NotImplementedYet)):
        sweep(scenario, scenario.parent / "out", SweepOptions(varied=(varied,)))
    assert [path.name for path in scenario.parent.iterdir()] == ["line.toml"]


def test_too_many_are_refused(scenario):
    """Before any of them is made."""
    with pytest.raises(InputError, match="vary less"):
        sweep(scenario, scenario.parent / "out", SweepOptions(seeds=100_001))
