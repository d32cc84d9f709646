"""From packets of any broker to events."""

import pytest

from tidings.errors import PacketRefused
from tidings.mqtt.publication import is_kept, quality
from tidings.mqtt_client.arrivals import TopicAliases, event_of, shifted
from tidings.vocabulary.event import Event
from tidings.vocabulary.instant import FOREVER, MILLISECOND, SECOND
from tidings.wire.mqtt_packets import Properties, Publish
from tidings.wire.mqtt_reasons import Reason


def properties(*pairs, **fields):
    """User properties and others."""
    return Properties(user=tuple(pairs), **fields)


def test_a_bare_message_is_an_event():
    """Of nobody that is known, published when it arrived, for ever."""
    event = event_of(Publish(topic="x", payload=b"abc", qos=2, packet_id=1), "t", 77)
    assert (event.topic, event.payload, event.payload_bytes) == ("t", b"abc", 3)
    assert (event.publisher, event.published_ns, event.expires_ns) == ("", 77, FOREVER)
    assert (quality(event), is_kept(event)) == (2, False)


def test_a_retained_message_is_marked():
    """It is older than it looks."""
    assert is_kept(event_of(Publish(topic="t", retain=True), "t", 0))


def test_user_properties_are_attributes_and_lifetime():
    """The shorter of the two words about its lifetime counts."""
    said = properties(("price", "10.5"), ("symbol", "IBM"), ("lifetime", "200ms"), message_expiry_s=1)
    event = event_of(Publish(topic="t", properties=said), "t", 5)
    assert event.attributes == {"price": 10.5, "symbol": "IBM"}
    assert event.expires_ns == 5 + 200 * MILLISECOND
    expiring = event_of(Publish(topic="t", properties=properties(message_expiry_s=3)), "t", 5)
    assert expiring.expires_ns == 5 + 3 * SECOND


@pytest.mark.parametrize("pair", [("lifetime", "soon"), ("n", str(2**70)), ("x", "y" * 60_000)])
def test_what_cannot_be_read_is_shown_as_it_is(pair):
    """Another broker let it through: the application may know what to do with it."""
    event = event_of(Publish(topic="t", properties=properties(pair, ("a", "1"), message_expiry_s=2)), "t", 0)
    assert event.attributes == dict((pair, ("a", "1")))
    assert event.expires_ns == 2 * SECOND
    assert event_of(Publish(topic="t", properties=properties(pair)), "t", 0).expires_ns == FOREVER


def test_instants_shift_together():
    """For ever stays for ever; without a shift nothing is copied."""
    events = [Event(1, "p", "t", 10, {}, 20), Event(2, "p", "t", 10, {})]
    assert [(one.published_ns, one.expires_ns) for one in shifted(events, 5)] == [(15, 25), (15, FOREVER)]
    assert shifted(events, 0) is events


def test_aliases_stand_for_what_was_said_last():
    """Up to the limit that the broker was told."""
    aliases = TopicAliases(2)

    def topic(said, alias):
        return aliases.topic_of(Publish(topic=said, properties=Properties(topic_alias=alias)))

    assert [topic("a", 1), topic("", 1), topic("b", 1), topic("", 1)] == ["a", "a", "b", "b"]
    assert aliases.topic_of(Publish(topic="c")) == "c"
    for said, alias, reason in (("", 2, Reason.PROTOCOL_ERROR), ("a", 3, Reason.TOPIC_ALIAS_INVALID)):
        with pytest.raises(PacketRefused) as refused:
            topic(said, alias)
        assert refused.value.reason == reason
