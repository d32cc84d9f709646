"""Stages on disk, and the manifest that says which are complete."""

import json

import pytest

from tidings.errors import InputError
from tidings.pipeline.workspace import MANIFEST, Workspace, workspace


def numbers(frame):
    """The values of the first column."""
    return sorted(row[0] for row in frame.collect())


def test_a_complete_stage_is_made_once(spark, tmp_path):
    """A second run reads what the first one wrote."""
    made = []

    def make():
        made.append(1)
        return spark.range(3)

    for _ in range(2):
        space = Workspace(spark, tmp_path / "w", "inputs")
        assert numbers(space.stage("a", make)) == [0, 1, 2]
        assert numbers(space.stage("a", make)) == [0, 1, 2]
    assert made == [1]


def test_a_stage_that_was_killed_is_made_again(spark, tmp_path):
    """Files without an entry in the manifest count for nothing, even with a _SUCCESS among them."""
    space = Workspace(spark, tmp_path / "w", "inputs")
    spark.range(100).write.parquet(str(tmp_path / "w" / "a"))
    assert numbers(space.stage("a", lambda: spark.range(2))) == [0, 1]
    assert json.loads((tmp_path / "w" / MANIFEST).read_text()) == {"inputs": "inputs", "stages": ["a"]}


def test_other_inputs_begin_anew(spark, tmp_path):
    """And only our own stages are removed."""
    Workspace(spark, tmp_path / "w", "one").stage("a", lambda: spark.range(2))
    (tmp_path / "w" / "mine").mkdir()
    space = Workspace(spark, tmp_path / "w", "two")
    assert not (tmp_path / "w" / "a").exists()
    assert (tmp_path / "w" / "mine").exists()
    assert numbers(space.stage("a", lambda: spark.range(1))) == [0]


def test_a_stage_that_fails_is_not_complete(spark, tmp_path):
    """The next attempt makes it."""
    space = Workspace(spark, tmp_path / "w", "inputs")
    with pytest.raises(ZeroDivisionError):
        space.stage("a", lambda: 1 / 0)
    assert numbers(space.stage("a", lambda: spark.range(1))) == [0]


def test_a_folder_of_something_else_is_refused(spark, tmp_path):
    """Whatever lies there is not ours to replace; nor is a list that nobody can read."""
    (tmp_path / "notes").write_text("x", "utf-8")
    with pytest.raises(InputError, match="empty folder"):
        Workspace(spark, tmp_path, "inputs")
    (tmp_path / MANIFEST).write_text("[]", "utf-8")
    with pytest.raises(InputError, match="no list of stages"):
        Workspace(spark, tmp_path, "inputs")


def test_without_a_place_it_goes(spark, tmp_path):
    """In the system's temporary folder while the block runs; a named one stays."""
    with workspace(spark, None, "inputs") as space:
        space.stage("a", lambda: spark.range(1))
        assert space.path.exists()
    assert not space.path.exists()
    with workspace(spark, tmp_path / "kept", "inputs") as space:
        space.stage("a", lambda: spark.range(1))
    assert (tmp_path / "kept" / "a").exists()
