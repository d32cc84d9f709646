"""Settling: interests spread before time 0 stand where they would if everybody had joined in time."""

import pytest

from simulation.campaign import case_of
from simulation.watching import Watched, samples
from simulation.worlds import changed, make_world, publisher, run, subscriber
from tidings.matching import LinearMatcher
from tidings.node import Broker, BrokerOptions
from tidings.routing import TableOptions
from tidings.simulation.settling import settle
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Subscribe
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.machine import Started


def line_of_three():
    """Brokers a – b – c, started."""
    table = TableOptions(new_matcher=LinearMatcher)
    machines = {}
    for name, neighbours in {"a": ("b",), "b": ("a", "c"), "c": ("b",)}.items():
        options = BrokerOptions(name=name, neighbours={"t": neighbours}, tree_of={"t": "t"}.get, table=table)
        machines[name] = Broker(options)
        machines[name].receive(Started(0), 0)
    return machines


def test_interests_reach_everybody():
    """Each broker sends events where they are wanted, and has nothing left to say."""
    machines = line_of_three()
    settle(machines, [("a", "s", Subscribe(0, 'topic == "t" and x > 1'))])
    small, large = (Event(number, "p", "t", 0, {"x": number}) for number in (1, 2))
    assert [machine.answer(large) for machine in machines.values()] == [((), True), (("a",), False), (("b",), False)]
    assert {machine.answer(small) for machine in machines.values()} == {((), False)}
    assert all(machine.drain().send == [] for machine in machines.values())


def test_nobody_to_tell():
    """Without wishes there is nothing to settle."""
    machines = line_of_three()
    settle(machines, [])
    assert all(machine.deadline() is None for machine in machines.values())


@pytest.mark.parametrize("seed", range(4, 84, 4))
def test_as_if_they_had_joined(tmp_path, seed):
    """In calm worlds of the campaign: the same answers at every broker as when all join at the first instant."""
    world = changed(case_of(seed).world, duration_ns=SECOND)
    stay = tuple(changed(one, joins_ns=None, leaves_ns=None) for one in world.subscribers)
    joining = tuple(changed(one, joins_ns=0) for one in stay)
    settled, joined = (
        run(changed(world, subscribers=some), tmp_path / name, kind=Watched).simulated
        for name, some in (("settled", stay), ("joined", joining))
    )
    joined.settle_down(10 * SECOND)
    for event in samples(world, 5):
        for name in settled.hosts:
            assert settled.hosts[name].machine.answer(event) == joined.hosts[name].machine.answer(event)


def test_settling_is_not_logged(tmp_path):
    """The world begins when everybody knows: no transmission of a subscription."""
    world = make_world("abc", publishers=[publisher(broker="a")], subscribers=[subscriber(broker="c")])
    found = run(world, tmp_path / "run")
    assert {kind for (kind,) in found.rows("transmissions", "kind")} == {"event"}
    assert found.rows("interests", "requested_ns", "effective_ns") == [(0, 0)]
