"""Routing, reliability, ordering, faults and crashes."""

from pathlib import Path

import pytest

from tidings.errors import ScenarioError
from tidings.scenario.promise_tables import (
    MECHANISMS,
    MECHANISMS_OF,
    SCHEMES,
    CrashEntry,
    EpisodesTable,
    FaultsTable,
    OrderingTable,
    ReliabilityTable,
    RoutingTable,
    episodes_of,
)
from tidings.scenario.schema import dump_table, read_table
from tidings.scenario.source import Place, Source
from tidings.scenario.world import LinkEpisodes, Ordering, Reliability, Routing

PLACE = Place(Source(Path(__file__)), "here")
EPISODES = {"probability": 0.06, "every": "1s", "lasting": "1s"}

GOOD = [
    (RoutingTable, {"scheme": "dcrd", "transmissions": 2, "ack": "one-way", "monitor": "5min"}),
    (RoutingTable, {"scheme": "tree", "covering": False, "merging": True}),
    (RoutingTable, {"scheme": "dcrd+", "guards": 3}),
    (RoutingTable, {"scheme": "tree", "ack": "one-way", "monitor": "5min"}),
    (ReliabilityTable, {"mechanism": "bypass+buffering", "renew": "10s", "expired": "carry"}),
    (OrderingTable, {"guarantee": "total", "precedence": "by-site", "stages": 3}),
    (OrderingTable, {"guarantee": "fifo", "latch": "constant", "hold": "0s", "tolerance": 0.01, "record": 50}),
    (OrderingTable, {"guarantee": "total", "mode": "unreliable", "wait": "1s", "stages": "by-site", "k": 2}),
    (OrderingTable, {"guarantee": "causal", "k": 1}),
    (FaultsTable, {"links": EPISODES}),
    (FaultsTable, {}),
    (CrashEntry, {"component": "stage:t", "at": "0s", "lasting": "1s"}),
]

BAD = [
    (RoutingTable, {"scheme": "flood"}, "scheme", "unknown value"),
    (RoutingTable, {"transmissions": 0}, "transmissions", "from 1"),
    (RoutingTable, {"ack": "none"}, "ack", "round-trip"),
    (RoutingTable, {"guards": 9}, "guards", "from 0 to 8"),
    (RoutingTable, {"monitor": "0s"}, "monitor", "longer than nothing"),
    (RoutingTable, {"covering": 1}, "covering", "true or false"),
    (ReliabilityTable, {"mechanism": "buffer"}, "mechanism", 'did you mean "buffering"?'),
    (ReliabilityTable, {"expired": "keep"}, "expired", "drop"),
    (OrderingTable, {"guarantee": "totl"}, "guarantee", 'did you mean "total"?'),
    (OrderingTable, {"stages": 0}, "stages", "from 1"),
    (OrderingTable, {"stages": "bysite"}, "stages", 'did you mean "by-site"?'),
    (OrderingTable, {"stages": True}, "stages", "a number"),
    (OrderingTable, {"tolerance": 0}, "tolerance", "from 0 to 0.5"),
    (OrderingTable, {"tolerance": 0.6}, "tolerance", "from 0 to 0.5"),
    (OrderingTable, {"latch": "constant"}, "hold", "needs a duration"),
    (OrderingTable, {"hold": "1s"}, "hold", 'latch = "constant" only'),
    (OrderingTable, {"mode": "unreliable"}, "wait", "needs a duration"),
    (OrderingTable, {"wait": "1s"}, "wait", 'mode = "unreliable" only'),
    (OrderingTable, {"guarantee": "causal", "k": 2}, "k", "needs k = 1"),
    (OrderingTable, {"record": -1}, "record", "from 0"),
    (OrderingTable, {"record": 1_025}, "record", "to 1024"),
    (EpisodesTable, {**EPISODES, "probability": 1.5}, "probability", "from 0 to 1"),
    (EpisodesTable, {**EPISODES, "lasting": "2s"}, "lasting", "not be longer"),
    (FaultsTable, {"brokers": EPISODES}, "brokers", "unknown key"),
    (CrashEntry, {"component": "b", "at": "1s"}, "lasting", "is missing"),
    (CrashEntry, {"component": "b", "at": "-1s", "lasting": "1s"}, "at", "a number and a unit"),
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


def test_defaults_are_those_of_the_world():
    """The contract's defaults stand in two places, and they agree."""
    routing, reliability, ordering = RoutingTable(), ReliabilityTable(), OrderingTable()
    world = Routing(), Reliability(), Ordering()
    assert (routing.scheme, routing.transmissions, routing.ack) == (
        world[0].scheme,
        world[0].transmissions,
        world[0].ack,
    )
    assert (routing.covering, routing.merging) == (world[0].covering, world[0].merging)
    assert (reliability.mechanism, reliability.renew, reliability.expired) == (
        world[1].mechanism,
        world[1].renew_ns,
        world[1].expired,
    )
    for name in ("guarantee", "precedence", "stages", "k", "tolerance", "latch", "record", "mode"):
        assert getattr(ordering, name) == getattr(world[2], name)


def test_every_scheme_says_its_mechanisms():
    """With `tree` all five; with `dcrd` and `dcrd+` none or buffering; with the others none."""
    assert tuple(MECHANISMS_OF) == SCHEMES
    assert MECHANISMS_OF["tree"] == MECHANISMS
    assert {MECHANISMS_OF[scheme] for scheme in ("dcrd", "dcrd+")} == {("none", "buffering")}
    assert {MECHANISMS_OF[scheme] for scheme in ("r-tree", "d-tree", "multipath", "oracle")} == {("none",)}


def test_episodes_as_the_world_says_them():
    """Absent, or in nanoseconds."""
    assert episodes_of(FaultsTable()) is None
    table = read_table(FaultsTable, {"links": EPISODES}, PLACE)
    assert episodes_of(table) == LinkEpisodes(probability=0.06, every_ns=10**9, lasting_ns=10**9)
