"""`tidings new`: templates to start from."""

import tomllib

import pytest

from cli.command import document, refused, tidings, written
from tidings.scenario import template_names, template_text


def test_templates_are_listed(tmp_path):
    """By --list, and when none is named."""
    names = "".join(f"{one}\n" for one in template_names())
    assert tidings("new", "--list", folder=tmp_path).stdout == names
    assert tidings("new", folder=tmp_path).stdout == names


@pytest.mark.parametrize("name", template_names())
def test_every_template_passes_check(name, tmp_path):
    """What is shipped works as it stands."""
    assert tidings("new", name, "--out", "x.toml", folder=tmp_path).returncode == 0
    assert (tmp_path / "x.toml").read_text("utf-8") == template_text(name)
    ended = tidings("check", "x.toml", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr


def test_a_template_is_printed_as_a_result(tmp_path):
    """Without --out it goes to standard output, and parses."""
    ended = tidings("new", template_names()[0], folder=tmp_path)
    assert tomllib.loads(ended.stdout)["tidings"] == 1
    assert ended.stderr == ""


def test_json_is_one_document(tmp_path):
    """The list, or the scenario and where it was written."""
    name = template_names()[0]
    listed, printed, kept = (
        tidings("new", *words, "--json", folder=tmp_path) for words in ((), (name,), (name, "--out", "x.toml"))
    )
    assert document(listed) == {"templates": list(template_names())}
    assert document(printed) == {"template": name, "file": None, "scenario": template_text(name)}
    assert document(kept) == {"template": name, "file": "x.toml", "scenario": template_text(name)}
    assert (tmp_path / "x.toml").read_text("utf-8") == template_text(name)


def test_an_unknown_template_is_bad_input(tmp_path):
    """The message says which there are."""
    assert template_names()[0] in refused(tidings("new", "nonsense", "--out", "x.toml", folder=tmp_path))
    assert written(tmp_path) == []


def test_nothing_is_overwritten(tmp_path):
    """A file that is there stays as it was."""
    (tmp_path / "x.toml").write_text("mine", "utf-8")
    assert "exists already" in refused(tidings("new", template_names()[0], "--out", "x.toml", folder=tmp_path))
    assert (tmp_path / "x.toml").read_text("utf-8") == "mine"


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    """A folder that is not there."""
    assert "nowhere" in refused(tidings("new", template_names()[0], "--out", "nowhere/x.toml", folder=tmp_path))
    assert written(tmp_path) == []
