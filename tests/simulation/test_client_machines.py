"""Probabilistic FIFO in a simulated world, judged from its logs alone."""

import pytest

from simulation.worlds import MS, chain, changed, const, make_world, ms, publisher, run, subscriber
from tidings.checking.promises import Promises, verdict
from tidings.node import Client, ClientOptions, LatchedClient
from tidings.scenario.world import LinkLaw, Map, Mobility, Ordering
from tidings.simulation.client_machines import COLD_NS, about_of, around_of, has_order, latch_options
from tidings.vocabulary.instant import MINUTE, SECOND

OVERTAKING = LinkLaw(delay=ms(5))
PLAIN = Client(ClientOptions(name="s", broker="b"))


def overtaking(ordering, *, topics=("t",), text='topic == "t"', **more):
    """Two hops with exponential delays, and an event every 2 ms in the mean."""
    return make_world(
        "abc",
        links=chain("abc", OVERTAKING),
        publishers=[publisher(every=ms(2), topic=topics)],
        subscribers=[subscriber(broker="c", text=text, **more)],
        ordering=ordering,
    )


def judged(found, **promises):
    """What the audit says of `fifo`."""
    return verdict(found.report, Promises(guarantee="fifo", **promises))


def held_ns(found):
    """How long each event was held at the endpoint."""
    return found.column("deliveries", "delivered_ns") - found.column("deliveries", "arrived_ns")


def test_without_an_order_it_is_broken(tmp_path):
    """The audit tells, and the latch has something to do."""
    found = run(overtaking(Ordering()), tmp_path / "logs")
    assert found.report.fifo_inversions > 0.3 * found.report.fifo_chances
    assert judged(found)


@pytest.mark.parametrize(("latch", "tolerance"), [("predictive", 0.05), ("empirical", 0.01)])
def test_the_promise_holds(tmp_path, latch, tolerance):
    """With the estimators that are to be trusted, at both tolerances."""
    world = overtaking(Ordering(guarantee="fifo", latch=latch, tolerance=tolerance))
    found = run(changed(world, duration_ns=20 * SECOND), tmp_path / "logs")
    assert judged(found, tolerance=tolerance) == []
    assert 0 < found.report.fifo_inversions < 1.1 * tolerance * found.report.fifo_chances
    assert found.totals()["on_time"] == found.totals()["wanted"] > 4_000


def test_a_constant_latch_that_is_too_short_is_found_out(tmp_path):
    """The audit is no friend of the latch."""
    found = run(overtaking(Ordering(guarantee="fifo", latch="constant", hold_ns=MS)), tmp_path / "logs")
    assert judged(found)
    longer = run(overtaking(Ordering(guarantee="fifo", latch="constant", hold_ns=90 * MS)), tmp_path / "longer")
    assert longer.report.fifo_inversions == 0
    assert held_ns(longer).max() <= 90 * MS


@pytest.mark.parametrize("text", ['topic == "t"', 'topic == "t" or x == 1'])
def test_a_record_saves_time(tmp_path, text):
    """By topic, and by summaries where filters ask for attributes: one topic of eight is wanted."""
    topics = tuple("tabcdefg")
    kept = Ordering(guarantee="fifo", record=25)
    record = run(overtaking(kept, topics=topics, text=text), tmp_path / "record")
    basic = run(overtaking(changed(kept, record=0), topics=topics, text=text), tmp_path / "basic")
    assert held_ns(record).mean() < 0.3 * held_ns(basic).mean()
    assert judged(record) == judged(basic) == []


def test_nothing_is_late_for_the_sake_of_order(tmp_path):
    """A latch of a second, a deadline of 30 ms: what came in time is shown in time."""
    waiting = Ordering(guarantee="fifo", latch="constant", hold_ns=SECOND)
    found = run(overtaking(waiting, deadline_ns=30 * MS), tmp_path / "logs")
    bare = run(overtaking(Ordering(), deadline_ns=30 * MS), tmp_path / "bare")
    assert found.totals()["on_time"] == bare.totals()["on_time"] > 0
    assert found.delays().max() <= max(bare.delays().max(), 30 * MS)


def test_losses_cost_a_latch_and_no_more(tmp_path):
    """Nothing waits for ever for what the network lost."""
    world = overtaking(Ordering(guarantee="fifo"))
    lossy = changed(world, links=tuple(chain("abc", LinkLaw(delay=ms(5), loss=0.05))))
    found = run(lossy, tmp_path / "logs")
    assert found.totals()["lost"] > 100
    assert found.totals()["wanted"] == found.totals()["on_time"] + found.totals()["lost"]
    assert judged(found) == []


def test_the_same_seed_gives_the_same_tables(tmp_path):
    """Byte for byte."""
    world = overtaking(Ordering(guarantee="fifo"))
    assert run(world, tmp_path / "one").digests() == run(world, tmp_path / "other").digests()


def test_order_of_a_roaming_subscriber(tmp_path):
    """The latch goes with it; what it is shown comes in order as far as the tolerance says."""
    walk = Mobility(model="random-waypoint", options={"speed": const(0.00004), "pause": None})
    world = make_world(
        "abc",
        links=chain("abc", OVERTAKING),
        publishers=[publisher(every=ms(4), topic=("t", "u"))],
        subscribers=[subscriber(mobility=walk)],
        ordering=Ordering(guarantee="fifo"),
        map=Map(size=(100.0, 100.0), range=90.0, points=((0.0, 0.0), (50.0, 50.0), (100.0, 100.0))),
    )
    found = run(world, tmp_path / "logs")
    assert isinstance(found.simulated.clients._endpoints["s"].machine, LatchedClient)
    assert found.totals()["on_time"] > 500
    assert judged(found) == []


def test_who_gets_a_latch():
    """Everybody under `fifo`, nobody without an order."""
    assert around_of(make_world())("s", PLAIN) is PLAIN
    world = make_world(ordering=Ordering(guarantee="fifo", record=7), subscribers=[subscriber(deadlines={"p": 5})])
    assert has_order(world)
    assert not has_order(make_world())
    latched = around_of(world)("s", PLAIN)
    assert (latched.options.record, latched.options.about, latched.options.deadlines) == (7, "topics", {"p": 5})
    assert around_of(world)("p", PLAIN).options.deadlines == {}


def test_what_a_record_tells_follows_the_filters():
    """Topics only while nobody asks for more."""
    assert about_of(make_world()) == "topics"
    assert about_of(make_world(subscribers=[subscriber(text="true")])) == "topics"
    assert (
        about_of(make_world(subscribers=[subscriber(), subscriber("r", text='topic == "t" and x > 1')])) == "summaries"
    )


def test_latches_of_scenarios():
    """By name."""
    constant = latch_options(Ordering(latch="constant", hold_ns=3))
    assert (constant.reach, constant.hold_ns) == (None, 3)
    for latch in ("predictive", "plain", "empirical"):
        options = latch_options(Ordering(latch=latch, tolerance=0.01))
        assert options.reach.tolerance == 0.01
        assert (options.hold_ns, options.cold_ns) == (MINUTE, COLD_NS)
