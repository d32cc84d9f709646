"""The tables of brokers and links: what fits together and what does not."""

from pathlib import Path

import pytest

from tidings.errors import ScenarioError
from tidings.scenario.overlay_tables import (
    BrokerEntry,
    ClientLink,
    LinkEntry,
    LinkTemplate,
    MapTable,
    OverlayTable,
    TreeEntry,
)
from tidings.scenario.parquet_lists import write_entries
from tidings.scenario.schema import dump_table, read_table
from tidings.scenario.source import Place, Source

PLACE = Place(Source(Path(__file__)), "here")
UP = {"dist": "constant", "value": "95s"}
DOWN = {"dist": "constant", "value": "5s"}

GOOD = [
    (ClientLink, {}),
    (ClientLink, {"delay": "5ms", "loss": 0.1, "duplication": 0.2, "fifo": True, "bandwidth": "1Mbit/s"}),
    (LinkTemplate, {"delay": "5ms", "availability": 0.99, "period": "100s"}),
    (LinkTemplate, {"availability": 1, "period": "100s"}),
    (LinkTemplate, {"up": UP, "down": DOWN}),
    (LinkTemplate, {"up": UP, "down": DOWN, "availability": 0.95, "period": "100s"}),
    (LinkTemplate, {"up": UP, "availability": 0.95, "period": "100s"}),
    (LinkEntry, {"between": ["a", "b"], "outages": [["1s", "2s"], ["3s", "4s"]]}),
    (BrokerEntry, {"id": "a", "site": "x", "service": {"dist": "exponential", "mean": "1ms", "per": "subscription"}}),
    (OverlayTable, {}),
    (OverlayTable, {"generate": "line", "brokers": 5, "availability": 0.95, "period": "60000s"}),
    (OverlayTable, {"generate": "random", "brokers": 20, "degree": 5, "link": {"loss": 0.1}}),
    (OverlayTable, {"generate": "sites", "sites": 5, "near": {"delay": "1ms"}, "far": {"delay": "9ms"}}),
    (OverlayTable, {"generate": "sites", "sites": ["rome", "oslo"]}),
    (OverlayTable, {"generate": "transit-stub", "brokers": 5, "stubs": 2, "stub_delay": "1ms"}),
    (OverlayTable, {"file": "x.graphml", "inflation": 1.5, "component": "largest", "unlocated": "drop"}),
    (TreeEntry, {"name": "a", "links": [["a", "b"]], "topics": ["t"]}),
    (MapTable, {"size": [100, 100], "range": 10, "points": [[0, 0], [100, 100]]}),
]

BAD = [
    (ClientLink, {"availability": 0.5}, "availability", "unknown key"),
    (LinkTemplate, {"availability": 0.5}, "period", "given together"),
    (LinkTemplate, {"period": "1s"}, "availability", "given together"),
    (LinkTemplate, {"availability": 0, "period": "1s"}, "availability", "from 0 to 1"),
    (LinkTemplate, {"up": UP}, "down", "give up and down"),
    (LinkTemplate, {"down": DOWN}, "up", "give up and down"),
    (LinkTemplate, {"up": UP, "availability": 0.5, "period": "100s"}, "up", "its mean must be 50s"),
    (LinkTemplate, {"down": DOWN, "availability": 0.5, "period": "100s"}, "down", "its mean must be 50s"),
    (LinkEntry, {"between": ["a"]}, "between", "two broker ids"),
    (LinkEntry, {"between": ["a", "b"], "outages": [["2s", "1s"]]}, "outages", "must come after"),
    (LinkEntry, {"between": ["a", "b"], "outages": [["2s"]]}, "outages[0]", "two instants"),
    (LinkEntry, {"between": ["a", "b"], "outages": [["2", "3s"]]}, "outages[0][0]", "a number and a unit"),
    (LinkEntry, {"between": ["a", "b"], "outages": [[2, 3]]}, "outages[0][0]", "a number and a unit"),
    (LinkEntry, {"between": ["a", "b"], "outages": 3}, "outages", "must be a list"),
    (OverlayTable, {"generate": "ring"}, "generate", "unknown value"),
    (OverlayTable, {"generate": "line", "file": "x"}, "file", "not both"),
    (OverlayTable, {"generate": "random", "brokers": 4}, "degree", "is missing"),
    (OverlayTable, {"generate": "sites"}, "sites", "is missing"),
    (OverlayTable, {"generate": "line", "brokers": 3, "degree": 2}, "degree", 'generate = "random"'),
    (OverlayTable, {"generate": "line", "brokers": 3, "far": {}}, "far", 'generate = "sites"'),
    (OverlayTable, {"generate": "sites", "sites": 3, "brokers": 3}, "brokers", "belongs to"),
    (OverlayTable, {"generate": "line", "brokers": 3, "stubs": 2}, "stubs", 'generate = "transit-stub"'),
    (OverlayTable, {"generate": "line", "brokers": 3, "inflation": 2}, "inflation", "graphml"),
    (OverlayTable, {"generate": "sites", "sites": 3, "far": {}, "link": {}}, "link", "not both"),
    (OverlayTable, {"generate": "sites", "sites": ["a", "a"]}, "sites[1]", "twice"),
    (MapTable, {"size": [0, 9], "range": 1, "points": [[0, 0]]}, "size", "above 0"),
    (MapTable, {"size": [9, 9], "range": 0, "points": [[0, 0]]}, "range", "above 0"),
    (MapTable, {"size": [9, 9], "range": 1, "points": [[0, 10]]}, "points[0]", "on the map"),
    (MapTable, {"size": [9, 9], "range": 1, "points": []}, "points", "1 to"),
    (MapTable, {"size": [9, 9], "range": 1, "points": [[1, 1], [1, 1]]}, "points[1]", "twice"),
]


@pytest.mark.parametrize(("table", "content"), GOOD)
def test_good_tables_survive_being_written(table, content):
    """Reading what was written gives the same."""
    entry = read_table(table, content, PLACE)
    assert read_table(table, dump_table(entry), PLACE) == entry


@pytest.mark.parametrize(("table", "content", "key", "remedy"), BAD)
def test_bad_tables_are_refused_at_the_key(table, content, key, remedy):
    """The key that has to change, and what would be right."""
    with pytest.raises(ScenarioError) as caught:
        read_table(table, content, PLACE)
    assert caught.value.key == f"here.{key}"
    assert remedy in caught.value.remedy


def test_outages_can_come_from_a_file(tmp_path):
    """They are written back as a list."""
    (tmp_path / "o.csv").write_text("1s, 2s\n")
    place = Place(Source(tmp_path / "x.toml"), "link[0]")
    entry = read_table(LinkEntry, {"between": ["a", "b"], "outages": "o.csv"}, place)
    assert dump_table(entry)["outages"] == [["1s", "2s"]]


def test_who_says_how_many_brokers_there_are():
    """A shape needs a number, sites are counted by themselves, a file counts its nodes."""
    assert OverlayTable(generate="line").needs_brokers
    assert not OverlayTable(generate="line", brokers=3).needs_brokers
    assert not OverlayTable(generate="sites", sites=3).needs_brokers
    assert not OverlayTable(file="x.graphml").needs_brokers


def test_points_can_come_from_a_file(tmp_path):
    """A row for each, checked like any other."""
    place = Place(Source(tmp_path / "x.toml"), "map")
    content = {"size": [9, 9], "range": 1, "points": "p.parquet"}
    write_entries(tmp_path / "p.parquet", [{"x": 1, "y": 2}, {"x": 3, "y": 4}])
    assert read_table(MapTable, content, place).points == ((1.0, 2.0), (3.0, 4.0))
    write_entries(tmp_path / "p.parquet", [{"x": 1}])
    with pytest.raises(ScenarioError) as caught:
        read_table(MapTable, content, place)
    assert caught.value.key == "map.points[0][1]"
