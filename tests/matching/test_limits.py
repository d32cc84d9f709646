"""Limits fit each other."""

from tidings.matching import limits
from tidings.matching.search import KEY_BITS


def test_all_limits_are_positive():
    """None of them switches anything off."""
    named = {name: value for name, value in vars(limits).items() if name.isupper()}
    assert named
    assert all(value > 0 for value in named.values())


def test_an_event_and_a_key_share_an_integer():
    """Positions in a batch and keys together have less than 63 bits."""
    assert limits.KEY_MAX < 1 << KEY_BITS
    assert limits.BATCH_MAX << KEY_BITS < 1 << 62


def test_words_of_a_block_have_a_bit_each_in_a_summary():
    """A summary is one word."""
    assert limits.BLOCK_WORDS_MAX <= 64
    assert limits.BLOCK_WORDS_MAX & (limits.BLOCK_WORDS_MAX - 1) == 0


def test_slots_have_a_bit_for_each_attribute():
    """Signatures are 64-bit integers."""
    assert limits.ATTRIBUTES_MAX <= 62
