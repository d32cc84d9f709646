"""Keys are checked alike by all matchers."""

import pytest

from tidings.matching.limits import KEY_MAX
from tidings.matching.matcher import check_key


@pytest.mark.parametrize("key", [0, 1, KEY_MAX])
def test_free_keys_within_bounds_are_accepted(key):
    """From 0 to KEY_MAX."""
    check_key(key, taken=False)


@pytest.mark.parametrize(
    ("key", "taken", "problem"), [(-1, False, "negative"), (KEY_MAX + 1, False, "too large"), (3, True, "taken")]
)
def test_other_keys_are_refused(key, taken, problem):
    """With a sentence that says what is wrong."""
    with pytest.raises(ValueError, match=f"key {key} is {problem}"):
        check_key(key, taken=taken)
