"""A world put together: who hears what when, what a service costs, when it ends, and that it can be repeated."""

import dataclasses

import numpy as np
import pytest

from simulation.worlds import MS, by_reason, chain, changed, const, make_world, ms, publisher, run, serving, subscriber
from tidings.logs import LogFolder
from tidings.scenario.world import Crash, Link, LinkEpisodes, LinkLaw, OutageLaw, Reliability
from tidings.simulation.faults import Faults, LinkFaults, Spells
from tidings.simulation.flow_choice import COMPILED_HOPS_MIN
from tidings.simulation.simulated_world import SimulatedWorld
from tidings.vocabulary.distribution import Exponential
from tidings.vocabulary.instant import SECOND


def test_an_event_takes_the_sum_of_its_way(tmp_path):
    """Delays of the links and services of the brokers, each once."""
    world = make_world(
        [serving("a", const(3)), serving("b", const(5)), "c"],
        links=[
            Link(between=("a", "b"), law=LinkLaw(delay=const(20))),
            Link(between=("b", "c"), law=LinkLaw(delay=const(40))),
        ],
        publishers=[publisher(every=const(1_000))],
    )
    found = run(world, tmp_path / "logs")
    assert set(found.delays().tolist()) == {(3 + 20 + 5 + 40) * MS}
    published = dict(found.rows("publications", "event", "published_ns"))
    assert all(at - published[one] == 3 * MS for one, at in found.rows("publications", "event", "acknowledged_ns"))


def test_service_by_the_subscriptions_that_there_are(tmp_path):
    """Three at first, two when one has gone, three again when another one has come."""
    people = [
        subscriber("s", "b"),
        subscriber("gone", "a", leaves_ns=3 * SECOND),
        subscriber("other", "b", 'topic == "u"'),
        subscriber("late", "a", joins_ns=6 * SECOND),
    ]
    world = make_world([serving("a", const(10), per_subscription=True), "b"], subscribers=people)
    found = run(world, tmp_path / "logs")
    published = dict(found.rows("publications", "event", "published_ns"))
    for event, name, shown in found.rows("deliveries", "event", "subscriber", "delivered_ns"):
        if name == "s":
            there = 2 if 3 * SECOND < published[event] < 6 * SECOND else 3
            assert shown - published[event] == there * 10 * MS


def test_the_world_goes_on_until_nothing_is_under_way(tmp_path):
    """Publishing stops at the duration; what was published is shown, however long it takes."""
    law = LinkLaw(delay=const(60_000))
    found = run(make_world(links=chain("ab", law), duration_ns=SECOND), tmp_path / "logs")
    shown = found.column("deliveries", "delivered_ns")
    assert len(shown) == len(found.rows("publications", "event")) == 10
    assert shown.min() >= 60 * SECOND
    assert found.column("publications", "published_ns").max() < SECOND


@pytest.mark.parametrize("compiled", [False, True])
def test_everything_is_repaired_when_the_duration_is_over(tmp_path, compiled):
    """Faults stop with publishing: a queue that is left then is worked off by brokers that stay up."""
    outages = OutageLaw(up=Exponential(0.05 * SECOND), down=Exponential(0.05 * SECOND))
    world = make_world(
        [dataclasses.replace(serving("a", const(40)), outages=outages), "b"],
        links=chain("ab", LinkLaw(delay=const(1)), outages=outages),
        publishers=[publisher(every=ms(10))],
        duration_ns=2 * SECOND,
        episodes=LinkEpisodes(probability=0.5, every_ns=SECOND, lasting_ns=SECOND),
        crashes=(Crash(component="b", at_ns=2 * SECOND - MS, lasting_ns=SECOND),),
    )
    found = run(world, tmp_path / "logs", compiled=compiled)
    assert max(up for (up,) in found.rows("outages", "up_ns")) <= 2 * SECOND
    assert all(host.up for host in found.simulated.hosts.values())
    assert not any(channel.down for channel in found.simulated.channels.values())


def test_background_does_not_keep_it_going(tmp_path):
    """Renewals would go on for ever."""
    world = make_world(reliability=Reliability(mechanism="periodic", renew_ns=SECOND))
    found = run(world, tmp_path / "logs")
    assert found.simulated.agenda.now < world.duration_ns + SECOND
    assert not found.simulated.agenda.head[0] < world.duration_ns


@pytest.mark.parametrize(("compiled", "takes"), [(None, False), (True, True), (False, False)])
def test_a_small_world_takes_the_plain_path(tmp_path, compiled, takes):
    """Unless it is asked to take the other one."""
    assert (run(make_world(), tmp_path / "logs", compiled=compiled).simulated._flow is not None) == takes


def test_a_long_world_takes_the_compiled_path(tmp_path):
    """And does not when there is something that it cannot do."""
    long = make_world(publishers=[publisher(every=const(1))], duration_ns=COMPILED_HOPS_MIN * MS)
    for name, faults, takes in (("plain", None, True), ("campaign", Faults(packets=LinkFaults(drop=0.1)), False)):
        with LogFolder.create(tmp_path / name, names=(), tables=()) as folder:
            assert (SimulatedWorld(long, folder, faults=faults)._flow is not None) == takes


def test_events_on_topics_without_a_tree_go_nowhere(tmp_path):
    """They are taken by their broker, and lost to whoever sits elsewhere."""
    everything = 'topic in ("t", "u")'
    world = make_world(
        publishers=[publisher(topic=("t", "u"))],
        subscribers=[subscriber("near", "a", everything), subscriber("far", "b", everything)],
    )
    world = changed(world, trees=tuple(changed(tree, topics=("t",)) for tree in world.trees[:1]))
    found = run(world, tmp_path / "logs")
    topics = dict(found.rows("publications", "event", "topic"))
    shown = {
        name: {topics[event] for event, one in found.rows("deliveries", "event", "subscriber") if one == name}
        for name in ("near", "far")
    }
    assert shown["far"] == {"t"}
    assert all(at is not None for (at,) in found.rows("publications", "acknowledged_ns"))


def test_brokers_fail_by_their_own_streams(tmp_path):
    """Another link, another subscriber, other faults of a link: the broker's outages are the same."""
    outages = OutageLaw(up=Exponential(1.0 * SECOND), down=Exponential(0.2 * SECOND))
    plain = make_world(["a", dataclasses.replace(make_world().brokers[1], outages=outages)])
    worlds = {
        "plain": plain,
        "lossy": changed(plain, links=chain("ab", LinkLaw(loss=0.3, delay=ms(4)), outages=outages)),
        "crowded": changed(plain, subscribers=tuple(subscriber(f"s{place}") for place in range(9))),
    }
    found = {
        name: run(world, tmp_path / name).rows("outages", "component", "down_ns", "up_ns")
        for name, world in worlds.items()
    }
    own = {name: [row for row in rows if row[0] == "b"] for name, rows in found.items()}
    assert len(own["plain"]) > 2
    assert own["plain"] == own["lossy"] == own["crowded"]


def test_a_campaign_is_added_to_what_the_scenario_says(tmp_path):
    """Outages of both stand in the table, and a broker is up again after both."""
    world = make_world(crashes=(Crash(component="b", at_ns=2 * SECOND, lasting_ns=SECOND),))
    faults = Faults(crashes=Spells(every_ns=SECOND, lasting_ns=SECOND // 4))
    found = run(world, tmp_path / "logs", faults=faults)
    rows = found.rows("outages", "component", "down_ns", "up_ns")
    assert any(one == "b" and low <= 2 * SECOND and high >= 3 * SECOND for one, low, high in rows)
    assert any(one == "a" for one, _, _ in rows)
    assert found.simulated.troubles.counters.count("crash", "broker") > 1
    assert "down" in by_reason(found)


def test_the_processes_that_there_were(tmp_path):
    """Every start of a broker, every client; who crashed, and who went by himself."""
    world = make_world(
        subscribers=[subscriber("s", "b", leaves_ns=4 * SECOND)],
        crashes=(Crash(component="a", at_ns=SECOND, lasting_ns=SECOND),),
    )
    found = run(world, tmp_path / "logs")
    assert sorted(found.rows("processes", "name", "incarnation", "kind", "started_ns", "ended_ns", "how")) == [
        ("a", 0, "broker", 0, SECOND, "crash"),
        ("a", 1, "broker", 2 * SECOND, None, None),
        ("b", 0, "broker", 0, None, None),
        ("p", 0, "publisher", 0, None, None),
        ("s", 0, "subscriber", 0, 4 * SECOND, "exit"),
    ]


def test_both_directions_of_a_link_are_apart(tmp_path):
    """What one direction draws does not depend on what goes over the other."""
    law = LinkLaw(delay=ms(5), loss=0.1)
    there = make_world(links=chain("ab", law), publishers=[publisher("p", "a")], subscribers=[subscriber("s", "b")])
    both = changed(
        there,
        publishers=(*there.publishers, publisher("q", "b", every=ms(30))),
        subscribers=(*there.subscribers, subscriber("r", "a", 'topic == "t"')),
    )
    one, other = run(there, tmp_path / "one"), run(both, tmp_path / "other")
    columns = ("event", "sender", "sent_ns", "outcome")
    kept = [row for row in other.rows("transmissions", *columns) if row[1] == "a"]
    assert kept == one.rows("transmissions", *columns)


def test_progress_of_the_plain_path(tmp_path):
    """Told between stretches of events."""
    world, told = make_world(publishers=[publisher(every=ms(1))], duration_ns=20 * SECOND), []
    with LogFolder.create(tmp_path / "logs", names=(), tables=()) as folder:
        SimulatedWorld(world, folder, compiled=False).run(lambda *words: told.append(words))
    assert len(told) > 4
    assert (np.diff([now for now, _ in told]) >= 0).all()
