"""Links by what was measured over them."""

import math

import pytest


def test_both_directions_are_one_link(profiled):
    """α is the mean one-way delay; the deviation has that between the measurements and that within each."""
    link = profiled.by("links", "one", "other")["Bonn", "Rome"]
    assert (link["packets"], link["measured"], link["delivery"]) == (2, 2, 1.0)
    assert link["delay_ns"] == 15_500_000
    assert link["deviation_ns"] == pytest.approx(math.hypot(500_000, 400_000 / math.sqrt(2)), rel=1e-6)
    assert link["quantile_ns"][0] == 15_000_000
    assert link["quantile_ns"][-1] == 16_000_000


def test_what_beats_light_is_bad(profiled):
    """9,000 km in 4.5 ms."""
    assert [row["reason"] for row in profiled.rows("quarantine") if "pings" in row["file"]] == [
        "delay: is shorter than light takes"
    ]
    assert not any("Nome" in name for pair in profiled.by("links", "one", "other") for name in pair)
