"""What one more link is worth."""

import pytest

from scenario_texts import CONTRACT
from simulation.worlds import chain, changed, const, make_world, ms, publisher, serving, subscriber
from tidings.analysis.one_link import best_links
from tidings.analysis.predicting import predict
from tidings.analysis.service_level import service_level
from tidings.scenario import expand, load_scenario
from tidings.scenario.replanning import with_link
from tidings.scenario.world import Link, LinkLaw
from tidings.vocabulary.instant import SECOND


def line(names="abcd"):
    """Brokers that lose a tenth at each link; everybody wants to be reached."""
    law = LinkLaw(delay=const(10), loss=0.1)
    return make_world(
        [serving(name, ms(1)) for name in names],
        links=chain(names, law),
        publishers=[publisher(every=ms(100))],
        subscribers=[subscriber(name.upper(), name, deadline_ns=SECOND, requires=0.85) for name in names[1:]],
    )


def test_as_a_whole_prediction():
    """Each gain is that of the world with the link."""
    world = line()
    level = service_level(world)
    found = best_links(level)
    assert {one.between for one in found} == {("a", "c"), ("a", "d"), ("b", "d")}
    for one in found:
        whole = predict(with_link(world, Link(between=one.between, law=world.links[0].law)))
        more = whole.subscribers
        assert one.met == len(predict(world).unmet) - len(whole.unmet)
        assert one.mean == pytest.approx(sum(each.reliability for each in more.values()) / 3)
        assert one.gain == pytest.approx(one.mean - level.mean)
    assert [one.gain for one in found] == sorted((one.gain for one in found), reverse=True)
    assert found[0].reason.startswith(f"a link a>{found[0].between[1]} brings")
    assert found[0].to_json()["between"] == list(found[0].between)


def test_nothing_to_add():
    """No link to copy, or all that there can be."""
    assert best_links(service_level(make_world("ab"))) == ()
    assert best_links(service_level(make_world("a"))) == ()


def test_many_brokers():
    """Of very many pairs the farthest apart."""
    many = make_world([f"b{number}" for number in range(23)])
    found = best_links(service_level(changed(many, duration_ns=SECOND)))
    assert len(found) == 200
    assert ("b0", "b22") in {one.between for one in found}
    assert ("b0", "b2") not in {one.between for one in found}


@pytest.mark.slow
def test_the_contract_of_load():
    """A link helps there."""
    assert best_links(service_level(expand(load_scenario(CONTRACT / "load.toml"))))[0].gain > 0
