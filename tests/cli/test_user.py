"""`tidings user`: adding, changing, listing, removing; secrets come in by standard input and go nowhere else."""

import io
import json
import sys

import pytest

from tidings.cli.app import run
from tidings.runtime.accounts import matches, read_accounts


@pytest.fixture
def typed():
    """What standard input holds, until the test is over."""
    before = sys.stdin

    def give(text):
        sys.stdin = io.StringIO(text)

    yield give
    sys.stdin = before


def test_a_user_comes_changes_and_goes(tmp_path, typed, capsys):
    """The file is made, for its owner alone."""
    file = tmp_path / "users"
    typed("first\n")
    assert run(["user", str(file), "ann"]) == 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert matches(read_accounts(file)["ann"], b"first")
    typed("second\n")
    assert run(["user", str(file), "ann"]) == 0
    assert matches(read_accounts(file)["ann"], b"second")
    assert capsys.readouterr().out == "added: ann\nchanged: ann\n"
    assert "second" not in file.read_text()
    assert run(["user", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"users": {"ann": "password"}}
    assert run(["user", str(file), "ann", "--remove"]) == 0
    assert read_accounts(file) == {}


def test_a_token_is_shown_once(tmp_path, capsys):
    """And only its hash is kept."""
    file = tmp_path / "users"
    assert run(["user", str(file), "desk", "--token", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["added"] == "desk"
    assert document["token"] not in file.read_text()
    assert matches(read_accounts(file)["desk"], document["token"].encode())
    assert run(["user", str(file)]) == 0
    assert capsys.readouterr().out == "desk token\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["a b"], "no spaces"),
        (["ann", "--remove"], "is not there"),
        (["--token"], "say whose"),
        (["ann"], "1 to 1024 bytes"),
    ],
)
def test_what_cannot_be(tmp_path, typed, capsys, words, says):
    """Exit code 2, and nothing is written."""
    typed("\n")
    file = tmp_path / "users"
    assert run(["user", str(file), *words]) == 2
    assert says in capsys.readouterr().err
    assert not file.exists()
