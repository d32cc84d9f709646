"""`tidings explain`: one event, in words or as a document."""

import pytest

from cli.command import LINE, document, refused, tidings


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """A run, and a folder of two."""
    place = tmp_path_factory.mktemp("explain")
    (place / "line.toml").write_text(LINE, "utf-8")
    assert tidings("simulate", "line.toml", "--out", "logs", folder=place).returncode == 0
    assert tidings("simulate", "line.toml", "--runs", 2, "--out", "many", folder=place).returncode == 0
    return place


def test_people_get_sentences(logs):
    """The event, who wanted it, and the way it took."""
    ended = tidings("explain", "p:3", "logs", folder=logs)
    assert ended.returncode == 0, ended.stderr
    assert "number 3 of p on reading" in ended.stdout
    assert "1 subscribers: 1 on time" in ended.stdout
    assert "s at b: on time" in ended.stdout
    assert "a sent it to b" in ended.stdout


def test_programs_get_a_document(logs):
    """The same, by subscriber."""
    found = document(tidings("explain", "p:3", "logs", "--json", folder=logs))
    assert (found["publisher"], found["number"]) == ("p", 3)
    assert found["subscribers"]["s"]["outcome"] == "on_time"
    again = document(tidings("explain", found["event"], "logs", "--subscriber", "s", "--json", folder=logs))
    assert again == found


def test_a_run_of_several_is_chosen(logs):
    """Which there are is said."""
    assert "seed-3, seed-4" in refused(tidings("explain", "p:3", "many", folder=logs))
    assert "seed-9" not in refused(tidings("explain", "p:3", "many", "--run", "seed-9", folder=logs))
    assert tidings("explain", "p:3", "many", "--run", "seed-4", folder=logs).returncode == 0


def test_what_is_not_there_is_refused(logs):
    """The event, the subscriber, the folder."""
    assert "p:7" in refused(tidings("explain", "p", "logs", folder=logs))
    assert "neither wanted" in refused(tidings("explain", "p:3", "logs", "--subscriber", "x", folder=logs))
    assert "no finished run" in refused(tidings("explain", "p:3", "nowhere", folder=logs))
