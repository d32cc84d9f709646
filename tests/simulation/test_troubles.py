"""Troubles: what breaks does break, is written down as it was, and is repaired in the end."""

import math

import pytest

from simulation.worlds import MS, make_world, run
from tidings.scenario.world import Broker, Crash, Link, LinkEpisodes, OutageLaw
from tidings.simulation.agenda import Agenda
from tidings.simulation.faults import Faults, LinkFaults, Spells, swarm
from tidings.simulation.journal import ListJournal
from tidings.simulation.troubles import Outage, StagePlace, Troubles
from tidings.vocabulary.distribution import Constant, Exponential
from tidings.vocabulary.instant import HOUR, SECOND
from tidings.vocabulary.streams import Streams

OFTEN = Spells(every_ns=SECOND, lasting_ns=200 * MS)
K = 4.0


class Process:
    """Writes down what is done to it."""

    def __init__(self, name):
        self.name, self.up, self.log = name, True, []

    def crash(self, now):
        assert self.up
        self.up = False
        self.log.append(("crash", now))

    def start(self, now):
        assert not self.up
        self.up = True
        self.log.append(("start", now))

    def pause(self, now, until):
        self.log.append(("pause", now, until))


class Wire:
    """A direction that outages hold down."""

    def __init__(self):
        self.down = 0


class Site:
    """A world's troubles, begun among stand-ins."""

    def __init__(self, world, faults=None):
        self.world, self.agenda = world, Agenda()
        self.troubles = Troubles(world, Streams(world.seed), faults or Faults())
        self.hosts = {one.id: Process(one.id) for one in world.brokers}
        ways = [way for link in world.links for way in (link.between, link.between[::-1])]
        self.channels = {way: Wire() for way in ways}
        self.back = []
        self.troubles.begin(self.agenda, self.hosts, self.channels, self.back.append)

    def run(self):
        """Until everything is over."""
        self.agenda.run_out()
        return self


def test_without_trouble_nothing_happens():
    """No entries, no rows, one life each."""
    site = Site(make_world("ab"))
    assert site.agenda.head is None
    assert site.troubles.outages == []
    assert site.troubles.lives("a") == [(0, None)]
    assert site.troubles.counters.rows() == []
    assert site.troubles.of_packets("a", "b") is None


def test_crashes_of_the_scenario():
    """A broker falls and rises when the scenario says; overlapping crashes are one; the end repairs everything."""
    crashes = [(SECOND, SECOND), (1500 * MS, SECOND), (9 * SECOND, HOUR)]
    world = make_world("ab", crashes=tuple(Crash(component="b", at_ns=at, lasting_ns=long) for at, long in crashes))
    site = Site(world).run()
    assert site.hosts["b"].log == [
        ("crash", SECOND),
        ("start", 2500 * MS),
        ("crash", 9 * SECOND),
        ("start", 10 * SECOND),
    ]
    assert site.hosts["a"].log == []
    assert site.back == ["b", "b"]
    assert site.troubles.outages == [
        Outage("b", "broker", SECOND, 2500 * MS),
        Outage("b", "broker", 9 * SECOND, 10 * SECOND),
    ]
    assert site.troubles.lives("b") == [(0, SECOND), (2500 * MS, 9 * SECOND), (10 * SECOND, None)]


def test_failures_of_disks_are_written_down_with_the_rest():
    """As outages of the broker and as ends of its process; where they overlap with what was planned, as one."""
    world = make_world("ab", crashes=(Crash(component="b", at_ns=SECOND, lasting_ns=SECOND),))
    site = Site(world)

    def fail(now, *_):
        site.hosts["b"].crash(now)
        site.troubles.disk_failed(now, "b")

    site.agenda.at(500 * MS, fail)
    site.agenda.at(5 * SECOND, fail)
    site.run()
    assert site.hosts["b"].log == [
        ("crash", 500 * MS),
        ("start", 2 * SECOND),
        ("crash", 5 * SECOND),
        ("start", 6 * SECOND),
    ]
    assert site.back == ["b", "b"]
    assert [(one.down_ns, one.up_ns) for one in site.troubles.outages] == [
        (500 * MS, 2 * SECOND),
        (5 * SECOND, 6 * SECOND),
    ]
    assert site.troubles.lives("b") == [(0, 500 * MS), (2 * SECOND, 5 * SECOND), (6 * SECOND, None)]


def test_disks_may_fail_until_trouble_is_over():
    """From the beginning to the share of the run that the options say."""

    class Disk(ListJournal):
        def may_fail(self, *, may):
            said.append((site.agenda.now, may))

    said = []
    site = Site(make_world("ab", duration_ns=10 * SECOND), Faults(until=0.5))
    site.troubles.endanger(site.agenda, [Disk()])
    site.run()
    assert said == [(0, True), (5 * SECOND, False)]


def test_links_may_be_held_down_by_several():
    """Recorded outages, laws and episodes cut both directions; a link is up when nothing holds it down."""
    links = [
        Link(between=("a", "b"), recorded_outages=((SECOND, 2 * SECOND),)),
        Link(between=("b", "c"), outages=OutageLaw(up=Constant(1e9), down=Constant(1e9))),
    ]
    episodes = LinkEpisodes(probability=1.0, every_ns=4 * SECOND, lasting_ns=SECOND)
    site = Site(make_world("abc", links=links, episodes=episodes))
    seen = []
    for tenth in range(100):
        site.agenda.run(tenth * 100 * MS)
        seen.append(site.channels["a", "b"].down)
        assert site.channels["b", "c"].down == site.channels["c", "b"].down
        assert site.channels["a", "b"].down == site.channels["b", "a"].down
    assert seen == [1] * 20 + [0] * 20 + [1] * 10 + [0] * 30 + [1] * 10 + [0] * 10
    assert all(channel.down == 0 for channel in site.run().channels.values())


def test_a_campaign_does_what_it_says():
    """Every row of a swarm: brokers are down as written, links are cut by as many as say so, pauses have their ends."""
    faults = Faults(partitions=OFTEN, flaps=OFTEN, crashes=OFTEN, pauses=OFTEN)
    site = Site(make_world("abcd", duration_ns=60 * SECOND), faults)
    rows = site.troubles.outages
    assert rows == sorted(rows, key=lambda one: one.down_ns)
    for instant in range(0, 60 * SECOND, 97 * MS):
        site.agenda.run(instant)
        down = {one.component for one in rows if one.kind == "broker" and one.down_ns <= instant < one.up_ns}
        assert {name for name, host in site.hosts.items() if not host.up} == down
        flaps = [one.component for one in rows if one.kind == "flap" and one.down_ns <= instant < one.up_ns]
        assert all(site.channels[tuple(name.split("-"))].down >= 1 for name in flaps)
    site.run()
    assert all(host.up for host in site.hosts.values())
    assert all(channel.down == 0 for channel in site.channels.values())
    paused = [(one.component, one.down_ns, one.up_ns) for one in rows if one.kind == "pause"]
    done = [(name, *entry[1:]) for name, host in site.hosts.items() for entry in host.log if entry[0] == "pause"]
    assert sorted(done) == sorted(paused)
    assert len(paused) > 10


def test_what_happened_is_counted():
    """By kind and role, once it has begun; quiet times are no fault."""
    faults = Faults(
        partitions=OFTEN, flaps=OFTEN, crashes=OFTEN, pauses=OFTEN, packets=LinkFaults(drop=0.5), quiet=0.25
    )
    site = Site(make_world("abcd", duration_ns=60 * SECOND), faults)
    assert site.troubles.counters.rows() == []
    packets = site.troubles.of_packets("a", "b")
    lost = sum(packets(now) == () for now in range(0, 60 * SECOND, SECOND))
    site.run()
    counters = site.troubles.counters
    kinds = [one.kind for one in site.troubles.outages]
    assert counters.count("flap", "link") == kinds.count("flap") > 0
    assert counters.count("pause", "broker") == kinds.count("pause") > 0
    assert counters.count("crash", "broker") >= kinds.count("broker") > 0
    assert counters.count("drop", "link") == lost > 0
    assert {role for kind, role, _ in counters.rows() if kind not in ("flap", "drop")} == {"broker"}
    again = site.troubles.counters.rows()
    assert again == counters.rows(), "asking changes nothing"


def test_faults_can_be_over_early():
    """Episodes end, and packets are left alone, from the share of the run that the options say."""
    faults = Faults(crashes=OFTEN, flaps=OFTEN, packets=LinkFaults(drop=1.0), until=0.5)
    site = Site(make_world("abc", duration_ns=40 * SECOND), faults)
    assert max(one.up_ns for one in site.troubles.outages) <= 20 * SECOND
    packets = site.troubles.of_packets("a", "b")
    assert packets(20 * SECOND - 1) == ()
    assert packets(20 * SECOND) == (0,)


def test_outages_of_brokers_and_links_are_stationary():
    """At the beginning, in the middle and at the end, the share of components that are up is the availability."""
    law = OutageLaw(up=Exponential(9.0 * SECOND), down=Exponential(1.0 * SECOND))
    brokers = [Broker(id=f"b{number}", outages=law) for number in range(600)]
    links = [Link(between=("b0", one.id), outages=law) for one in brokers[1:]]
    site = Site(make_world(brokers, links=links, duration_ns=60 * SECOND, trees=()))
    error = math.sqrt(0.9 * 0.1 / 600)
    for instant in (0, 7 * SECOND, 59 * SECOND):
        site.agenda.run(instant)
        up = sum(host.up for host in site.hosts.values()) / 600
        open_ = sum(site.channels[link.between].down == 0 for link in links) / 599
        assert abs(up - 0.9) < K * error
        assert abs(open_ - 0.9) < K * error


@pytest.mark.parametrize("kind", ["broker", "link"])
def test_share_of_time_up(kind):
    """Over a long run, the outages that are logged add up to the unavailability of the law."""
    law = OutageLaw(up=Exponential(50.0 * SECOND), down=Exponential(10.0 * SECOND))
    duration = 100 * HOUR
    broker = Broker(id="a", outages=law if kind == "broker" else None)
    link = Link(between=("a", "b"), outages=law if kind == "link" else None)
    rows = Site(make_world([broker, "b"], links=[link], duration_ns=duration)).troubles.outages
    down = sum(one.up_ns - one.down_ns for one in rows)
    # Cycles of 60 s: the variance of the share down is 2 · u² · d² / (u + d)³ per unit of time.
    error = math.sqrt(2 * (50 * 10) ** 2 / 60**3 / (duration / SECOND))
    assert {one.kind for one in rows} == {kind}
    assert abs(down / duration - 1 / 6) < K * error


def test_delivered_share_is_the_links_availability(tmp_path):
    """Events at a steady pace over a link that fails: what arrives is its availability."""
    law = OutageLaw(up=Exponential(4.0 * SECOND), down=Exponential(1.0 * SECOND))
    world = make_world("ab", links=[Link(between=("a", "b"), outages=law)], duration_ns=HOUR)
    found = run(world, tmp_path / "run", tables=("publications", "deliveries", "interests", "drops"))
    totals = found.totals()
    error = math.sqrt(2 * (4 * 1) ** 2 / 5**3 / 3600)
    assert abs(totals["on_time"] / totals["wanted"] - 0.8) < K * error
    assert totals["lost"] == totals["wanted"] - totals["on_time"]


def test_the_same_seed_breaks_the_same():
    """And another does not."""
    faults = swarm(Streams(3)("swarm"))
    one, same, other = (Site(make_world("abcd", seed=seed), faults).troubles.outages for seed in (5, 5, 6))
    assert one == same != other


def test_a_stage_falls_with_its_broker_and_alone():
    """Named by any of its topics; what it was down by itself is written down as the scenario calls it."""
    crashes = (
        Crash(component="a", at_ns=SECOND, lasting_ns=SECOND),
        Crash(component="stage:t", at_ns=4 * SECOND, lasting_ns=SECOND),
        Crash(component="stage:u", at_ns=6 * SECOND, lasting_ns=SECOND),
    )
    world = make_world(crashes=crashes)
    places = {"stage:x": StagePlace("a", ("stage:t", "stage:x"))}
    troubles = Troubles(world, Streams(world.seed), Faults(), places)
    assert [start for start, _ in troubles.lives("stage:x")] == [0, 2 * SECOND, 5 * SECOND]
    assert [(one.component, one.kind) for one in troubles.outages][:2] == [("a", "broker"), ("stage:t", "stage")]
