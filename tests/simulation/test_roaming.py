"""Roaming subscribers in a simulated world: from walks to what they are shown."""

import numpy as np
import pytest

from simulation.worlds import MS, by_reason, const, make_world, publisher, run, serving, subscriber
from tidings.scenario.mobility_tables import MOBILITY
from tidings.scenario.source import Place, Source
from tidings.scenario.world import Crash, Handoff, Link, LinkLaw, Map, Reliability
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


KEEPING = ("buffering", "bypass+buffering")


@pytest.mark.parametrize("handoff", ["reactive", "proactive"])
@pytest.mark.parametrize("mechanism", KEEPING)
def test_brokers_that_keep_hand_over_in_order(tmp_path, mechanism, handoff):
    """Nothing is lost, nothing shown twice, and the order is the publisher's."""
    found = run(roaming(along(*WALK), handoff, reliability=Reliability(mechanism=mechanism)), tmp_path / "logs")
    assert found.totals()["on_time"] == found.totals()["wanted"] > 900
    assert found.totals()["duplicates"] == 0
    assert (np.diff(found.column("deliveries", "event")) > 0).all()


@pytest.mark.parametrize("mechanism", KEEPING)
@pytest.mark.parametrize("broker", ["a", "b", "c"])
def test_a_crash_in_the_middle_of_a_hand_off_loses_nothing(tmp_path, mechanism, broker):
    """Whichever broker it is: home, guest's, or the one of the publisher, whose unacknowledged events do not count."""
    crash = Crash(component=broker, at_ns=30 * SECOND, lasting_ns=15 * SECOND)
    world = roaming(along(*WALK), reliability=Reliability(mechanism=mechanism), crashes=(crash,))
    found = run(world, tmp_path / "logs")
    assert found.report.total("acknowledged_lost") == 0
    assert found.totals()["duplicates"] == 0
    taken = sum(at is not None for (at,) in found.rows("publications", "acknowledged_ns"))
    assert found.totals()["on_time"] >= taken > 800


def test_without_keeping_the_same_crash_loses_what_waited(tmp_path):
    """The counterpart: backlogs in memory."""
    crash = Crash(component="a", at_ns=30 * SECOND, lasting_ns=15 * SECOND)
    found = run(roaming(along(*WALK), crashes=(crash,)), tmp_path / "logs")
    assert found.report.total("acknowledged_lost") > 50


@pytest.mark.parametrize("mechanism", ["none", "buffering"])
def test_who_roams_may_publish(tmp_path, mechanism):
    """What it says out of range is said when it is back; its order is kept wherever it is."""
    world = make_world(
        "abc",
        publishers=[publisher("s", broker="a", lifetime_ns=60 * SECOND)],
        subscribers=[
            subscriber("s", broker="a", mobility=along(*WALK)),
            subscriber("t", broker="c"),
        ],
        links=[Link(between=pair, law=LinkLaw(delay=const(40))) for pair in (("a", "b"), ("b", "c"), ("a", "c"))],
        map=MAP,
        handoff=Handoff(scheme="reactive"),
        reliability=Reliability(mechanism=mechanism),
        duration_ns=100 * SECOND,
    )
    found = run(world, tmp_path / "logs")
    rows = found.rows("publications", "published_ns", "acknowledged_ns")
    assert len(rows) > 900
    waited = [(at - published) / SECOND for published, at in rows]
    assert max(waited) == pytest.approx(20, abs=0.3)
    assert sum(one < 0.3 for one in waited) == pytest.approx(600, abs=5)
    assert found.report.topic_inversions == 0
    assert found.totals()["on_time"] == found.totals()["wanted"] == 2 * len(rows)
    assert found.totals()["duplicates"] == 0


def test_a_link_that_loses_is_made_good_by_the_home(tmp_path):
    """A tenth of what goes to and from a walker is lost on its own link."""
    link = LinkLaw(delay=const(5), loss=0.1)
    world = roaming(along(*WALK), reliability=Reliability(mechanism="buffering"), subscriber={"link": link})
    found = run(world, tmp_path / "logs")
    assert found.totals()["on_time"] == found.totals()["wanted"] > 900
    assert found.totals()["duplicates"] == 0


def test_a_subscriber_that_stays_may_have_a_link_that_loses(tmp_path):
    """Where brokers keep events it is sent them until it has said that it was shown them."""
    lossy = LinkLaw(delay=const(5), loss=0.3)
    totals = {}
    for mechanism in ("none", "buffering"):
        world = make_world(
            subscribers=[subscriber(broker="b", link=lossy)], reliability=Reliability(mechanism=mechanism)
        )
        totals[mechanism] = run(world, tmp_path / mechanism).totals()
    assert totals["none"]["on_time"] == pytest.approx(0.7 * totals["none"]["wanted"], abs=15)
    assert totals["buffering"]["on_time"] == totals["buffering"]["wanted"] == 100
    assert totals["buffering"]["duplicates"] == 0


@pytest.mark.parametrize("handoff", ["reactive", "proactive"])
def test_what_is_served_slowly_is_handed_over_too(tmp_path, handoff):
    """An event that waits for a broker's attention while the client moves on is neither lost nor late in its order."""
    brokers = [serving(name, const(95)) for name in "abc"]
    found = run(roaming(along(*WALK), handoff, brokers=brokers), tmp_path / "logs")
    assert found.totals()["on_time"] == found.totals()["wanted"] > 900
    assert (np.diff(found.column("deliveries", "event")) > 0).all()
