"""Tables in memory: what a run's folder would hold, as columns."""

import numpy as np

from simulation.worlds import make_world, run, subscriber
from tidings.simulation.simulated_world import SimulatedWorld
from tidings.simulation.tables import TablesInMemory


def test_columns_are_those_of_a_folder(tmp_path):
    """Of the tables asked for; the others are thrown away."""
    world = make_world(subscribers=[subscriber("s", "b")])
    tables = TablesInMemory(("deliveries", "publications"))
    SimulatedWorld(world, tables).run()
    found = run(world, tmp_path / "run")
    for table, name in (("deliveries", "event"), ("deliveries", "delivered_ns"), ("publications", "published_ns")):
        assert np.array_equal(tables.column(table, name), found.column(table, name))
    assert tables.keeps("deliveries")
    assert not tables.keeps("drops")


def test_codes_are_counted_and_nothing_is_an_empty_column():
    """A name keeps its code."""
    tables = TablesInMemory(("drops",))
    assert [tables.code(name) for name in ("a", "b", "a")] == [0, 1, 0]
    tables.write("deliveries", {"event": [1]})
    assert tables.column("drops", "event").tolist() == []
