"""Failures under every mechanism: products, ways around, waits, and what it all costs."""

import itertools
import math

import numpy as np
import pytest

from simulation.worlds import chain, changed, make_world, publisher, run, subscriber
from tidings.analysis.components import Alternation
from tidings.analysis.failures import Failures, control_rate, delivers
from tidings.analysis.phase_type import no_time
from tidings.analysis.predicting import predict
from tidings.scenario.world import Broker, Crash, Link, LinkLaw, OutageLaw, Reliability
from tidings.vocabulary.distribution import Constant, Exponential
from tidings.vocabulary.instant import DAY, HOUR, MINUTE, SECOND

MECHANISMS = ("none", "periodic", "buffering", "bypass", "bypass+buffering")


def fails(share, period=HOUR):
    """Exponential up and down times, up with this share."""
    if share in (0.0, 1.0):
        return OutageLaw(up=Constant(float(share * period)), down=Constant(float((1 - share) * period)))
    return OutageLaw(up=Exponential(float(share * period)), down=Exponential(float((1 - share) * period)))


def world_of(mechanism, names="abc", links=None, share=0.9, lifetime_ns=10 * MINUTE, **more):
    """Brokers that all fail, in a line unless links are given, one at each end of it."""
    links = chain(names, outages=fails(0.99)) if links is None else links
    return make_world(
        [Broker(id=name, outages=fails(share)) for name in names],
        links=links,
        publishers=[publisher(every=Constant(10.0 * SECOND), lifetime_ns=lifetime_ns)],
        subscribers=[subscriber("s", names[-1])],
        reliability=Reliability(mechanism=mechanism),
        **{"duration_ns": 10 * DAY} | more,
    )


def ring(names="abcd"):
    """Links all around."""
    pairs = [*itertools.pairwise(names), (names[-1], names[0])]
    return [Link(between=pair, outages=fails(0.99)) for pair in pairs]


def reliability(world):
    """Of the subscriber."""
    return predict(world).subscribers["s"].reliability


def test_static_tree():
    """Eq. 5.2: everything on the way works."""
    assert reliability(world_of("periodic")) == pytest.approx(0.9**3 * 0.99**2)


def test_buffering_is_the_sum_of_the_hops():
    """Eq. 5.3, with the waits as one phase-type law from end to end."""
    world = world_of("buffering")
    hops = Failures(world).hops
    whole = hops.of(("a", "b")).plus(hops.of(("b", "c")))
    found = predict(world).subscribers["s"]
    assert found.reliability == pytest.approx(0.9 * whole.cdf([10 * MINUTE])[0], abs=1e-4)
    assert found.lost == pytest.approx(0.1)
    assert found.reliability + found.late + found.expired + found.lost == pytest.approx(1.0)
    assert 0.9 * whole.cdf([found.delay_s[1] * SECOND])[0] / found.reliability == pytest.approx(0.95, abs=2e-3)
    assert reliability(world_of("buffering", lifetime_ns=9 * DAY)) == pytest.approx(0.9, abs=1e-4)


def test_without_renewal_all_is_forgotten():
    """A share that falls with the duration: the mean of exp(−γt) over it."""
    gamma = 3 / (0.9 * HOUR)
    for days in (1, 10):
        whole = days * DAY * gamma
        truth = 0.9**3 * 0.99**2 * -math.expm1(-whole) / whole
        assert reliability(world_of("none", duration_ns=days * DAY)) == pytest.approx(truth, rel=1e-3)


def test_a_crash_is_remembered_by_nobody():
    """Without renewal nothing comes after it; a subscriber who joins later, or leaves before, does not mind."""
    crash = Crash(component="b", at_ns=2 * SECOND, lasting_ns=SECOND)
    world = make_world("ab", crashes=(crash,))
    assert reliability(world) == pytest.approx(0.2)
    assert reliability(changed(world, subscribers=(subscriber(broker="b", joins_ns=5 * SECOND),))) == 1.0
    assert reliability(changed(world, subscribers=(subscriber(broker="b", leaves_ns=SECOND),))) == pytest.approx(1.0)
    assert reliability(changed(world, subscribers=(subscriber(broker="b", joins_ns=60 * SECOND),))) == 1.0
    first = changed(world, crashes=(Crash(component="b", at_ns=0, lasting_ns=SECOND),))
    assert reliability(first) == 0.0


def test_ways_around():
    """A ring of four: either side, and both ends; the bound is exact there."""
    failures = Failures(world_of("bypass", "abcd", ring()))
    side = 0.99**2 * 0.9
    assert failures.connected("a", "c") == pytest.approx(0.81 * (1 - (1 - side) ** 2))
    assert failures.bound("a", "c") == pytest.approx(failures.connected("c", "a"))
    assert reliability(world_of("bypass", "abcd", ring())) == pytest.approx(failures.connected("a", "d"))


def test_large_overlays_get_the_bound():
    """More than 24 links: a lower bound, and it is said."""
    names = "abcdefgh"
    links = [Link(between=pair, outages=fails(0.9)) for pair in itertools.combinations(names, 2)]
    world = world_of("bypass", names, links)
    failures = Failures(world)
    assert not failures.exact
    assert failures.connected("a", "h") == failures.bound("a", "h")
    assert any("lower bound" in sentence for sentence in predict(world).assumptions)


def test_both_mechanisms():
    """Eq. 5.12 with its two corrections: at once with the share that is joined, else when the tree's hops allow."""
    world = world_of("bypass+buffering", "abcd", ring())
    failures = Failures(world)
    joined = failures.connected("a", "d")
    steps = [tuple(name.split(">")) for name in predict(world).links]
    assert steps == [*itertools.pairwise("abcd")]
    wait = no_time()
    for step in steps:
        wait = wait.plus(failures.hops.of(step))
    late = 1 - (wait.cdf([10 * MINUTE])[0] - wait.atom) / (1 - wait.atom)
    assert reliability(world) == pytest.approx(joined + (0.9 - joined) * (1 - late), abs=1e-3)
    assert failures.at_once(tuple("abcd")) == pytest.approx(joined / 0.9)


def test_more_is_not_less():
    """Each mechanism does at least as well as those that it contains."""
    shares = {name: reliability(world_of(name, "abcd", ring())) for name in MECHANISMS}
    assert shares["none"] < shares["periodic"] < shares["buffering"]
    assert shares["periodic"] < shares["bypass"] < shares["bypass+buffering"] <= 0.9
    assert shares["buffering"] < shares["bypass+buffering"]


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("share", [0.0, 1.0])
def test_never_and_always(mechanism, share):
    """0 with the reason, or 1; never anything that is no number."""
    world = world_of(mechanism, links=chain("abc"), share=1.0)
    if share == 0.0:
        world = changed(world, brokers=(*world.brokers[:2], Broker(id="c", outages=fails(0.0))))
    found = predict(world).subscribers["s"]
    assert found.reliability == pytest.approx(share)
    assert (found.reason is None) == (share == 1.0)
    assert found.delay_mean_s is None or math.isfinite(found.delay_mean_s)


def test_buffers():
    """Little's law: as many events as come, for as long as they stay; more while the next broker is not there."""
    world = world_of("buffering", "ab", chain("ab"))
    found = predict(world).brokers["a"]
    wait = Failures(world).hops.of(("a", "b"))
    rate = 0.9 * 0.1
    assert found.buffer == pytest.approx(rate * wait.capped_mean(10 * MINUTE) / SECOND, rel=1e-3)
    assert found.buffer_down == pytest.approx(found.buffer / 0.1, rel=1e-3)
    assert "buffer_events" in found.to_json()
    assert predict(world_of("periodic")).brokers["a"].buffer is None


def test_control_traffic():
    """Renewals and their answers; acknowledgements; signs of life and views of the overlay."""
    over = {("a", "b"): 5.0}
    rates = {}
    for name in MECHANISMS:
        world = world_of(name, "ab", [Link(between=("a", "b"))])
        rates[name] = control_rate(world, Failures(world), over)
    assert rates["none"] == 0.0
    assert rates["periodic"] == pytest.approx(2 * 2 * 0.9 / MINUTE)
    assert rates["buffering"] == pytest.approx(5.0 + 2 / SECOND)
    assert rates["bypass"] == pytest.approx(rates["periodic"] + 2 / SECOND + 4 * 2 * 2 / HOUR)
    assert rates["bypass+buffering"] == pytest.approx(5.0 + 2 / SECOND + 4 * 2 * 2 / HOUR)


def test_losses():
    """A link that loses takes its share where nothing is sent again."""
    lossy = chain("ab", LinkLaw(loss=0.2))
    assert reliability(make_world("ab", links=lossy)) == pytest.approx(0.8)
    kept = make_world("ab", links=lossy, reliability=Reliability(mechanism="buffering"))
    assert reliability(kept) == pytest.approx(1.0)
    assert delivers(None) == 1.0


@pytest.mark.parametrize("mechanism", ["none", "periodic", "buffering"])
def test_against_the_simulator(mechanism, tmp_path):
    """Three brokers that fail every hour, two hundred times: within what such a run scatters by."""
    world = world_of(mechanism, duration_ns=(DAY if mechanism == "none" else 8 * DAY))
    world = changed(world, publishers=(publisher(every=Constant(float(MINUTE)), lifetime_ns=10 * MINUTE),))
    done = run(world, tmp_path / "run")
    share = done.totals()["on_time"] / done.totals()["wanted"]
    # A run is as good as a few hundred independent looks at the whole way.
    assert reliability(world) == pytest.approx(share, abs=0.05)


def test_phases_of_up_times():
    """Up times that are no exponential ones are remembered too."""
    law = OutageLaw(up=Constant(float(HOUR)), down=Exponential(float(HOUR)))
    world = changed(world_of("none", "ab"), brokers=(Broker(id="a", outages=law), Broker(id="b")), duration_ns=HOUR)
    # Of a constant up time what is left is even over it: the mean over an hour of (1 − t) / 2.
    assert reliability(world) == pytest.approx(0.25 * 0.99, abs=0.03)
    assert np.isfinite(reliability(changed(world, reliability=Reliability(mechanism="buffering"))))
    assert Alternation(1.0, 1.0).memoryless
