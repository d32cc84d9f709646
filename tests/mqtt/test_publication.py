"""What a PUBLISH means: attributes, lifetime, what is carried on; and what it must not say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import values
from tidings.errors import PacketRefused
from tidings.mqtt.publication import (
    BARE,
    RELIABLE,
    Facts,
    as_kept,
    attributes_of,
    event_of,
    is_kept,
    is_retained,
    json_attributes,
    lifetime_of,
    quality,
    wants_json,
)
from tidings.vocabulary.event import Event
from tidings.vocabulary.instant import FOREVER, MILLISECOND, SECOND
from tidings.vocabulary.value import format_literal
from tidings.wire.mqtt_decode import MqttDecoder
from tidings.wire.mqtt_encode import encode_packet
from tidings.wire.mqtt_packets import Properties, Publish
from tidings.wire.mqtt_reasons import Reason

FACTS = Facts(77, "p", "a/b", 1_000)


def meant(payload=b"x", *, qos=0, retain=False, facts=FACTS, **properties):
    """The event of a PUBLISH with these properties, over the wire."""
    packet = Publish(
        topic="a/b", payload=payload, qos=qos, packet_id=qos, retain=retain, properties=Properties(**properties)
    )
    decoder = MqttDecoder("client", version=5)
    return event_of(decoder.feed(encode_packet(packet))[0], facts)


def refusal(**fields):
    """Why a PUBLISH is not taken."""
    with pytest.raises(PacketRefused) as refused:
        meant(**fields)
    return refused.value.reason, str(refused.value)


def test_a_plain_message_is_an_event():
    """Known by what the broker knows, without attributes, for ever."""
    event = meant(b"hello")
    assert event == Event(77, "p", "a/b", 1_000, {}, FOREVER, 0, 5, b"hello", b"\0")
    assert (quality(event), is_retained(event)) == (0, False)


@pytest.mark.parametrize("qos", [0, 1, 2])
@pytest.mark.parametrize("retain", [False, True])
def test_quality_and_the_retain_flag_travel(qos, retain):
    """With properties and without."""
    for properties in ({}, {"content_type": "text/plain"}):
        event = meant(qos=qos, retain=retain, **properties)
        assert (quality(event), is_retained(event)) == (qos, retain)


def test_events_of_no_face_are_reliable():
    """They carry nothing."""
    event = Event(1, "p", "t", 0, {})
    assert (quality(event), is_retained(event), is_kept(event)) == (RELIABLE, False, False)


@given(st.dictionaries(st.text("abc", min_size=1), values, max_size=5))
def test_attributes_are_filter_literals(attributes):
    """Written as literals they come back with their types; integers of more than 64 bits are refused."""
    pairs = [(name, format_literal(value)) for name, value in attributes.items()]
    if any(type(value) is int and not -(2**63) <= value < 2**64 for value in attributes.values()):
        with pytest.raises(PacketRefused, match="at most 64 bits"):
            attributes_of(pairs)
        return
    found = attributes_of(pairs)
    assert found == attributes
    assert [type(value) for value in found.values()] == [type(value) for value in attributes.values()]


def test_bare_text_is_a_string():
    """And so is what only looks like a number; the later of two counts."""
    pairs = [("a", "IBM"), ("b", "nan"), ("c", "1e999"), ("d", "1"), ("d", "2"), ("e", '"quoted'), ("", "no name")]
    assert attributes_of(pairs) == {"a": "IBM", "b": "nan", "c": "1e999", "d": 2, "e": '"quoted'}


def test_some_user_properties_mean_something_else():
    """They are no attributes, and travel on as they came."""
    event = meant(user=(("lifetime", "2s"), ("topic", "x"), ("price", "1")))
    assert event.attributes == {"price": 1}
    assert b"lifetime" in event.carried
    assert b"topic" in event.carried


def test_the_shorter_lifetime_counts():
    """Message expiry in seconds, and the user property for less."""
    assert lifetime_of(Properties()) == FOREVER
    assert lifetime_of(Properties(message_expiry_s=3)) == 3 * SECOND
    assert lifetime_of(Properties(message_expiry_s=3, user=(("lifetime", "200ms"),))) == 200 * MILLISECOND
    assert lifetime_of(Properties(message_expiry_s=1, user=(("lifetime", "2s"),))) == SECOND
    assert meant(message_expiry_s=1).expires_ns == 1_000 + SECOND
    assert meant(user=(("lifetime", "100000d"),)).expires_ns < FOREVER
    assert refusal(user=(("lifetime", "200 parsecs"),))[0] == Reason.IMPLEMENTATION_SPECIFIC_ERROR


def test_a_payload_is_read_when_asked():
    """Its top-level scalars; user properties win over them."""
    payload = (
        b'{"price": 10.5, "ok": true, "name": "IBM", "n": 3, "none": null, "list": [1], "in": {"a": 1}, "topic": "t"}'
    )
    event = meant(payload, user=(("attributes", "json"), ("n", "4")))
    assert event.attributes == {"price": 10.5, "ok": True, "name": "IBM", "n": 4}
    assert type(event.attributes["ok"]) is bool
    assert meant(payload).attributes == {}
    assert meant(payload, facts=FACTS._replace(json=True)).attributes["price"] == 10.5


@pytest.mark.parametrize("payload", [b"", b"[1]", b"3", b"{", b"\xff", b"[" * 100_000, b'{"a":1e999}'])
def test_a_payload_that_was_to_be_read_and_cannot_is_refused(payload):
    """Never passed over in silence; without being asked nobody looks."""
    assert refusal(payload=payload, user=(("attributes", "json"),))[0] == Reason.PAYLOAD_FORMAT_INVALID
    assert meant(payload).payload == payload


def test_asking_for_anything_but_json_is_refused():
    """By name."""
    assert "xml" in refusal(user=(("attributes", "xml"),))[1]
    assert wants_json((("attributes", "json"),))
    assert not wants_json((("price", "1"),))


def test_there_is_an_end_to_attributes():
    """To their number, their size, and the digits of integers, wherever they come from."""
    with pytest.raises(PacketRefused, match="257 attributes"):
        attributes_of((str(number), "1") for number in range(257))
    with pytest.raises(PacketRefused, match="attributes of 16390 characters"):
        attributes_of([("a", "x" * 16_389)])
    assert refusal(payload=b'{"n": 99999999999999999999999}', user=(("attributes", "json"),))[1].startswith("n: ")
    many = "{" + ",".join(f'"k{number}": 1' for number in range(300)) + "}"
    assert refusal(payload=many.encode(), user=(("attributes", "json"),))[0] == Reason.QUOTA_EXCEEDED
    assert json_attributes(b'{"n": -9223372036854775808}') == {"n": -(2**63)}


def test_there_is_an_end_to_what_is_carried():
    """A long row of long properties."""
    reason, sentence = refusal(content_type="x" * 40_000, response_topic="y" * 40_000)
    assert reason == Reason.PACKET_TOO_LARGE
    assert "bytes of properties" in sentence


def test_a_kept_copy_says_so():
    """And is otherwise the same."""
    event = meant(qos=1, retain=True, content_type="text/plain")
    kept = as_kept(event)
    assert (is_kept(event), is_kept(kept), is_retained(kept), quality(kept)) == (False, True, True, 1)
    assert kept.carried[1:] == event.carried[1:]
    assert not kept.carried[0] & BARE
