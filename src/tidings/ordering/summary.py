"""What an event is about, in 16 bytes: a Bloom filter over its topic and attributes.

A filter asks for tokens: a missing one proves that the event is not wanted; that all are there proves nothing. The
positions of a token come from a hash that is the same in every process and version.
"""

import hashlib
import math
from collections.abc import Iterable
from typing import Final

from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import TOPIC
from tidings.vocabulary.value import Value

SUMMARY_BYTES: Final = 16
SUMMARY_BITS: Final = 8 * SUMMARY_BYTES
HASHES: Final = 4
"""Bits for each token: best for about 20 tokens, 0.5 % of wrong answers at 10 and 5 % at 20."""

LEVELS_MAX: Final = 4
"""Levels of a topic that have a token of their own, for patterns."""

_PERSON: Final = b"tidings summary1"


def summarise(event: Event) -> bytes:
    """The summary of an event's topic and attributes."""
    tokens = [value_token(TOPIC, event.topic), *topic_tokens(event.topic)]
    for name, value in event.attributes.items():
        tokens += [name_token(name), value_token(name, value)]
    return mask_of(tokens).to_bytes(SUMMARY_BYTES, "little")


def topic_tokens(topic: str) -> list[str]:
    """A token for each of the first levels of a topic."""
    return [level_token(place, level) for place, level in enumerate(topic.split("/")[:LEVELS_MAX])]


def level_token(place: int, level: str) -> str:
    """Says that a topic has this level in this place."""
    return f"l{place}={level}"


def name_token(name: str) -> str:
    """Says that an event has this attribute."""
    return f"a{name}"


def value_token(name: str, value: Value) -> str:
    """Says that an attribute equals a value; equal values have one token, as 1 and 1.0."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"v{len(name)}:{name}={type(value).__name__}:{value}"


def mask_of(tokens: Iterable[str], bits: int = SUMMARY_BITS, hashes: int = HASHES) -> int:
    """The bits of all the tokens, as one number; what holds the tokens has all these bits."""
    mask = 0
    for token in tokens:
        digest = hashlib.blake2b(
            token.encode("utf-8", "surrogatepass"), digest_size=4 * hashes, person=_PERSON
        ).digest()
        # Four bytes for each hash. Two hashes for all would do in a large filter, but not in one this small.
        for start in range(0, 4 * hashes, 4):
            mask |= 1 << int.from_bytes(digest[start : start + 4], "little") % bits
    return mask


def false_positives(bits: int, hashes: int, tokens: int) -> float:
    """How likely a token that is not among `tokens` others is taken for one of them: (1 − e^(−k·n/m))^k."""
    return (-math.expm1(-hashes * tokens / bits)) ** hashes
