"""Subscriptions: one by one, in batches, by hand; left, ended, failed."""

import asyncio

import pytest

import tidings
from client.brokers import KINDS, Tidings, collected, until
from tidings.client import Publication
from tidings.errors import InputError, RequestRefused


@pytest.fixture(scope="module", params=KINDS)
def broker(request):
    """One of each."""
    with KINDS[request.param]() as one:
        yield one


def rows(topic, *payloads):
    """Publications."""
    return [Publication(topic, payload) for payload in payloads]


def test_batches_hold_what_is_there(broker):
    """At least one event each; nothing is left out."""

    async def run():
        async with tidings.connect(broker.url) as client:
            subscription = client.subscribe("batches")
            assert (await subscription.ready()).qos == 1
            await client.publish_many(rows("batches", *(b"%d" % one for one in range(100))))
            found = []
            async for batch in subscription.batches():
                assert batch
                found += batch
                if len(found) == 100:
                    break
            assert [event.payload for event in found] == [b"%d" % one for one in range(100)]

    asyncio.run(run())


def test_a_lasting_session_goes_on_where_it_was_left(broker):
    """In the middle of a row, in the same program; and what was not acknowledged in the next one."""

    async def run():
        me = {"client_id": f"lasting-{broker.port}", "session": "1h"}
        async with tidings.connect(broker.url) as publisher:
            async with tidings.connect(broker.url, **me) as client:
                subscription = client.subscribe("lasting", by_hand=True)
                await subscription.ready()
                await publisher.publish_many(rows("lasting", b"1", b"2", b"3"))
                events = []
                async for event in subscription:
                    events.append(event)
                    if len(events) == 2:
                        break
                async for event in subscription:
                    events.append(event)
                    break
                assert [event.payload for event in events] == [b"1", b"2", b"3"]
                for event in events:
                    subscription.acknowledge(event)
                with pytest.raises(InputError, match="once"):
                    subscription.acknowledge(events[0])
                await client.drain()
                await publisher.publish("lasting", b"4")
                async for event in subscription:
                    assert event.payload == b"4"
                    break  # and not acknowledged
            await publisher.publish("lasting", b"5")
            async with tidings.connect(broker.url, **me) as client:
                subscription = client.subscribe("lasting")
                assert await collected(subscription, 2) == [b"4", b"5"]
                await subscription.end()
                await client.drain()

    asyncio.run(run())


def test_acknowledging_is_by_hand_or_not(broker):
    """Where it is not asked for, it is done already."""

    async def run():
        async with tidings.connect(broker.url) as client:
            subscription = client.subscribe("auto")
            await subscription.ready()
            await client.publish("auto", b"x")
            (event,) = await subscription.next_batch()
            with pytest.raises(InputError, match="by hand"):
                subscription.acknowledge(event)

    asyncio.run(run())


def test_an_ended_subscription_has_an_end(broker):
    """Whoever waits for the next event hears it; ending twice is once."""

    async def run():
        async with tidings.connect(broker.url) as client:
            subscription = client.subscribe("ended")
            await subscription.ready()
            waiting = asyncio.create_task(subscription.next_batch())
            await client.drain()
            await subscription.end()
            await subscription.end()
            assert await waiting == []
            assert [event async for event in subscription] == []

    asyncio.run(run())


def test_a_client_that_ends_ends_its_loops(broker):
    """Without an error: there is nothing more to come."""

    async def run():
        async with tidings.connect(broker.url) as client:
            subscription = client.subscribe("over")
            await subscription.ready()
            waiting = asyncio.create_task(collect(subscription))
            await client.publish("over", b"x")
            await until(lambda: client.counts.shown == 1)
        assert await waiting == [b"x"]

    async def collect(subscription):
        return [event.payload async for event in subscription]

    asyncio.run(run())


def test_a_refused_subscription_says_so_to_whoever_asks():
    """`ready` and the loop alike; the client goes on."""

    async def run(broker):
        async with tidings.connect(broker.url) as client:
            refused = client.subscribe("$share/a/b")
            with pytest.raises(RequestRefused, match="shared"):
                await refused.ready()
            with pytest.raises(RequestRefused, match="shared"):
                await refused.next_batch()
            await client.publish("t", b"x")

    with Tidings() as broker:
        asyncio.run(run(broker))


def test_nothing_is_shown_after_its_lifetime(broker):
    """Also when it waited in the program itself."""

    async def run():
        async with tidings.connect(broker.url) as client:
            subscription = client.subscribe("short")
            await subscription.ready()
            await client.publish("short", b"late", lifetime="50ms")
            await client.publish("short", b"in time", lifetime="1min")
            await until(lambda: client.counts.shown + client.counts.expired == 2)
            over = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_later(0.1, over.set_result, None)
            await over
            assert await collected(subscription, 1) == [b"in time"]
            assert client.counts.expired == 1

    asyncio.run(run())
