"""Files that only their owner may read."""

import pytest

from tidings.errors import InputError
from tidings.runtime.secret_file import check_secret, read_secret, write_secret


def test_what_is_written_is_the_owners_alone(tmp_path):
    """And replaces what was there, whole, whatever an earlier attempt has left beside it."""
    path = tmp_path / "users"
    (tmp_path / "users.new").write_text("half")
    for text in ("one\n", "two\n"):
        write_secret(path, text)
        assert read_secret(path) == text
        assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["users"]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o777])
def test_a_file_that_others_may_touch_is_refused(tmp_path, mode):
    """With the command that helps."""
    path = tmp_path / "users"
    path.write_text("x")
    path.chmod(mode)
    with pytest.raises(InputError, match="chmod 600"):
        read_secret(path)


def test_what_is_no_file_of_text(tmp_path):
    """Missing, a folder, bytes."""
    with pytest.raises(InputError, match="no such file"):
        check_secret(tmp_path / "none")
    with pytest.raises(InputError, match="is no file"):
        check_secret(tmp_path)
    path = tmp_path / "bytes"
    path.write_bytes(b"\xff")
    path.chmod(0o600)
    with pytest.raises(InputError, match="no text"):
        read_secret(path)
