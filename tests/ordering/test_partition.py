"""Topics into stages: blocks, sites, automatic, and an operator's own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordering.shapes import interests
from tidings.errors import InputError
from tidings.ordering.overlap import overlap_graph
from tidings.ordering.partition import PlannedStage, as_given, automatic, by_home, in_blocks
from tidings.ordering.traffic import traffic_of

TEN = overlap_graph({"a": ("t1", "t2")}, topics=[f"t{number}" for number in range(1, 11)], k=1)
ANYWHERE = traffic_of(TEN.topics, None)
HALVES = traffic_of(TEN.topics, {topic: {"ab"[place // 5]: 1} for place, topic in enumerate(TEN.topics)})


@given(st.integers(1, 15))
def test_blocks_are_consecutive_and_equal(count):
    """As many as asked for, or as there are topics; sizes differ by one at most, the larger first."""
    stages = in_blocks(TEN, ANYWHERE, count)
    assert len(stages) == min(count, 10)
    assert [topic for stage in stages for topic in stage.topics] == list(TEN.topics)
    sizes = [len(stage.topics) for stage in stages]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] - sizes[-1] <= 1


def test_blocks_stand_where_most_is_published():
    """And are named by their number."""
    first, second, third = in_blocks(TEN, HALVES, 3)
    assert first == PlannedStage("stage0", "a", ("t1", "t2", "t3", "t4"))
    assert (second.name, second.site, third.site) == ("stage1", "b", "b")


def test_there_is_at_least_one_stage():
    """A count of 0 is a mistake."""
    with pytest.raises(InputError, match="stages = 0"):
        in_blocks(TEN, ANYWHERE, 0)


def test_every_site_has_its_stage():
    """With the topics that it publishes most on, under its own name."""
    assert [(stage.name, stage.site, len(stage.topics)) for stage in by_home(TEN, HALVES)] == [
        ("a", "a", 5),
        ("b", "b", 5),
    ]


def test_sites_must_be_told_apart():
    """Without them a stage for each site means nothing."""
    with pytest.raises(InputError, match="by-site"):
        by_home(TEN, ANYWHERE)


def test_what_does_not_overlap_has_stages_of_its_own():
    """Without sites: one stage for each component, and one for all topics that overlap with none."""
    graph = overlap_graph(
        {"a": ("t1", "t2"), "b": ("t2", "t5"), "c": ("t3", "t6"), "d": ("t4",)}, topics=TEN.topics, k=1
    )
    (found,) = automatic(graph, ANYWHERE)
    assert found == (
        PlannedStage("t1", "", ("t1", "t2", "t5")),
        PlannedStage("t3", "", ("t3", "t6")),
        PlannedStage("t4", "", ("t4", "t7", "t8", "t9", "t10")),
    )


def test_lone_topics_stay_at_their_sites():
    """One stage for those of each site."""
    graph = overlap_graph({"a": ("t1",)}, topics=TEN.topics)
    (found,) = automatic(graph, HALVES)
    assert [(stage.name, stage.site, len(stage.topics)) for stage in found] == [("t1", "a", 5), ("t6", "b", 5)]


@given(interests(), st.lists(st.dictionaries(st.sampled_from("xyz"), st.integers(0, 9)), min_size=7, max_size=7))
def test_candidates_hold_every_topic_once(wanted, weights):
    """In stages with different names; what is in one stage is of one component, or overlaps with nothing."""
    graph = overlap_graph(wanted, k=1)
    traffic = traffic_of(graph.topics, dict(zip(graph.topics, weights, strict=False)))
    component_of = {topic: number for number, component in enumerate(graph.components()) for topic in component}
    candidates = automatic(graph, traffic)
    assert len(set(candidates)) == len(candidates) <= 3
    for stages in candidates:
        assert sorted(topic for stage in stages for topic in stage.topics) == sorted(graph.topics)
        assert len({stage.name for stage in stages}) == len(stages)
        for stage in stages:
            places = [graph.index[topic] for topic in stage.topics]
            lone = not any(graph.neighbours[place] for place in places)
            assert lone or len({component_of[place] for place in places}) == 1


def test_an_operator_may_say_it_all():
    """Topics come out in the order of identifiers, stages too."""
    given_topics = {"s10": ("t3", "t1"), "s2": TEN.topics[3:], "s3": ["t2"]}
    assert as_given(TEN, HALVES, given_topics) == (
        PlannedStage("s2", "b", TEN.topics[3:]),
        PlannedStage("s3", "a", ("t2",)),
        PlannedStage("s10", "a", ("t1", "t3")),
    )


@pytest.mark.parametrize(
    ("topics_of", "says"),
    [
        ({"p": ()}, "stage p has no topics"),
        ({"p": ("t1", "x")}, "stage p has topic x, which is not among the 10 topics"),
        ({"p": ("t1",), "q": ("t1",)}, "topic t1 is in stage p and in stage q"),
        ({"p": ("t1", "t1")}, "topic t1 is in stage p and in stage p"),
        ({"p": ("t1",)}, "topic t2 is in no stage"),
    ],
)
def test_every_topic_is_in_one_stage(topics_of, says):
    """Otherwise it says which one is not."""
    with pytest.raises(InputError, match=says):
        as_given(TEN, ANYWHERE, topics_of)
