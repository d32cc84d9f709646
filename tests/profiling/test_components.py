"""Failures and repairs, against what the made record says."""

import pytest

H = 3_600 * 10**9
DAY = 24 * H


def test_overlapping_failures_are_one(profiled):
    """From the first begin to the last end; one without length counts as a failure."""
    node = profiled.by("components", "component")["2/0"]
    assert (node["failures"], node["overlapping"], node["without_length"], node["group"]) == (2, 1, 1, "2")
    assert node["mttr_ns"] == H
    watched = node["watched_ns"]
    assert node["mtbf_ns"] == (watched - 2 * H) / 2
    assert node["availability"] == pytest.approx(1 - 2 * H / watched)


def test_how_long_it_was_watched(profiled):
    """From when it went into production to its end; else to the last repair of its group."""
    found = profiled.by("components", "component")
    assert found["2/1"]["watched_ns"] == 91 * DAY
    last, first = "6/3/2005", "4/1/2005"
    assert (last, first, found["2/0"]["watched_ns"]) == (last, first, 63 * DAY)


def test_failures_together(profiled):
    """Two nodes of one group in the same minute; a node of another group has nothing to do with them."""
    (episode,) = [row for row in profiled.rows("episodes") if row["group"] == "2"]
    assert (episode["components"], episode["names"]) == (2, ["2/0", "2/1"])
    assert episode["up_ns"] - episode["down_ns"] == 2 * H
    found = profiled.by("components", "component")
    assert [found[name]["correlated"] for name in ("2/0", "2/1", "Site A")] == [1, 1, 0]


def test_rows_that_cannot_be(profiled):
    """A repair before its failure, a date that is none."""
    bad = sorted(row["reason"] for row in profiled.rows("quarantine") if row["file"].endswith("failures.csv"))
    assert bad == ["until: before tracking is not what the mapping says", "up: comes before down"]
