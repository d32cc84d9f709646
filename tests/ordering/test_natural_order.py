"""The order of identifiers."""

from hypothesis import given
from hypothesis import strategies as st

from tidings.ordering.natural_order import natural_key


def test_numbers_inside_names_count_as_numbers():
    """t2 before t10, whatever stands around the digits; the same number with zeros in front comes by its text."""
    names = ["t10/b", "t2", "t10", "a9", "10", "9", "t02", "t1", ""]
    assert sorted(names, key=natural_key) == ["", "9", "10", "a9", "t1", "t02", "t2", "t10", "t10/b"]


@given(st.lists(st.integers(0, 10**30), unique=True))
def test_plain_numbers_come_in_their_order(numbers):
    """Whatever their length."""
    assert sorted(map(str, numbers), key=natural_key) == [str(number) for number in sorted(numbers)]


@given(st.lists(st.text("t01", max_size=4), unique=True), st.randoms(use_true_random=False))
def test_the_order_is_total(names, shuffler):
    """Different names are never equal, so the order they came in does not matter."""
    other = list(names)
    shuffler.shuffle(other)
    assert sorted(names, key=natural_key) == sorted(other, key=natural_key)


def test_very_long_numbers_are_no_trouble():
    """Longer than Python turns into an int."""
    assert natural_key("1" * 10_000) < natural_key("2" + "0" * 9_999)
