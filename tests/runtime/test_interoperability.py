"""Paho's client against the broker as a process: the things that clients of MQTT rely on, one test each."""

import time

import pytest

from runtime.paho_guest import PahoGuest, properties
from runtime.real_broker import RealBroker

VERSIONS = pytest.mark.parametrize("version", [4, 5])


@pytest.fixture(scope="module")
def port():
    """Of one broker for all of these tests: each has topics and client identifiers of its own."""
    with RealBroker() as broker:
        yield broker.port


@pytest.fixture
def name(request):
    """Of the test: topics and clients begin with it."""
    return request.node.name.replace("[", "-").rstrip("]")


@VERSIONS
def test_basic(port, name, version):
    """Each quality of service arrives as the lesser of what was published and what was asked for."""
    with PahoGuest(port, name, version=version) as guest:
        for asked in range(3):
            guest.subscribe(f"{name}/{asked}", asked)
            for qos in range(3):
                guest.publish(f"{name}/{asked}", b"%d" % qos, qos)
        shown = guest.take(9)
    assert [(one.topic[-1], one.qos) for one in shown] == [(str(a), min(a, q)) for a in range(3) for q in range(3)]


@VERSIONS
def test_retained_messages(port, name, version):
    """They are kept for later subscribers, marked, replaced, and forgotten when an empty one comes."""
    with PahoGuest(port, name, version=version) as guest:
        for qos in range(3):
            guest.publish(f"{name}/{qos}", b"old", qos, retain=True)
            guest.publish(f"{name}/{qos}", b"new", qos, retain=True)
        guest.subscribe(f"{name}/+", 2)
        shown = guest.take(3)
        assert {(one.topic[-1], one.qos, one.payload, one.retain) for one in shown} == {
            (str(qos), qos, b"new", True) for qos in range(3)
        }
        for qos in range(3):
            guest.publish(f"{name}/{qos}", b"", qos, retain=True)
        assert [one.retain for one in guest.take(3)] == [False] * 3
        guest.unsubscribe(f"{name}/+")
        guest.subscribe(f"{name}/+", 2)
        guest.publish(f"{name}/end", b"end")
        assert guest.until(b"end") == []


@VERSIONS
def test_offline_queueing(port, name, version):
    """A session that outlives its connection is sent what came meanwhile, of quality 1 and 2, in order."""
    more = {"SessionExpiryInterval": 100} if version == 5 else {}
    with PahoGuest(port, name, version=version, clean=False, **more) as guest:
        guest.subscribe(f"{name}/#", 2)
    with PahoGuest(port, version=version) as other:
        for qos in (1, 2, 1):
            other.publish(f"{name}/x", b"%d" % qos, qos)
    with PahoGuest(port, name, version=version, clean=False, **more) as guest:
        assert guest.flags.session_present
        shown = [
            (one.payload, one.qos) for one in guest.take(3)
        ]  # Paho shows one of quality 2 later, when it is released
        assert sorted(shown) == [(b"1", 1), (b"1", 1), (b"2", 2)]
    with PahoGuest(port, name, version=version) as guest:
        assert not guest.flags.session_present


@VERSIONS
def test_wills(port, name, version):
    """Said when a client breaks off, not when it says goodbye."""
    with PahoGuest(port, version=version) as listener:
        listener.subscribe(f"{name}/will", 2)
        will = {"topic": f"{name}/will", "payload": b"gone", "qos": 1}
        with PahoGuest(port, f"{name}-a", version=version, will=will):
            pass
        PahoGuest(port, f"{name}-b", version=version, will=will).break_off()
        (shown,) = listener.take(1)
        assert (shown.payload, shown.qos) == (b"gone", 1)
        listener.publish(f"{name}/will", b"end")
        assert listener.until(b"end") == []


@VERSIONS
def test_overlapping_subscriptions(port, name, version):
    """One copy, with the highest quality of those that match."""
    with PahoGuest(port, version=version) as guest:
        guest.subscribe(f"{name}/#", 2)
        guest.subscribe(f"{name}/+", 1)
        guest.publish(f"{name}/x", b"x", 2)
        guest.publish(f"{name}/x", b"end")
        (first,) = guest.take(1)
        assert (first.payload, first.qos) == (b"x", 2)
        assert guest.until(b"end") == []


@VERSIONS
def test_unsubscribing(port, name, version):
    """What is no longer wanted does not come."""
    with PahoGuest(port, version=version) as guest:
        for letter in "abc":
            guest.subscribe(f"{name}/{letter}", 1)
        guest.unsubscribe(f"{name}/b")
        for letter in "abc":
            guest.publish(f"{name}/{letter}", letter.encode())
        assert [one.payload for one in guest.take(2)] == [b"a", b"c"]


@VERSIONS
def test_redelivery_on_reconnect(port, name, version):
    """What was in flight when the connection broke is sent again."""
    more = {"SessionExpiryInterval": 100} if version == 5 else {}
    guest = PahoGuest(port, name, version=version, clean=False, **more)
    guest.subscribe(f"{name}/#", 1)
    guest.client.manual_ack_set(True)
    with PahoGuest(port, version=version) as other:
        other.publish(f"{name}/x", b"once")
    assert [one.payload for one in guest.take(1)] == [b"once"]
    guest.break_off()
    with PahoGuest(port, name, version=version, clean=False, **more) as guest:
        (again,) = guest.take(1)
        assert (again.payload, again.dup) == (b"once", True)


@VERSIONS
def test_client_identifiers(port, name, version):
    """Without one a client gets one; the same one a second time ends the first connection."""
    with PahoGuest(port, version=version) as guest:
        assert not guest.reason.is_failure
        if version == 5:
            assert guest.welcome.AssignedClientIdentifier
    with PahoGuest(port, name, version=version) as first, PahoGuest(port, name, version=version):
        reason = first.goodbyes.get(timeout=30)
        assert reason.is_failure
        assert version == 4 or reason.getName() == "Session taken over"


@VERSIONS
def test_dollar_topics(port, name, version):
    """No wildcard of the first level reaches them, and clients may not publish there."""
    with PahoGuest(port, version=version) as guest:
        guest.subscribe("+/dollar", 1)
        refusal = guest.publish("$mine/dollar", b"no")
        assert version == 4 or refusal.getName() == "Not authorized"
        guest.publish(f"{name}/dollar", b"end")
        assert guest.until(b"end") == []


@VERSIONS
def test_shared_subscriptions_are_refused(port, name, version):
    """By name; other wishes are taken."""
    with PahoGuest(port, version=version) as guest:
        reasons, _ = guest.subscribe(f"$share/group/{name}")
        assert reasons[0].is_failure
        if version == 5:
            assert reasons[0].getName() == "Shared subscription not supported"
            assert guest.welcome.SharedSubscriptionAvailable == 0
        reasons, _ = guest.subscribe(name)
        assert not reasons[0].is_failure


@VERSIONS
def test_silent_clients_are_gone(port, name, version):
    """Who promised to say something each second, and does not, is cut off, and its will is said."""
    with PahoGuest(port, version=version) as listener:
        listener.subscribe(f"{name}/will", 1)
        guest = PahoGuest(
            port, name, version=version, keep_alive_s=1, will={"topic": f"{name}/will", "payload": b"silent"}
        )
        guest.client.loop_stop()
        assert [one.payload for one in listener.take(1)] == [b"silent"]
        guest.break_off()


# ---- MQTT 5 only


def test_user_properties_and_request_response(port, name):
    """Handed on as they came, in their order, twice the same name included."""
    pairs = [("b", "2"), ("a", "1"), ("b", "3")]
    with PahoGuest(port) as guest:
        guest.subscribe(name, 1)
        guest.publish(
            name,
            b"x",
            user=pairs,
            ContentType="text/plain",
            ResponseTopic="answers",
            CorrelationData=b"\1\2",
            PayloadFormatIndicator=1,
        )
        (shown,) = guest.take(1)
    got = shown.properties
    assert got.UserProperty == pairs
    assert (got.ContentType, got.ResponseTopic, got.CorrelationData) == ("text/plain", "answers", b"\1\2")
    assert got.PayloadFormatIndicator == 1


def test_messages_expire(port, name):
    """What waited for too long is not shown; what is left of a lifetime is said."""
    with PahoGuest(port, name, clean=False, SessionExpiryInterval=100) as guest:
        guest.subscribe(name, 2)
    with PahoGuest(port) as other:
        other.publish(name, b"short", MessageExpiryInterval=1)
        other.publish(name, b"shorter", user=[("lifetime", "200ms")])
        other.publish(name, b"long", MessageExpiryInterval=100)
        begin = time.monotonic()
        listener_port = port
        while time.monotonic() < begin + 1.1:
            other.publish(f"{name}/else", b"tick")
    with PahoGuest(listener_port, name, clean=False, SessionExpiryInterval=100) as guest:
        (shown,) = guest.take(1)
        assert shown.payload == b"long"
        assert 90 <= shown.properties.MessageExpiryInterval <= 99


def test_subscription_options(port, name):
    """No local, retain as published, retain handling."""
    with PahoGuest(port, f"{name}-p") as other, PahoGuest(port, name) as guest:
        guest.subscribe(f"{name}/own", 1, noLocal=True)
        guest.subscribe(f"{name}/as", 1, retainAsPublished=True)
        guest.subscribe(f"{name}/not", 1, retainAsPublished=False)
        guest.publish(f"{name}/own", b"own")
        other.publish(f"{name}/own", b"other's")
        other.publish(f"{name}/as", b"as", retain=True)
        other.publish(f"{name}/not", b"not", retain=True)
        assert [(one.payload, one.retain) for one in guest.take(3)] == [
            (b"other's", False),
            (b"as", True),
            (b"not", False),
        ]
        guest.subscribe(f"{name}/as", 1, retainHandling=1)
        guest.subscribe(f"{name}/+", 1, retainHandling=2)
        guest.subscribe(f"{name}/as", 1, retainHandling=0)
        assert [(one.payload, one.retain) for one in guest.take(1)] == [(b"as", True)]
        other.publish(f"{name}/own", b"end")
        assert guest.until(b"end") == []


def test_subscription_identifiers(port, name):
    """Those of all subscriptions that match come with the one copy."""
    with PahoGuest(port) as guest:
        guest.subscribe(f"{name}/#", 1, identifier=7)
        guest.subscribe(f"{name}/+", 1, identifier=300_000)
        guest.publish(f"{name}/x", b"x")
        (shown,) = guest.take(1)
        assert sorted(shown.properties.SubscriptionIdentifier) == [7, 300_000]


def test_topic_aliases(port, name):
    """From the client, and to a client that takes them: Paho shows the topic only where it stands in the packet."""
    with PahoGuest(port, TopicAliasMaximum=10) as guest:
        assert guest.welcome.TopicAliasMaximum == 64
        guest.subscribe(f"{name}/#", 1)
        guest.publish(f"{name}/a", b"1", TopicAlias=5)
        guest.publish("", b"2", TopicAlias=5)
        first, second = guest.take(2)
        assert (first.topic, first.payload, first.properties.TopicAlias) == (f"{name}/a", b"1", 1)
        assert (second.topic, second.payload, second.properties.TopicAlias) == ("", b"2", 1)


def test_maximum_packet_size(port, name):
    """What a client does not take is not sent to it; the next smaller one is."""
    with PahoGuest(port, MaximumPacketSize=200) as guest, PahoGuest(port) as other:
        guest.subscribe(name, 1)
        other.publish(name, bytes(300))
        other.publish(name, b"small")
        assert [one.payload for one in guest.take(1)] == [b"small"]


def test_flow_control(port, name):
    """Not more is in flight than a client takes at a time; the rest follows when it acknowledges."""
    with PahoGuest(port, ReceiveMaximum=3) as guest, PahoGuest(port) as other:
        guest.client.manual_ack_set(True)
        guest.subscribe(name, 1)
        for number in range(8):
            other.publish(name, b"%d" % number)
        shown = guest.take(3)
        assert guest.messages.empty()
        while shown:
            one = shown.pop(0)
            guest.client.ack(one.mid, one.qos)
            if int(one.payload) + 3 < 8:
                shown += guest.take(1)
                assert int(shown[-1].payload) == int(one.payload) + 3


def test_session_expiry_and_delayed_wills(port, name):
    """A session that ends takes its will with it: said then, though its delay is longer."""
    will = {
        "topic": f"{name}/will",
        "payload": b"over",
        "properties": properties("WILLMESSAGE", WillDelayInterval=100),
    }
    with PahoGuest(port) as listener:
        listener.subscribe(f"{name}/will", 1)
        guest = PahoGuest(port, name, will=will, clean=False, SessionExpiryInterval=100)
        guest.break_off()
        with PahoGuest(port, name, will=will, clean=False, SessionExpiryInterval=1) as guest:
            assert guest.flags.session_present
        PahoGuest(port, name, will=will, clean=False, SessionExpiryInterval=1).break_off()
        assert [one.payload for one in listener.take(1)] == [b"over"]
        with PahoGuest(port, name, clean=False) as guest:
            assert not guest.flags.session_present


# ---- what is ours


def test_content_filters(port, name):
    """Attributes are user properties; a filter that does not parse is refused with its column."""
    with PahoGuest(port) as guest:
        reasons, _ = guest.subscribe(
            f"{name}/+", 1, content='price >= 10.5 and symbol in ("IBM", "SUN") or urgent == true'
        )
        assert not reasons[0].is_failure
        for price, symbol in ((10, "IBM"), (11, "IBM"), (12, "HP"), (10.5, '"SUN"')):
            guest.publish(f"{name}/q", f"{price} {symbol}", user=[("price", str(price)), ("symbol", symbol)])
        guest.publish(f"{name}/q", b"urgent", user=[("urgent", "true")])
        guest.publish(f"{name}/q", b"a text", user=[("urgent", '"true"')])
        guest.publish(f"{name}/q", b'{"price": 99, "symbol": "IBM"}', user=[("attributes", "json")])
        guest.publish(f"{name}/q", b"end", user=[("urgent", "true")])
        assert guest.until(b"end") == [b"11 IBM", b'10.5 "SUN"', b"urgent", b'{"price": 99, "symbol": "IBM"}']
        reasons, said = guest.subscribe(name, 1, content="price >")
        assert reasons[0].is_failure
        assert "column" in said.ReasonString


def test_orders_are_refused_by_name(port, name):
    """A broker that cannot keep an order does not take a wish for it."""
    with PahoGuest(port) as guest:
        guest.client.subscribe(name, options=None, qos=1, properties=properties("SUBSCRIBE", user=[("order", "total")]))
        reasons, said = guest._answer()
        assert reasons[0].is_failure
        assert "order" in said.ReasonString
