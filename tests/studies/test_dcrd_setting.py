"""The paper's network: as it says, the same for all schemes, counted as the audit counts."""

import pytest

from simulation.worlds import run
from tidings.studies.dcrd_setting import (
    CONTENDERS,
    D_TREE,
    ONE_WAY,
    ORACLE,
    R_TREE,
    ROUND_TRIP,
    Outcome,
    Setting,
    outcome_of,
    world_of,
)
from tidings.vocabulary.instant import MILLISECOND, SECOND


def setting(protocol=ROUND_TRIP, **more):
    """A few seconds."""
    return Setting(**{"protocol": protocol, "seed": 1, "seconds": 6, "degree": 5, "failure": 0.1, **more})


def test_the_network_is_the_papers():
    """Degrees, delays, publishers on brokers of their own, deadlines in shortest ways."""
    world = world_of(setting(factor=2.0))
    degrees = {broker.id: sum(broker.id in link.between for link in world.links) for broker in world.brokers}
    assert (len(degrees), set(degrees.values())) == (20, {5})
    assert all(10 * MILLISECOND <= link.law.mean_delay_ns <= 50 * MILLISECOND for link in world.links)
    assert len({one.broker for one in world.publishers}) == 10
    assert all(one.broker != world.publishers[int(one.topics[0][1:])].broker for one in world.subscribers)
    assert len(world_of(setting(degree=None)).links) == 190
    assert len(world_of(setting(brokers=40, degree=8)).brokers) == 40
    double = [one.deadlines for one in world_of(setting(factor=4.0)).subscribers]
    assert double == [{who: 2 * ns for who, ns in one.deadlines.items()} for one in world.subscribers]


def test_all_schemes_are_given_the_same_world():
    """But for the scheme."""
    worlds = [world_of(setting(protocol)) for protocol in CONTENDERS]
    assert len({str((one.links, one.publishers, one.subscribers, one.episodes)) for one in worlds}) == 1
    assert world_of(setting(seed=2)).links != worlds[0].links


@pytest.mark.parametrize("protocol", [ONE_WAY, ROUND_TRIP, D_TREE])
def test_counts_are_those_of_the_audit(tmp_path, protocol):
    """And of the table of transmissions."""
    outcome = outcome_of(setting(protocol))
    found = run(world_of(setting(protocol)), tmp_path / "run")
    totals = found.totals()
    assert outcome.wanted == totals["wanted"]
    assert outcome.on_time == totals["on_time"]
    assert outcome.delivered - outcome.on_time == totals["late"] == len(outcome.late)
    kinds = [kind for (kind,) in found.rows("transmissions", "kind")]
    assert (outcome.packets, outcome.answers) == (kinds.count("event"), kinds.count("ack"))
    assert all(one > 1 for one in outcome.late)


def test_without_failures_all_is_well():
    """Each packet by one link from publisher to subscriber in the full mesh, where hops count."""
    for protocol in CONTENDERS:
        outcome = outcome_of(setting(protocol, failure=0.0, loss=0.0, degree=None, seconds=3))
        assert outcome.delivery == outcome.punctuality == 1
        assert outcome.traffic == 1 or protocol is not R_TREE


def test_ratios():
    """Of what was wanted."""
    outcome = Outcome(wanted=10, delivered=8, on_time=5, packets=30, answers=3, control=2, late=(1.5, 2.0, 3.0))
    assert (outcome.delivery, outcome.punctuality, outcome.traffic) == (0.8, 0.5, 3.0)
    assert ORACLE.name == "oracle"
    assert ONE_WAY.name == "dcrd, one-way"
    assert SECOND == 1_000 * MILLISECOND
