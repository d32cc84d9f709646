"""What a plan costs, counted by hand, and the bound on crossings against every small plan."""

from itertools import permutations, product

import numpy as np
import pytest

from ordering.shapes import random_interests
from tidings.ordering.overlap import overlap_graph
from tidings.ordering.plan import plan_sequencing
from tidings.ordering.plan_report import StageLoad, crossings, crossings_bound, loads
from tidings.ordering.traffic import traffic_of


def test_crossings_are_requests_climbs_and_returns():
    """Half of topic a comes from the other site; each of its requests climbs to that site and comes back."""
    traffic = traffic_of(("a", "b"), {"a": {"x": 2, "y": 2}, "b": {"y": 4}})
    assert crossings(traffic, [("p", "q"), ("q",)], {"p": "x", "q": "y"}) == pytest.approx(0.25 + 0.5 * 2)
    assert crossings(traffic, [("q",), ("q",)], {"q": "y"}) == pytest.approx(0.25)


def test_loads_add_up():
    """A stage handles its own and what passes."""
    assert loads(("p", "q", "r"), [("p", "q"), ("q",), ("q",)], (0.5, 0.25, 0.25)) == {
        "p": StageLoad(own=0.5, handled=0.5),
        "q": StageLoad(own=0.5, handled=1.0),
        "r": StageLoad(own=0.0, handled=0.0),
    }


@pytest.mark.parametrize("seed", range(4))
def test_no_plan_crosses_less_than_the_bound(seed):
    """Every placement of four topics on two sites, topic by topic or together, in every order."""
    wanted = random_interests(seed, topics=4, subscribers=6)
    graph = overlap_graph(wanted, k=1)
    weights = np.random.default_rng(seed).integers(0, 9, (len(graph.topics), 2)).tolist()
    traffic = traffic_of(
        graph.topics,
        {topic: dict(zip("xy", row, strict=True)) for topic, row in zip(graph.topics, weights, strict=True)},
    )
    bound, found = crossings_bound(graph, traffic), []
    for placed in product("xy", repeat=len(graph.topics)):
        for apart in (False, True):
            stage_of = {
                topic: f"{site}{place if apart else ''}"
                for place, (topic, site) in enumerate(zip(graph.topics, placed, strict=True))
            }
            stages = {stage: [topic for topic in stage_of if stage_of[topic] == stage] for stage in stage_of.values()}
            sites = {stage: stage[0] for stage in stages}
            for order in permutations(stages):
                plan = plan_sequencing(wanted, k=1, stages=stages, precedence=order)
                paths = [plan.routes[topic].path for topic in graph.topics]
                found.append(crossings(traffic, paths, sites))
    assert bound <= min(found) + 1e-12
    assert min(found) <= 3 * bound + 1e-12


def test_one_site_has_nothing_to_cross():
    """Bound and crossings are 0 where sites are not told apart."""
    report = plan_sequencing({"a": ("t1", "t2")}, k=1).report
    assert (report.crossings, report.crossings_bound) == (0.0, 0.0)
