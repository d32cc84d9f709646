"""The expanded types: derived quantities, and what makes two of them equal."""

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from tidings.scenario.world import Broker, Handoff, LinkLaw, NamedFile, Ordering, OutageLaw, Reliability, Routing, World
from tidings.vocabulary.distribution import Constant, Exponential
from tidings.vocabulary.instant import SECOND


def world(**keys):
    """An empty world."""
    empty = dict.fromkeys(("brokers", "links", "publishers", "subscribers", "topics", "trees"), ())
    return World(**({"name": "x", "seed": 1, "duration_ns": SECOND} | empty | keys))


def test_availability_is_the_share_of_time_up():
    """Whatever the laws."""
    assert OutageLaw(up=Exponential(95.0), down=Constant(5.0)).availability == 0.95


def test_a_link_without_delay_takes_no_time():
    """On average neither."""
    assert LinkLaw().mean_delay_ns == 0.0
    assert LinkLaw(delay=Exponential(5.0)).mean_delay_ns == 5.0


def test_files_are_equal_by_name():
    """Where they lie is the business of one machine."""
    assert NamedFile(name="a", path=Path("x")) == NamedFile(name="a", path=Path("y"))
    assert NamedFile(name="a", path=Path("x")) != NamedFile(name="b", path=Path("x"))


def test_where_a_world_came_from_does_not_matter():
    """It is there for complaints."""
    assert world(file="a.toml") == world(file="b.toml")
    assert world(seed=2) != world()


def test_worlds_do_not_change():
    """Verbs share them."""
    with pytest.raises(FrozenInstanceError):
        world().seed = 2


def test_the_contracts_defaults():
    """Scheme tree, no mechanism, no guarantee, one transmission, round-trip, renewal every minute."""
    routing, reliability, ordering = Routing(), Reliability(), Ordering()
    assert (routing.scheme, routing.transmissions, routing.ack) == ("tree", 1, "round-trip")
    assert (reliability.mechanism, reliability.renew_ns, reliability.expired) == ("none", 60 * SECOND, "drop")
    assert (ordering.guarantee, ordering.stages, ordering.precedence) == ("none", "automatic", "shallow")
    assert (ordering.tolerance, ordering.latch, ordering.record, ordering.mode) == (0.05, "predictive", 25, "reliable")
    assert world().runs == 1
    assert Handoff().scheme == "none"
    assert Broker(id="b").service is None
