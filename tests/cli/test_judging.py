"""Folders judged and compared: what `audit` and other verbs share."""

import pytest

from cli.command import LINE
from tidings.cli.judging import judged, reports_of
from tidings.logs import RunsFolder, runs_of
from tidings.pipeline.place import Where
from tidings.reporting.forecasts import Forecast
from tidings.scenario import expand, load_scenario
from tidings.simulation import simulate


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder of two runs."""
    place = tmp_path_factory.mktemp("judging")
    (place / "line.toml").write_text(LINE, "utf-8")
    with RunsFolder(place / "logs") as folder:
        for seed in (1, 2):
            simulate(expand(load_scenario(place / "line.toml"), seed=seed), out=folder.stage / f"seed-{seed}")
        folder.finish_runs({}, ["seed-1", "seed-2"])
    return place / "logs"


def test_small_folders_are_judged_here(runs):
    """And each run is predicted by itself."""
    reports, judge = reports_of({runs: runs_of(runs)}, Where(), None, None)
    found = judged(runs, reports[runs], judge, None)
    assert judge == "plain"
    assert found.comparison.predicted == pytest.approx(1.0)
    assert found.comparison.source == "its own scenario"
    assert found.overlay is None
    assert found.not_predicted is None
    assert len(found.report.subscribers["s"].batches) == 40


def test_a_forecast_stands_for_every_run(runs):
    """Whoever made it; drawn folders have a map."""
    reports, judge = reports_of({runs: runs_of(runs)}, Where(), None, None)
    forecast = Forecast(reliability={"s": 0.25}, source="mine")
    found = judged(runs, reports[runs], judge, forecast, drawn=True)
    assert found.comparison.predicted == 0.25
    assert found.overlay.brokers == ["a", "b"]
    nobody = judged(runs, reports[runs], judge, Forecast(reliability={"x": 0.25}, source="mine"))
    assert "nobody" in nobody.not_predicted
