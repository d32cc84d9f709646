"""From a scenario to a world: the contract's files, determinism, independence of streams, and what shows only here."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scenario_texts import BROKERS, CONTRACT, CONTRACT_FILES, PUBLISHER, SMALL, SUBSCRIBER, TOP, scenario_of, world_of
from tidings.errors import ScenarioError
from tidings.scenario import expand, load_scenario
from tidings.vocabulary.distribution import Constant, Exponential, Normal, Uniform
from tidings.vocabulary.instant import FOREVER, MINUTE, SECOND

SHARED = Path(__file__).parents[2].parent / "shared" / "contract"


def contract(name, seed=None):
    """The world of one of the contract's files."""
    return expand(load_scenario(CONTRACT / f"{name}.toml"), seed=seed)


@pytest.mark.parametrize("name", CONTRACT_FILES)
def test_our_copies_are_the_contract(name):
    """Byte for byte, where the contract is there."""
    if not SHARED.is_dir():
        pytest.skip("shared data absent: the contract lies beside the project")
    assert (CONTRACT / f"{name}.toml").read_bytes() == (SHARED / f"{name}.toml").read_bytes()


def test_load():
    """A tree under load."""
    world = contract("load")
    assert (len(world.brokers), len(world.links), len(world.publishers), len(world.subscribers)) == (20, 19, 8, 100)
    assert {type(link.law.delay) for link in world.links} == {Constant}
    assert world.brokers[0].service.per_subscription
    assert [one.topics for one in world.publishers[:5]] == [("t0",), ("t1",), ("t2",), ("t3",), ("t0",)]
    assert world.reliability.expired == "carry"
    assert {one.requires for one in world.subscribers} == {0.9}
    assert len(world.trees) == 1


def test_mesh():
    """Deadlines of three shortest paths, per publisher."""
    world = contract("mesh")
    assert {topic.name for topic in world.topics} == {f"t{number}" for number in range(10)}
    assert all(len(one.deadlines) == 1 and one.deadline_ns == FOREVER for one in world.subscribers)
    assert all(min(one.deadlines.values()) > 0 for one in world.subscribers)
    homes = {one.topics[0]: one.broker for one in world.publishers}
    assert all(one.broker != homes[one.topics[0]] for one in world.subscribers)
    assert 0.2 * 190 < len(world.subscribers) < 0.6 * 190
    assert (world.routing.scheme, world.routing.monitor_ns) == ("dcrd", 5 * MINUTE)
    assert (world.episodes.probability, world.episodes.every_ns) == (0.06, SECOND)


def test_line():
    """Brokers and links that fail for hours."""
    world = contract("line")
    assert world.brokers[4].outages.up == Exponential(57_000e9)
    assert world.links[3].outages.down == Exponential(600e9)
    assert world.links[0].law.delay is None
    assert world.publishers[0].lifetime_ns == 3600 * SECOND


def test_orders():
    """Sites with favourites of their own; publishers and subscribers are the same clients."""
    world = contract("orders")
    assert [one.broker for one in world.publishers] == [one.broker for one in world.subscribers]
    assert [one.site for one in world.publishers[:6]] == ["site0", "site1", "site2", "site3", "site4", "site0"]
    assert {one.link.delay for one in world.subscribers} == {Normal(1e7, 2e6)}
    assert {link.law.delay for link in world.links} == {Normal(1e8, 1e7)}
    assert {len(one.topics) for one in world.subscribers} == {10}
    assert len(world.topics) == 200
    assert set(world.topics[0].popularity) == {f"site{number}" for number in range(5)}
    assert (world.ordering.guarantee, world.ordering.stages) == ("total", "by-site")


def test_roaming():
    """Access points are brokers, fully linked."""
    world = contract("roaming")
    assert (len(world.brokers), len(world.links), len(world.map.points)) == (5, 10, 5)
    assert world.subscribers[0].mobility.model == "random-waypoint"
    assert world.handoff.latency == Uniform(0.0, 1e9)


def test_explicit():
    """Everything by name."""
    world = contract("explicit")
    assert world.runs == 4
    assert [crash.component for crash in world.crashes] == ["lima", "stage:trades"]
    assert world.links[0].law.bandwidth_bps == 1e7
    audit, book = world.subscribers
    assert (audit.topics, audit.deadline_ns) == (("trades", "risk"), 400_000_000)
    assert (book.joins_ns, book.leaves_ns) == (30 * SECOND, 4 * MINUTE)
    assert book.topics == ("risk", "trades")


@pytest.mark.parametrize("name", CONTRACT_FILES)
def test_the_seed_decides(name):
    """The same seed gives the same world; another one does not where anything is drawn."""
    assert contract(name) == contract(name, seed=1)
    other = dataclasses.replace(contract(name, seed=2), seed=1)
    assert (other == contract(name)) == (name in ("explicit", "line"))


_PRINT = """
import hashlib, sys
from pathlib import Path
from tidings.scenario import expand, load_scenario
for path in sys.argv[1:]:
    print(hashlib.sha256(repr(expand(load_scenario(path))).encode()).hexdigest())
"""


def test_hash_seeds_change_nothing():
    """Two processes, two hash seeds, the same worlds."""
    files = [str(CONTRACT / f"{name}.toml") for name in CONTRACT_FILES]
    answers = [
        subprocess.run(
            [sys.executable, "-c", _PRINT, *files],
            env={
                **os.environ,
                "PYTHONHASHSEED": seed,
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            },
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "77")
    ]
    assert answers[0] == answers[1]
    assert len(answers[0].split()) == len(CONTRACT_FILES)


def test_another_subscriber_reshuffles_nothing(tmp_path):
    """Neither links, nor publishers, nor the other subscribers."""
    text = (CONTRACT / "load.toml").read_text()
    before = world_of(tmp_path, text)
    extra = "\n[[subscriber]]\nid = 'extra'\nfilter = 'true'\n"
    more = world_of(tmp_path, text.replace("[[subscriber]]", extra + "[[subscriber]]").replace("100\n", "150\n"))
    assert (more.links, more.brokers, more.publishers) == (before.links, before.brokers, before.publishers)
    known = {one.id: one for one in more.subscribers}
    assert len(known) == 151
    assert all(known[one.id] == one for one in before.subscribers)


def test_more_publishers_reshuffle_nothing(tmp_path):
    """Copies that were there stay what they were."""
    text = (CONTRACT / "load.toml").read_text()
    before, more = world_of(tmp_path, text), world_of(tmp_path, text.replace("count      = 8", "count      = 9"))
    assert more.publishers[:8] == before.publishers
    assert (more.links, more.subscribers) == (before.links, before.subscribers)


def test_the_name_of_the_file_is_the_default_name(tmp_path):
    """And complaints remember the file."""
    world = world_of(tmp_path, SMALL)
    assert (world.name, world.file) == ("small", str(tmp_path / "small.toml"))


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_seeds_have_a_range(tmp_path, seed):
    """As those of the file."""
    with pytest.raises(ScenarioError, match="must be from 0 to"):
        expand(scenario_of(tmp_path, SMALL), seed=seed)


APART = TOP + BROKERS + "[[broker]]\nid = 'c'\n"


@pytest.mark.parametrize(
    ("text", "key", "remedy"),
    [
        (
            APART + PUBLISHER + SUBSCRIBER.replace('"b"', '"c"'),
            "link",
            "no way leads between a (p) and c (s)",
        ),
        (SMALL + "[[crash]]\ncomponent='aa'\nat='1s'\nlasting='1s'", "crash[0].component", 'did you mean "a"'),
        (SMALL + "[[crash]]\ncomponent='stage:t'\nat='1s'\nlasting='1s'", "crash[0].component", "guarantee = total"),
        (
            SMALL + "[[crash]]\ncomponent='stage:x'\nat='1s'\nlasting='1s'\n[ordering]\nguarantee='total'",
            "crash[0].component",
            "unknown topic",
        ),
        (SMALL + "[[crash]]\ncomponent='a'\nat='10s'\nlasting='1s'", "crash[0].at", "before the end"),
    ],
)
def test_what_shows_only_when_drawn(tmp_path, text, key, remedy):
    """Names and ways."""
    with pytest.raises(ScenarioError) as caught:
        world_of(tmp_path, text)
    assert caught.value.key == key
    assert remedy in caught.value.remedy


def test_parts_without_clients_do_no_harm(tmp_path):
    """Nobody needs to reach them."""
    assert len(world_of(tmp_path, APART + PUBLISHER + SUBSCRIBER).brokers) == 3


def test_stages_crash_under_an_order_across_topics(tmp_path):
    """They are named after a topic that they hold."""
    text = SMALL + "[[crash]]\ncomponent='stage:t'\nat='1s'\nlasting='1s'\n[ordering]\nguarantee='causal'"
    assert world_of(tmp_path, text).crashes[0].component == "stage:t"


def test_every_choice_reaches_the_world(tmp_path):
    """Routing, reliability and ordering, none of them at its default."""
    text = (
        SMALL
        + """
    [routing]
    scheme = "dcrd+"
    transmissions = 3
    ack = "one-way"
    monitor = "1min"
    guards = 2
    covering = false
    merging = true
    [reliability]
    mechanism = "buffering"
    renew = "5s"
    expired = "carry"
    [ordering]
    guarantee = "fifo"
    precedence = "by-site"
    stages = 7
    k = 3
    tolerance = 0.01
    latch = "constant"
    hold = "5ms"
    record = 9
    mode = "unreliable"
    wait = "1s"
    """
    )
    world = world_of(tmp_path, text)
    for found, default in (
        (world.routing, type(world.routing)()),
        (world.reliability, type(world.reliability)()),
        (world.ordering, type(world.ordering)()),
    ):
        same = [one.name for one in dataclasses.fields(found) if getattr(found, one.name) == getattr(default, one.name)]
        assert same == []


def test_neighbours_of_a_broker_must_exist(tmp_path):
    """Both the broker and those that a subscriber may come to next."""
    text = SMALL_MAP + "[mobility]\nhandoff = 'proactive'\nneighbours = "
    world = expand(scenario_of(tmp_path, text + "{ b0 = ['b1'], b1 = [] }"))
    assert world.handoff.neighbours == {"b0": ("b1",), "b1": ()}
    for neighbours, key in (("{ b9 = [] }", "mobility.neighbours"), ("{ b0 = ['b9'] }", "mobility.neighbours.b0")):
        with pytest.raises(ScenarioError, match="unknown broker") as caught:
            expand(scenario_of(tmp_path, text + neighbours))
        assert (caught.value.key, caught.value.value) == (key, "b9")


SMALL_MAP = """tidings = 1
duration = "1s"
[map]
size = [9, 9]
range = 5
points = [[1, 1], [8, 8]]
[[publisher]]
topic = "t"
every = "1s"
[[subscriber]]
filter = "true"
mobility = { model = "random-waypoint", speed = "1m/s" }
"""
