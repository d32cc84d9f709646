"""The demonstration's scenarios are scenarios, and the same but for what is said."""

import pyarrow as pa
import pyarrow.parquet as pq

from tidings.demo.cities import CITIES, LINKS_MS
from tidings.demo.wishes import Wish
from tidings.demo.worlds import scenario_text
from tidings.scenario import expand, load_scenario, refuse

WISHES = [Wish(id="desk0", broker="tokyo", filter='topic == "a\\"b"', deadline_ms=150)]
SETTING = {"seed": 3, "seconds": 60, "guarantee": "fifo"}


def test_a_scenario_comes_out(tmp_path):
    """Every city and link, publishers in turn, subscribers with their filters; simulate takes it."""
    rows = {"published_ns": [1], "topic": ['a"b'], "payload_bytes": [3]}
    table = pa.table({**rows, "attributes": pa.array([[("x", "1")]], pa.map_(pa.string(), pa.string()))})
    pq.write_table(table, tmp_path / "t.parquet")
    publishers = [{"id": f"p{one}", "trace": "t.parquet"} for one in range(len(CITIES) + 1)]
    (tmp_path / "s.toml").write_text(scenario_text("a title", publishers, WISHES, SETTING), "utf-8")
    world = expand(load_scenario(tmp_path / "s.toml"))
    refuse(world, "simulate")
    assert (world.name, world.seed, world.duration_ns) == ("a title", 3, 60 * 10**9)
    assert [broker.id for broker in world.brokers] == list(CITIES)
    assert len(world.links) == len(LINKS_MS)
    assert world.publishers[0].broker == world.publishers[-1].broker == CITIES[0]
    assert world.ordering.guarantee == "fifo"
    (subscriber,) = world.subscribers
    assert (subscriber.broker, subscriber.filter, subscriber.deadline_ns) == ("tokyo", 'topic == "a\\"b"', 150 * 10**6)


def test_delays_are_drawn_for_each_packet(tmp_path):
    """Or nothing would ever overtake."""
    (tmp_path / "s.toml").write_text(scenario_text("t", [], WISHES, SETTING), "utf-8")
    world = expand(load_scenario(tmp_path / "s.toml"))
    assert all(link.law.delay.scv > 0.05 for link in world.links)
