"""A plan as a whole."""

import json

import pytest

from simulation.worlds import chain, changed, const, make_world, ms, publisher, serving, subscriber
from tidings.analysis.planning import HOLDS, plan
from tidings.errors import NotImplementedYet
from tidings.scenario.world import LinkLaw, Ordering


def world(requires=0.5):
    """Three brokers in a line."""
    return make_world(
        [serving(name, ms(5)) for name in "abc"],
        links=chain("abc", LinkLaw(delay=const(10), loss=0.01)),
        publishers=[publisher(every=ms(100))],
        subscribers=[subscriber("s", "c", deadline_ns=10**9, requires=requires)],
    )


def test_four_answers():
    """With a reason each; the document is JSON."""
    found = plan(world())
    assert found.holds
    assert found.state == HOLDS
    assert found.load.factor > 10
    assert found.service.factor > 10
    assert len(found.fragile) == 5
    assert found.links[0].between == ("a", "c")
    document = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert set(document) == {"mean", "holds", "state", "load", "service", "fragile", "links"}
    assert all(
        one["reason"] for one in [document["load"], document["service"], *document["fragile"], *document["links"]]
    )


def test_what_does_not_hold():
    """Is said, and everything else is answered all the same."""
    found = plan(world(requires=1.0))
    assert not found.holds
    assert found.state.startswith("s gets 0.98")
    assert found.load.factor is None


def test_empty_and_not_yet():
    """Nobody there is a plan too; what cannot be predicted is none."""
    assert plan(changed(world(), subscribers=())).mean == 1.0
    with pytest.raises(NotImplementedYet):
        plan(changed(world(), ordering=Ordering(guarantee="total")))
