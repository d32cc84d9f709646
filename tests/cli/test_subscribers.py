"""Copies of one entry share a row."""

from cli.command import line_of
from tidings.cli import subscribers

ENTRY = {"reliability": 0.5, "wanted": 10, "on_time": 5, "late": 2, "expired": 1, "lost": 2}
NOTHING = {"reliability": None, "wanted": 0, "on_time": 0, "late": 0, "expired": 0, "lost": 0}


def test_names_that_differ_in_numbers_are_one_group():
    """Alone, a subscriber keeps its own name; groups come in the order of their first member."""
    found = subscribers.grouped({"s9": ENTRY, "desk7": ENTRY, "s10": NOTHING, "s-b1-t2": ENTRY, "s-b1-t3": ENTRY})
    assert {name: len(members) for name, members in found.items()} == {"s*": 2, "desk7": 1, "s-b*-t*": 2}


def test_a_group_is_judged_over_all_its_events(capfd):
    """Not by the mean of its members' shares; the worst member stands beside it."""
    better = {**ENTRY, "reliability": 1.0, "wanted": 30, "on_time": 30, "late": 0, "expired": 0, "lost": 0}
    subscribers.print_subscribers("title", {"s0": ENTRY, "s1": better, "s2": NOTHING})
    written = capfd.readouterr().out
    assert line_of(written, "s*") == ["3", "0.8750", "0.5000", "40", "35", "2", "1", "2"]


def test_who_wanted_nothing_has_no_reliability(capfd):
    """A dash, not a zero."""
    subscribers.print_subscribers("title", {"s": NOTHING})
    assert line_of(capfd.readouterr().out, "s") == ["1", "–", "–", "0", "0", "0", "0", "0"]
