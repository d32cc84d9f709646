"""Bounds: each has a default that an ordinary client never meets, and all can be set by name."""

import msgspec
import pytest

from tidings.mqtt import limits
from tidings.mqtt.limits import Limits
from tidings.wire.event_rules import NAME_LENGTH_MAX, PAYLOAD_BYTES_MAX
from tidings.wire.mqtt_decode import FIRST_BYTES_MAX


def test_names_fit_into_frames():
    """Owner, colon, identifier."""
    assert limits.NAME_CHARACTERS_MAX + 1 + limits.CLIENT_ID_CHARACTERS_MAX <= NAME_LENGTH_MAX


def test_the_promised_defaults():
    """Payloads, subscriptions, what waits, the first packet."""
    bounds = Limits()
    assert bounds.payload_bytes_max == PAYLOAD_BYTES_MAX
    assert (bounds.subscriptions_max, bounds.waiting_bytes_max) == (1_000, 16 << 20)
    assert (bounds.connect_ns_max, FIRST_BYTES_MAX) == (5 * 10**9, 4_096)


def test_unknown_bounds_are_refused():
    """By whoever reads them from a file."""
    with pytest.raises(msgspec.ValidationError, match="payload_max"):
        msgspec.convert({"payload_max": 3}, Limits)
    assert msgspec.convert({"subscriptions_max": 3}, Limits).subscriptions_max == 3
