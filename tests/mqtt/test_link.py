"""The way out to a client: two lanes, carriers of bounded size, aliases said once, and nothing that is too large."""

import msgspec
import pytest

from tidings.mqtt.limits import ALIASES_MAX, CARRIER_BYTES, CARRIER_EVENTS
from tidings.mqtt.link import Due, Link, rows_of_bytes
from tidings.mqtt.parcel import Parcel
from tidings.mqtt.subscriptions import Grant
from tidings.vocabulary.event import Event
from tidings.wire.carriers import CarrierReader
from tidings.wire.mqtt_decode import MqttDecoder
from tidings.wire.mqtt_encode import publish_first
from tidings.wire.mqtt_packets import Connect, Pingresp, Properties, Puback

PLAIN = Grant(0, (), as_published=False)


def link(*, carries=False, version=5, **properties):
    """A link, and where it says that it has something to write."""
    active = []
    found = Link(3, active)
    found.agree(Connect(client_id="c", version=version, properties=Properties(**properties)), carries=carries)
    return found, active


def parcel(topic="a/b", payload=b"x", carried=b"\0"):
    """An event on its way."""
    return Parcel(Event(1, "p", topic, 0, {}, payload=payload, payload_bytes=len(payload), carried=carried), 0)


def read(data, version=5):
    """The packets in these pieces."""
    return MqttDecoder("server", version=version).feed(b"".join(data))


def test_a_link_says_once_that_it_has_something():
    """Until it is asked."""
    one, active = link()
    one.say(Pingresp(), at_once=True)
    one.say(Puback(packet_id=1))
    assert one.put(parcel(), PLAIN)
    assert active == [one]
    at_once, after = one.take()
    assert [type(packet).__name__ for packet in read(at_once)] == ["Pingresp", "Publish"]
    assert read(after) == [Puback(packet_id=1)]
    assert one.take() == ([], [])
    one.say(Pingresp())
    assert active == [one, one]


@pytest.mark.parametrize("version", [4, 5])
def test_quality_0_waits_for_nothing_and_the_rest_for_the_disk(version):
    """The retain flag only where it was asked for."""
    one, _ = link(version=version)
    assert one.put(parcel(carried=b"\x04"), Grant(0, (), as_published=True))
    assert one.put(parcel(carried=b"\x04"), PLAIN)
    assert one.send(parcel(carried=b"\x01"), PLAIN, publish_first(1), 9)
    at_once, after = one.take()
    assert [packet.retain for packet in read(at_once, version)] == [True, False]
    assert [(packet.qos, packet.packet_id) for packet in read(after, version)] == [(1, 9)]


def test_what_is_larger_than_the_client_takes_is_not_sent():
    """Whatever way it would go; an alias is not wasted on it."""
    one, active = link(packet_bytes_maximum=50)
    assert not one.put(parcel(payload=b"x" * 50), PLAIN)
    assert not one.send(parcel(payload=b"x" * 50), PLAIN, publish_first(1), 9)
    assert active == []
    aliased, _ = link(packet_bytes_maximum=50, topic_alias_maximum=5)
    assert not aliased.put(parcel(payload=b"x" * 45), PLAIN)
    assert aliased.put(parcel(), PLAIN)
    assert read(aliased.take()[0])[0].topic == "a/b"


def test_a_topic_is_said_once_and_then_by_its_alias():
    """As many as the client takes; the others by name for ever."""
    one, _ = link(topic_alias_maximum=2)
    for topic in ("a", "a", "b", "c", "b", "c"):
        one.put(parcel(topic), PLAIN)
    one.send(parcel("a"), PLAIN, publish_first(1), 1)
    at_once, after = one.take()
    said = [(packet.topic, packet.properties.topic_alias) for packet in read([*at_once, *after])]
    assert said == [("a", 1), ("", 1), ("b", 2), ("c", None), ("", 2), ("c", None), ("", 1)]


def test_aliases_have_an_end():
    """However many a client would take."""
    one, _ = link(topic_alias_maximum=60_000)
    for number in range(ALIASES_MAX + 10):
        one.put(parcel(f"t/{number}"), PLAIN)
    assert sum(packet.properties.topic_alias is not None for packet in read(one.take()[0])) == ALIASES_MAX


def test_our_client_is_sent_carriers():
    """All events of quality 0 of a turn in one packet; rows of quality 1 as they come."""
    one, _ = link(carries=True)
    first, second = parcel(), parcel(payload=b"y")
    one.put(first, PLAIN)
    one.put(second, PLAIN)
    one.carry([first.raw], publish_first(1), 7)
    at_once, after = one.take()
    (row,), (reliable,) = read(at_once), read(after)
    assert (row.topic, row.qos, reliable.qos, reliable.packet_id) == ("$tidings", 0, 1, 7)
    assert CarrierReader().read(row.payload) == [first.event, second.event]


def test_rows_are_cut():
    """By number and by size; one event may be larger alone; nothing is lost on the way."""
    many = [bytes((number % 256,)) for number in range(2 * CARRIER_EVENTS + 1)]
    assert [len(row) for row in rows_of_bytes(many)] == [CARRIER_EVENTS, CARRIER_EVENTS, 1]
    large = [b"a" * (CARRIER_BYTES + 1), b"b", b"c" * CARRIER_BYTES, b"d"]
    assert [len(row) for row in rows_of_bytes(large)] == [1, 1, 1, 1]
    half = [b"x" * (CARRIER_BYTES // 2)] * 5
    assert [len(row) for row in rows_of_bytes(half)] == [2, 2, 1]
    assert [one for row in rows_of_bytes(many) for one in row] == many
    assert rows_of_bytes([]) == []


def test_acknowledgements_keep_their_order():
    """One that waits for nothing waits for those before it."""
    one, _ = link()
    slow, quick = Due(Puback(packet_id=1), 2), Due(Puback(packet_id=2), 0)
    one.acknowledgements.extend((slow, quick))
    one.acknowledge()
    assert one.take() == ([], [])
    slow.pending = 0
    one.acknowledge()
    assert [packet.packet_id for packet in read(one.take()[1])] == [1, 2]
    assert not one.acknowledgements


def test_links_of_the_older_version_know_no_aliases():
    """Whatever a CONNECT might pretend."""
    old = Link(1, [])
    old.agree(msgspec.structs.replace(Connect(client_id="c"), version=4), carries=False)
    old.put(parcel(), PLAIN)
    assert read(old.take()[0], 4)[0].topic == "a/b"
