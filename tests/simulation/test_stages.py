"""Orders across topics in a simulated world, judged from its logs alone."""

import pytest

from simulation.ordered_worlds import at_sites, ordered, wanting
from simulation.worlds import changed, const, publisher, run
from tidings.checking.promises import Promises, verdict
from tidings.scenario.world import Crash, LinkLaw, Ordering, Reliability
from tidings.simulation.disk import DiskFaults
from tidings.simulation.faults import Faults, LinkFaults
from tidings.vocabulary.instant import MILLISECOND, SECOND

LOSSY = LinkLaw(delay=const(20), loss=0.1)


def broken(found, guarantee="total", **more):
    """What the audit says of the promise."""
    k = more.pop("k", 1 if guarantee == "causal" else 2)
    return verdict(found.report, Promises(guarantee=guarantee, k=k, **more))


def test_without_an_order_it_is_broken(tmp_path):
    """The same world, and subscribers disagree."""
    found = run(ordered(ordering=Ordering()), tmp_path / "logs")
    assert broken(found)


@pytest.mark.parametrize("stages", [1, 3, "automatic"])
@pytest.mark.parametrize("guarantee", ["total", "causal", "groups"])
def test_the_promise_holds_and_nothing_is_lost(tmp_path, guarantee, stages):
    """Whatever the partition; every event comes with the version."""
    found = run(ordered(ordering=Ordering(guarantee=guarantee, stages=stages)), tmp_path / "logs")
    totals = found.totals()
    assert broken(found, guarantee) == []
    assert totals["on_time"] == totals["wanted"] > 100
    assert set(found.column("deliveries", "version").tolist()) == {1}


def test_every_event_has_a_timestamp(tmp_path):
    """With what it cost: numbers from 1 by topic, entries as the plan says, no bytes that did not travel."""
    found = run(ordered(ordering=Ordering(guarantee="total", stages=3)), tmp_path / "logs")
    rows = found.rows(
        "timestamps", "event", "topic", "number", "stages", "entries", "bytes", "requested_ns", "stamped_ns"
    )
    routes = found.simulated.order.deployment.plan.routes
    assert sorted(row[0] for row in rows) == sorted(event for (event,) in found.rows("publications", "event"))
    numbers = {}
    for _, topic, number, stages, entries, size, requested, stamped in rows:
        numbers.setdefault(topic, []).append(number)
        assert (stages, entries) == (len(routes[topic].path), len(routes[topic].group))
        assert size >= 2
        assert 0 < requested <= stamped
    assert all(found == list(range(1, len(found) + 1)) for found in numbers.values())
    assert set(found.column("timestamps", "version")) == set(found.column("timestamps", "term")) == {1}


def test_hops_between_sites_are_counted(tmp_path):
    """To the stage, up, and back; where everything is at one site there are none."""
    world = ordered(
        brokers=at_sites(),
        publishers=[publisher("p", "a", ("x", "y"), every=const(50)), publisher("q", "c", ("z", "y"), every=const(50))],
        ordering=Ordering(guarantee="total", stages="by-site"),
    )
    found = run(world, tmp_path / "logs")
    hops = found.column("timestamps", "wan_hops")
    assert hops.max() > 0
    crossings = found.simulated.order.deployment.plan.report.crossings
    assert hops.mean() == pytest.approx(crossings, rel=0.02)


def test_links_that_lose_are_made_up_for(tmp_path):
    """Requests, channels and the last leg; acknowledged or not, everything is shown."""
    found = run(ordered(law=LOSSY, ordering=Ordering(guarantee="causal", stages=3)), tmp_path / "logs")
    totals = found.totals()
    assert broken(found, "causal") == []
    assert totals["wanted"] == totals["on_time"] > 100
    lost = [outcome for (outcome,) in found.rows("transmissions", "outcome") if outcome == "lost"]
    assert len(lost) > 20


def test_a_stage_crashes_alone_and_comes_back_with_its_log(tmp_path):
    """Publishers wait for it; the next process goes on under a new term."""
    crash = Crash(component="stage:x", at_ns=2 * SECOND, lasting_ns=SECOND)
    found = run(ordered(crashes=(crash,), ordering=Ordering(guarantee="total", stages=1)), tmp_path / "logs")
    totals = found.totals()
    assert broken(found) == []
    assert totals["on_time"] == totals["wanted"]
    assert found.rows("outages", "component", "kind", "down_ns", "up_ns") == [
        ("stage:x", "stage", 2 * SECOND, 3 * SECOND)
    ]
    lives = [row for row in found.rows("processes", "kind", "incarnation", "started_ns", "how") if row[0] == "stage"]
    assert lives == [("stage", 0, 0, "crash"), ("stage", 1, 3 * SECOND, None)]
    assert set(found.column("timestamps", "term")) == {1, 2}
    acknowledged = found.column("publications", "acknowledged_ns")
    assert not ((acknowledged > 2 * SECOND + 200 * MILLISECOND) & (acknowledged < 3 * SECOND)).any()


def test_a_stage_crashes_with_its_broker(tmp_path):
    """And with events kept by brokers nothing that was acknowledged is lost."""
    world = ordered("causal", reliability=Reliability(mechanism="bypass+buffering"))
    (placed,) = {one.broker: None for one in run(world, tmp_path / "first").simulated.order.placed}
    crash = Crash(component=placed, at_ns=2 * SECOND, lasting_ns=SECOND)
    found = run(changed(world, crashes=(crash,)), tmp_path / "logs")
    assert broken(found, "causal", mechanism="bypass+buffering") == []
    assert [row for row in found.rows("processes", "kind", "started_ns") if row == ("stage", 3 * SECOND)]
    assert found.totals()["lost"] == 0


def test_what_expires_meanwhile_is_expired_and_not_lost(tmp_path):
    """Shown to nobody, and in nobody's way."""
    crash = Crash(component="stage:y", at_ns=2 * SECOND, lasting_ns=SECOND)
    world = ordered(crashes=(crash,), ordering=Ordering(guarantee="total", stages=1))
    mortal = tuple(
        type(one)(**{name: getattr(one, name) for name in one.__dataclass_fields__} | {"lifetime_ns": SECOND // 2})
        for one in world.publishers
    )
    found = run(changed(world, publishers=mortal), tmp_path / "logs")
    totals = found.totals()
    assert broken(found) == []
    assert totals["expired"] > 0
    assert totals["lost"] == totals["unexpected"] == 0


def test_a_joiner_is_owed_what_is_published_after_it_is_in(tmp_path):
    """Its interest is effective when every topic's probe has come; a leaver is owed nothing more."""
    people = [
        wanting("s", "a", "x", "y"),
        wanting("u", "c", "x", "y", joins_ns=SECOND),
        wanting("v", "b", "y", "z", leaves_ns=2 * SECOND),
    ]
    found = run(ordered("causal", people=people), tmp_path / "logs")
    effective = dict(found.rows("interests", "subscriber", "effective_ns"))
    assert SECOND < effective["u"] < 2 * SECOND
    assert effective["s"] == effective["v"] == 0
    assert broken(found, "causal") == []
    first, second = (found.report.subscribers[name] for name in "su")
    assert first.lost == second.lost == 0
    assert 0 < second.wanted < first.wanted


def test_the_rest_of_a_filter_waits_for_nobody(tmp_path):
    """Brokers route by topic; a topic that nobody publishes on has a stage all the same."""
    people = [wanting("s", "a", "x", "y"), wanting("u", "c", "x", "nothing", joins_ns=SECOND)]
    found = run(ordered(people=people), tmp_path / "logs")
    assert broken(found) == []
    assert found.totals()["lost"] == 0
    assert found.report.subscribers["u"].wanted > 0


def test_the_same_seed_gives_the_same_tables(tmp_path):
    """Byte for byte, with losses, crashes and joins."""
    crash = Crash(component="stage:x", at_ns=2 * SECOND, lasting_ns=SECOND)
    world = ordered("causal", law=LOSSY, crashes=(crash,), duration_ns=3 * SECOND)
    assert run(world, tmp_path / "one").digests() == run(world, tmp_path / "two").digests()


def test_under_a_campaigns_faults_the_order_holds(tmp_path):
    """Packets lost, repeated and held back, and disks that take their time."""
    faults = Faults(
        packets=LinkFaults(drop=0.1, duplicate=0.1, reorder=0.2, reorder_ns=200 * MILLISECOND),
        disk=DiskFaults(sync_min_ns=MILLISECOND, sync_mean_ns=3 * MILLISECOND),
    )
    world = ordered("causal", ordering=Ordering(guarantee="causal", stages=3))
    found = run(world, tmp_path / "logs", faults=faults)
    totals = found.totals()
    assert broken(found, "causal") == []
    assert totals["wanted"] == totals["on_time"] + totals["late"] > 0


def test_renewals_bring_back_what_brokers_forget(tmp_path):
    """A broker that comes back without memory hears of its clients' and stages' names again."""
    crash = Crash(component="b", at_ns=SECOND, lasting_ns=SECOND)
    reliability = Reliability(mechanism="periodic", renew_ns=SECOND)
    found = run(ordered(crashes=(crash,), reliability=reliability, duration_ns=8 * SECOND), tmp_path / "logs")
    assert broken(found) == []
    assert found.totals()["lost"] == 0
