"""Events addressed to brokers: whole predictions of every scheme, against closed forms and simulated runs."""

import pytest

from scenario_texts import CONTRACT
from simulation.worlds import changed, const, make_world, ms, publisher, run, subscriber
from tidings.analysis.addressed import Addressed, most_impatient
from tidings.analysis.failures import Failures
from tidings.analysis.predicting import predict
from tidings.scenario import expand, load_scenario
from tidings.scenario.world import Link, LinkLaw, OutageLaw, Routing
from tidings.vocabulary.distribution import Constant, Exponential, Uniform
from tidings.vocabulary.instant import SECOND

SCHEMES = ("r-tree", "d-tree", "multipath", "dcrd", "oracle")
OUTAGES = OutageLaw(up=Exponential(9.0 * SECOND), down=Exponential(1.0 * SECOND))


def ring(scheme, deadline_ms=100, delays=(10, 10, 30, 30), outages=OUTAGES, **more):
    """Four brokers in a ring, the publisher opposite the subscriber; two ways of two links each."""
    pairs = [("a", "b"), ("b", "d"), ("a", "c"), ("c", "d")]
    links = [
        Link(between=pair, law=LinkLaw(delay=const(delay)), outages=outages)
        for pair, delay in zip(pairs, delays, strict=True)
    ]
    return make_world(
        "abcd",
        links=links,
        publishers=[publisher(every=ms(20))],
        subscribers=[subscriber(broker="d", deadline_ns=deadline_ms * 1_000_000)],
        routing=Routing(scheme=scheme, **more),
        trees=(),
    )


@pytest.mark.parametrize(
    ("scheme", "deadline_ms", "expected"),
    [
        ("d-tree", 19, 0.0),
        ("d-tree", 20, 0.81),
        ("multipath", 59, 0.81),
        ("multipath", 60, 1 - 0.19**2),
        ("oracle", 60, 1 - 0.19**2),
        # The first link fails: after 21 ms the other way, 81 in all. The second: 10 + 21 + 10 + 60.
        ("dcrd", 80, 0.81),
        ("dcrd", 81, 0.81 + 0.1 * 0.81),
        ("dcrd", 101, 0.81 + 0.19 * 0.81),
    ],
)
def test_two_ways(scheme, deadline_ms, expected):
    """Closed forms: 0.9 for each link."""
    found = predict(ring(scheme, deadline_ms)).subscribers["s"]
    assert found.reliability == pytest.approx(expected, abs=1e-5)
    assert found.reliability + found.late + found.expired + found.lost == pytest.approx(1.0)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_links_that_never_fail(scheme):
    """Everything by the shortest way; loads of links as they are sent, to whoever wants anything."""
    found = predict(ring(scheme, outages=None))
    assert found.subscribers["s"].reliability == pytest.approx(1.0)
    assert found.subscribers["s"].delay_mean_s == pytest.approx(0.02)
    assert found.links["a>b"].rate == pytest.approx(50.0)
    assert found.brokers["d"].rate == pytest.approx(100.0 if scheme == "multipath" else 50.0)


def test_random_delays():
    """The sum of two uniform delays within the mean of it: a half."""
    made = ring("d-tree", 20, outages=None)
    law = LinkLaw(delay=Uniform(5e6, 15e6))
    random = changed(made, links=tuple(changed(one, law=law) for one in made.links))
    assert predict(random).subscribers["s"].reliability == pytest.approx(0.5, abs=2e-3)


def test_client_links_and_lifetimes():
    """Both ends take their time and their share; what outlives its lifetime expires."""
    made = ring("multipath", 10_000)
    at_ends = LinkLaw(delay=const(5), loss=0.5)
    slow = changed(
        made,
        publishers=(publisher(every=ms(20), link=at_ends, lifetime_ns=65_000_000),),
        subscribers=(subscriber(broker="d", link=at_ends),),
    )
    found = predict(slow).subscribers["s"]
    assert found.reliability == pytest.approx(0.25 * 0.81, abs=1e-6)
    assert found.expired == pytest.approx(0.25 * 0.19 * 0.81, abs=1e-6)


def test_the_most_impatient_client_counts():
    """By publisher and broker, and never longer than an event lives."""
    made = changed(
        ring("dcrd"),
        publishers=(publisher("p", lifetime_ns=7), publisher("q")),
        subscribers=(
            subscriber("r", "d", deadline_ns=9, deadlines={"q": 3}),
            subscriber("s", "d", deadline_ns=5),
            subscriber("u", "b"),
        ),
    )
    assert most_impatient(made) == {"p": {"d": 5, "b": 7}, "q": {"d": 3}}


def test_what_waits_until_a_link_is_back():
    """An event that nobody can take: late after a short repair, lost when a broker's patience is over first."""
    assert predict(ring("dcrd")).subscribers["s"].lost == pytest.approx(0.0, abs=1e-9)
    long = OutageLaw(up=Exponential(90.0 * SECOND), down=Constant(10.0 * SECOND))
    assert predict(ring("dcrd", outages=long)).subscribers["s"].lost == pytest.approx(0.19**2, abs=1e-5)


def test_outcomes_are_found_once():
    """Of equal pairs; only sending lists ask who published."""
    made = ring("d-tree")
    addressed = Addressed(made, Failures(made))
    assert addressed.outcomes("p", "a", "d") is addressed.outcomes("q", "a", "d")
    lists = Addressed(ring("dcrd"), Failures(made))
    assert lists.outcomes("p", "a", "d") is not lists.outcomes("q", "a", "d")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_against_a_simulated_run(tmp_path, scheme):
    """A ring whose links fail for a second now and then."""
    made = changed(ring(scheme), duration_ns=300 * SECOND)
    simulated = run(made, tmp_path / "run").report.subscribers["s"]
    predicted = predict(made).subscribers["s"]
    assert predicted.reliability == pytest.approx(simulated.on_time / simulated.wanted, abs=0.04)


def test_the_contract_as_it_stands():
    """Every subscriber of mesh.toml, and what was taken for granted."""
    found = predict(expand(load_scenario(CONTRACT / "mesh.toml")))
    shares = [one.reliability for one in found.subscribers.values()]
    assert sum(shares) / len(shares) == pytest.approx(0.9565, abs=0.004), "a simulated run says 0.9565"
    assert "answers are never lost" in "\n".join(found.assumptions)
