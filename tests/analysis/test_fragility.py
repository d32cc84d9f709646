"""What hurts most when it fails."""

import pytest

from simulation.worlds import chain, make_world, publisher, subscriber
from tidings.analysis.fragility import PARTS_MAX, fragile_parts, taken_away
from tidings.analysis.predicting import predict
from tidings.analysis.service_level import service_level
from tidings.scenario.world import Broker, Link, OutageLaw, Reliability
from tidings.vocabulary.distribution import Exponential
from tidings.vocabulary.instant import SECOND

MECHANISMS = ("none", "periodic", "buffering", "bypass", "bypass+buffering")


def line(mechanism="periodic", **more):
    """Three brokers; one subscriber in the middle, two at the end."""
    who = [subscriber("m", "b"), subscriber("r", "c"), subscriber("s", "c")]
    return make_world(
        "abc", publishers=[publisher()], subscribers=who, reliability=Reliability(mechanism=mechanism), **more
    )


def law(up, down):
    """Exponential up and down times, in seconds."""
    return OutageLaw(up=Exponential(float(up * SECOND)), down=Exponential(float(down * SECOND)))


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_line(mechanism):
    """All goes through the first broker and the first link, two thirds through the rest."""
    found = {one.component: one for one in fragile_parts(service_level(line(mechanism)))}
    assert {name: one.without for name, one in found.items()} == pytest.approx(
        {"a": 0.0, "b": 0.0, "c": 1 / 3, "a>b": 0.0, "b>c": 1 / 3}
    )
    assert list(found)[-1] in ("c", "b>c")
    assert found["c"].loss == pytest.approx(2 / 3)
    assert found["c"].expected_loss == 0.0
    assert found["c"].reason.startswith("without broker c 0.3333 of what is wanted comes on time")
    assert found["b>c"].to_json()["reason"].startswith("without link b>c")


def test_what_is_down_often_comes_first():
    """Of those that fail: by the time that they are down."""
    weak = line(links=chain("ab", outages=law(99, 1)) + chain("bc", outages=law(9, 1)))
    found = fragile_parts(service_level(weak))
    assert [one.component for one in found[:2]] == ["b>c", "a>b"]
    assert found[0].availability == pytest.approx(0.9)
    assert found[0].expected_loss == pytest.approx(0.1 * found[0].loss)


def test_ways_around():
    """Under bypass a ring loses nothing with one link; under periodic it does."""
    ring = line("bypass", links=[*chain("abc"), Link(between=("a", "c"))])
    found = {one.component: one.loss for one in fragile_parts(service_level(ring))}
    assert found["a>b"] == pytest.approx(0.0)
    assert found["a"] == pytest.approx(1.0)


def test_taken_away():
    """Nothing else changes, and what is behind it gets nothing."""
    world = taken_away(line(), ("b", "c"))
    assert world.brokers == line().brokers
    assert predict(world).subscribers["s"].reliability == 0.0
    assert predict(world).subscribers["m"].reliability == pytest.approx(1.0)
    gone = taken_away(line(), "b").brokers
    assert gone[0] == Broker(id="a")
    assert gone[1].outages.availability == 0.0


def test_the_busiest_of_many():
    """Of more parts than the limit those that pass most: the first half of a long line, where all goes through."""
    names = [f"b{number}" for number in range(80)]
    long = make_world(names, publishers=[publisher(broker="b0")], subscribers=[subscriber("m", "b40")])
    found = fragile_parts(service_level(long))
    assert len(found) == PARTS_MAX
    assert {"b0", "b40", "b0>b1", "b39>b40"} <= {one.component for one in found}
    assert all(one.loss == pytest.approx(1.0) for one in found[:81])
