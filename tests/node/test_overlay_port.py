"""The overlay as an order's network: messages travel as events that every broker can carry."""

from sequencing.board import event, requested
from tidings.node import Client, ClientOptions
from tidings.node.overlay_port import OverlayPort, carried_by, subject_of
from tidings.sequencing import Wishes
from tidings.sequencing.messages import Published, Reached
from tidings.vocabulary.event import Event, event_id
from tidings.vocabulary.frames import Subscribe, Unsubscribe
from tidings.vocabulary.instant import FOREVER


def port(incarnation=0):
    """Of client c, whose messages have identities of index 9."""
    client = Client(ClientOptions(name="c", broker="b"))
    return OverlayPort(client, "c", 9, incarnation), client


def frames(client):
    """What goes to the broker."""
    return [send.frame for send in client.drain().send]


def carriers(one, client, *messages):
    """Messages on their way."""
    one.fulfil(Wishes(tell=[("$order/in/a", message) for message in messages]), 5)
    return [frame.event for frame in frames(client)]


def test_a_message_arrives_as_it_was_sent():
    """As payload of an event on its name, which never expires."""
    one, client = port()
    (carrier,) = carriers(one, client, requested(1, expires_ns=7))
    assert carried_by(carrier) == requested(1, expires_ns=7)
    assert (carrier.topic, carrier.published_ns, carrier.expires_ns) == ("$order/in/a", 5, FOREVER)


def test_every_carrier_has_an_identity_of_its_own():
    """Else a broker would take a repeated message for one that it has seen; a restart begins others."""
    one, client = port()
    other, other_client = port(incarnation=1)
    found = carriers(one, client, Reached(1, "a", 1), Reached(1, "a", 1))
    found += carriers(other, other_client, Reached(1, "a", 1))
    assert len({carrier.id for carrier in found}) == 3
    assert {carrier.id >> 40 for carrier in found} == {9}


def test_a_carrier_says_which_event_it_brings_on():
    """For who follows the traffic; messages about none say so."""
    one, client = port()
    found = carriers(one, client, requested(3), Published(1, "a", 1, b"", event(3)), Reached(1, "a", 1))
    assert [subject_of(carrier) for carrier in found] == [event(3).id, event(3).id, None]


def test_a_carrier_is_as_large_as_what_it_stands_for():
    """Payload that a simulation only counts is counted."""
    one, client = port()
    plain = carriers(one, client, requested(1))[0].payload_bytes
    large = Published(1, "a", 1, b"", Event(event_id(0, 1), "p", "a", 1, {}, payload_bytes=10_000))
    assert plain == len(carriers(one, client, requested(1))[0].payload)
    assert carriers(one, client, large)[0].payload_bytes > 10_000


def test_names_are_wished_for_one_by_one_and_left():
    """Once each; what is repeated bears its number again."""
    one, client = port()
    one.fulfil(Wishes(listen=["x", 'y"']), 0)
    one.fulfil(Wishes(listen=["x"]), 0)
    first = frames(client)
    assert first == [Subscribe(0, 'topic == "x"'), Subscribe(1, 'topic == "y\\""')]
    one.repeat(1)
    assert frames(client) == first
    one.fulfil(Wishes(leave=["x"]), 2)
    assert frames(client) == [Unsubscribe(0)]


def test_what_is_no_message_is_seen_to_be_none():
    """Anybody can publish anything on a name."""
    one, client = port()
    (carrier,) = carriers(one, client, Reached(1, "a", 1))
    assert carried_by(Event(carrier.id, "x", carrier.topic, 0, {}, payload=b"nonsense")) is None
