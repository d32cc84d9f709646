"""Whole predictions: against closed forms, against simulated runs, and for every kind of edge."""

import json
import math

import pytest

from scenario_texts import CONTRACT, world_of
from simulation.random_worlds import random_world
from simulation.worlds import chain, changed, const, make_world, ms, publisher, run, serving, subscriber
from tidings.analysis.predicting import Ground, PredictOptions, Predictor, predict, subscriptions_of
from tidings.errors import NotImplementedYet
from tidings.scenario import expand, load_scenario
from tidings.scenario.world import Broker, Link, LinkEpisodes, LinkLaw, Ordering, OutageLaw, Reliability, Routing, Tree
from tidings.vocabulary.distribution import Constant, Exponential, Uniform
from tidings.vocabulary.instant import FOREVER, SECOND


def reliability(world, name="s", **options):
    """Of one subscriber."""
    return predict(world, PredictOptions(**options)).subscribers[name].reliability


def test_one_queue():
    """M/M/1 at 0.8 and a deadline of two mean times: 1 − exp(−2), the mean time and the wait too."""
    world = make_world(
        [serving("a", ms(80))], publishers=[publisher(every=ms(100))], subscribers=[subscriber(deadline_ns=800_000_000)]
    )
    found = predict(world)
    one = found.subscribers["s"]
    assert one.reliability == pytest.approx(1 - math.exp(-2), abs=1e-3)
    assert one.late == pytest.approx(math.exp(-2), abs=1e-3)
    assert one.delay_mean_s == pytest.approx(0.4)
    assert one.delay_s[0] == pytest.approx(0.4 * math.log(2), abs=0.01)
    assert found.brokers["a"].wait_mean_s == pytest.approx(0.32)
    assert found.holds


def test_losses_and_client_links():
    """Every link takes its share and its time."""
    law = LinkLaw(loss=0.1, delay=Constant(0.1 * SECOND))
    world = make_world(
        "ab",
        links=chain("ab", law),
        publishers=[publisher(link=law, lifetime_ns=SECOND)],
        subscribers=[subscriber(broker="b", link=law)],
    )
    found = predict(world)
    assert found.subscribers["s"].reliability == pytest.approx(0.729)
    assert found.subscribers["s"].delay_mean_s == pytest.approx(0.3)
    assert found.links["a>b"].rate == pytest.approx(9.0)
    late = changed(world, subscribers=(subscriber(broker="b", link=law, deadline_ns=299_999_999),))
    assert reliability(late) == 0.0


def test_deadlines_by_publisher():
    """Who published decides."""
    world = make_world(
        "ab",
        links=chain("ab", LinkLaw(delay=Constant(0.1 * SECOND))),
        publishers=[publisher("p"), publisher("q")],
        subscribers=[subscriber(broker="b", deadlines={"p": SECOND // 20})],
    )
    assert reliability(world) == pytest.approx(0.5)


def overloaded(expired="carry"):
    """Three brokers in a line, the second with a load of 1.2."""
    brokers = [serving("a", ms(50)), serving("b", ms(120)), serving("c", ms(10))]
    return make_world(
        brokers,
        publishers=[publisher(every=ms(100), lifetime_ns=SECOND)],
        subscribers=[subscriber("r", "a"), subscriber("s", "c")],
        reliability=Reliability(expired=expired),
    )


@pytest.mark.parametrize("mode", ["distribution", "mean"])
def test_overload_has_a_name(mode):
    """The broker is named, what lies behind it gets nothing and is told why; nothing is not a number."""
    found = predict(overloaded(), PredictOptions(mode=mode))
    assert found.overloaded == ("b",)
    assert found.subscribers["r"].reliability > 0.9
    assert found.subscribers["s"].reliability == 0.0
    assert "through b" in found.subscribers["s"].reason
    json.dumps(found.to_json(), allow_nan=False)
    assert not found.holds


def test_dropped_events_load_nobody():
    """With `drop` what has expired on the way does not reach the third broker."""
    carried, dropped = (predict(overloaded(expired)).brokers["c"].rate for expired in ("carry", "drop"))
    assert carried == pytest.approx(10.0)
    assert dropped == pytest.approx(0.0, abs=0.01)


def test_skewed_knowledge_changes_the_answer():
    """A popular content is believed to be rarer than it is."""
    world = expand(load_scenario(CONTRACT / "load.toml"))
    rates = [predict(world, PredictOptions(skew=skew)).subscribers["s0"].rate for skew in (1.0, 0.5)]
    assert rates[0] != pytest.approx(rates[1], rel=0.02)


@pytest.mark.parametrize(
    ("every", "service", "near"),
    [
        (ms(100), ms(50), 0.02),
        (const(100), ms(60), 0.04),
        (ms(100), Uniform(0.0, 0.12 * SECOND), 0.06),
        (ms(100), const(60), 0.02),
    ],
    ids=["MM", "DM", "MU", "MD"],
)
def test_against_the_simulator(tmp_path, every, service, near):
    """Four brokers in a row: on time, and mean delays, near a run of 20,000 events."""
    names = "abcd"
    world = make_world(
        [serving(name, service) for name in names],
        links=chain(names, LinkLaw(delay=Constant(0.02 * SECOND))),
        publishers=[publisher(every=every, lifetime_ns=2 * SECOND)],
        subscribers=[subscriber(f"s-{name}", name, deadline_ns=SECOND // 3) for name in names],
        duration_ns=2_000 * SECOND,
        reliability=Reliability(expired="carry"),
    )
    found = predict(world).subscribers
    report = run(
        world, tmp_path / "run", tables=("publications", "deliveries", "interests", "deadlines", "drops")
    ).report
    for name in names:
        one = f"s-{name}"
        assert found[one].reliability == pytest.approx(report.subscribers[one].reliability, abs=near), name


def test_load_by_the_book():
    """The contract's file: every number is there and finite, and mode mean is another one."""
    world = expand(load_scenario(CONTRACT / "load.toml"))
    found = predict(world)
    assert len(found.subscribers) == 100
    assert all(0 <= one.reliability <= 1 for one in found.subscribers.values())
    assert max(one.load for one in found.brokers.values()) == pytest.approx(0.67, abs=0.01)
    json.dumps(found.to_json(), allow_nan=False)
    assert not found.holds
    plain = predict(world, PredictOptions(mode="mean"))
    assert plain.brokers["b3"].load == found.brokers["b3"].load
    assert plain.subscribers["s0"].reliability != pytest.approx(found.subscribers["s0"].reliability, abs=0.001)


def test_the_same_every_time():
    """Two predictions of one world are equal in every number."""
    world = expand(load_scenario(CONTRACT / "load.toml"))
    assert predict(world).to_json() == predict(world).to_json()


def test_subscriptions_over_time():
    """Who is there half of the time counts half."""
    half = subscriber("h", "b", joins_ns=2 * SECOND, leaves_ns=7 * SECOND)
    beyond = subscriber("x", "b", joins_ns=90 * SECOND)
    assert subscriptions_of(make_world(subscribers=[subscriber(), half, beyond])) == pytest.approx(1.5)


def test_what_is_missing_is_refused():
    """By name."""
    with pytest.raises(NotImplementedYet, match="causal"):
        predict(changed(make_world(), ordering=Ordering(guarantee="causal")))


def finite(document):
    """Every number in it, and none that is not one."""
    if isinstance(document, dict):
        return all(finite(value) for value in document.values())
    return not isinstance(document, float) or math.isfinite(document)


@pytest.mark.parametrize("mode", ["distribution", "mean"])
def test_any_world_has_a_defined_answer(tmp_path, mode, seeds):
    """Whatever a scenario says: shares that sum to 1, no NaN, no traceback; or a refusal that names key and value."""
    answered = 0
    for seed in seeds:
        for number in range(8):
            made = world_of(tmp_path, random_world(1000 * seed + number))
            try:
                found = predict(made, PredictOptions(mode=mode))
            except NotImplementedYet:
                continue
            answered += 1
            assert finite(json.loads(json.dumps(found.to_json(), allow_nan=False)))
            for one in found.subscribers.values():
                assert one.reliability + one.late + one.expired + one.lost == pytest.approx(1.0, abs=1e-6)
                assert one.delay_mean_s is not None or one.reason is not None
    assert answered > 0


EDGES = {
    "a broker that is never up": {
        "brokers": (Broker(id="a"), Broker(id="b", outages=OutageLaw(up=Constant(0.0), down=const(1))))
    },
    "a broker that is always up": {
        "brokers": (Broker(id="a"), Broker(id="b", outages=OutageLaw(up=const(1), down=Constant(0.0))))
    },
    "links that are always down": {"episodes": LinkEpisodes(probability=1.0, every_ns=SECOND, lasting_ns=SECOND)},
    "a link that loses everything": {"links": tuple(chain("ab", LinkLaw(loss=1.0)))},
    "nobody is linked": {"links": (), "trees": (Tree(name="t", links=(), topics=("t",)),)},
    "a filter that matches nothing": {"subscribers": (subscriber("s", "b", "x > 1"),)},
    "no lifetime at all": {"publishers": (publisher(lifetime_ns=1),)},
    "no subscribers": {"subscribers": ()},
    "an overloaded broker": {"brokers": (serving("a", ms(500)), Broker(id="b"))},
}


@pytest.mark.parametrize("mechanism", ["none", "periodic", "buffering", "bypass", "bypass+buffering"])
@pytest.mark.parametrize("name", EDGES)
def test_edges_under_every_mechanism(name, mechanism):
    """0 or 1 with a reason, never NaN."""
    found = predict(changed(make_world(), **EDGES[name], reliability=Reliability(mechanism=mechanism)))
    assert finite(json.loads(json.dumps(found.to_json(), allow_nan=False)))
    for one in found.subscribers.values():
        assert one.reliability in (0.0, 1.0) or one.delay_mean_s is not None
        assert one.delay_mean_s is not None or one.reason is not None


def test_the_bound_beside_the_exact_value():
    """Two ways of which each works with 0.81 at its links; with a link across both know more than the bound."""
    away = OutageLaw(up=Exponential(9.0 * SECOND), down=Exponential(1.0 * SECOND))
    pairs = [("a", "b"), ("b", "d"), ("a", "c"), ("c", "d"), ("b", "c")]
    links = [Link(between=pair, outages=away) for pair in pairs]
    world = make_world(
        "abcd", links=links, subscribers=[subscriber("s", "d")], reliability=Reliability(mechanism="bypass")
    )
    (found,) = predict(world).connections.values()
    assert found.bound == pytest.approx(1 - 0.19**2)
    assert found.exact == pytest.approx(0.97848), "the bridge at 0.9 (validation cases)"
    assert predict(world).subscribers["s"].reliability == pytest.approx(0.97848)
    assert predict(changed(world, reliability=Reliability(mechanism="periodic"))).connections == {}


@pytest.mark.parametrize("scheme", ["r-tree", "d-tree", "multipath", "dcrd", "oracle"])
@pytest.mark.parametrize(
    "name", ["links that are always down", "a link that loses everything", "nobody is linked", "no subscribers"]
)
def test_edges_under_every_scheme(name, scheme):
    """The same where events are addressed to brokers, in both modes."""
    world = changed(make_world(), **EDGES[name], routing=Routing(scheme=scheme))
    for mode in ("distribution", "mean"):
        found = predict(world, PredictOptions(mode=mode))
        assert finite(json.loads(json.dumps(found.to_json(), allow_nan=False)))
        assert all(one.reliability == 0.0 and one.reason is not None for one in found.subscribers.values())


def test_drawn_delays(tmp_path):
    """A delay that is drawn for each packet is a law of its own; limits beyond the horizon are as good as certain."""
    text = """tidings = 1
duration = "10s"
[[broker]]
id = "a"
[[broker]]
id = "b"
[[link]]
between = ["a", "b"]
delay = { dist = "uniform", low = "0s", high = "1s" }
[[publisher]]
id = "p"
broker = "a"
topic = "t"
every = "1s"
[[subscriber]]
id = "s"
broker = "b"
filter = 'topic == "t"'
deadline = "250ms"
[[subscriber]]
id = "far"
broker = "b"
filter = 'topic == "t"'
deadline = "300d"
"""
    world = world_of(tmp_path, text)
    assert reliability(world) == pytest.approx(0.25, abs=2e-3)
    assert reliability(world, "far") == pytest.approx(1.0, abs=1e-6)


def test_no_subscribers_and_no_publishers():
    """Nothing to say, and nothing that breaks."""
    nobody = changed(make_world(), subscribers=())
    assert predict(nobody).subscribers == {}
    silent = changed(make_world(), publishers=(), topics=(), trees=())
    assert predict(silent).subscribers["s"].reason is not None


def test_limits_of_the_grid():
    """Short and long limits together: the shorter is on the grid, whatever the longer."""
    world = make_world(
        [serving("a", Exponential(1e6))],
        subscribers=[subscriber("s", "a", deadline_ns=1_000_000), subscriber("far", "a", deadline_ns=FOREVER - 1)],
        publishers=[publisher(every=Exponential(1e9))],
    )
    assert reliability(world) == pytest.approx(1 - math.exp(-1), abs=2e-3)
    assert reliability(world, "far") == pytest.approx(1.0, abs=1e-6)
    assert Predictor(world, PredictOptions()).prediction().subscribers["s"].late > 0.3


@pytest.mark.parametrize("name", ["load.toml", "line.toml"])
def test_some_of_the_subscribers(name):
    """On common ground: what each of them gets is what a prediction of their own says."""
    world = expand(load_scenario(CONTRACT / name))
    options = PredictOptions()
    ground = Ground(world, options)
    for step in (2, 3):
        few = changed(world, subscribers=world.subscribers[::step])
        shared, alone = Predictor(few, options, ground=ground), Predictor(few, options)
        for one in few.subscribers:
            assert shared.audience.reliability(one) == pytest.approx(alone.audience.reliability(one), abs=1e-9)


def test_listeners_load_nobody():
    """Somebody who only listens is judged by the load of the others; being there too makes it worse."""
    brokers = [serving("a", ms(60)), serving("b", ms(60))]
    near, far = subscriber("near", "a"), subscriber("far", "b", deadline_ns=SECOND // 5)
    world = make_world(brokers, links=chain("ab"), publishers=[publisher(every=ms(100))], subscribers=[near, far])
    options = PredictOptions()
    ground = Ground(world, options)
    alone = Predictor(changed(world, subscribers=(near,)), options, ground=ground)
    assert alone.waits["b"].station.load == 0.0
    assert alone.audience.reliability(far) > Predictor(world, options, ground=ground).audience.reliability(far) > 0


def test_subscriptions_said_otherwise():
    """A table of twice as many subscriptions makes each service twice as long."""
    world = expand(load_scenario(CONTRACT / "load.toml"))
    waits = [Predictor(world, PredictOptions(), subscriptions=count).waits for count in (25.0, 50.0)]
    assert waits[1]["b3"].station.load == pytest.approx(2 * waits[0]["b3"].station.load)
