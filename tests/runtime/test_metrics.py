"""What a broker counts, as Prometheus reads it."""

import asyncio
import re

from mqtt.lobby import LASTING, said, wish
from runtime.inn import Inn, Visitor, until
from tidings.runtime.doorkeeper import Doorkeeper
from tidings.runtime.metrics import Watched, exposition

LINE = re.compile(r'[a-z_]+(\{[a-z]+="[^"\\]*"\})? -?[0-9.e+-]+')


def read(inn, door):
    """Every value by name and labels; each line is one that Prometheus takes."""
    watched = Watched(inn.front, door, inn.committer, getattr(inn, "store", None), inn.driver.connections)
    text = exposition(watched)
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(LINE.fullmatch(line) for line in lines), lines
    assert text.count("# TYPE") == text.count("# HELP")
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_everything_that_happens_is_counted(tmp_path):
    """Events, clients, syncs; names that clients have chosen are nowhere."""

    async def run():
        async with Inn(folder=tmp_path) as inn:
            door = Doorkeeper({})
            before = read(inn, door)
            keeper = await Visitor.come(inn, "chosen", properties=LASTING)
            await keeper.say(wish("chosen/t", 1))
            await keeper.hear(2)
            await keeper.say(said("chosen/t", b"x", qos=1, packet_id=1, retain=True))
            await keeper.hear(2)
            await until(lambda: inn.committer.syncs >= 2)
            after = read(inn, door)
            door.close()
            assert before['tidings_events_published_total{result="taken"}'] == 0
            assert after['tidings_events_published_total{result="taken"}'] == 1
            assert after["tidings_events_delivered_total"] == 1
            assert after["tidings_connections"] == after["tidings_sessions"] == 1
            assert after["tidings_retained_messages"] == 1
            assert after["tidings_retained_bytes"] == 2, "the payload, and a byte that says how it was published"
            assert after["tidings_store_syncs_total"] >= 2
            assert after["tidings_store_sync_seconds_count"] == after["tidings_store_syncs_total"]
            assert after['tidings_store_sync_seconds_bucket{le="+Inf"}'] == after["tidings_store_syncs_total"]
            assert after["tidings_store_bytes"] > before["tidings_store_bytes"]
            assert after["tidings_store_free_bytes"] > 0
            assert after["process_resident_memory_bytes"] > 1e7
            assert not any("chosen" in name for name in after)

    asyncio.run(run())


def test_without_a_store_nothing_is_said_of_it():
    """Instead of zeros that look like a store."""

    async def run():
        async with Inn() as inn:
            door = Doorkeeper({})
            found = read(inn, door)
            door.close()
            assert not any("store" in name for name in found)
            assert any(name.startswith("tidings_build_info") for name in found)

    asyncio.run(run())
