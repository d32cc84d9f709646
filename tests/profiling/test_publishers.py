"""Profiles against plain counts of the records that they were made from."""

import numpy as np
import pytest

from profiling.made_records import TRADES
from tidings.pipeline.workspace import Workspace
from tidings.profiling.publishers import CONTENTS_MAX, profile_stage
from tidings.vocabulary.profiles import PROFILE_SCHEMA

S = 10**9
HALF_HOUR_NS = 1800 * S


@pytest.fixture
def ibm(trading_days):
    """The profile of two days."""
    return trading_days.by("publishers", "publisher")["ibm"]


def test_rate_and_length(ibm):
    """Days side by side, of the hours that count."""
    assert (ibm["events"], ibm["span_ns"]) == (2 * len(TRADES), 2 * HALF_HOUR_NS)
    assert ibm["rate"] == pytest.approx(2 * len(TRADES) / 3600)
    assert ibm["lifetime_ns"] is None


def test_intervals_are_those_within_days(ibm):
    """The burstiness is that of the record; the values that stand for all have the mean of the rate."""
    intervals = np.diff(sorted(at for at, _, _ in TRADES)) * 10**6
    assert ibm["scv"] == pytest.approx(intervals.var() / intervals.mean() ** 2, rel=1e-3)
    values = np.array(ibm["interval_ns"])
    assert len(values) == 2 * len(intervals)
    assert (np.diff(values) >= -1e-6).all()
    assert values.mean() == pytest.approx(S / ibm["rate"])
    scaled = np.sort(np.concatenate([intervals, intervals])) * values.mean() / intervals.mean()
    assert values == pytest.approx(scaled, rel=0.02, abs=1.0)


def test_dispersion_is_that_of_every_window(ibm):
    """Counted one by one, empty ones as well."""
    at = np.sort([at - TRADES[0][0] for at, _, _ in TRADES]) * 10**6
    at = np.concatenate([at, at + HALF_HOUR_NS])
    assert len(ibm["dispersion"]) > 20
    for point in ibm["dispersion"]:
        windows = int(ibm["span_ns"] // point["window_ns"])
        if windows > 10**6:
            continue
        counts = np.bincount((at // point["window_ns"]).astype(int), minlength=windows)
        mean = counts.sum() / windows
        assert point["index"] == pytest.approx(((counts**2).sum() / windows - mean**2) / mean)


def test_contents_have_their_weights(ibm):
    """Equal ones are one, and all weights sum to 1."""
    weights = {
        (dict(one["attributes"])["price"], dict(one["attributes"])["size"]): one["weight"] for one in ibm["contents"]
    }
    counts = {}
    for _, price, size in TRADES:
        key = (repr(price / 10_000), str(size))
        counts[key] = counts.get(key, 0) + 1
    assert weights == pytest.approx({key: count / len(TRADES) for key, count in counts.items()})
    assert sum(weights.values()) == pytest.approx(1.0)


def test_a_long_record_is_thinned_out_evenly(spark, tmp_path):
    """A sample along the record; several pieces, one publisher with nearly all events."""
    many = 5 * CONTENTS_MAX
    rows = spark.range(many).selectExpr(
        "if(id % 50 = 0, concat('q', id % 100), 'p') as publisher",
        "0 as segment",
        "id * 1000000 as at_ns",
        "'t' as topic",
        "map('x', cast(id as string)) as attributes",
        "id % 3 as payload_bytes",
        "cast(null as bigint) as lifetime_ns",
    )
    ranked = rows.selectExpr("*", "row_number() over (partition by publisher order by at_ns) - 1L as rank")
    space = Workspace(spark, tmp_path / "work", "x")
    events = space.stage("events", lambda: ranked)
    table = profile_stage(space, events, None).toArrow().cast(PROFILE_SCHEMA)
    found = {row["publisher"]: row for row in table.to_pylist()}
    assert sorted(found) == ["p", "q0", "q50"]
    contents = found["p"]["contents"]
    assert CONTENTS_MAX * 0.9 <= len(contents) <= CONTENTS_MAX
    values = np.array([int(dict(one["attributes"])["x"]) for one in contents])
    assert values.mean() == pytest.approx(many / 2, rel=0.01)
    assert found["q0"]["rate"] == pytest.approx(10.0)
    assert found["q0"]["scv"] == pytest.approx(0.0, abs=1e-6)


def test_few_events(profiled):
    """Of one nothing is known but that it came once in the whole record."""
    found = profiled.by("publishers", "publisher")
    assert (found["HNL"]["events"], found["HNL"]["scv"]) == (1, None)
    assert found["HNL"]["interval_ns"] == [pytest.approx(found["HNL"]["span_ns"])]
    assert found["HNL"]["span_ns"] == max(row["at_ns"] for row in profiled.stage("events").to_pylist())
    assert (found["DTW"]["span_ns"], found["DTW"]["scv"]) == (360 * S, None)


def test_mentions_are_spread_over_their_five_minutes(profiled):
    """Three, none and one."""
    found = profiled.by("publishers", "publisher")["KO"]
    assert (found["events"], found["contents"][0]["weight"]) == (4, 1.0)
    at = [50, 150, 250, 600 + 150]
    assert found["span_ns"] == (at[-1] - at[0]) * S // 3 * 4
