"""Varints against a plain loop, and bytes that no writer wrote."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import PeerError
from tidings.ordering.varints import BYTES_MAX, from_varints, to_varints

EDGES = [2**power + step for power in range(0, 63, 7) for step in (-1, 0, 1)] + [2**63 - 1]
NUMBERS = st.lists(st.one_of(st.sampled_from(EDGES), st.integers(0, 2**63 - 1), st.integers(0, 300)))


def one_by_one(numbers):
    """The dumb twin."""
    written = bytearray()
    for number in numbers:
        rest = number
        while rest > 0x7F:
            written.append(rest & 0x7F | 0x80)
            rest >>= 7
        written.append(rest)
    return bytes(written)


@given(NUMBERS)
def test_numbers_are_written_as_one_by_one_and_read_back(numbers):
    """Whatever their size."""
    written = to_varints(np.array(numbers, np.int64))
    assert written == one_by_one(numbers)
    assert from_varints(written).tolist() == numbers


@given(st.binary(max_size=40))
def test_any_bytes_are_numbers_or_refused(data):
    """Never another error, never a negative number."""
    try:
        numbers = from_varints(data)
    except PeerError:
        return
    assert all(number >= 0 for number in numbers.tolist())
    assert len(numbers) == sum(byte < 0x80 for byte in data)


@pytest.mark.parametrize("data", [b"\x80", b"\x01\xff", b"\xff" * 50])
def test_a_number_must_end(data):
    """Cut short on the way."""
    with pytest.raises(PeerError, match="no end"):
        from_varints(data)


def test_a_number_must_be_short():
    """Ten bytes are more than any number here needs."""
    with pytest.raises(PeerError, match="more than 9 bytes"):
        from_varints(b"\x80" * BYTES_MAX + b"\x01")


def test_negative_numbers_are_our_own_bug():
    """They are never asked to be written."""
    with pytest.raises(AssertionError):
        to_varints(np.array([-1]))
