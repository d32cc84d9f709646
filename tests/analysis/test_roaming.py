"""Subscribers that move: brokers, waits and round trips as predictions use them, and whole predictions of them."""

import math

import pytest

from scenario_texts import CONTRACT, world_of
from simulation.worlds import changed, run
from tidings.analysis.delay_law import TimeGrid
from tidings.analysis.predicting import predict
from tidings.analysis.roaming import Roaming
from tidings.scenario import expand, load_scenario
from tidings.scenario.world import Handoff
from tidings.vocabulary.distribution import Constant
from tidings.vocabulary.instant import DAY, FOREVER, MINUTE, SECOND

MOVING = """
tidings = 1
duration = "{duration}"
[map]
size = [1000, 100]
range = 100
points = [[200, 50], [600, 50]]
[[publisher]]
id = "p"
topic = "t"
every = {{ dist = "exponential", mean = "{every}" }}
{lifetime}
[[subscriber]]
id = "s"
filter = 'topic == "t"'
mobility = {mobility}
[mobility]
handoff = "{handoff}"
latency = "{latency}"
"""
EAST = '{ model = "trajectory", start = [0, 50], legs = [{ move = [1000, 0], lasting = "100s" }], repeat = true }'


def world(folder, **more):
    """To the east through two ranges, again and again: 20 s at each, with 20 s between, and 40 s to the next round."""
    given = {"duration": "1000s", "every": "500ms", "lifetime": 'lifetime = "15s"', "mobility": EAST}
    return world_of(folder, MOVING.format(**(given | {"handoff": "reactive", "latency": "0s"} | more)))


def reliability(folder, **more):
    """Of the one subscriber."""
    return predict(world(folder, **more)).subscribers["s"].reliability


@pytest.mark.parametrize(
    ("handoff", "latency", "expected"),
    [
        ("none", "0s", 0.4),
        ("none", "2s", 0.36),
        ("reactive", "0s", 0.4 + 0.15 + 0.15),
        ("reactive", "2s", 0.36 + 0.15 + 0.15),
        ("proactive", "2s", 0.36 + 0.15 + 0.15),
        ("reactive", "25s", 0.0),
    ],
)
def test_a_way_that_is_known(tmp_path, handoff, latency, expected):
    """40 of 100 seconds in range; of each gap the last 15, the lifetime."""
    assert reliability(tmp_path, handoff=handoff, latency=latency) == pytest.approx(expected, abs=2e-3)


def test_what_waits_for_ever_is_lost_or_expires(tmp_path):
    """Away for good after half of the run: by lifetime expired, without one lost; each with its delay."""
    once = EAST.replace("repeat = true", "repeat = false")
    gone = predict(world(tmp_path, mobility=once, duration="140s", lifetime="")).subscribers["s"]
    assert gone.reliability == pytest.approx(0.5, abs=1e-3)
    assert gone.lost == pytest.approx(0.5, abs=1e-3)
    assert gone.delay_mean_s == pytest.approx((20**2 / 2 + 10 * 5) / 70, rel=0.02)
    with_lifetime = predict(world(tmp_path, mobility=once, duration="140s")).subscribers["s"]
    assert (with_lifetime.lost, with_lifetime.late) == pytest.approx((0.0, 0.0), abs=1e-12)
    assert with_lifetime.expired == pytest.approx(1 - with_lifetime.reliability)


def test_never_in_range(tmp_path):
    """0, with the reason; null delays."""
    nowhere = EAST.replace("[0, 50]", "[800, 50]").replace("[1000, 0]", "[100, 0]")
    for handoff in ("none", "reactive"):
        one = predict(world(tmp_path, mobility=nowhere, handoff=handoff)).subscribers["s"]
        assert (one.reliability, one.lost, one.delay_mean_s) == (0.0, 1.0, None)
        assert "never in range" in one.reason


def test_brokers_get_what_somebody_there_may_want(tmp_path):
    """With a hand-off one broker has its interest at any time: each at first sight 0.5 of the events."""
    found = predict(world(tmp_path))
    home = world(tmp_path).publishers[0].broker
    other = next(name for name in found.brokers if name != home)
    assert found.brokers[other].rate == pytest.approx(2.0 * (0.4 if other == "b0" else 0.6), rel=0.02)
    assert found.brokers[home].rate == pytest.approx(2.0)


def test_shares_and_waits_of_a_broker(tmp_path):
    """They sum to 1 over brokers; the wait has its atom, and what is longer than the grid is missing."""
    made = world(tmp_path)
    roaming, one = Roaming(made), made.subscribers[0]
    assert roaming.any
    assert roaming.keeps
    places = roaming.places(one)
    assert sum(places.values()) == pytest.approx(1.0)
    law = roaming.wait(one, "b0", TimeGrid(100.0 * SECOND))
    assert law.atom == pytest.approx(0.2 / places["b0"], rel=1e-3)
    assert law.within(50.0 * SECOND) == pytest.approx(1.0, abs=1e-6)
    assert roaming.ever(one, "b0") == pytest.approx(1.0)
    assert roaming.reach(one) == roaming.farthest == MINUTE
    still = Roaming(changed(made, subscribers=(changed(one, mobility=None),)))
    assert not still.any
    assert still.places(still.world.subscribers[0]) == {one.broker: 1.0}


def test_a_fetch_costs_a_round_trip(tmp_path):
    """Half of the pairs of two brokers are 3 s apart and back; proactive brokers have fetched already."""
    made = world(tmp_path)
    slow = changed(
        made, links=tuple(changed(one, law=changed(one.law, delay=Constant(1.5 * SECOND))) for one in made.links)
    )
    by_scheme = {}
    for scheme in ("reactive", "proactive"):
        there = Roaming(changed(slow, handoff=Handoff(scheme=scheme)))
        by_scheme[scheme] = float(there.presence(slow.subscribers[0]).attached.sum())
    assert by_scheme == pytest.approx({"reactive": 0.37, "proactive": 0.4}, abs=1e-3)


def test_the_contract_as_it_stands():
    """Forty random walkers, alike; no NaN, and what was taken for granted."""
    made = expand(load_scenario(CONTRACT / "roaming.toml"))
    found = predict(made)
    shares = {round(one.reliability, 12) for one in found.subscribers.values()}
    assert len(shares) == 1
    assert shares.pop() == pytest.approx(0.9035, abs=0.006), "144 simulated hours of twelve walkers say 0.9033"
    assert all(math.isfinite(one.delay_mean_s) for one in found.subscribers.values())
    assert "random waypoint" in "\n".join(found.assumptions)
    none = predict(changed(made, handoff=changed(made.handoff, scheme="none")))
    assert none.subscribers["m0"].reliability == pytest.approx(0.399, abs=0.006)
    for_ever = tuple(changed(one, lifetime_ns=FOREVER) for one in made.publishers)
    always = predict(changed(made, publishers=for_ever)).subscribers["m0"]
    assert always.reliability == pytest.approx(1.0, abs=2e-3)
    assert 0.0 < always.delay_s[1] < DAY / SECOND


def test_against_a_simulated_walker(tmp_path):
    """A way that is known, so that one run tells: shares on time with a hand-off that takes its time."""
    made = world(tmp_path, latency="3s", duration="2000s", every="100ms")
    simulated = run(made, tmp_path / "run").report.subscribers["s"]
    predicted = predict(made).subscribers["s"]
    assert predicted.reliability == pytest.approx(simulated.on_time / simulated.wanted, abs=0.01)
    assert predicted.expired == pytest.approx(simulated.expired / simulated.wanted, abs=0.01)
