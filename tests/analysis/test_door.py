"""One more subscriber, asked before it is let in."""

import pytest

from simulation.worlds import chain, changed, const, make_world, ms, publisher, serving, subscriber
from tidings.analysis.door import Door
from tidings.analysis.predicting import predict
from tidings.errors import NotImplementedYet, ScenarioError
from tidings.scenario.world import LinkLaw, Ordering
from tidings.vocabulary.instant import SECOND


def world(*subscribers):
    """Two brokers that work for half a second on each event; one event of three kinds every two seconds."""
    return make_world(
        [serving("a", ms(20)), serving("b", ms(500))],
        links=chain("ab", LinkLaw(delay=const(10))),
        publishers=[publisher(f"p{topic}", "a", topic, ms(2000)) for topic in "tuv"],
        subscribers=subscribers or (wants("t"),),
    )


def wants(topic, broker="b", requires=0.9, name=None):
    """Everything on a topic, within two seconds."""
    text = f'topic == "{topic}"'
    return subscriber(name or f"s{topic}", broker, text, topics=(topic,), deadline_ns=2 * SECOND, requires=requires)


def test_one_after_the_other():
    """The first is served; with another the broker gets too busy for it; whoever leaves makes room."""
    door = Door(world())
    refused = door.ask(wants("u", requires=0.5))
    assert not refused.admitted
    assert refused.falling == ("st",)
    assert refused.reason.startswith("st would fall from 0.9")
    assert "below the 0.9000 that it requires; broker b: 0.6" in refused.reason
    assert [one.id for one in door.inside] == ["st"]
    assert door.admit(wants("u", "a")).admitted
    door.leave("st")
    door.leave("nobody")
    assert door.admit(wants("v", requires=0.5)).admitted
    assert [one.id for one in door.inside] == ["su", "sv"]


def test_as_predicted():
    """What it is told is what a whole prediction says."""
    newcomer = wants("u", requires=None)
    decision = Door(world(wants("t", requires=None))).ask(newcomer)
    assert decision.admitted
    found = predict(world(wants("t"), newcomer)).subscribers
    assert decision.reliability == pytest.approx(found["su"].reliability)
    assert decision.reason == f"requires nothing, and gets {decision.reliability:.4f}"


def test_refused_for_its_own_sake():
    """Too busy for it, and how it would be with nobody else; or not even then."""
    door = Door(world(wants("t", requires=0.1)))
    decision = door.ask(wants("u"))
    assert decision.falling == ("su",)
    assert "and with nobody else 0.9" in decision.reason
    assert "broker b" in decision.reason
    never = door.ask(wants("u", requires=1.0))
    assert "takes longest" in never.reason
    assert decision.to_json() == {
        "admitted": False,
        "reliability": decision.reliability,
        "requires": 0.9,
        "falling": ["su"],
        "reason": decision.reason,
    }


def test_several_fall():
    """The worst of them by name, the others by number."""
    many = [wants("t", name=f"s{number}") for number in range(3)]
    decision = Door(world(*many)).ask(wants("u", requires=0.0))
    assert decision.falling == ("s0", "s1", "s2")
    assert "and 2 more below theirs" in decision.reason


def test_who_is_unserved_anyway_is_no_hindrance():
    """Only those who are satisfied now can fall."""
    hopeless = wants("t", requires=1.0)
    assert Door(world(hopeless)).ask(wants("u", requires=0.1)).admitted


def test_who_cannot_be():
    """At no broker, or of a name that is taken; in a world that cannot be predicted yet."""
    door = Door(world())
    with pytest.raises(ScenarioError, match="'z': must be one of"):
        door.ask(wants("u", "z"))
    with pytest.raises(ScenarioError, match="'st': is in already"):
        door.ask(wants("t"))
    with pytest.raises(NotImplementedYet):
        Door(changed(world(), ordering=Ordering(guarantee="total")))
