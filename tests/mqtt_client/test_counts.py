"""Counts."""

from dataclasses import astuple

from mqtt_client.talk import Talk
from tidings.mqtt_client.counts import Counts
from tidings.wire.mqtt_packets import Publish


def test_nothing_has_happened_at_first():
    """All are 0."""
    assert not any(astuple(Counts()))


def test_what_happens_is_counted():
    """Connections, publications, what was shown, and what nobody wanted."""
    talk = Talk()
    talk.connect()
    talk.publish(b"a", b"b", qos=0)
    talk.grant(talk.subscribe(0, "t"))
    talk.hear(Publish(topic="t"), Publish(topic="other"))
    counts = talk.machine.counts
    assert (counts.connections, counts.published, counts.shown, counts.unwanted) == (1, 2, 1, 1)
