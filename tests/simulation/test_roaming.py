"""Roaming subscribers in a simulated world: from walks to what they are shown."""

import numpy as np
import pytest

from simulation.worlds import MS, by_reason, const, make_world, publisher, run, subscriber
from tidings.scenario.mobility_tables import MOBILITY
from tidings.scenario.source import Place, Source
from tidings.scenario.world import Crash, Handoff, Link, LinkLaw, Map
from tidings.vocabulary.instant import SECOND

MAP = Map(size=(1000.0, 100.0), range=100.0, points=((100.0, 50.0), (500.0, 50.0), (900.0, 50.0)))
PLACE = Place(Source("x.toml"), "mobility")


def along(*legs, start=(0, 50)):
    """A given way: pairs of metres to the east and seconds."""
    moves = [{"move": [east, 0], "lasting": f"{seconds}s"} for east, seconds in legs]
    return MOBILITY.read({"model": "trajectory", "start": list(start), "legs": moves}, PLACE)


def roaming(
    mobility, handoff="reactive", *, latency=None, neighbours=None, brokers="abc", lifetime_ns=60 * SECOND, **more
):
    """One walker past three access points in a row, a publisher at the middle one that speaks ten times a second."""
    return make_world(
        brokers,
        publishers=[publisher(broker="b", lifetime_ns=lifetime_ns)],
        subscribers=[subscriber(broker="a", mobility=mobility, **more.pop("subscriber", {}))],
        map=MAP,
        handoff=Handoff(scheme=handoff, latency=latency, neighbours=neighbours),
        duration_ns=100 * SECOND,
        **more,
    )


WALK = ((1000, 100),)
"""From the west end to the east end in 100 s: in range of a to 20 s, of b from 40 to 60 s, of c from 80 s on."""


def test_without_handoff_reliability_is_the_share_of_contact(tmp_path):
    """Out of range events are lost."""
    found = run(roaming(along(*WALK), "none"), tmp_path / "logs")
    totals = found.totals()
    assert totals["wanted"] == found.simulated.workload.published
    assert totals["on_time"] / totals["wanted"] == pytest.approx(0.6, abs=0.01)
    assert totals["lost"] == totals["wanted"] - totals["on_time"]


@pytest.mark.parametrize("handoff", ["reactive", "proactive"])
def test_events_wait_for_those_who_are_out_of_range(tmp_path, handoff):
    """Everything is shown at the next access point, once and in order."""
    found = run(roaming(along(*WALK), handoff), tmp_path / "logs")
    assert found.totals()["on_time"] == found.totals()["wanted"] > 900
    events = found.column("deliveries", "event")
    assert (np.diff(events) > 0).all()
    shown = found.column("deliveries", "delivered_ns") / SECOND
    assert not ((shown > 20.0) & (shown < 40.0)).any()
    assert not ((shown > 60.0) & (shown < 80.0)).any()


def test_what_waits_too_long_expires(tmp_path):
    """Outages last 20 s, events live for 5: three quarters of what waits is expired, and counted for that subscriber."""
    found = run(roaming(along(*WALK), lifetime_ns=5 * SECOND), tmp_path / "logs")
    totals = found.totals()
    assert totals["lost"] == 0
    assert totals["expired"] == pytest.approx(300, abs=4)
    assert by_reason(found) == {"expired": totals["expired"]}


def test_latency_is_time_out_of_reach(tmp_path):
    """Who is in range is attached 2 s later."""
    found = run(roaming(along(*WALK), "none", latency=const(2000)), tmp_path / "logs")
    shown = found.column("deliveries", "delivered_ns") / SECOND
    assert shown[shown > 30].min() == pytest.approx(42.0, abs=0.11)
    assert found.totals()["on_time"] / found.totals()["wanted"] == pytest.approx(0.56, abs=0.01)


def test_whoever_begins_out_of_range_has_a_broker_that_keeps_its_events(tmp_path):
    """The one that the scenario gave it; the table of interests says that none was in range."""
    found = run(roaming(along((700, 100), start=(250, 50))), tmp_path / "logs")
    assert found.rows("interests", "broker", "effective_ns") == [(None, 0)]
    assert found.totals()["on_time"] == found.totals()["wanted"]


def test_the_world_goes_on_while_something_waits(tmp_path):
    """After publishing has stopped: whoever is out of range then comes back, or what waits expires."""
    there_and_back = along((300, 90), (0, 20), (-300, 30), start=(100, 50))
    found = run(roaming(there_and_back), tmp_path / "back")
    assert found.totals()["on_time"] == found.totals()["wanted"]
    never = along((250, 90), start=(100, 50))
    gone = run(roaming(never), tmp_path / "gone").totals()
    assert gone["expired"] + gone["on_time"] == gone["wanted"]
    assert gone["expired"] > 600


def test_a_broker_that_was_down_finds_those_in_range_again(tmp_path):
    """They come to it when it is back; what happened meanwhile is lost with its memory."""
    crash = Crash(component="a", at_ns=5 * SECOND, lasting_ns=5 * SECOND)
    found = run(roaming(along((0, 100), start=(100, 50)), crashes=(crash,)), tmp_path / "logs")
    shown = found.column("deliveries", "delivered_ns") / SECOND
    assert not ((shown > 5) & (shown < 10)).any()
    assert (shown > 10).sum() > 890
    assert found.totals()["duplicates"] == 0


def test_those_who_come_later_are_effective_when_they_are_known(tmp_path):
    """A subscriber who is out of range when it asks is known after it has come into range."""
    found = run(
        roaming(along(*WALK), subscriber={"joins_ns": 30 * SECOND, "leaves_ns": 95 * SECOND}), tmp_path / "logs"
    )
    ((asked, effective, until),) = found.rows("interests", "requested_ns", "effective_ns", "until_ns")
    assert (asked, until) == (30 * SECOND, 95 * SECOND)
    assert effective == pytest.approx(40 * SECOND, abs=SECOND)
    assert found.totals()["unexpected"] == 0
    assert found.totals()["on_time"] == found.totals()["wanted"]


def test_a_link_of_its_own_takes_its_time(tmp_path):
    """Whatever is under way when it goes out of range is lost."""
    world = roaming(along(*WALK), subscriber={"link": LinkLaw(delay=const(50))})
    found = run(world, tmp_path / "logs")
    assert found.delays().min() >= 50 * MS
    assert found.totals()["lost"] <= 4
    assert found.totals()["duplicates"] == 0


def test_the_same_seed_gives_the_same_tables(tmp_path):
    """With everything that is drawn for walks."""
    walk = MOBILITY.read({"model": "random-waypoint", "speed": "20m/s"}, PLACE)
    world = roaming(walk, "proactive", latency=const(300))
    assert run(world, tmp_path / "one").digests() == run(world, tmp_path / "two").digests()


def test_given_neighbours_have_the_events_ready(tmp_path):
    """Over slow links, what waited is shown at once by a broker that was told, and after a round trip elsewhere."""
    links = [Link(between=pair, law=LinkLaw(delay=const(500))) for pair in (("a", "b"), ("b", "c"))]
    delays = {}
    for name, neighbours in (("told", {"a": ("b",), "b": ("c",)}), ("not told", {})):
        found = run(roaming(along(*WALK), "proactive", neighbours=neighbours, links=links), tmp_path / name)
        assert found.totals()["on_time"] == found.totals()["wanted"]
        shown = found.column("deliveries", "delivered_ns") / SECOND
        delays[name] = shown[shown > 30].min() - 40
    assert delays["told"] < 0.001
    assert delays["not told"] == pytest.approx(1.0, abs=0.01)
