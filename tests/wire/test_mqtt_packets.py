"""Packets as values: defaults that mean the older protocol, and nothing that can be changed."""

import pytest

from tidings.wire.mqtt_packets import NO_PROPERTIES, Connect, Properties, Publish, TopicWish


def test_defaults_are_the_simplest_packet():
    """QoS 0, nothing retained, no properties."""
    packet = Publish(topic="t")
    assert (packet.qos, packet.packet_id, packet.retain, packet.duplicate) == (0, 0, False, False)
    assert packet.properties is NO_PROPERTIES
    assert TopicWish(pattern="#").retain_handling == 0
    assert Connect(client_id="").clean_start


def test_packets_are_values():
    """Equal by content, and frozen."""
    assert Publish(topic="t", properties=Properties()) == Publish(topic="t")
    with pytest.raises(AttributeError):
        Publish(topic="t").topic = "u"
