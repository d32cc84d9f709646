"""Fields of packets: what is written is read back, and nothing beyond the end is touched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import InputError, PacketRefused
from tidings.wire import mqtt_fields as fields
from tidings.wire.mqtt_reasons import Reason
from wire.mqtt_strategies import texts


@given(st.integers(0, fields.VARINT_MAX))
def test_lengths_come_back_in_as_few_bytes_as_they_need(value):
    """Seven bits in each."""
    written = fields.write_varint(value)
    assert fields.read_varint(b"x" + written, 1) == (value, 1 + len(written))
    assert len(written) == max(1, -(-value.bit_length() // 7))


@pytest.mark.parametrize("data", [b"\x80", b"\x80\x00", b"\xff\xff\xff\xff\x01", b""])
def test_lengths_that_lie_are_malformed(data):
    """Unfinished, too long for their value, too long altogether."""
    with pytest.raises(PacketRefused) as refusal:
        fields.read_varint(data, 0)
    assert refusal.value.reason == Reason.MALFORMED_PACKET


@given(texts, texts, st.binary(max_size=20))
def test_texts_pairs_and_binaries_come_back(name, value, data):
    """Text is not normalised on its way."""
    written = fields.write_pair((name, value)) + fields.write_binary(data)
    pair, at = fields.read_pair(written, 0)
    assert (pair, fields.read_binary(written, at)) == ((name, value), (data, len(written)))


@pytest.mark.parametrize("read", [fields.read_byte, fields.read_two, fields.read_four, fields.read_binary])
def test_fields_do_not_reach_beyond_the_packet(read):
    """One byte is missing each time."""
    whole = b"\x00\x04abcd"
    _, end = read(whole, 0)
    with pytest.raises(PacketRefused, match="ends within"):
        read(whole[: end - 1], 0)


def test_numbers_have_the_high_byte_first():
    """Two and four bytes."""
    assert fields.read_two(b"\x01\x02", 0) == (0x102, 2)
    assert fields.read_four(b"\x01\x02\x03\x04", 0) == (0x1020304, 4)
    assert fields.write_number(0x102, 2) == b"\x01\x02"


@pytest.mark.parametrize("data", [b"\x00\x01\xff", b"\x00\x03\xed\xa0\x80", b"\x00\x02\xc0\xaf", b"\x00\x01\x00"])
def test_text_is_valid_unicode_without_nul(data):
    """Noise, a surrogate, an overlong form, NUL."""
    with pytest.raises(PacketRefused) as refusal:
        fields.read_text(data, 0)
    assert refusal.value.reason == Reason.MALFORMED_PACKET


@pytest.mark.parametrize(
    "write",
    [
        lambda: fields.write_varint(fields.VARINT_MAX + 1),
        lambda: fields.write_varint(-1),
        lambda: fields.write_number(256, 1),
        lambda: fields.write_binary(bytes(65_536)),
        lambda: fields.write_text("\ud800"),
        lambda: fields.write_text("a\0"),
    ],
)
def test_what_cannot_be_sent_is_our_own_input(write):
    """The sender learns it, not the peer."""
    with pytest.raises(InputError, match="cannot be sent"):
        write()


def test_refusals_carry_their_code():
    """Malformed bytes and broken rules are told apart."""
    with pytest.raises(PacketRefused) as first:
        fields.malformed("x")
    with pytest.raises(PacketRefused) as second:
        fields.violation("x")
    assert (first.value.reason, second.value.reason) == (0x81, 0x82)
