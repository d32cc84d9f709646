"""The client with real brokers: what goes in comes out, whatever happens to broker and line."""

import asyncio
import random
import shutil
import subprocess

import pytest

import tidings
from client.brokers import KINDS, NOT_THERE, PATIENCE_S, Line, Mosquitto, Tidings, collected, until
from tidings.client import Publication
from tidings.errors import InputError, NoConnection, RequestRefused
from tidings.wire.mqtt_reasons import Reason


@pytest.fixture(scope="module", params=KINDS)
def broker(request):
    """One of each, for tests that leave it as it is."""
    with KINDS[request.param]() as one:
        yield one


def numbered(count, start=0):
    """Payloads."""
    return [b"%d" % number for number in range(start, start + count)]


@pytest.mark.parametrize("qos", [0, 1, 2])
def test_what_goes_in_comes_out(broker, qos):
    """In order, with attributes and their types, whatever the broker knows of them."""

    async def run():
        async with tidings.connect(broker.url) as client, client.subscribe("round/+", qos=qos) as subscription:
            attributes = {"price": 10.5, "symbol": "IBM", "last": True, "count": 3, "text": "10"}
            await client.publish("round/a", "héllo", attributes=attributes, lifetime="1min", qos=qos)
            await client.publish("round/b", b"\x00\xff", qos=qos)
            found = []
            async for event in subscription:
                found.append(event)
                if len(found) == 2:
                    break
            first, second = found
            assert (first.topic, first.payload, dict(first.attributes)) == ("round/a", "héllo".encode(), attributes)
            assert 0 < first.expires_ns - first.published_ns <= 61 * 10**9
            assert (second.topic, second.payload) == ("round/b", b"\x00\xff")
            assert client.is_connected
            assert client.broker == broker.url

    asyncio.run(run())


def test_filters_hold_with_every_broker(broker):
    """Also with one that has never heard of them; two on one topic get what each of them wants."""

    async def run():
        async with tidings.connect(broker.url) as client:
            dear = client.subscribe("filters", where="price > 10")
            cheap = client.subscribe("filters", where="price <= 10 or not exists(price)")
            await asyncio.gather(dear.ready(), cheap.ready())
            for price in (5, 15, 10, 20):
                await client.publish("filters", b"%d" % price, attributes={"price": price})
            await client.publish("filters", b"none")
            assert await collected(dear, 2) == [b"15", b"20"]
            assert await collected(cheap, 3) == [b"5", b"10", b"none"]

    asyncio.run(run())


def test_many_at_once(broker):
    """Thousands in rows: none missing, none twice, in order, for each of two who want them."""

    async def run():
        async with tidings.connect(broker.url) as one, tidings.connect(broker.url) as other:
            subscriptions = [client.subscribe("many/#") for client in (one, other)]
            for subscription in subscriptions:
                await subscription.ready()
            taking = [asyncio.create_task(collected(one, 5_000)) for one in subscriptions]
            assert await one.publish_many(Publication("many/x", payload) for payload in numbered(5_000)) == 5_000
            for task in taking:
                assert await task == numbered(5_000)

    asyncio.run(run())


def test_retained_events_come_first(broker):
    """To whoever subscribes later, unless not wanted; and an empty one takes it back."""

    async def run():
        async with tidings.connect(broker.url) as client:
            await client.publish("kept/a", b"old", retain=True)
            async with client.subscribe("kept/a") as subscription:
                assert await collected(subscription, 1) == [b"old"]
            async with client.subscribe("kept/a", retained=False) as subscription:
                await client.publish("kept/a", b"new")
                assert await collected(subscription, 1) == [b"new"]
            await client.publish("kept/a", b"", retain=True)

    asyncio.run(run())


def test_leaving_the_loop_ends_the_subscription(broker):
    """The broker sends no more of it; another subscription of the topic starts anew."""

    async def run():
        async with tidings.connect(broker.url) as client:
            for number in range(3):
                subscription = client.subscribe("left")
                await subscription.ready()
                await client.publish_many(Publication("left", payload) for payload in numbered(50, 100 * number))
                async for event in subscription:
                    assert event.payload == b"%d" % (100 * number)
                    break
                await client.drain()
            await until(lambda: len(client._driver.machine.interests) == 0)

    asyncio.run(run())


# ---- what breaks


@pytest.mark.parametrize("kind", KINDS)
def test_a_line_that_breaks_loses_nothing_and_repeats_nothing(kind):
    """Anywhere in what is said, in either direction: qualities 1 and 2 with others' broker, rows with ours."""
    chance = random.Random(7)
    count = 1_500

    async def run(broker):
        async with (
            Line(broker) as up,
            Line(broker) as down,
            tidings.connect(up.url, session="1h") as publisher,
            tidings.connect(down.url, session="1h", receive_maximum=20) as listener,
        ):
            subscription = listener.subscribe("cut", qos=2)
            await subscription.ready()
            found = []
            taking = asyncio.create_task(collected(subscription, count, found))
            for start in range(0, count, 100):
                for line in (up, down):
                    line.left = chance.randrange(1, 6_000) if line.cuts < 5 else None
                row = [Publication("cut", one, qos=2) for one in numbered(100, start)]
                await publisher.publish_many(row)
            up.left = down.left = None
            await taking
            await listener.drain()
            assert found == numbered(count)
            assert up.cuts + down.cuts >= 8
            assert publisher.counts.connections == up.cuts + 1
            assert publisher.counts.sessions_lost == listener.counts.sessions_lost == 0

    with KINDS[kind]() as broker:
        asyncio.run(run(broker))


def test_a_broker_that_is_killed_loses_nothing_that_it_has_acknowledged(tmp_path):
    """Ours, with a data folder, kill -9 in the middle of publishing: nothing lost, nothing twice, in order."""
    count, kills = 900, 3
    step = count // (kills + 2)

    async def run(broker):
        connect = {"patience": "60s", "session": "1h"}
        async with (
            tidings.connect(broker.url, **connect) as publisher,
            tidings.connect(broker.url, **connect) as listener,
        ):
            subscription = listener.subscribe("killed")
            await subscription.ready()
            found, killed = [], []
            taking = asyncio.create_task(collected(subscription, count, found))
            publishing = asyncio.create_task(publish(publisher, killed))
            for part in range(1, kills + 1):
                await until(lambda part=part: len(found) > part * step)
                await asyncio.to_thread(again, broker)
                killed.append(part)
            assert await publishing == count
            await taking
            assert found == numbered(count)
            assert publisher.counts.connections == kills + 1
            assert publisher.counts.sessions_lost == 0

    async def publish(publisher, killed):
        for start in range(0, count, 20):
            # Kills come while there is something to lose: nobody is ahead of the next one by much.
            await until(lambda start=start: len(killed) == kills or start < (len(killed) + 1) * step + 60)
            await publisher.publish_many(Publication("killed", one) for one in numbered(20, start))
        return count

    def again(broker):
        broker.kill()
        broker.start()

    with Tidings("--data", tmp_path / "data") as broker:
        asyncio.run(run(broker))


def test_a_broker_that_has_forgotten_everything_is_told_again():
    """Mosquitto without persistence, killed: subscriptions are made anew, and the program sees that a session was lost."""

    async def run(broker):
        async with tidings.connect(broker.url, patience="60s") as client:
            subscription = client.subscribe("again")
            await subscription.ready()
            await client.publish("again", b"before")
            assert await collected(subscription, 1) == [b"before"]
            await asyncio.to_thread(broker.kill)
            await until(lambda: not client.is_connected)
            waiting = asyncio.create_task(client.publish("again", b"between"))
            await asyncio.to_thread(broker.start)
            await waiting
            await client.publish("again", b"after")
            assert await collected(subscription, 2) == [b"between", b"after"]
            assert (client.counts.connections, client.counts.sessions_lost) == (2, 1)

    with Mosquitto() as broker:
        asyncio.run(run(broker))


def test_of_several_brokers_another_one_goes_on():
    """The first is not there, the second dies, the third takes over what is not acknowledged and what is wanted."""

    async def run(second, third):
        dead = "mqtt://127.0.0.1:9"
        async with tidings.connect(dead, second.url, third.url) as client:
            assert client.broker == second.url
            subscription = client.subscribe("moved")
            await subscription.ready()
            second.kill()
            await client.publish("moved", b"x")
            assert client.broker == third.url
            assert await collected(subscription, 1) == [b"x"]

    with Mosquitto() as second, Tidings() as third:
        asyncio.run(run(second, third))


def test_a_slow_application_holds_back_its_broker_and_nobody_else(broker):
    """What waits is bounded, another client is served meanwhile, and what was not lost on the way is shown in order."""

    async def run():
        async with (
            tidings.connect(broker.url) as publisher,
            tidings.connect(broker.url) as slow,
            tidings.connect(broker.url) as quick,
        ):
            machine = slow._driver.machine
            bound = machine.options.backlog_events_max
            lazy, eager = slow.subscribe("flood", qos=0), quick.subscribe("flood", qos=0)
            await asyncio.gather(lazy.ready(), eager.ready())
            payload = b"x" * 100
            taking = asyncio.create_task(collected(eager, 20_000))
            await publisher.publish_many(Publication("flood", payload, qos=0) for _ in range(20_000))
            await taking
            assert machine.showing.events <= bound
            await publisher.publish("flood", b"last", qos=1)
            assert len(await collected(lazy, 1)) <= bound

    asyncio.run(run())


# ---- who is not let in


def test_nobody_is_there():
    """One line that says where, within the patience asked for."""

    async def run():
        async with tidings.connect("mqtt://ann:secret@127.0.0.1:9", patience="300ms"):
            pass

    with pytest.raises(NoConnection, match=r"mqtt://127\.0\.0\.1:9: cannot be reached") as problem:
        asyncio.run(run())
    assert "secret" not in str(problem.value)


def test_two_clients_with_one_identifier():
    """The second takes over; the first gives in, and says so to whoever waits."""

    async def run(broker):
        early = tidings.connect(broker.url, client_id="both")
        client = await early.__aenter__()
        subscription = client.subscribe("x")
        await subscription.ready()
        async with tidings.connect(broker.url, client_id="both") as second:
            with pytest.raises(RequestRefused, match="another client has taken over the session of 'both'"):
                await subscription.next_batch()
            with pytest.raises(RequestRefused):
                await client.publish("x")
            await second.publish("x")
        await early.__aexit__(None, None, None)

    with Tidings() as broker:
        asyncio.run(run(broker))


def test_two_clients_that_throw_each_other_out_calm_down():
    """Where the broker does not say why: each comes back later and later."""

    async def run(broker):
        same = {"client_id": "both", "patience": "30s"}
        async with tidings.connect(broker.url, **same) as one, tidings.connect(broker.url, **same):
            await until(lambda: one.counts.connections > 4)
            itinerary = one._driver._itinerary
            assert itinerary._brief >= one.counts.connections - 2
            assert itinerary.next(1.0)[1] > 0.1

    with Mosquitto() as broker:
        asyncio.run(run(broker))


@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    """Mosquitto with passwords and rights."""
    folder = tmp_path_factory.mktemp("strict")
    passwords, rights = folder / "passwords", folder / "rights"
    program = shutil.which("mosquitto_passwd")
    if program is None:
        pytest.skip(NOT_THERE)
    subprocess.run([program, "-c", "-b", passwords, "ann", "right"], check=True, timeout=PATIENCE_S)
    rights.write_text("user ann\ntopic readwrite mine/#\n", "utf-8")
    with Mosquitto(f"password_file {passwords}", f"acl_file {rights}", anonymous=False) as one:
        yield one


def test_credentials_come_from_the_url_or_beside_it(strict):
    """And a token in the place of a password."""
    url = strict.url.replace("mqtt://", "mqtt://ann:right@")

    async def run(url, **settings):
        async with tidings.connect(url, **settings) as client:
            await client.publish("mine/a", b"x")

    asyncio.run(run(url))
    asyncio.run(run(strict.url, user="ann", password="right"))
    asyncio.run(run(strict.url, user="ann", token="right"))


@pytest.mark.parametrize("said", [{"user": "ann", "password": "wrong"}, {"user": "bob", "password": "right"}, {}])
def test_wrong_credentials_are_refused_at_once(strict, said):
    """Without trying again, and without showing them."""

    async def run():
        async with tidings.connect(strict.url, **said):
            pass

    with pytest.raises(RequestRefused) as problem:
        asyncio.run(run())
    assert problem.value.reason in {Reason.NOT_AUTHORIZED, Reason.BAD_USER_NAME_OR_PASSWORD}
    assert "wrong" not in str(problem.value)


def test_topics_without_a_right_are_refused_one_by_one(strict):
    """Everything else goes on."""

    async def run():
        async with tidings.connect(strict.url, user="ann", password="right") as client:
            with pytest.raises(RequestRefused, match="refused"):
                await client.publish("yours/a", b"x")
            with pytest.raises(RequestRefused):
                await client.publish_many([Publication("mine/a"), Publication("yours/a"), Publication("mine/b")])
            assert client.counts.published == 2
            await client.publish("mine/a", b"x", qos=2)

    asyncio.run(run())


# ---- what is asked wrongly, and the end


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda client: client.subscribe("a/#/b"), "# must be the whole last level"),
        (lambda client: client.subscribe("a", where="price >"), "filter, column"),
        (lambda client: client.subscribe("a", qos=3), "must be 0, 1 or 2"),
    ],
)
def test_what_cannot_be_wanted_is_refused_here(broker, call, problem):
    """Before the broker hears of it."""

    async def run():
        async with tidings.connect(broker.url) as client:
            with pytest.raises(InputError, match=problem):
                call(client)

    asyncio.run(run())


def test_what_cannot_be_published_is_refused_here(broker):
    """Topics, lifetimes, attributes."""

    async def run():
        async with tidings.connect(broker.url) as client:
            for said in (
                {"topic": "a/+"},
                {"topic": "a", "lifetime": "soon"},
                {"topic": "a", "attributes": {"topic": 1}},
            ):
                with pytest.raises(InputError):
                    await client.publish(**said)
            assert client.counts.refused == 0

    asyncio.run(run())


def test_a_lifetime_ends_while_there_is_no_broker():
    """Whoever waits is told, and the client goes on."""

    async def run(broker):
        async with tidings.connect(broker.url, patience="60s") as client:
            await asyncio.to_thread(broker.kill)
            await until(lambda: not client.is_connected)
            with pytest.raises(RequestRefused, match="lifetime"):
                await client.publish("t", b"x", lifetime="50ms")
            await asyncio.to_thread(broker.start)
            await client.publish("t", b"y")

    with Mosquitto() as broker:
        asyncio.run(run(broker))


def test_what_is_not_acknowledged_at_the_end_is_said():
    """To the program that ends, and to whoever still waits."""
    waiting = []

    async def leave(broker):
        async with tidings.connect(broker.url, patience="1s") as client:
            await asyncio.to_thread(broker.kill)
            waiting.append(asyncio.create_task(client.publish("t", b"x")))

    async def run(broker):
        with pytest.raises(NoConnection, match="1 publications were not acknowledged"):
            await leave(broker)
        with pytest.raises(NoConnection, match="nobody knows"):
            await waiting[0]

    with Mosquitto() as broker:
        asyncio.run(run(broker))


def test_whoever_publishes_too_much_waits(broker):
    """Until there is room again; a plain loop lets others have their turn."""

    async def run():
        async with tidings.connect(broker.url) as client:
            turns = []
            loop = asyncio.get_running_loop()

            def turn():
                turns.append(len(turns))
                loop.call_soon(turn)

            loop.call_soon(turn)
            async with asyncio.timeout(PATIENCE_S):
                for _ in range(2_000):
                    await client.publish("t", b"x", qos=0)
            await client.drain()
            assert len(turns) > 3
            assert client._driver.machine.outbox.bytes == 0

    asyncio.run(run())
