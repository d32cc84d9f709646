"""The clients of a simulated world: come, go, publish, and are shown events, with and without a machine of their own."""

import dataclasses

import pytest

from simulation.worlds import MS, by_reason, const, make_world, ms, publisher, run, subscriber
from tidings.scenario.world import Crash, LinkLaw, Reliability
from tidings.vocabulary.instant import SECOND


def with_links(world, law):
    """The same clients, each with a link of this law to its broker."""
    return dataclasses.replace(
        world,
        publishers=tuple(dataclasses.replace(one, link=law) for one in world.publishers),
        subscribers=tuple(dataclasses.replace(one, link=law) for one in world.subscribers),
    )


def test_a_machine_of_their_own_changes_nothing_on_perfect_links(tmp_path):
    """The tables of clients who are shown events in bulk are those of endpoints on links without delay."""
    world = make_world(
        "abc",
        publishers=[publisher(every=ms(40)), publisher("q", "c", every=ms(70))],
        subscribers=[subscriber(broker="b"), subscriber("r", "c", joins_ns=2 * SECOND, leaves_ns=7 * SECOND)],
    )
    bulk = run(world, tmp_path / "bulk")
    alone = run(with_links(world, LinkLaw()), tmp_path / "alone")
    assert bulk.rows("deliveries", "event", "subscriber", "delivered_ns") == alone.rows(
        "deliveries", "event", "subscriber", "delivered_ns"
    )
    assert bulk.rows("interests", "subscriber", "effective_ns", "until_ns") == alone.rows(
        "interests", "subscriber", "effective_ns", "until_ns"
    )


def test_whoever_is_there_from_the_beginning_misses_nothing(tmp_path):
    """Effective at 0, to the end."""
    found = run(make_world(), tmp_path / "logs")
    assert found.rows("interests", "subscriber", "requested_ns", "effective_ns", "until_ns") == [("s", 0, 0, None)]
    assert found.totals()["on_time"] == found.totals()["wanted"] > 50


def test_whoever_comes_is_known_after_a_round_trip(tmp_path):
    """The links take 10 ms each way: the broker of the publisher confirms after 20 ms."""
    joining = subscriber(broker="b", joins_ns=3 * SECOND, leaves_ns=6 * SECOND)
    world = make_world(links=[dataclasses.replace(make_world().links[0], law=LinkLaw(delay=const(10)))])
    found = run(dataclasses.replace(world, subscribers=(joining,)), tmp_path / "logs")
    (row,) = found.rows("interests", "requested_ns", "effective_ns", "until_ns")
    assert row == (3 * SECOND, 3 * SECOND + 20 * MS, 6 * SECOND)
    assert found.totals()["unexpected"] == 0
    assert 25 <= found.totals()["wanted"] <= 31


def test_subscriptions_are_counted_while_they_last(tmp_path):
    """Nobody is left when everybody has gone."""
    world = make_world(subscribers=[subscriber(leaves_ns=SECOND), subscriber("r", "b", joins_ns=SECOND)])
    assert run(world, tmp_path / "logs").simulated.clients.subscriptions == 1


@pytest.mark.parametrize("link", [None, LinkLaw(), LinkLaw(delay=const(5))], ids=["bulk", "perfect", "slow"])
def test_clients_tell_a_broker_that_came_back(tmp_path, link):
    """With renewals: at the next one the broker knows its clients again."""
    world = make_world(
        publishers=[publisher(broker="b")],
        subscribers=[subscriber(broker="a", link=link)],
        crashes=(Crash(component="a", at_ns=2 * SECOND, lasting_ns=SECOND),),
        reliability=Reliability(mechanism="periodic", renew_ns=SECOND // 2),
    )
    found = run(world, tmp_path / "logs")
    shown = found.column("deliveries", "delivered_ns")
    assert not ((shown > 2.05 * SECOND) & (shown < 3 * SECOND)).any()
    assert (shown > 4 * SECOND).sum() > 50


def test_links_of_clients_lose_both_ways(tmp_path):
    """What a publisher's link loses is never acknowledged, what a subscriber's loses is reported for that one alone."""
    lossy = LinkLaw(loss=0.3)
    world = make_world("a", publishers=[publisher(every=ms(10), link=lossy)], subscribers=[subscriber(link=lossy)])
    found = run(world, tmp_path / "logs")
    unacknowledged = [one for (one,) in found.rows("publications", "acknowledged_ns") if one is None]
    # Either the event or the answer is lost.
    assert 0.4 < len(unacknowledged) / found.simulated.workload.published < 0.62
    assert by_reason(found).keys() == {"lost"}
    assert {one for (one,) in found.rows("drops", "subscriber")} == {None, "s"}


def test_what_comes_too_late_is_not_shown(tmp_path):
    """Neither in bulk nor by an endpoint; and it is said who did not get it."""
    slow = LinkLaw(delay=const(30))
    world = make_world(
        "a",
        publishers=[publisher(lifetime_ns=20 * MS)],
        subscribers=[subscriber(link=slow), subscriber("r")],
    )
    found = run(world, tmp_path / "logs")
    assert {one for (one,) in found.rows("deliveries", "subscriber")} == {"r"}
    assert set(found.rows("drops", "subscriber", "component", "reason")) == {("s", "s", "expired")}


def test_who_has_gone_is_shown_nothing(tmp_path):
    """What was on its way then is reported as gone."""
    slow = LinkLaw(delay=const(250))
    world = make_world("a", subscribers=[subscriber(broker="a", link=slow, leaves_ns=5 * SECOND)])
    found = run(world, tmp_path / "logs")
    assert found.column("deliveries", "delivered_ns").max() < 5 * SECOND
    assert by_reason(found) == {"gone": 5}
