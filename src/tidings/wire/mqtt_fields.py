"""The fields that MQTT packets are made of, read and written with every bound checked.

A reader takes the body of one packet and an offset into it, and gives the value and the offset behind it.
"""

from typing import Final, NoReturn

from tidings.errors import InputError, PacketRefused
from tidings.wire.mqtt_reasons import Reason

VARINT_MAX: Final = 268_435_455
TEXT_BYTES_MAX: Final = 65_535


def malformed(sentence: str) -> NoReturn:
    """Refuse the packet at hand, for bytes that cannot be one."""
    raise PacketRefused(Reason.MALFORMED_PACKET, sentence)


def violation(sentence: str) -> NoReturn:
    """Refuse the packet at hand, for saying what the protocol does not allow."""
    raise PacketRefused(Reason.PROTOCOL_ERROR, sentence)


def read_byte(body: bytes, at: int) -> tuple[int, int]:
    """One byte."""
    if at >= len(body):
        malformed("the packet ends within a field")
    return body[at], at + 1


def read_two(body: bytes, at: int) -> tuple[int, int]:
    """Two bytes, the high one first."""
    if at + 2 > len(body):
        malformed("the packet ends within a field")
    return body[at] << 8 | body[at + 1], at + 2


def read_four(body: bytes, at: int) -> tuple[int, int]:
    """Four bytes, the highest first."""
    if at + 4 > len(body):
        malformed("the packet ends within a field")
    return int.from_bytes(body[at : at + 4], "big"), at + 4


def read_varint(body: bytes, at: int) -> tuple[int, int]:
    """A variable byte integer: at most four bytes, and no more than are needed."""
    value = shift = 0
    while True:
        byte, at = read_byte(body, at)
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
        if shift == 28:
            malformed("a length of more than four bytes")
    if byte == 0 and shift:
        malformed("a length with more bytes than it needs")
    return value, at


def read_binary(body: bytes, at: int) -> tuple[bytes, int]:
    """Bytes after their number."""
    size, at = read_two(body, at)
    end = at + size
    if end > len(body):
        malformed("the packet ends within a field")
    return body[at:end], end


def read_text(body: bytes, at: int) -> tuple[str, int]:
    """Text in UTF-8 after its number of bytes; without NUL, without surrogates. Nothing is normalised."""
    data, at = read_binary(body, at)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        malformed("text must be valid UTF-8")
    if "\0" in text:
        malformed("text must not hold NUL")
    return text, at


def read_pair(body: bytes, at: int) -> tuple[tuple[str, str], int]:
    """A name and a value."""
    name, at = read_text(body, at)
    value, at = read_text(body, at)
    return (name, value), at


def write_varint(value: int) -> bytes:
    """At most four bytes, as few as are needed."""
    if not 0 <= value <= VARINT_MAX:
        raise InputError(f"{value} cannot be sent as a length: at most {VARINT_MAX}")
    if value < 0x80:
        return bytes((value,))
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def write_number(value: int, size: int) -> bytes:
    """`size` bytes, the highest first."""
    if not 0 <= value < 1 << 8 * size:
        raise InputError(f"{value} cannot be sent in {size} bytes")
    return value.to_bytes(size, "big")


def write_binary(data: bytes) -> bytes:
    """Bytes after their number."""
    if len(data) > TEXT_BYTES_MAX:
        raise InputError(f"a field of {len(data)} bytes cannot be sent: at most {TEXT_BYTES_MAX}")
    return len(data).to_bytes(2, "big") + data


def write_text(text: str) -> bytes:
    """Text in UTF-8 after its number of bytes."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise InputError("text with a lone surrogate cannot be sent") from None
    if "\0" in text:
        raise InputError("text with NUL cannot be sent")
    return write_binary(data)


def write_pair(pair: tuple[str, str]) -> bytes:
    """A name and a value."""
    return write_text(pair[0]) + write_text(pair[1])
