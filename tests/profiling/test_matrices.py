"""Matrices of round trips."""

from pathlib import Path


def test_entries_are_half_a_round_trip(profiled):
    """In both directions and in every slice; 0 and words are no measurements."""
    links = profiled.by("links", "one", "other")
    assert links["n0", "n1"]["quantile_ns"][0] == 1_000_000
    assert (links["n0", "n1"]["measured"], links["n0", "n1"]["delay_ns"]) == (4, 1_250_000)
    assert links["n0", "n2"]["measured"] == 3
    assert links["n1", "n2"]["delay_ns"] == 3_000_000


def test_bad_entries_are_named(profiled):
    """By slice and line."""
    bad = [row for row in profiled.rows("quarantine") if "PlanetLab" in row["file"]]
    found = sorted((Path(row["file"]).name, row["place"], row["text"], row["reason"]) for row in bad)
    assert found == [
        ("Data_1", 2, "column 2 0", "is 0, which no round trip takes"),
        ("Data_1", 3, "column 1 0", "is 0, which no round trip takes"),
        ("Data_2", 1, "column 2 x", "is no number"),
    ]
