"""Worlds whose events are addressed to brokers: every scheme runs, says what it did, and is judged."""

import pytest

from scenario_texts import CONTRACT
from simulation.worlds import Link, by_reason, chain, changed, const, make_world, publisher, run, subscriber
from tidings.node import AddressedBroker, ListPassage, WayPassage
from tidings.routing import TableOptions
from tidings.scenario import expand, load_scenario
from tidings.scenario.world import Broker, Crash, LinkEpisodes, LinkLaw, OutageLaw, Routing, Service
from tidings.simulation.addressed_brokers import addressed_brokers, deadlines_of
from tidings.vocabulary.distribution import Exponential
from tidings.vocabulary.instant import FOREVER, SECOND
from tidings.vocabulary.machine import Started

MS = SECOND // 1000
SCHEMES = ("r-tree", "d-tree", "multipath", "oracle", "dcrd", "dcrd+")


def square(scheme="dcrd", **more):
    """Four brokers in a ring with a diagonal, a publisher at a, subscribers at c and d."""
    law = LinkLaw(delay=const(10))
    links = more.pop("links", None) or [*chain("abcda", law), Link(between=("b", "d"), law=law)]
    routing = Routing(scheme=scheme, **more.pop("routing", {}))
    subscribers = more.pop("subscribers", None) or [subscriber("s", "c"), subscriber("r", "d")]
    return make_world("abcd", links=links, subscribers=subscribers, trees=(), routing=routing, **more)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_where_nothing_fails_everything_is_shown(tmp_path, scheme):
    """Once, and soon; the audit agrees."""
    found = run(square(scheme), tmp_path / "run")
    totals = found.totals()
    assert totals["wanted"] == totals["on_time"] > 0
    assert totals["duplicates"] == totals["unexpected"] == 0
    assert max(found.delays()) == 20 * MS


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_machine_that_a_scheme_needs(scheme):
    """With a passage by ways, or by lists."""
    broker = addressed_brokers(square(scheme), lambda event, _count: (event,), dict)("a")
    assert isinstance(broker, AddressedBroker)
    broker.receive(Started(0), 0)
    assert type(broker._passage) is (ListPassage if scheme.startswith("dcrd") else WayPassage)
    assert isinstance(broker.options.bulletin.table, TableOptions)


def test_deadlines_are_those_of_the_most_impatient():
    """By publisher and broker, no longer than its events live; where there is none, none is known."""
    subscribers = [
        subscriber("s", "c", deadline_ns=9 * MS),
        subscriber("r", "c", deadlines={"p": 5 * MS}),
        subscriber("q", "d"),
    ]
    publishers = [publisher("p", "a"), publisher("o", "b", lifetime_ns=7 * MS)]
    world = square(subscribers=subscribers, publishers=publishers)
    assert deadlines_of(world) == {"p": {"c": 5 * MS}, "o": {"c": 7 * MS, "d": 7 * MS}}
    assert FOREVER not in deadlines_of(world)["p"].values()


def test_copies_and_answers_are_written_down(tmp_path):
    """By kind; a second try is counted."""
    found = run(
        square(
            routing={"transmissions": 2}, episodes=LinkEpisodes(probability=0.3, every_ns=SECOND, lasting_ns=SECOND)
        ),
        tmp_path / "run",
    )
    kinds = found.rows("transmissions", "kind", "attempt")
    assert {kind for kind, _ in kinds} >= {"event", "ack"}
    assert {attempt for kind, attempt in kinds if kind == "event"} == {0, 1}
    assert all(attempt == 0 for kind, attempt in kinds if kind != "event")


@pytest.mark.parametrize(("ack", "waits"), [("one-way", 10), ("round-trip", 21)])
def test_how_long_an_answer_is_awaited(tmp_path, ack, waits):
    """A link's delay, as in the paper, or a round trip; one that works is not tried twice in either case."""
    world = square(routing={"ack": ack}, subscribers=[subscriber("s", "b")], duration_ns=SECOND)
    outages = ((0, 550 * MS),)
    links = [changed(link, recorded_outages=outages if link.between == ("a", "b") else ()) for link in world.links]
    found = run(changed(world, links=tuple(links)), tmp_path / "run")
    assert sorted(set(found.delays().tolist())) == pytest.approx([10 * MS, (waits + 20) * MS], abs=10)
    copies = [row for row in found.rows("transmissions", "sender", "receiver", "kind", "sent_ns") if row[2] == "event"]
    assert [row[:2] for row in copies if row[3] >= 560 * MS] == [("a", "b")] * 4


def test_the_oracle_meets_no_failure(tmp_path):
    """No copy of an event is lost, and whatever can be delivered is."""
    world = square(
        "oracle", episodes=LinkEpisodes(probability=0.3, every_ns=SECOND, lasting_ns=SECOND), duration_ns=60 * SECOND
    )
    found = run(world, tmp_path / "run")
    assert {outcome for (outcome,) in found.rows("transmissions", "outcome")} == {"arrived"}
    assert set(by_reason(found)) == {"unreachable"}
    assert by_reason(found)["unreachable"] == found.totals()["lost"] > 0


def test_what_cannot_be_in_time_is_counted(tmp_path):
    """One row for each subscriber who is therefore shown nothing."""
    world = square(subscribers=[subscriber("s", "c", deadline_ns=MS), subscriber("r", "b")])
    found = run(world, tmp_path / "run")
    assert set(found.rows("drops", "component", "subscriber", "reason")) == {("a", "s", "deadline")}
    assert found.totals()["lost"] == by_reason(found)["deadline"] > 0


def test_who_joins_is_served_once_everybody_knows(tmp_path):
    """And not before; who leaves is served no more."""
    subscribers = [subscriber("s", "c", joins_ns=2 * SECOND + 1, leaves_ns=5 * SECOND + 1)]
    found = run(square(subscribers=subscribers), tmp_path / "run")
    ((effective,),) = found.rows("interests", "effective_ns")
    assert 2 * SECOND + 20 * MS < effective < 2 * SECOND + 100 * MS
    assert 29 <= found.totals()["wanted"] == found.totals()["on_time"] <= 30
    assert found.totals()["unexpected"] == 0


@pytest.mark.parametrize("scheme", SCHEMES)
def test_expired_events_are_counted_for_those_who_missed_them(tmp_path, scheme):
    """Also in the queues of busy brokers."""
    brokers = [Broker(id=name, service=Service(law=Exponential(60.0 * MS))) for name in "abcd"]
    world = changed(square(scheme, publishers=[publisher(lifetime_ns=70 * MS)]), brokers=tuple(brokers))
    found = run(world, tmp_path / "run")
    totals = found.totals()
    assert totals["expired"] > 0
    assert totals["wanted"] == totals["on_time"] + totals["expired"] + totals["lost"]
    assert totals["duplicates"] == totals["late"] == 0


@pytest.mark.parametrize("scheme", SCHEMES)
def test_brokers_that_crash_show_nothing_twice(tmp_path, scheme):
    """What they forget, their clients remember."""
    outages = OutageLaw(up=Exponential(2.0 * SECOND), down=Exponential(0.3 * SECOND))
    brokers = tuple(Broker(id=name, outages=outages) for name in "abcd")
    world = changed(square(scheme, crashes=(Crash(component="d", at_ns=SECOND, lasting_ns=SECOND),)), brokers=brokers)
    found = run(world, tmp_path / "run")
    assert found.totals()["duplicates"] == found.totals()["unexpected"] == 0
    assert not any(host.machine.holds for host in found.simulated.hosts.values())


def test_the_contract_runs_as_it_stands(tmp_path):
    """Half a minute of it: everything arrives, most of it in time; monitoring is heard of after its period."""
    world = changed(expand(load_scenario(CONTRACT / "mesh.toml")), duration_ns=30 * SECOND)
    world = changed(world, routing=Routing(scheme="dcrd", monitor_ns=10 * SECOND))
    found = run(world, tmp_path / "run")
    totals = found.totals()
    assert totals["lost"] == totals["duplicates"] == totals["unexpected"] == 0
    assert totals["on_time"] / totals["wanted"] > 0.9
    reports = [at for kind, at in found.rows("transmissions", "kind", "sent_ns") if kind == "control"]
    assert 10 * SECOND <= min(reports) < max(reports) < 32 * SECOND
    links = [host.machine._passage._links for host in found.simulated.hosts.values()]
    assert all(one == links[0] for one in links)
