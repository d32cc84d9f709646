"""Who may come in: passwords and tokens, as hashes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import InputError
from tidings.runtime.accounts import (
    PASSWORD_BYTES_MAX,
    check_name,
    matches,
    password_account,
    read_accounts,
    token_account,
    write_accounts,
)
from tidings.runtime.secret_file import write_secret


def test_passwords():
    """Right ones match, wrong ones do not, and the hash says nothing of them."""
    account = password_account("correct horse")
    assert account.kind == "password"
    assert account.hashed.startswith("$argon2id$")
    assert "horse" not in account.hashed
    assert matches(account, b"correct horse")
    assert not matches(account, b"correct horsf")
    assert not matches(account, b"")
    assert password_account("correct horse").hashed != account.hashed
    longest = "x" * PASSWORD_BYTES_MAX
    assert not matches(password_account(longest), longest.encode() + b"y")
    for impossible in ("", longest + "x"):
        with pytest.raises(InputError):
            password_account(impossible)


def test_tokens():
    """Each is new, long, and not in its account."""
    token, account = token_account()
    other, _ = token_account()
    assert token != other
    assert len(token) >= 43
    assert token not in account.hashed
    assert matches(account, token.encode())
    assert not matches(account, other.encode())
    assert not matches(account, account.hashed.encode())


def test_nobody_matches():
    """Whatever is tried for a name that is not there, it takes a hash, and is wrong."""
    assert not matches(None, b"")
    assert not matches(None, b"nobody has this password, and checking it takes as long as any other")


@given(st.text(max_size=60))
def test_names(name):
    """What may be in one cannot be taken for a pattern, a separator or a line."""
    sound = 1 <= len(name) <= 50 and name.isprintable() and not set(name) & set(":/+#$ \u3000\xa0")
    if sound:
        assert check_name(name) == name
        return
    with pytest.raises(InputError) as refusal:
        check_name(name)
    assert "\n" not in str(refusal.value)


def test_files(tmp_path):
    """What is written is read; comments and empty lines are nothing."""
    path = tmp_path / "users"
    accounts = {"ann": password_account("a"), "desk": token_account()[1]}
    write_accounts(path, accounts)
    assert read_accounts(path) == accounts
    write_secret(path, f"# who\n\n{path.read_text()}")
    assert read_accounts(path) == accounts


@pytest.mark.parametrize(
    "line",
    [
        "ann",
        "ann password",
        "ann password plain",
        "ann token 12",
        f"ann token {'g' * 64}",
        "ann secret x",
        f"a:b token {'0' * 64}",
        f"ann token {'0' * 64} more",
    ],
)
def test_lines_that_are_none(tmp_path, line):
    """Named by file and number, and never quoted: it might be a password."""
    path = tmp_path / "users"
    write_secret(path, f"# first\n{line}\n")
    with pytest.raises(InputError, match="line 2") as refusal:
        read_accounts(path)
    assert "plain" not in str(refusal.value)


def test_nobody_stands_there_twice(tmp_path):
    """Which of the two would count?"""
    path = tmp_path / "users"
    write_secret(path, f"ann token {'0' * 64}\nann token {'1' * 64}\n")
    with pytest.raises(InputError, match="twice"):
        read_accounts(path)
