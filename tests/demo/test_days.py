"""Which files are which day."""

from pathlib import Path

import pytest

from tidings.demo.days import two_days
from tidings.errors import InputError


def test_files_are_told_by_their_dates():
    """The first two days, whatever order files come in; what has no date is left out."""
    names = ["b_20131008_trade.zip", "a_20131007_trade.zip", "b_20131007_trade.zip", "c_20131009.zip", "LICENSE"]
    first, second = two_days([Path(name) for name in names])
    assert [path.name for path in first] == ["a_20131007_trade.zip", "b_20131007_trade.zip"]
    assert [path.name for path in second] == ["b_20131008_trade.zip"]


@pytest.mark.parametrize("names", [[], ["a_20131007.zip", "b_20131007.zip"], ["a_120131007.zip", "b_20131008.zip"]])
def test_one_day_is_not_enough(names):
    """The days that were found are named."""
    with pytest.raises(InputError, match="two days"):
        two_days([Path(name) for name in names])
