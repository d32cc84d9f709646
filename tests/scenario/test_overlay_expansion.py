"""Brokers and links, drawn."""

from itertools import combinations

import pytest

from scenario_texts import BROKERS, TOP, scenario_of, world_of
from tidings.errors import ScenarioError
from tidings.scenario.overlay_expansion import expand_overlay
from tidings.scenario.world import LinkLaw, Service
from tidings.vocabulary.distribution import Constant, Exponential, Normal
from tidings.vocabulary.streams import Streams

MAP = "[map]\nsize = [9, 9]\nrange = 5\npoints = [[1, 1], [8, 8], [1, 8]]\n"
GRAPH = """<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key attr.name="label" attr.type="string" for="node" id="l" />
<key attr.name="Latitude" attr.type="double" for="node" id="y" />
<key attr.name="Longitude" attr.type="double" for="node" id="x" />
<graph edgedefault="undirected">
<node id="0"><data key="l">Oslo</data><data key="y">59.9</data><data key="x">10.7</data></node>
<node id="1"><data key="l">Rome</data><data key="y">41.9</data><data key="x">12.5</data></node>
<edge source="0" target="1" />
</graph></graphml>
"""


def overlay_of(folder, text, seed=1):
    """The expanded overlay of a scenario with nothing else in it."""
    return expand_overlay(scenario_of(folder, TOP + text), Streams(seed))


@pytest.mark.parametrize(
    ("table", "brokers", "links"),
    [
        ("generate = 'line'\nbrokers = 5", 5, 4),
        ("generate = 'star'\nbrokers = 5", 5, 4),
        ("generate = 'tree'\nbrokers = 20", 20, 19),
        ("generate = 'random'\nbrokers = 20\ndegree = 5", 20, 50),
        ("generate = 'full'\nbrokers = 5", 5, 10),
        ("generate = 'sites'\nsites = 5", 5, 10),
        ("generate = 'transit-stub'\nbrokers = 6\nstubs = 1\ntransit_domains = 2", 6, 15),
    ],
)
def test_every_shape_is_generated(tmp_path, table, brokers, links):
    """Named b0, b1, …, connected, and the same for the same seed."""
    overlay = overlay_of(tmp_path, f"[overlay]\n{table}")
    assert [broker.id for broker in overlay.brokers] == [f"b{number}" for number in range(brokers)]
    assert len(overlay.links) == links
    assert overlay.graph.is_connected
    assert overlay == overlay_of(tmp_path, f"[overlay]\n{table}")


def test_what_a_shape_cannot_be_is_refused(tmp_path):
    """Five brokers cannot have three neighbours each."""
    with pytest.raises(ScenarioError, match="must be even") as caught:
        overlay_of(tmp_path, "[overlay]\ngenerate = 'random'\nbrokers = 5\ndegree = 3")
    assert caught.value.key == "overlay.generate"


def test_templates_hold_for_every_link_and_broker(tmp_path):
    """A distribution of delays is drawn once per link; services and outages are laws."""
    text = """[overlay]
    generate = "tree"
    brokers = 20
    availability = 0.95
    period = "100s"
    service = { dist = "exponential", mean = "1ms", per = "subscription" }
    link = { delay = { dist = "uniform", low = "20ms", high = "120ms" }, loss = 0.001, availability = 0.5, period = "1s" }
    """
    overlay = overlay_of(tmp_path, text)
    assert {type(link.law.delay) for link in overlay.links} == {Constant}
    assert len({link.law.delay for link in overlay.links}) == 19
    assert {link.law.loss for link in overlay.links} == {0.001}
    assert {link.outages.up for link in overlay.links} == {Exponential(5e8)}
    assert {broker.service for broker in overlay.brokers} == {Service(law=Exponential(1e6), per_subscription=True)}
    assert {broker.outages.down for broker in overlay.brokers} == {Exponential(5e9)}
    other = overlay_of(tmp_path, text, seed=2)
    assert [link.law for link in other.links] != [link.law for link in overlay.links]


def test_more_brokers_on_a_line_keep_the_delays_of_the_others(tmp_path):
    """Each link has a stream of its own."""
    text = "[overlay]\ngenerate='line'\nbrokers=%d\nlink={delay={dist='uniform',low='1ms',high='9ms'}}"
    short, long = (overlay_of(tmp_path, text % count).links for count in (5, 9))
    assert long[:4] == short


def test_sites_have_near_and_far_links(tmp_path):
    """Far ones for each packet, and a broker for each site."""
    text = """[overlay]
    generate = "sites"
    sites = ["rome", "oslo"]
    near = { delay = "1ms" }
    far = { delay = { dist = "normal", mean = "100ms", sd = "10ms" } }
    """
    overlay = overlay_of(tmp_path, text)
    assert overlay.links[0].law.delay == Normal(1e8, 1e7)
    assert overlay.sites == {"rome": ("b0",), "oslo": ("b1",)}
    assert overlay.site_of("b1") == "oslo"
    assert overlay.places == ("rome", "oslo")
    assert overlay.near.delay.law == Constant(1e6)


def test_entries_refine_what_is_generated(tmp_path):
    """What they leave open the template says; others are added."""
    text = """
    overlay = { generate = "line", brokers = 3, service = "1ms", link = { delay = "5ms", loss = 0.1 } }
    [[broker]]
    id = "b1"
    service = "9ms"
    [[broker]]
    id = "extra"
    [[link]]
    between = ["b2", "b1"]
    loss = 0.5
    [[link]]
    between = ["b2", "extra"]
    delay = { dist = "exponential", mean = "1ms" }
    """
    overlay = overlay_of(tmp_path, text)
    assert [broker.id for broker in overlay.brokers] == ["b0", "b1", "b2", "extra"]
    assert [broker.service.law.value for broker in overlay.brokers] == [1e6, 9e6, 1e6, 1e6]
    assert [link.between for link in overlay.links] == [("b0", "b1"), ("b1", "b2"), ("b2", "extra")]
    assert [link.law for link in overlay.links] == [
        LinkLaw(delay=Constant(5e6), loss=0.1),
        LinkLaw(delay=Constant(5e6), loss=0.5),
        LinkLaw(delay=Exponential(1e6), loss=0.1),
    ]


def test_brokers_and_links_by_name(tmp_path):
    """Without any [overlay]; recorded outages come along."""
    overlay = overlay_of(tmp_path, BROKERS + 'delay = "5ms"\noutages = [["1s", "2s"]]')
    assert overlay.links[0].recorded_outages == ((10**9, 2 * 10**9),)
    assert overlay.graph.delay_ns("a", "b") == 5e6
    assert overlay.brokers[0].service is None
    assert overlay.sites == {}
    assert overlay.places == ("",)
    half = overlay_of(tmp_path, BROKERS + "[[broker]]\nid = 'c'\nsite = 'rome'")
    assert (half.places, half.sites) == (("", "rome"), {})


@pytest.mark.parametrize(
    ("ends", "remedy"),
    [('"a", "c"', "c: unknown broker"), ('"a", "a"', "to itself"), ('"b", "a"', "is listed twice")],
)
def test_links_that_cannot_be(tmp_path, ends, remedy):
    """Dangling, to itself, twice."""
    with pytest.raises(ScenarioError) as caught:
        overlay_of(tmp_path, BROKERS + f"[[link]]\nbetween = [{ends}]")
    assert caught.value.key == "link[1].between"
    assert remedy in caught.value.remedy


def test_points_of_a_map_are_brokers(tmp_path):
    """Fully linked, without delay or loss."""
    overlay = overlay_of(tmp_path, MAP)
    assert [broker.id for broker in overlay.brokers] == ["b0", "b1", "b2"]
    assert [link.between for link in overlay.links] == list(combinations(["b0", "b1", "b2"], 2))
    assert {link.law for link in overlay.links} == {LinkLaw()}


def test_an_overlay_may_link_the_points(tmp_path):
    """It has as many brokers as there are points."""
    overlay = overlay_of(tmp_path, MAP + "[overlay]\ngenerate = 'line'")
    assert len(overlay.links) == 2
    with pytest.raises(ScenarioError, match="there are 4 brokers"):
        overlay_of(tmp_path, MAP + "[overlay]\ngenerate = 'line'\nbrokers = 4")


def test_too_many_points_need_an_overlay(tmp_path):
    """Each with each would be too many links."""
    points = ", ".join(f"[{x}, 1]" for x in range(2001))
    with pytest.raises(ScenarioError, match=r"add an \[overlay\]"):
        overlay_of(tmp_path, f"[map]\nsize = [9999, 9]\nrange = 1\npoints = [{points}]")


def test_an_overlay_can_be_read_from_a_file(tmp_path):
    """Delays by distance, unless the scenario says them."""
    (tmp_path / "two.graphml").write_text(GRAPH)
    overlay = overlay_of(tmp_path, "[overlay]\nfile = 'two.graphml'\ninflation = 2")
    assert overlay.links[0].between == ("Oslo", "Rome")
    assert 19e6 < overlay.links[0].law.delay.value < 21e6
    overlay = overlay_of(tmp_path, "[overlay]\nfile = 'two.graphml'\nlink = { delay = '7ms' }")
    assert overlay.links[0].law.delay == Constant(7e6)


def test_what_a_file_left_open_is_noted(tmp_path):
    """Two nodes of one label get two names; the world says so."""
    (tmp_path / "two.graphml").write_text(GRAPH.replace("Rome", "Oslo"))
    overlay = overlay_of(tmp_path, "[overlay]\nfile = 'two.graphml'")
    assert len({broker.id for broker in overlay.brokers}) == 2
    assert len(overlay.notes) == 1
    assert "Oslo" in overlay.notes[0]
    assert world_of(tmp_path, TOP + "[overlay]\nfile = 'two.graphml'").notes == overlay.notes


@pytest.mark.parametrize(("name", "text"), [("no.graphml", None), ("bad.graphml", "<graphml"), ("../x.graphml", None)])
def test_files_that_cannot_be_used(tmp_path, name, text):
    """Absent, damaged, elsewhere."""
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(ScenarioError) as caught:
        overlay_of(tmp_path, f"[overlay]\nfile = '{name}'")
    assert caught.value.key == "overlay.file"
