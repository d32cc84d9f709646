"""What is said in greeting, and what a broker's answer means."""

import pytest

from tidings.errors import PacketRefused
from tidings.mqtt import desk
from tidings.mqtt.publishing import REFUSED
from tidings.mqtt_client import outbox, terms
from tidings.mqtt_client.options import ClientOptions
from tidings.mqtt_client.terms import Carrying, Terms, connect_packet, terms_of
from tidings.wire.mqtt_packets import Connack, Properties, Will

OURS = (("tidings", "1"), ("publisher", "64"), ("next", "3"), ("name", "x:ann"), ("clock", "boot/500"))
OPTIONS = ClientOptions(client_id="ann", clock="boot")


def test_both_sides_use_the_same_words():
    """What our broker says in its welcome is what is read here."""
    for name in ("TIDINGS", "PUBLISHER", "NEXT", "NAME", "CLOCK"):
        assert getattr(terms, name) == getattr(desk, name)
    assert outbox.REFUSED == REFUSED


def test_a_silent_broker_takes_everything():
    """MQTT's own defaults."""
    assert terms_of(Connack(), OPTIONS, 0) == Terms(keep_alive_s=30)


def test_what_a_broker_says_holds():
    """Each property."""
    said = Properties(
        server_keep_alive_s=0,
        receive_maximum=3,
        packet_bytes_maximum=99,
        topic_alias_maximum=4,
        maximum_qos=1,
        retain_available=0,
        subscription_ids_available=0,
    )
    found = terms_of(Connack(session_present=True, properties=said), OPTIONS, 0)
    assert found == Terms(
        session_present=True,
        keep_alive_s=0,
        receive_maximum=3,
        packet_bytes_max=99,
        alias_max=4,
        maximum_qos=1,
        retain_available=False,
        ids_available=False,
    )


def test_a_broker_of_ours_says_more():
    """Who we are to it, and what its clock shows."""
    found = terms_of(Connack(properties=Properties(user=OURS)), OPTIONS, 900)
    assert found.carrying == Carrying(64, 3, "x:ann")
    assert found.shift_ns == 0
    elsewhere = ClientOptions(client_id="ann", clock="other boot")
    assert terms_of(Connack(properties=Properties(user=OURS)), elsewhere, 900).shift_ns == 400
    unknown = ClientOptions(client_id="ann")
    nameless = (*OURS[:-1], ("clock", "/500"))
    assert terms_of(Connack(properties=Properties(user=nameless)), unknown, 900).shift_ns == 400


def test_carriers_are_for_those_who_asked():
    """A broker that says so unasked is not believed."""
    plain = ClientOptions(client_id="ann", carriers=False)
    assert terms_of(Connack(properties=Properties(user=OURS)), plain, 0).carrying is None
    assert connect_packet(plain, clean_start=True).properties.user == ()


@pytest.mark.parametrize("place", range(1, 5))
def test_half_a_welcome_is_none(place):
    """Each of its parts is needed, and read."""
    for pairs in (OURS[:place] + OURS[place + 1 :], (*OURS[:place], (OURS[place][0], "?"), *OURS[place + 1 :])):
        if place == 3 and len(pairs) == len(OURS):
            continue
        with pytest.raises(PacketRefused, match="carriers need"):
            terms_of(Connack(properties=Properties(user=pairs)), OPTIONS, 0)


def test_a_will_travels_with_the_greeting():
    """As it was given."""
    will = Will(topic="gone", payload=b"ann")
    assert connect_packet(ClientOptions(client_id="ann", will=will), clean_start=False).will == will
