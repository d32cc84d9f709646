"""Points and tasks: every combination, the longest first, a row that is kept whole."""

import json

import pytest

from cli.command import LINE
from tidings.checking import audit
from tidings.errors import InputError, ScenarioError
from tidings.logs import open_folder
from tidings.scenario import expand, load_scenario
from tidings.simulation import simulate
from tidings.sweeping.tasks import Task, cost, kept_row, ordered, points_of, run_task


@pytest.fixture
def scenario(tmp_path):
    """A scenario that is simulated in no time."""
    (tmp_path / "line.toml").write_text(LINE, "utf-8")
    return tmp_path / "line.toml"


def task(scenario, **other):
    """One task of a sweep."""
    given = {"changes": {}, "point": 0, "seed": 3, "kept": scenario.parent / "0-3.json", **other}
    return Task(scenario=scenario, **given)


def test_points_are_all_combinations():
    """The last key changes first; values keep their kinds; commas within values stay."""
    assert points_of([]) == [{}]
    assert points_of(["a=1,x", 'b={ u = 1, v = "p,q" },[1, 2]']) == [
        {"a": a, "b": b} for a in (1, "x") for b in ({"u": 1, "v": "p,q"}, [1, 2])
    ]


@pytest.mark.parametrize("varied", [["a"], ["a="], ["a=,"], ["a=1", "a=2"]])
def test_points_without_values_are_refused(varied):
    """With what would be right."""
    with pytest.raises(InputError, match="give a key once"):
        points_of(varied)


def test_a_row_is_what_the_audit_of_the_run_says(scenario):
    """And it is kept."""
    row = run_task(task(scenario, changes={"publisher.p.every": {"dist": "constant", "value": "1s"}}, point=4, seed=9))
    (scenario.parent / "changed.toml").write_text(
        LINE.replace('{ dist = "exponential", mean = "500ms" }', '{ dist = "constant", value = "1s" }'), "utf-8"
    )
    simulate(expand(load_scenario(scenario.parent / "changed.toml"), seed=9), out=scenario.parent / "logs")
    report = audit(scenario.parent / "logs")
    assert (row["point"], row["seed"], row["events"]) == (
        4,
        9,
        open_folder(scenario.parent / "logs").table("publications").num_rows,
    )
    assert {name: row[name] for name in ("wanted", "on_time", "lost")} == {
        name: report.total(name) for name in ("wanted", "on_time", "lost")
    }
    assert row["reliability"] == row["reliability_worst"] == 1.0
    assert 9_000_000 < row["delay_p50_ns"] <= row["delay_p99_ns"] <= 10_000_000
    assert kept_row(task(scenario)) == row


def test_what_is_not_whole_is_not_there(scenario):
    """No file, and half a file."""
    one = task(scenario)
    assert kept_row(one) is None
    one.kept.write_text(json.dumps({"point": 1})[:-1], "utf-8")
    assert kept_row(one) is None


def test_long_ones_come_first(scenario):
    """By what is published, wanted, and carried; equal ones in their order."""
    worlds = [task(scenario, changes={"duration": text}).world() for text in ("20s", "40s")]
    assert cost(worlds[1]) == pytest.approx(2 * cost(worlds[0]))
    tasks = [task(scenario, point=place) for place in range(3)]
    assert [one.point for one in ordered(zip([1.0, 2.0, 1.0], tasks, strict=True))] == [1, 0, 2]


def test_a_world_that_cannot_be_is_refused(scenario):
    """By what reads scenarios: key, value, remedy."""
    with pytest.raises(ScenarioError, match=r"reliability\.mechanism"):
        task(scenario, changes={"reliability.mechanism": "magic"}).world()
