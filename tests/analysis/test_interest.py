"""Who wants what: shares by filter, unions by broker."""

import numpy as np
import pytest

from simulation.worlds import make_world, publisher, subscriber
from tidings.analysis.interest import Interest, either, share_of
from tidings.analysis.sources import sources_of
from tidings.scenario.world import Mobility
from tidings.vocabulary.distribution import Zipf

LAW = {"x": Zipf(4, 0.0)}


def world(*subscribers):
    """A publisher of four equally likely contents."""
    return make_world("abc", publishers=[publisher(attributes=LAW)], subscribers=subscribers)


def on_t(*subscribers, skew=1.0):
    """What is wanted of topic t."""
    made = world(*subscribers)
    return Interest(made.subscribers, skew).on(sources_of(made)[0], "t")


def test_shares_and_unions():
    """Two filters at one broker want together what either wants."""
    found = on_t(
        subscriber("r", "b", "x <= 2", topics=("t",)),
        subscriber("s", "b", "x >= 2", topics=None),
        subscriber("u", "c", "x == 1", topics=("t",)),
    )
    assert found.shares == pytest.approx({"x <= 2": 0.5, "x >= 2": 0.75, "x == 1": 0.25})
    unions = {broker: share_of(found.contents, wanted) for broker, wanted in found.unions.items()}
    assert unions == pytest.approx({"b": 1.0, "c": 0.25})


def test_what_wants_nothing_is_left_out():
    """Neither a share nor a broker."""
    found = on_t(subscriber("r", "b", "x > 9", topics=("t",)), subscriber("s", "b", "true", topics=("u",)))
    assert found.shares == {}
    assert found.unions == {}


def test_asked_once_for_each_kind_of_content():
    """Two publishers that say the same kinds of things on one topic share the answer."""
    made = make_world(publishers=[publisher("p", attributes=LAW), publisher("q", broker="b", attributes=LAW)])
    interest, (one, other) = Interest(made.subscribers), sources_of(made)
    assert interest.on(one, "t") is interest.on(other, "t")


def test_skewed_knowledge():
    """Contents by popularity, believed to be all alike."""
    made = make_world(
        publishers=[publisher(attributes={"x": Zipf(2, 1.0)})], subscribers=[subscriber("s", "b", "x == 1")]
    )
    source = sources_of(made)[0]
    assert Interest(made.subscribers).on(source, "t").shares["x == 1"] == pytest.approx(2 / 3)
    assert Interest(made.subscribers, 2.0).on(source, "t").shares["x == 1"] == pytest.approx(0.8)


def test_narrowed_to_some():
    """Shares of all filters, unions of those that are there; the answers are those of somebody who asks anew."""
    those = (subscriber("s", "b", "x >= 2", topics=None), subscriber("u", "c", "x == 1", topics=("t",)))
    everybody = (subscriber("r", "b", "x <= 2", topics=("t",)), *those)
    source = sources_of(world(*everybody))[0]
    whole = Interest(everybody)
    for members in (those, (), everybody, those[1:]):
        found, anew = whole.narrowed(members).on(source, "t"), Interest(members).on(source, "t")
        assert found.shares == whole.on(source, "t").shares
        assert {broker: share_of(found.contents, wanted) for broker, wanted in found.unions.items()} == pytest.approx(
            {broker: share_of(anew.contents, wanted) for broker, wanted in anew.unions.items()}
        )


def test_who_roams_wants_a_share_of_the_time():
    """Alone as likely as it is there; beside somebody who stays, for certain; two that roam are independent."""
    walker = Mobility(model="random-waypoint", options={})
    made = world(
        subscriber("r", "b", "x <= 2", topics=("t",), mobility=walker),
        subscriber("s", "c", "x == 1", topics=("t",)),
        subscriber("u", "b", "x == 2", topics=("t",), mobility=walker),
    )
    found = Interest(made.subscribers, places=lambda one: {"b": 0.5, "c": 0.2}).on(sources_of(made)[0], "t")
    unions = {broker: share_of(found.contents, wanted) for broker, wanted in found.unions.items()}
    assert unions == pytest.approx({"b": 0.25 * 0.5 + 0.25 * 0.75, "c": 0.25 * 1.0 + 0.25 * 0.36})


def test_either_of_two():
    """What is certain stays so; the rest is added up without what is counted twice."""
    certain, never = np.array([True, False]), np.array([False, False])
    assert either(certain, never).dtype == np.bool_
    assert either(certain, never).tolist() == [True, False]
    assert either(certain, np.array([0.5, 0.5])).tolist() == [1.0, 0.5]
    assert either(np.array([0.5, 0.5]), np.array([0.5, 0.0])).tolist() == [0.75, 0.5]
