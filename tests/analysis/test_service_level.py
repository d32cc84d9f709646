"""How well a world is served as a whole."""

import pytest

from simulation.worlds import chain, changed, const, make_world, ms, publisher, serving, subscriber
from tidings.analysis.predicting import predict
from tidings.analysis.service_level import service_level, tried_max
from tidings.scenario.world import LinkLaw, Routing


def world(**more):
    """Two brokers, three subscribers."""
    return make_world(
        [serving("a", ms(20)), "b"],
        links=chain("ab", LinkLaw(delay=const(10), loss=0.1)),
        publishers=[publisher(every=ms(100))],
        subscribers=[
            subscriber("s", "b", requires=0.95),
            subscriber("r", "b", requires=0.99),
            subscriber("t", "a", requires=0.5),
        ],
        **more,
    )


def test_as_predicted():
    """Mean, unmet and overloaded are those of the whole prediction."""
    found, level = predict(world()), service_level(world())
    shares = [one.reliability for one in found.subscribers.values()]
    assert level.mean == pytest.approx(sum(shares) / 3)
    assert [one.id for one in level.unmet] == ["r", "s"]
    assert set(found.unmet) == {"r", "s"}
    assert level.overloaded == found.overloaded == ()
    assert not level.holds
    assert level.complaint().startswith(
        "r gets 0.9000 of the 0.9900 that it requires and 1 more below theirs: link a>b"
    )


def test_overloaded():
    """Brokers, and links where bandwidth is limited, as in the prediction."""
    full = changed(world(), brokers=(serving("a", ms(200)), *world().brokers[1:]))
    assert service_level(full).overloaded == predict(full).overloaded == ("a",)
    assert service_level(full).complaint() == "a gets more than it can carry"
    narrow = changed(world(), links=tuple(chain("ab", LinkLaw(bandwidth_bps=1_000.0))))
    assert service_level(narrow).overloaded == predict(narrow).overloaded == ("a>b",)


def test_nobody():
    """Without subscribers all is well."""
    level = service_level(changed(world(), subscribers=()))
    assert level.mean == 1.0
    assert level.holds


def test_how_many_changes_are_tried():
    """Fewer where events are addressed to brokers."""
    assert tried_max(world(), 100) == 100
    assert tried_max(changed(world(), routing=Routing(scheme="dcrd")), 100) == 20
    assert tried_max(changed(world(), routing=Routing(scheme="dcrd")), 5) == 5


def test_known_movements():
    """Are taken over."""
    level = service_level(world())
    assert service_level(world(), level.predictor.roaming).predictor.roaming is level.predictor.roaming
