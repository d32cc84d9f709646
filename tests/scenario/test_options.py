"""Single options: taken, or refused with what would be right."""

import pytest

from tidings.scenario.options import name_list, unknown_key, whole


def test_whole_numbers_within_bounds():
    """Bounds are included; a default stands in."""
    assert whole({"n": 1}, "n", 1, 9) == 1
    assert whole({"n": 9}, "n", 1, 9) == 9
    assert whole({}, "n", 1, 9, default=4) == 4


@pytest.mark.parametrize("value", [0, 10, True, 2.0, "3", [4]])
def test_other_numbers_are_refused(value):
    """With the key, the value and the bounds."""
    with pytest.raises(ValueError, match=r"n = .* must be a whole number from 1 to 9") as raised:
        whole({"n": value}, "n", 1, 9)
    assert repr(value) in str(raised.value)


def test_missing_numbers_are_refused():
    """Where there is no default."""
    with pytest.raises(ValueError, match="n is missing; a whole number from 1 to 9 would be right"):
        whole({}, "n", 1, 9)


def test_names():
    """In their order."""
    assert name_list("sites", ["oslo", "lima"], 2) == ("oslo", "lima")


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        ([], "sites has 0 names; 1 to 2 would be right"),
        (["a", "b", "c"], "sites has 3 names"),
        (["a", 5], "sites holds 5, which is no name"),
        ([""], "sites holds '', which is no name"),
        (["a", "a"], "sites names a twice"),
    ],
)
def test_wrong_names_are_refused(names, problem):
    """Too many, too few, none, or twice."""
    with pytest.raises(ValueError, match=problem):
        name_list("sites", names, 2)


def test_unknown_keys():
    """The nearest one, or all of them."""
    assert str(unknown_key("random", "degre", ("brokers", "degree"))) == (
        "random has no option 'degre'; did you mean \"degree\"?"
    )
    assert str(unknown_key("line", "zz", ("brokers",))) == "line has no option 'zz'; there are brokers"
