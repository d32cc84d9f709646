"""`tidings plan`: what is printed, which exit code."""

import pytest

from cli.command import LINE, document, refused, tidings

BUSY = LINE.replace('id = "a"', 'id = "a"\nservice = { dist = "exponential", mean = "100ms" }')


@pytest.fixture
def place(tmp_path):
    """A folder with scenarios in it."""
    (tmp_path / "line.toml").write_text(LINE, "utf-8")
    (tmp_path / "busy.toml").write_text(BUSY, "utf-8")
    return tmp_path


def test_people_get_paragraphs(place):
    """One for each question; nobody is judged, so the exit code is 0."""
    ended = tidings("plan", "busy.toml", "--requires", "0.999", folder=place)
    assert ended.returncode == 0, ended.stderr
    for word in ("largest load: ", "slowest brokers: ", "fragile: a", "one more link: every broker"):
        assert word in ended.stdout
    free = tidings("plan", "line.toml", folder=place).stdout
    assert "no broker takes any time" in free


def test_json(place):
    """Two events a second, ten that can be done: five times the load, until all is full."""
    found = document(tidings("plan", "busy.toml", "--json", folder=place))
    assert found["load"]["factor"] == pytest.approx(5.0, rel=0.01)
    assert found["holds"]
    assert [one["component"] for one in found["fragile"]][-1] in ("a", "b", "a>b")
    assert found["links"] == []


def test_bad_input(place):
    """Exit code 2, one line."""
    assert "none.toml" in refused(tidings("plan", "none.toml", folder=place))
    assert "--requires" in refused(tidings("plan", "line.toml", "--requires", "2", folder=place))
