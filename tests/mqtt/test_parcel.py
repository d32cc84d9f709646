"""Parcels: the bytes of an event are those of the packet that says it, made once for all who may share them."""

import msgspec

from mqtt.lobby import user
from tidings.mqtt.parcel import Parcel
from tidings.mqtt.publication import Facts, event_of
from tidings.vocabulary.event import Event
from tidings.vocabulary.instant import MILLISECOND, SECOND
from tidings.wire.carriers import CarrierReader, join_events
from tidings.wire.mqtt_decode import MqttDecoder
from tidings.wire.mqtt_encode import publish_bytes, publish_first, publish_head
from tidings.wire.mqtt_packets import NO_PROPERTIES, Properties, Publish

NOW = 5 * SECOND


def event(*, qos=0, retain=False, properties=NO_PROPERTIES, topic="a/b"):
    """An event that came as a PUBLISH."""
    packet = Publish(topic=topic, payload=b"hello", qos=qos, packet_id=qos, retain=retain, properties=properties)
    return event_of(packet, Facts(7, "p", topic, NOW))


def read(data, version=5):
    """The packet in these bytes."""
    (packet,) = MqttDecoder("server", version=version).feed(data)
    return packet


def test_a_plain_event_is_a_plain_packet():
    """In both versions."""
    parcel = Parcel(event(), NOW)
    for version in (4, 5):
        assert read(parcel.whole(version, (), retain=False), version) == Publish(topic="a/b", payload=b"hello")
    assert parcel.whole(5, (), retain=False) is parcel.whole(5, (), retain=False)
    assert read(parcel.whole(5, (3, 4), retain=True)) == Publish(
        topic="a/b", payload=b"hello", retain=True, properties=Properties(subscription_ids=(3, 4))
    )


def test_properties_travel_unread_and_in_order():
    """User properties with one name twice, and everything else that MQTT hands on."""
    said = Properties(
        payload_format=1,
        content_type="text/plain",
        response_topic="r",
        correlation=b"\0\1",
        user=(("b", "2"), ("a", "01"), ("a", "1.0")),
    )
    parcel = Parcel(event(properties=said), NOW)
    assert read(parcel.whole(5, (), retain=False)).properties == said
    assert read(parcel.whole(4, (), retain=False), 4).properties == NO_PROPERTIES


def test_the_expiry_is_what_is_left():
    """In whole seconds, rounded up; nothing is said of what never expires."""
    expiring = event(properties=Properties(message_expiry_s=10))
    for later, left in ((0, 10), (1, 10), (SECOND, 9), (10 * SECOND - 1, 1)):
        assert read(Parcel(expiring, NOW + later).whole(5, (), retain=False)).properties.message_expiry_s == left
    ages = msgspec.structs.replace(expiring, expires_ns=2**62)
    assert read(Parcel(ages, NOW).whole(5, (), retain=False)).properties.message_expiry_s is None


def test_attributes_of_our_own_clients_become_user_properties():
    """As filter literals, and the lifetime in words that are finer than seconds."""
    bare = Event(
        1, "p", "t", NOW, {"price": 10.5, "name": "IBM", "ok": True}, NOW + 200 * MILLISECOND, 0, 1, b"x", b"\x10"
    )
    found = read(Parcel(bare, NOW + 50 * MILLISECOND).whole(5, (), retain=False)).properties
    assert found.user == (("price", "10.5"), ("name", '"IBM"'), ("ok", "true"), ("lifetime", "150ms"))
    assert found.message_expiry_s == 1
    simulated = msgspec.structs.replace(bare, carried=b"", expires_ns=2**63 - 1)
    parcel = Parcel(simulated, NOW)
    assert (parcel.qos, parcel.retain) == (1, False)
    assert read(parcel.whole(5, (), retain=False)).properties.user == found.user[:3]


def test_what_lies_behind_the_topic_is_shared():
    """An alias is not, for it is one client's own."""
    parcel = Parcel(event(properties=user(("price", "1"))), NOW)
    assert parcel.tail(5, (1,)) is parcel.tail(5, (1,))
    said = publish_bytes(publish_first(1), publish_head("", 9), parcel.tail(5, (), 2))
    assert read(said).properties == Properties(topic_alias=2, user=(("price", "1"),))
    assert read(said).packet_id == 9


def test_a_parcel_rides_in_carriers():
    """As the whole event."""
    parcel = Parcel(event(qos=1, retain=True), NOW)
    assert (parcel.qos, parcel.retain) == (1, True)
    assert CarrierReader().read(join_events([parcel.raw, parcel.raw])) == [parcel.event, parcel.event]
