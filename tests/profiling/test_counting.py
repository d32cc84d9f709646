"""Counting in pieces: however a record is cut, the sums are those of the whole."""

import itertools
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidings.profiling.counting import (
    LEVELS,
    bucket_of,
    counted,
    index_of_dispersion,
    spread_evenly,
    window_ns,
)

RECORDS = st.lists(st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 40_000)), min_size=1, max_size=40)


def batch(rows):
    """As Spark hands it over: publisher, segment, instant, rank."""
    names, segments, instants, ranks = zip(*rows, strict=True)
    columns = [
        pa.array(names),
        pa.array(segments, pa.int32()),
        pa.array(instants, pa.int64()),
        pa.array(ranks, pa.int64()),
    ]
    return pa.RecordBatch.from_arrays(columns, ["publisher", "segment", "at_ns", "rank"])


def ranked(records):
    """Events in the order of publisher and time; segments of 30,000 ns."""
    rows, seen = [], Counter()
    for name, at in sorted(records):
        rows.append((name, at // 30_000, at, seen[name]))
        seen[name] += 1
    return rows


def joined(batches):
    """What whoever joins the pieces makes of them."""
    rows = [row for one in counted(iter(batches)) for row in one.to_pylist()]
    intervals, windows = Counter(), Counter()
    for row in rows:
        if row["what"] == "interval":
            intervals[row["publisher"], row["key"], "n"] += row["n"]
            intervals[row["publisher"], row["key"], "total"] += row["total"]
    ends = sorted(
        (row["publisher"], row["key"], row["n"], row["level"], row["total"]) for row in rows if row["what"] == "end"
    )
    for (one, _, before, segment, _), (other, _, at, own, first) in itertools.pairwise(ends):
        if one == other and first and segment == own:
            bucket = int(bucket_of(np.array([at - before]))[0])
            intervals[one, bucket, "n"] += 1
            intervals[one, bucket, "total"] += at - before
    cut = Counter()
    for row in rows:
        if row["what"] == "windows":
            windows[row["publisher"], row["level"], "total"] += row["total"]
            windows[row["publisher"], row["level"], "square"] += row["square"]
        elif row["what"] == "window":
            cut[row["publisher"], row["level"], row["key"]] += row["n"]
    for (name, level, _), n in cut.items():
        windows[name, level, "total"] += n
        windows[name, level, "square"] += n * n
    return +intervals, +windows


def plainly(records):
    """The same, event by event."""
    intervals, windows = Counter(), Counter()
    for name in sorted({one for one, _ in records}):
        instants = sorted(at for one, at in records if one == name)
        for before, at in itertools.pairwise(instants):
            if before // 30_000 == at // 30_000:
                bucket = int(bucket_of(np.array([at - before]))[0])
                intervals[name, bucket, "n"] += 1
                intervals[name, bucket, "total"] += at - before
        for level in range(LEVELS):
            counts = Counter(at // window_ns(level) for at in instants)
            windows[name, level, "total"] = sum(counts.values())
            windows[name, level, "square"] = sum(n * n for n in counts.values())
    return +intervals, +windows


@given(RECORDS, st.integers(1, 7))
@settings(max_examples=40)
def test_cutting_changes_nothing(records, size):
    """Against a count of every event, whatever the pieces."""
    rows = ranked(records)
    pieces = [batch(rows[start : start + size]) for start in range(0, len(rows), size)]
    assert joined(pieces) == plainly(records)


def test_ranks_that_do_not_follow_are_apart():
    """Two stretches of one file in one batch: nothing is between them."""
    rows = [("a", 0, 0, 0), ("a", 0, 10, 1), ("a", 0, 5_000, 7), ("a", 0, 5_010, 8)]
    found = [row for one in counted(iter([batch(rows)])) for row in one.to_pylist() if row["what"] == "interval"]
    assert [(row["n"], row["total"]) for row in found] == [(2, 20)]


def test_an_empty_batch():
    """Says nothing."""
    assert list(counted(iter([batch([("a", 0, 0, 0)]).slice(0, 0)]))) == []


def test_buckets_are_narrow():
    """Intervals in one bucket differ by less than a 64th of themselves; none at all has its own."""
    lengths = np.arange(1, 100_000)
    buckets = bucket_of(lengths)
    assert (np.diff(buckets) >= 0).all()
    for bucket in np.unique(buckets)[::40]:
        inside = lengths[buckets == bucket]
        assert inside.max() <= inside.min() * np.exp(1 / 64) + 1
    assert bucket_of(np.array([0])).tolist() == [-1]


@given(st.lists(st.tuples(st.integers(1, 9), st.floats(0, 100)), min_size=1, max_size=20), st.integers(1, 12))
def test_spreading_keeps_the_mean(groups, parts):
    """In ascending order, within the values that there are."""
    groups = sorted(groups, key=lambda one: one[1])
    counts, means = (np.array(one, np.float64) for one in zip(*groups, strict=True))
    values = spread_evenly(counts, means, parts)
    assert len(values) == parts
    assert values.mean() == pytest.approx(counts @ means / counts.sum(), abs=1e-9)
    assert (np.diff(values) >= -1e-9).all()
    assert values.min() >= means.min() - 1e-9
    assert values.max() <= means.max() + 1e-9


def test_single_values_are_kept():
    """As many parts as values: the values themselves."""
    assert spread_evenly(np.array([2.0, 1.0]), np.array([3.0, 5.0]), 3).tolist() == [3.0, 3.0, 5.0]


def test_dispersion_of_counts():
    """Variance over mean, empty windows included; unknown where fewer than 20 fit or nothing came."""
    counts = np.array([3, 0, 0, 1] * 10)
    span = len(counts) * window_ns(0)
    sums = (int(counts.sum()), int((counts**2).sum()))
    assert index_of_dispersion(span, 0, sums) == pytest.approx(counts.var() / counts.mean())
    assert index_of_dispersion(19 * window_ns(0), 0, sums) is None
    assert index_of_dispersion(span, 0, (0, 0)) is None
