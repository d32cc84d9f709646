"""Which files a profile is made from."""

import json

import pytest

from tidings.errors import InputError
from tidings.profiling.files import digest_of, files_of


def put(path, text="x"):
    """A file, and its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_folders_are_searched_in_order(tmp_path):
    """Below what was named; papers beside the data are left out."""
    first, second = put(tmp_path / "a" / "1.csv", "1"), put(tmp_path / "b.csv", "2")
    for paper in ("README.md", "LICENSE", ".hidden", "a/readme.txt"):
        put(tmp_path / paper, paper)
    assert files_of([tmp_path]) == [first, second]


def test_what_is_named_counts(tmp_path):
    """Whatever it is called."""
    paper = put(tmp_path / "README.csv")
    assert files_of([paper]) == [paper]


def test_a_run_is_one_thing(tmp_path):
    """Its tables are not looked at one by one."""
    put(tmp_path / "run" / "run.json", json.dumps({"files": []}))
    put(tmp_path / "run" / "deliveries.parquet")
    assert files_of([tmp_path]) == [tmp_path / "run"]


def test_nothing_is_refused(tmp_path):
    """An empty folder, and a name without a file."""
    with pytest.raises(InputError, match="no files are here"):
        files_of([tmp_path])
    with pytest.raises(InputError, match="no such file"):
        files_of([tmp_path / "x"])


def test_the_same_bytes_twice_are_refused(tmp_path):
    """Under two names, or one named twice; equal sizes alone are no reason."""
    one, other = put(tmp_path / "a.csv", "ab"), put(tmp_path / "b.csv", "cd")
    assert files_of([tmp_path]) == [one, other]
    put(other, "ab")
    with pytest.raises(InputError, match=r"b\.csv: holds the same bytes as .*a\.csv"):
        files_of([tmp_path])
    with pytest.raises(InputError, match="would count twice"):
        files_of([one, one])


def test_a_digest_changes_with_the_files(tmp_path):
    """Size and time of change tell."""
    one = put(tmp_path / "a.csv", "ab")
    before = digest_of([one])
    assert digest_of([one]) == before
    put(one, "abc")
    assert digest_of([one]) != before
    put(tmp_path / "run" / "run.json", "{}")
    assert digest_of([tmp_path / "run"]) != before
