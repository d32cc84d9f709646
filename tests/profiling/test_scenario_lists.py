"""Lists that a scenario names: they say what was measured, in its own words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenario_texts import TOP, scenario_of, world_of
from tidings.profiling.scenario_lists import (
    broker_entries,
    file_name,
    link_entries,
    publisher_entries,
    subscriber_entries,
    walker_entries,
)
from tidings.scenario.parquet_lists import write_entries


@given(st.text(min_size=1, max_size=90), st.text(min_size=1, max_size=90))
def test_names_of_files(one, other):
    """Plain, and different for different names."""
    first, second = file_name("trace", one), file_name("trace", other)
    assert (first == second) == (one == other)
    assert first.startswith("trace-")
    assert first.endswith(".parquet")
    assert not set(first) & set('/\\\0 "')


def test_plain_names_stay():
    """Readable where they can be."""
    assert file_name("trace", "IBM.N") == "trace-IBM.N.parquet"
    assert list(publisher_entries(["IBM.N"])) == [{"id": "IBM.N", "trace": "trace-IBM.N.parquet"}]


def component(**more):
    """A row of the table of components."""
    row = {"component": "a", "failures": 3, "mtbf_ns": 9e9, "mttr_ns": 1e9, "up_scv": 0.5, "down_scv": None}
    return row | more


def test_brokers_fail_as_they_did():
    """By mean and unevenness; exponential where nobody knows; never, where they never did."""
    (one,) = broker_entries([component()])
    assert one["up"] == {"dist": "gamma", "mean": "9000000000ns", "scv": 0.5}
    assert one["down"] == {"dist": "exponential", "mean": "1000000000ns"}
    for never in ({"failures": 0, "mtbf_ns": None, "mttr_ns": None}, {"mttr_ns": 0.0}, {"mtbf_ns": 0.0}):
        assert list(broker_entries([component(**never)])) == [{"id": "a"}]
    (steady,) = broker_entries([component(up_scv=0.0)])
    assert steady["up"] == "9000000000ns"


def test_links_delay_and_lose():
    """What was not measured is left out."""
    row = {"one": "a", "other": "b", "delay_ns": 4e6, "deviation_ns": 1e6, "delivery": 0.75}
    (one,) = link_entries([row])
    assert one == {"between": ["a", "b"], "delay": {"dist": "gamma", "mean": "4000000ns", "scv": 0.0625}, "loss": 0.25}
    assert list(link_entries([row | {"delay_ns": None, "delivery": 1.0}])) == [{"between": ["a", "b"]}]


def test_a_scenario_reads_them(tmp_path):
    """Brokers, links, subscribers, written as lists and named by a scenario."""
    links = [{"one": "a", "other": "b", "delay_ns": 4e6, "deviation_ns": 1e6, "delivery": 0.75}]
    write_entries(tmp_path / "b.parquet", list(broker_entries([component(), component(component="b", failures=0)])))
    write_entries(tmp_path / "l.parquet", list(link_entries(links)))
    write_entries(tmp_path / "s.parquet", list(subscriber_entries([("u", ["y", "x"])])))
    lists = "broker = 'b.parquet'\nlink = 'l.parquet'\nsubscriber = 's.parquet'\n"
    publisher = "[[publisher]]\nevery = '1s'\ntopics = ['x', 'y']\n"
    world = world_of(tmp_path, TOP + lists + publisher)
    assert world.brokers[0].outages.up.mean == pytest.approx(9e9)
    assert world.brokers[1].outages is None
    assert world.links[0].law.loss == 0.25
    assert world.subscribers[0].topics == ("x", "y")


def test_walkers_move_as_recorded(tmp_path):
    """Their walks are named."""
    entries = list(walker_entries(["u 1"]))
    write_entries(tmp_path / "s.parquet", entries)
    (tmp_path / entries[0]["mobility"]["file"]).write_bytes(b"")
    text = "subscriber = 's.parquet'\n[map]\nsize = [9, 9]\nrange = 1\npoints = [[0, 0]]\n"
    assert scenario_of(tmp_path, TOP + text).subscriber[0].mobility.model == "recorded"
