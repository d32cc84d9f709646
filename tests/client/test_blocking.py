"""The twin without a loop: the same client, from plain code and from threads."""

import threading

import pytest

import tidings
from client.brokers import KINDS, PATIENCE_S, Mosquitto
from tidings.client import Publication
from tidings.errors import InputError, NoConnection, RequestRefused


@pytest.fixture(scope="module", params=KINDS)
def broker(request):
    """One of each."""
    with KINDS[request.param]() as one:
        yield one


def test_what_goes_in_comes_out(broker):
    """One by one and many at once."""
    with tidings.connect(broker.url) as client:
        subscription = client.subscribe("plain/#", where="n >= 0 or not exists(n)")
        assert subscription.ready().qos == 1
        client.publish("plain/a", "hello", attributes={"n": 1}, lifetime="1min")
        assert client.publish_many(Publication("plain/b", b"%d" % number) for number in range(50)) == 50
        found = []
        for event in subscription:
            found.append(event)
            if len(found) == 51:
                break
        assert found[0].payload == b"hello"
        assert dict(found[0].attributes) == {"n": 1}
        assert [event.payload for event in found[1:]] == [b"%d" % number for number in range(50)]
        client.drain()
        assert client.counts.published == 51
        assert client.broker == broker.url
        subscription.end()
        assert subscription.next_batch() == []


def test_acknowledging_by_hand(broker):
    """From plain code."""
    with tidings.connect(broker.url) as client:
        subscription = client.subscribe("hand", by_hand=True)
        client.publish("hand", b"x")
        (event,) = subscription.next_batch()
        subscription.acknowledge(event)
        with pytest.raises(InputError):
            subscription.acknowledge(event)


def test_threads_may_share_it(broker):
    """One waits for events, others publish."""
    with tidings.connect(broker.url) as client:
        subscription, found = client.subscribe("threads"), []

        def take():
            for event in subscription:
                found.append(event.payload)
                if len(found) == 40:
                    return

        def publish(name):
            for number in range(20):
                client.publish("threads", f"{name} {number}")

        threads = [threading.Thread(target=take), *(threading.Thread(target=publish, args=(one,)) for one in "ab")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
        assert len(set(found)) == 40
        for name in "ab":
            mine = [payload for payload in found if payload.startswith(name.encode())]
            assert mine == [f"{name} {number}".encode() for number in range(20)]


def test_errors_are_those_of_the_client(broker):
    """Raised where they are asked for; no thread stays behind."""
    before = threading.active_count()
    with tidings.connect(broker.url) as client, pytest.raises(InputError):
        client.publish("a/+")
    with (
        pytest.raises(NoConnection, match="cannot be reached"),
        tidings.connect("mqtt://127.0.0.1:9", patience="100ms"),
    ):
        pass
    with pytest.raises(InputError), tidings.connect("mqtt://127.0.0.1:9", patience="x"):
        pass
    assert threading.active_count() == before


def test_a_refusal_is_raised():
    """Mosquitto that lets nobody in."""
    with Mosquitto(anonymous=False) as broker, pytest.raises(RequestRefused), tidings.connect(broker.url):
        pass
