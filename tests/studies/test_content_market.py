"""A day of trading from the day before: the worlds, and the arithmetic of the figures."""

from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from tidings.market.trading_day import Trades
from tidings.studies.content_market import MarketJob, locality, market, market_world, predicted_and_run, write_trace
from tidings.studies.study_run import StudyRun
from tidings.studies.two_days import made_days

JOB = MarketJob(seed=1, subscribers=30, stocks=4, runs=2, service_ms=10)


def trades(prices, sizes):
    """A second apart."""
    at_ns = np.arange(len(prices), dtype=np.int64) * 10**9
    return Trades(at_ns, np.array(prices, np.float64), np.array(sizes, np.int64))


def test_a_trace(tmp_path):
    """What a publisher replays: price and volume as filter literals."""
    write_trace(trades([1.5, 2.0], [100, 300]), "XYZ", tmp_path / "x.parquet")
    rows = pq.read_table(tmp_path / "x.parquet").to_pylist()
    assert rows[1] == {
        "published_ns": 10**9,
        "topic": "XYZ",
        "attributes": [("price", "2.0"), ("volume", "300")],
        "payload_bytes": 64,
    }


def test_the_same_world_on_both_days(tmp_path):
    """Other traces, and nothing else."""
    days = made_days(1, 4)
    first, second = (market_world(tmp_path, number, days, JOB) for number in (1, 2))
    assert first.subscribers == second.subscribers
    assert first.links == second.links
    assert [one.broker for one in first.publishers] == [one.broker for one in second.publishers]
    assert all("-1" in one.trace.name for one in first.publishers)
    assert all("-2" in one.trace.name and one.trace.path.is_file() for one in second.publishers)


def test_predicted_and_run():
    """Two kinds of knowledge, two models; perfect knowledge is near where there is little load."""
    found = predicted_and_run(JOB)
    assert set(found.predicted) == {
        f"{known}, {model}" for known in ("perfect", "historical") for model in ("G/G/1", "distribution")
    }
    assert np.abs(found.errors("perfect, distribution")).mean() < 0.1
    assert found.runs.shape[0] == 2


def test_locality():
    """Changes of means between two days."""
    first = {name: trades([10.0] * (2 + place), [100] * (2 + place)) for place, name in enumerate("xyz")}
    second = {name: trades([11.0] * (2 + place), [100 + 150 * place] * (2 + place)) for place, name in enumerate("xyz")}
    found = {one.what: one.ours for one in locality("made", first, second).findings}
    assert found["stocks"] == 3
    assert found["share of stocks whose mean volume changes by 100 % at most"] == pytest.approx(1 / 3)
    assert found["median change of the mean price, %"] == pytest.approx(10.0)
    assert found["volume changes more than price"] == "yes"
    few = locality("made", {"x": first["x"]}, {"x": second["x"]})
    assert few.findings[1].ours is None


@pytest.mark.slow
def test_the_figures():
    """Of the made market at least, with a figure for each load."""
    names = [one.name for one in market(StudyRun())]
    assert {"fig3.8-made", "fig3.9-made-10ms", "fig3.9-made-100ms"} <= set(names)
    assert replace(JOB, stocks=None).stocks is None
