"""Declared tables: reading, writing, suggestions. The declarations here are small ones of their own."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tidings.errors import ScenarioError
from tidings.scenario.kinds import DURATION, TEXT, whole
from tidings.scenario.schema import dump_table, key, keys_of, read_table, table_kind, unknown
from tidings.scenario.source import Place, Source


@dataclass(frozen=True, kw_only=True)
class Inner:
    """A table in a table."""

    size: int = key(whole(0, 9), "how large", default=3)


@dataclass(frozen=True, kw_only=True)
class Outer:
    """A table with one key that must be given."""

    owner: str = "nobody"
    pause: int | None = key(DURATION, "how long", default=None)
    label: str = key(TEXT, "what to call it", default="x", always=True)
    inner: Inner | None = key(table_kind(Inner, "a table"), "more", default=None)
    wanted: int = key(whole(1, 5), "needed")

    def check(self, place):
        """One rule between two keys."""
        if self.wanted == 5 and self.pause is None:
            raise place.child("pause").wrong(None, "needed with 5")


PLACE = Place(Source(Path(__file__)))


def read(content):
    """Read an `Outer`."""
    return read_table(Outer, content, PLACE, owner="me")


def test_keys_that_must_be_given_come_first():
    """Fields that are no keys are no part of the schema."""
    assert [one.name for one in keys_of(Outer)] == ["wanted", "pause", "label", "inner"]
    assert [one.required for one in keys_of(Outer)] == [True, False, False, False]


def test_values_are_read_by_their_kinds():
    """Absent ones take their defaults, fields that are no keys come from the caller."""
    assert read({"wanted": 2, "pause": "1s", "inner": {}}) == Outer(
        wanted=2, pause=1_000_000_000, inner=Inner(size=3), owner="me"
    )


def test_what_is_written_reads_back_equal():
    """Defaults are left out, but for those that are always written."""
    outer = Outer(wanted=2, inner=Inner(size=4), owner="me")
    assert dump_table(outer) == {"wanted": 2, "label": "x", "inner": {"size": 4}}
    assert read(dump_table(outer)) == outer


@pytest.mark.parametrize(
    ("content", "key_name", "remedy"),
    [
        ({"wnated": 1}, "wnated", 'did you mean "wanted"?'),
        ({"zzz": 1, "wanted": 1}, "zzz", "known are wanted, pause"),
        ({}, "wanted", "is missing; it must be a whole number from 1 to 5"),
        ({"wanted": 9}, "wanted", "must be a whole number from 1 to 5"),
        ({"wanted": 1, "inner": {"size": "big"}}, "inner.size", "whole number"),
        ({"wanted": 1, "inner": 3}, "inner", "must be a table"),
        ({"wanted": 5}, "pause", "needed with 5"),
    ],
)
def test_complaints_point_at_the_key(content, key_name, remedy):
    """File, key, value, remedy."""
    with pytest.raises(ScenarioError) as caught:
        read(content)
    assert caught.value.key == key_name
    assert remedy in caught.value.remedy
    assert caught.value.file == str(__file__)


def test_many_known_names_are_cut_short():
    """A list of hundreds helps nobody."""
    text = unknown("broker", "??", dict.fromkeys(f"broker{number}" for number in range(100)))
    assert "broker19 …" in text
    assert "broker20" not in text
