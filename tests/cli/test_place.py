"""`tidings place`: what is printed, which exit code."""

import pytest

from cli.command import LINE, document, refused, tidings


@pytest.fixture
def place(tmp_path):
    """A folder with a scenario in it, whose link loses a fifth."""
    (tmp_path / "lossy.toml").write_text(LINE.replace('"10ms"', '"10ms"\nloss = 0.2'), "utf-8")
    return tmp_path


def test_homes(place):
    """Nearer to the publisher nothing is lost."""
    ended = tidings("place", "lossy.toml", folder=place)
    assert ended.returncode == 0, ended.stderr
    assert "1 of 1 subscribers would get 0.2000 more elsewhere" in ended.stdout
    assert "s: a gives 1.0000, b 0.8000" in ended.stdout
    found = document(tidings("place", "lossy.toml", "--only", "s", "--json", folder=place))["subscribers"]["s"]
    assert (found["home"], found["best"]) == ("b", "a")
    assert found["at_most"] == pytest.approx({"a": 1.0, "b": 0.8})


def test_staying(place):
    """Where there is nothing better."""
    ended = tidings("place", "lossy.toml", "--among", "b", folder=place)
    assert ended.returncode == 0
    assert "0 of 1" in ended.stdout
    assert "no choice" in ended.stdout


def test_bad_names(place):
    """Exit code 2, one line."""
    assert "no subscriber 'x'" in refused(tidings("place", "lossy.toml", "--only", "x", folder=place))
    assert "no broker 'z'" in refused(tidings("place", "lossy.toml", "--among", "a,z", folder=place))
