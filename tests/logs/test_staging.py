"""Folders that appear whole or not at all."""

import errno
import hashlib
import json

import pytest

from tidings.errors import WorldError
from tidings.logs import LogFolder, RunsFolder, StagedFolder
from tidings.logs.staging import saying


def test_everything_appears_at_once(tmp_path):
    """With `run.json` in it."""
    with StagedFolder(tmp_path / "x") as folder:
        folder.write_text("a.txt", "grün\n")
        assert not (tmp_path / "x").exists()
        folder.finish({"seed": 1}, {"a.txt": 1})
    assert [one.name for one in tmp_path.iterdir()] == ["x"]
    (file,) = json.loads((tmp_path / "x" / "run.json").read_bytes())["files"]
    content = "grün\n".encode()
    assert file == {"name": "a.txt", "bytes": 6, "sha256": hashlib.sha256(content).hexdigest(), "rows": 1}


def test_an_empty_target_is_filled(tmp_path):
    """As `mktemp` leaves it."""
    (tmp_path / "x").mkdir()
    with StagedFolder(tmp_path / "x") as folder:
        folder.finish({}, {})
    assert (tmp_path / "x" / "run.json").exists()


def test_parents_are_made(tmp_path):
    """As deep as asked."""
    with StagedFolder(tmp_path / "a" / "b" / "c") as folder:
        folder.finish({}, {})
    assert (tmp_path / "a" / "b" / "c" / "run.json").exists()


def test_two_at_once_do_not_meet(tmp_path):
    """Each has its own place; the second to finish is refused, and the first stays."""
    with StagedFolder(tmp_path / "x") as first, StagedFolder(tmp_path / "x") as second:
        assert first.stage != second.stage
        first.finish({"seed": 1}, {})
        with pytest.raises(WorldError, match="not empty"):
            second.finish({"seed": 2}, {})
    assert json.loads((tmp_path / "x" / "run.json").read_bytes())["seed"] == 1
    assert [one.name for one in tmp_path.iterdir()] == ["x"]


def test_what_a_killed_run_left_is_passed_over(tmp_path):
    """Nobody knows whether it still runs."""
    (tmp_path / ".x.partial-0").mkdir()
    with StagedFolder(tmp_path / "x") as folder:
        assert folder.stage.name == ".x.partial-1"


def test_there_is_an_end_to_passing_over(tmp_path, request):
    """With the remedy."""
    for attempt in range(10_000):
        (tmp_path / f".x.partial-{attempt}").mkdir()
    with pytest.raises(WorldError, match="too many unfinished runs"):
        StagedFolder(tmp_path / "x")


def test_finished_is_finished(tmp_path):
    """Once."""
    with StagedFolder(tmp_path / "x") as folder:
        folder.finish({}, {})
        with pytest.raises(AssertionError):
            folder.finish({}, {})
    with StagedFolder(tmp_path / "y") as folder, pytest.raises(AssertionError):
        folder.write_text("../outside", "")


def test_a_folder_that_is_no_run(tmp_path):
    """Appears with what was written into it and nothing else, once."""
    with StagedFolder(tmp_path / "x") as folder:
        folder.write_text("scenario.toml", "text")
        folder.appear()
        with pytest.raises(AssertionError):
            folder.appear()
    assert [(file.name, file.read_text("utf-8")) for file in (tmp_path / "x").iterdir()] == [("scenario.toml", "text")]


def test_a_folder_of_runs(tmp_path):
    """Each run is written inside it, and all appear together."""
    with RunsFolder(tmp_path / "x") as folder:
        for name in ("seed-2", "seed-10"):
            with LogFolder.create(folder.stage / name, names=[]) as run:
                run.finish({})
        folder.write_text("scenario.toml", "")
        folder.finish_runs({"seed": 2}, ["seed-2", "seed-10"])
    run = json.loads((tmp_path / "x" / "run.json").read_bytes())
    assert run["runs"] == ["seed-2", "seed-10"]
    assert [one["name"] for one in run["files"]] == ["scenario.toml"]


def test_a_run_that_is_missing(tmp_path):
    """Is not listed by mistake."""
    with RunsFolder(tmp_path / "x") as folder, pytest.raises(AssertionError):
        folder.finish_runs({}, ["seed-1"])
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_sentence(tmp_path):
    """What the system says, and what to do."""
    with (
        pytest.raises(WorldError, match=r"x: cannot write the folder: No space left.*free space"),
        saying(tmp_path / "x"),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(WorldError, match="something else"), saying(tmp_path / "x"):
        raise OSError("something else")
