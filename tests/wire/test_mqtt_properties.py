"""Properties of MQTT 5: where each may stand, how often, with which values."""

import pytest
from hypothesis import given

from tidings.errors import PacketRefused
from tidings.wire import mqtt_properties as place
from tidings.wire.mqtt_packets import NO_PROPERTIES, Properties
from tidings.wire.mqtt_properties import USER_PROPERTIES_MAX, read_properties, write_properties
from tidings.wire.mqtt_reasons import Reason
from wire.mqtt_strategies import MESSAGE, properties


@given(properties(*MESSAGE, "topic_alias"))
def test_properties_come_back(given_properties):
    """With the offset behind them."""
    written = write_properties(given_properties)
    assert read_properties(b"x" + written + b"y", 1, place.PUBLISH) == (given_properties, 1 + len(written))


def test_no_properties_are_one_shared_value():
    """Most packets have none."""
    assert read_properties(b"\x00", 0, place.PUBLISH)[0] is NO_PROPERTIES
    assert write_properties(NO_PROPERTIES) == write_properties(Properties()) == b"\x00"


M, P = Reason.MALFORMED_PACKET, Reason.PROTOCOL_ERROR
BAD = {
    "an unknown property": (b"\x02\x7f\x00", place.PUBLISH, M),
    "a property of another packet": (b"\x03\x21\x00\x01", place.PUBLISH, P),
    "twice": (b"\x04\x01\x00\x01\x00", place.PUBLISH, P),
    "a flag of 2": (b"\x02\x01\x02", place.PUBLISH, P),
    "receive maximum 0": (b"\x03\x21\x00\x00", place.CONNECT, P),
    "topic alias 0": (b"\x03\x23\x00\x00", place.PUBLISH, P),
    "packet size 0": (b"\x05\x27\x00\x00\x00\x00", place.CONNECT, P),
    "subscription identifier 0": (b"\x02\x0b\x00", place.SUBSCRIBE, P),
    "two subscription identifiers": (b"\x04\x0b\x01\x0b\x02", place.SUBSCRIBE, P),
    "beyond the packet": (b"\x05\x01\x00", place.PUBLISH, M),
    "beyond their own length": (b"\x02\x02\x00\x00\x00\x01", place.PUBLISH, M),
    "a length without properties": (b"\x01", place.PUBLISH, M),
}


@pytest.mark.parametrize(("body", "where", "reason"), BAD.values(), ids=BAD)
def test_malformed_properties_are_refused(body, where, reason):
    """One thing wrong at a time."""
    with pytest.raises(PacketRefused) as refusal:
        read_properties(body, 0, where)
    assert refusal.value.reason == reason


def test_several_subscription_identifiers_may_come_with_a_message():
    """A message may match several subscriptions."""
    both = Properties(subscription_ids=(1, 300))
    assert read_properties(write_properties(both), 0, place.PUBLISH)[0] == both


def test_user_properties_keep_order_and_repetition_within_a_bound():
    """A name may come again; nobody sends more than a few hundred."""
    user = (("b", "1"), ("a", "2"), ("b", "1"))
    assert read_properties(write_properties(Properties(user=user)), 0, place.PUBLISH)[0].user == user
    many = write_properties(Properties(user=(("", ""),) * (USER_PROPERTIES_MAX + 1)))
    with pytest.raises(PacketRefused, match="user properties"):
        read_properties(many, 0, place.PUBLISH)
