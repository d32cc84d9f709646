"""`tidings admit`: what is printed, which exit code."""

import pytest

from cli.command import LINE, document, refused, tidings

BUSY = LINE.replace('id = "a"', 'id = "a"\nservice = { dist = "exponential", mean = "100ms" }')
TWO = (
    BUSY
    + 'requires = 0.9\n[[subscriber]]\nid = "greedy"\nbroker = "b"\nfilter = \'topic == "reading"\'\nrequires = 1.0\n'
)


@pytest.fixture
def place(tmp_path):
    """A folder with scenarios in it."""
    (tmp_path / "line.toml").write_text(LINE, "utf-8")
    (tmp_path / "two.toml").write_text(TWO, "utf-8")
    return tmp_path


def test_everybody(place):
    """Exit code 0, and the hint where nobody requires anything."""
    ended = tidings("admit", "line.toml", folder=place)
    assert ended.returncode == 0, ended.stderr
    assert "1 of 1 subscribers admitted" in ended.stdout
    assert "no subscriber requires anything" in ended.stdout
    asked = tidings("admit", "line.toml", "--requires", "0.5", folder=place)
    assert asked.returncode == 0
    assert "requires anything" not in asked.stdout


def test_somebody_is_refused(place):
    """Exit code 1; the reason in words, and in the document."""
    ended = tidings("admit", "two.toml", folder=place)
    assert ended.returncode == 1, ended.stderr
    assert "REFUSED: greedy would get 0.9" in ended.stdout
    ended = tidings("admit", "two.toml", "--json", folder=place)
    assert ended.returncode == 1
    found = document(ended)
    assert (found["admitted"], found["refused"], found["proven"]) == (["s"], ["greedy"], True)
    assert "broker a" in found["decisions"]["greedy"]["reason"]


def test_one_more(place):
    """With all others in."""
    ended = tidings("admit", "two.toml", "--ask", "s", folder=place)
    assert ended.returncode == 0
    assert ended.stdout.startswith("admitted: s gets 0.9")
    found = tidings("admit", "two.toml", "--ask", "greedy", "--json", folder=place)
    assert found.returncode == 1
    assert document(found)["subscriber"] == "greedy"
    assert not document(found)["admitted"]


def test_bad_input(place):
    """A way and a subscriber that there are not, a share beyond 1, a file that is not there."""
    assert "best, random" in refused(tidings("admit", "line.toml", "--way", "luck", folder=place))
    assert "no subscriber 'x'" in refused(tidings("admit", "line.toml", "--ask", "x", folder=place))
    assert "--requires" in refused(tidings("admit", "line.toml", "--requires", "1.5", folder=place))
    assert "none.toml" in refused(tidings("admit", "none.toml", folder=place))
