"""A broker that is killed again and again under load, and whose disk loses all that was not synced: nothing that it had
acknowledged is lost, nothing is shown twice, and every publisher's events come in their order.

`pytest -s tests/runtime/test_kills.py` prints the figures; the marks `slow` have hundreds of kills.
"""

import asyncio
import contextlib
import sys
import time

import numpy as np
import pytest

from runtime.inn import a_moment, until
from runtime.real_broker import RealBroker
from runtime.steady_clients import Publisher, Subscriber
from tidings.runtime.data_folder import read_mark

RATE = 700
"""Events a second that are offered while the broker is there."""
TICK_S = 0.02


def cut_power(folder, rng):
    """What a power cut may leave: all that was synced, and of the rest a torn part."""
    mark = read_mark((folder / "synced").read_bytes())
    lost = 0
    for path in folder.glob("segment-*.log"):
        number, data = int(path.stem.removeprefix("segment-")), path.read_bytes()
        if number < mark.segment:
            continue
        sure = mark.size if number == mark.segment else 0
        assert len(data) >= sure
        kept = sure + int(rng.integers(0, len(data) - sure + 1))
        lost += len(data) - kept
        path.write_bytes(data[:kept])
    return lost


async def campaign(folder, seed, kills, *, power):
    """Kill it so often; gives a line of figures, or fails."""
    rng = np.random.default_rng(seed)
    publishers = [Publisher(f"p{n}", f"t/{n}") for n in range(3)]
    subscribers = [Subscriber(f"s{n}", "t/#") for n in range(2)]
    place = {"port": None}
    lives = [asyncio.create_task(one.live(lambda: place["port"])) for one in (*publishers, *subscribers)]
    up_s, recoveries, lost = 0.0, [], 0
    try:
        for kill in range(kills + 1):
            begin = time.monotonic()
            with RealBroker("--data", folder) as broker:
                recoveries.append(time.monotonic() - begin)
                place["port"] = broker.port
                await until(lambda: all(one.subscribed for one in subscribers))
                if kill == kills:
                    total = await settled(publishers, subscribers)
                    break
                begin = time.monotonic()
                until_s = begin + rng.uniform(0.3, 0.9)
                offered = 0
                while time.monotonic() < until_s:
                    due = int((time.monotonic() - begin) * RATE / len(publishers)) - offered
                    for one in publishers:
                        one.publish(due)
                    offered += due
                    await a_moment(TICK_S)
                up_s += time.monotonic() - begin
                place["port"] = None
                broker.process.kill()
            if power:
                lost += cut_power(folder, rng)
    finally:
        for one in lives:
            one.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await one
    for one in subscribers:
        for publisher in publishers:
            shown = [number for topic, number in one.shown if topic == publisher.topic]
            assert shown == list(range(publisher.count)), f"seed {seed}: {one.name} of {publisher.name}"
    return (
        f"{kills} {'power cuts' if power else 'kills'}: {total:,} events, {total / up_s:,.0f} a second while up; 0 lost, 0 shown "
        f"twice, 0 out of order; starts take {np.median(recoveries):.1f} s (median); unsynced bytes lost: {lost:,}"
    )


async def settled(publishers, subscribers):
    """Everything is acknowledged and shown, however long it takes, while it goes on; gives how many events there were."""
    total = sum(one.count for one in publishers)

    def left():
        return sum(len(one.flights) for one in publishers) + sum(max(0, total - len(one.shown)) for one in subscribers)

    while before := left():
        await until(lambda before=before: left() < before)
    return total


@pytest.mark.parametrize("power", [False, True], ids=["killed", "power cut"])
def test_nothing_acknowledged_is_lost(tmp_path, power):
    """Ten of each in every test run."""
    sys.stdout.write(f"\n{asyncio.run(campaign(tmp_path, 1, 10, power=power))}\n")


@pytest.mark.slow
@pytest.mark.parametrize("power", [False, True], ids=["killed", "power cut"])
@pytest.mark.parametrize("part", range(10))
def test_nothing_acknowledged_is_lost_in_hundreds(tmp_path, part, power):
    """Three hundred of each at night, on one folder thirty at a time."""
    sys.stdout.write(f"\n{asyncio.run(campaign(tmp_path, 100 + part, 30, power=power))}\n")


def test_a_disk_that_loses_what_it_had_synced_is_noticed(tmp_path):
    """At the next start, which then fails: no power cut does that."""
    with RealBroker("--data", tmp_path) as broker:
        broker.process.kill()
    (segment,) = tmp_path.glob("segment-*.log")
    data = segment.read_bytes()
    segment.write_bytes(data[:-1])
    broker = RealBroker("--data", tmp_path)
    assert broker.end(None) == 2
    broker.kill()
