"""Flights as bytes: aliases, heads, rows."""

from collections import deque

from mqtt_client.talk import Talk
from tidings.mqtt.limits import CARRIER_BYTES, CARRIER_EVENTS
from tidings.mqtt_client.publication import Pending, Publication
from tidings.mqtt_client.terms import Carrying, Terms
from tidings.mqtt_client.writers import Flight, PacketWriter, RowWriter

LONG = "a/topic/that/is/long"


def topics(packets):
    """What was said of the topic, and the alias."""
    return [(one.topic, one.properties.topic_alias) for one in packets]


def test_an_alias_is_agreed_on_when_a_topic_comes_again():
    """Short topics need none; other topics have their own, as far as the broker goes."""
    talk = Talk()
    talk.connect(topic_alias_maximum=1)
    assert topics(talk.publish(b"1", b"2", b"3", topic=LONG)) == [(LONG, None), (LONG, 1), ("", 1)]
    assert topics(talk.publish(b"1", b"2", topic="short")) == [("short", None)] * 2
    assert topics(talk.publish(b"1", b"2", topic=LONG + "/2")) == [(LONG + "/2", None)] * 2


def test_aliases_end_with_the_connection():
    """What goes again is said in full."""
    talk = Talk()
    talk.connect(topic_alias_maximum=5)
    talk.publish(b"1", b"2", b"3", topic=LONG)
    talk.lose()
    assert topics(talk.connect(present=True, topic_alias_maximum=5)) == [(LONG, None), (LONG, 5), ("", 5)]


def test_an_alias_in_a_packet_that_was_not_sent_is_none():
    """The packet was too large: the broker has never heard of it."""
    talk = Talk()
    talk.connect(topic_alias_maximum=5, packet_bytes_maximum=60)
    said = talk.publish(b"1", b"x" * 60, b"2", b"3", b"4", topic=LONG)
    assert topics(said) == [(LONG, None), (LONG, None), (LONG, 4), ("", 4)]


def test_more_topics_than_are_remembered_are_no_harm():
    """Heads are made anew, aliases stay as they were agreed."""
    talk = Talk()
    talk.connect(topic_alias_maximum=2)
    talk.publish(b"1", b"2", topic=LONG)
    for number in range(5_000):
        talk.publish(b"x", topic=f"{LONG}/{number}", qos=0)
    assert topics(talk.publish(b"3", topic=LONG)) == [("", 2)]


def pendings(*publications, now=0):
    """On their way."""
    return deque(Pending(one, 0, now) for one in publications)


def rows(publications, now=0, **terms):
    """Into how many carriers they go."""
    writer = RowWriter(Terms(**terms), Carrying(0, 0, "ann"))
    waiting, lengths = pendings(*publications, now=now), []
    while waiting:
        lengths.append(len(writer.cut(waiting, now)))
    return lengths


def test_a_row_ends_with_its_quality_its_size_and_its_length():
    """Nothing is left out, and no row is empty."""
    zero, one, two = (Publication("t", qos=qos) for qos in (0, 1, 2))
    assert rows([zero, zero, one, two, zero]) == [2, 2, 1]
    assert rows([one] * (CARRIER_EVENTS + 1)) == [CARRIER_EVENTS, 1]
    assert rows([Publication("t", b"x" * CARRIER_BYTES)] * 2) == [1, 1]
    assert rows([Publication("t", b"x" * 900)] * 2, packet_bytes_max=3_000) == [1, 1]


def test_what_has_expired_ends_a_row():
    """It is looked at when it is the first."""
    writer = RowWriter(Terms(), Carrying(0, 0, "ann"))
    waiting = pendings(Publication("t", b"a"), Publication("t", b"b", lifetime_ns=5))
    assert [one.publication.payload for one in writer.cut(waiting, 6)] == [b"a"]
    assert len(waiting) == 1


def test_a_row_that_was_not_sent_leaves_nothing_behind():
    """Numbers may be left out."""
    writer = RowWriter(Terms(), Carrying(0, 0, "ann"))
    flight = Flight(list(pendings(Publication("t", b"a"))), 1)
    before = writer.packet(flight, 1, 0)
    writer.unsaid(flight)
    assert writer.packet(flight, 1, 0) == before


def test_a_plain_packet_is_one_publication():
    """The first that waits."""
    waiting = pendings(Publication("t", b"a"), Publication("t", b"b"))
    assert [one.publication.payload for one in PacketWriter(Terms()).cut(waiting, 0)] == [b"a"]
