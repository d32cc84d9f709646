"""The plan: its laws over random shapes, equal in every process, and what it refuses."""

import os
import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordering.shapes import SMALLEST, interests, random_interests, random_stages
from tidings.errors import InputError
from tidings.ordering.overlap import overlap_graph
from tidings.ordering.plan import plan_sequencing

PRECEDENCES = st.sampled_from(["identifier", "shallow", "by-site"])


@st.composite
def plans(draw):
    """Interests, and a plan for them with any partition and precedence."""
    wanted, k = draw(interests()), draw(st.integers(1, 2))
    topics = overlap_graph(wanted).topics
    stages = draw(st.one_of(st.integers(1, 4), st.just("automatic"), st.just("by-site"), st.just("dealt")))
    if stages == "dealt":
        stages = random_stages(draw(st.integers(0, 99)), topics)
    weights = st.dictionaries(st.sampled_from("xyz"), st.integers(1, 9), min_size=1)
    popularity = {topic: draw(weights) for topic in topics}
    return wanted, plan_sequencing(wanted, k=k, stages=stages, precedence=draw(PRECEDENCES), popularity=popularity)


def way_up(tree, stage):
    """The stage and all that stand above it."""
    way = [stage]
    while tree.parents[way[-1]] is not None:
        way.append(tree.parents[way[-1]])
    return way


@given(plans())
def test_every_overlap_is_decided_on_both_paths(drawn):
    """Of two topics that overlap, one's stage is on the other's path; and each path is the way up, cut at the top."""
    wanted, plan = drawn
    graph = overlap_graph(wanted, k=plan.k)
    for one, other in graph.edges():
        first, second = plan.routes[graph.topics[one]], plan.routes[graph.topics[other]]
        assert first.stage in second.path or second.stage in first.path
    for tree in plan.trees:
        for topic in tree.topics:
            route = plan.routes[topic]
            assert route.path == tuple(way_up(tree, route.stage)[: len(route.path)])
            in_group = {plan.routes[member].stage for member in route.group}
            assert in_group <= set(way_up(tree, route.stage)) | {
                stage for stage in tree.parents if route.stage in way_up(tree, stage)
            }
            assert route.highest in in_group
            assert not in_group & set(way_up(tree, route.highest)[1:])


@given(plans())
def test_trees_follow_the_precedence(drawn):
    """Parents stand higher, roots first; trees hold every topic once and only stages of their topics."""
    _, plan = drawn
    rank = {stage.name: place for place, stage in enumerate(plan.stages)}
    assert sorted(topic for tree in plan.trees for topic in tree.topics) == sorted(plan.routes)
    for tree in plan.trees:
        assert set(tree.parents) == {plan.routes[topic].stage for topic in tree.topics}
        assert [rank[stage] for stage in tree.parents] == sorted(rank[stage] for stage in tree.parents)
        assert all(parent is None or rank[parent] < rank[stage] for stage, parent in tree.parents.items())
        assert list(tree.parents.values()).count(None) == 1


@given(plans())
def test_stages_and_routes_agree(drawn):
    """Every topic is in one stage, the first of its path; groups are those of the overlap graph."""
    wanted, plan = drawn
    graph = overlap_graph(wanted, k=plan.k)
    assert list(plan.routes) == list(graph.topics)
    assert {topic: stage.name for stage in plan.stages for topic in stage.topics} == {
        topic: route.stage for topic, route in plan.routes.items()
    }
    assert all(route.group == graph.group(topic) for topic, route in plan.routes.items())


@given(plans())
def test_the_report_counts_what_is_there(drawn):
    """Depth, paths and entries as the plan itself has them, and no bound is broken."""
    _, plan = drawn
    report, routes = plan.report, list(plan.routes.values())
    assert report.depth == max(len(way_up(tree, stage)) for tree in plan.trees for stage in tree.parents)
    assert report.depth_bound <= report.depth
    assert report.path_max == max(len(route.path) for route in routes) <= report.depth
    assert 1 - 1e-9 <= report.path_mean <= report.path_max + 1e-9
    assert report.entries_mean == sum(len(route.group) for route in routes) / len(routes)
    assert report.crossings_bound <= report.crossings + 1e-9
    assert list(report.load) == [stage.name for stage in plan.stages]
    assert sum(load.own for load in report.load.values()) == pytest.approx(1)
    assert sum(load.handled for load in report.load.values()) == pytest.approx(report.path_mean)


@given(plans())
def test_groups_have_one_path_in_a_graph_without_loops(drawn):
    """The two conditions of the paper on groups: paths run along the tree's edges, and a tree has no loop."""
    _, plan = drawn
    for tree in plan.trees:
        edges = {frozenset(pair) for topic in tree.topics for pair in pairwise(plan.routes[topic].path)}
        assert edges <= {frozenset((stage, parent)) for stage, parent in tree.parents.items() if parent is not None}
        assert len(edges) < len(tree.parents)


def test_the_smallest_shape():
    """By identifiers and a stage for each topic: t3 climbs through t2."""
    stages = {f"of {topic}": [topic] for topic in ("t1", "t2", "t3", "t4")}
    plan = plan_sequencing(SMALLEST, stages=stages, precedence="identifier")
    assert plan.routes["t3"].path == ("of t3", "of t2", "of t1")
    assert plan.routes["t2"].path == ("of t2",)
    assert plan.routes["t2"].highest == plan.routes["t2"].stage == "of t2"
    assert plan.stage("of t4").topics == ("t4",)
    assert (plan.report.depth, plan.report.depth_bound) == (4, 3)
    assert plan_sequencing(SMALLEST, stages=stages).report.depth == 3


def test_a_given_order_is_kept():
    """From the highest to the lowest."""
    plan = plan_sequencing(SMALLEST, stages=2, precedence=("stage1", "stage0"))
    assert [stage.name for stage in plan.stages] == ["stage1", "stage0"]
    assert plan.trees[0].parents == {"stage1": None, "stage0": "stage1"}


def test_by_site_gathers_what_is_rare_below_what_is_busy():
    """A rare topic that ties three sites: for few crossings it climbs; for little depth everything is in one stage."""
    wanted = {f"s{site}": (f"busy{site}", "rare") for site in range(3)}
    popularity = {f"busy{site}": {f"site{site}": 100} for site in range(3)} | {"rare": {"site0": 1}}
    spread = plan_sequencing(wanted, k=1, precedence="by-site", popularity=popularity)
    assert spread.routes["busy1"].path == (spread.routes["busy1"].stage,)
    assert spread.report.crossings == pytest.approx(3 / 301)
    assert (spread.report.depth, spread.report.depth_bound) == (3, 2)
    together = plan_sequencing(wanted, k=1, precedence="shallow", popularity=popularity)
    assert (together.report.depth, together.report.crossings) == (1, pytest.approx(200 / 301))
    assert spread.report.crossings_bound == together.report.crossings_bound <= spread.report.crossings


def test_nobody_needs_no_plan():
    """No subscribers: no stages, no trees, all figures 0."""
    plan = plan_sequencing({})
    assert (plan.stages, plan.trees, dict(plan.routes)) == ((), (), {})
    assert (plan.report.depth, plan.report.path_max, plan.report.entries_mean) == (0, 0, 0)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"stages": "many"}, "stages = 'many'"),
        ({"precedence": "deep"}, "precedence = 'deep'"),
        ({"stages": 2, "precedence": ("stage0",)}, "leaves out stage stage1"),
        ({"stages": 2, "precedence": ("stage0", "stage1", "stage0")}, "names stage stage0 twice"),
        ({"popularity": {"x": {"a": 1}}}, "given for x"),
        ({"topics": ["t1"]}, "not among the 1 topics"),
    ],
)
def test_what_cannot_be_planned_is_refused(options, says):
    """With the key, the value and what would be right."""
    with pytest.raises(InputError, match=says):
        plan_sequencing(SMALLEST, **options)


def test_unknown_stages_are_named():
    """Together with those that there are."""
    with pytest.raises(InputError, match="no stage is called x; there are stage0, stage1"):
        plan_sequencing(SMALLEST, stages=2, precedence="identifier").stage("x")


PROGRAM = """
import hashlib
from ordering.shapes import random_interests
from tidings.ordering.plan import plan_sequencing
text = ""
for seed in range(10):
    wanted = {name: set(topics) for name, topics in random_interests(seed, topics=20, subscribers=15).items()}
    popularity = {f"t{n}": {s: (7 * n + 3 * i) % 11 for i, s in enumerate("xyz")} for n in range(1, 21)}
    popularity = {topic: popularity[topic] for topic in {topic for one in wanted.values() for topic in one}}
    for precedence in ("identifier", "shallow", "by-site"):
        text += repr(plan_sequencing(wanted, precedence=precedence, popularity=popularity))
print(hashlib.sha256(text.encode()).hexdigest())
"""


def test_every_process_makes_the_same_plan():
    """Whatever the hash seed, with topics in sets."""
    found = set()
    for seed in ("0", "1", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
        )
        found.add(done.stdout)
    assert len(found) == 1


def test_the_order_of_naming_does_not_matter():
    """Subscribers and topics in any order give the same value."""
    wanted = random_interests(3, topics=12, subscribers=12)
    backwards = {name: tuple(reversed(wanted[name])) for name in reversed(wanted)}
    assert plan_sequencing(backwards) == plan_sequencing(wanted)
