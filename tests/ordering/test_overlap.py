"""The overlap graph against counting by hand, its bad inputs, and the published setting."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordering.shapes import SMALLEST, interests
from tidings.errors import InputError
from tidings.ordering.natural_order import natural_key
from tidings.ordering.overlap import OverlapGraph, overlap_graph
from tidings.vocabulary.distribution import Power


def counted(wanted, k):
    """The dumb twin: every pair of topics, counted over all subscribers."""
    topics = {topic for one in wanted.values() for topic in one}
    return {
        frozenset(pair)
        for pair in combinations(topics, 2)
        if sum(set(pair) <= set(one) for one in wanted.values()) >= k
    }


@given(interests(), st.integers(1, 3))
def test_overlaps_are_what_counting_finds(wanted, k):
    """Two topics are joined exactly when at least k subscribers have both, both ways round."""
    graph = overlap_graph(wanted, k=k)
    found = [frozenset((graph.topics[one], graph.topics[other])) for one, other in graph.edges()]
    assert set(found) == counted(wanted, k)
    assert len(found) == len(set(found))
    for one, others in enumerate(graph.neighbours):
        assert list(others) == sorted(set(others) - {one})
        assert all(one in graph.neighbours[other] for other in others)


@given(interests(), st.randoms(use_true_random=False))
def test_the_order_of_naming_does_not_matter(wanted, shuffler):
    """Subscribers, and the topics of each, may come in any order, and as sets."""
    names = list(wanted)
    shuffler.shuffle(names)
    assert overlap_graph({name: set(wanted[name]) for name in names}) == overlap_graph(wanted)


def test_the_smallest_shape():
    """Topics in the order of their identifiers, groups with the topic itself."""
    graph = overlap_graph(SMALLEST)
    assert graph.topics == ("t1", "t2", "t3", "t4")
    assert graph.group("t1") == ("t1", "t3", "t4")
    assert graph.group("t2") == ("t2", "t4")
    assert graph.group("t4") == ("t1", "t2", "t3", "t4")
    assert graph.index["t3"] == 2
    assert graph.components() == ((0, 1, 2, 3),)


@given(interests())
def test_components_hold_what_is_connected(wanted):
    """No overlap joins two components; inside one everything can be reached; together they are all topics."""
    graph = overlap_graph(wanted)
    components = graph.components()
    home = {topic: number for number, component in enumerate(components) for topic in component}
    assert sorted(home) == list(range(len(graph.topics)))
    assert all(home[one] == home[other] for one, other in graph.edges())
    for component in components:
        reached, grown = set(), {component[0]}
        while grown != reached:
            reached, grown = grown, grown | {other for one in grown for other in graph.neighbours[one]}
        assert reached == set(component)


def test_topics_that_nobody_has_stand_alone():
    """All topics of the deployment are planned for; they are sorted by their identifiers."""
    graph = overlap_graph({"a": ("t10", "t2")}, topics=["t2", "x", "t10"], k=1)
    assert graph == OverlapGraph(("t2", "t10", "x"), ((1,), (0,), ()), 1)
    assert list(graph.topics) == sorted(graph.topics, key=natural_key)
    assert graph.components() == ((0, 1), (2,))


def test_nothing_at_all():
    """No subscribers and no topics make an empty graph."""
    graph = overlap_graph({})
    assert graph.topics == ()
    assert graph.components() == ()


@pytest.mark.parametrize(
    ("wanted", "options", "says"),
    [
        ({"ann": ()}, {}, "ann has no topics"),
        ({"ann": "t1"}, {}, "ann has no topics"),
        ({"ann": ("t1", "t1")}, {}, "ann names topic t1 twice"),
        ({"ann": ("t1",)}, {"topics": ["t2"]}, "ann has topic t1, which is not among the 1 topics"),
        ({"ann": ("t1",)}, {"topics": ["t1", "t2", "t1"]}, "topic t1 is named twice"),
        ({"ann": ("t1",)}, {"k": 0}, "k = 0"),
    ],
)
def test_bad_input_is_named(wanted, options, says):
    """Who, which topic, and what would be right."""
    with pytest.raises(InputError, match=says):
        overlap_graph(wanted, **options)


def exponent_of(share):
    """The exponent at which the most popular `share` of 1,000 topics draws 80 %."""
    low, high = 0.0, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        weights = Power(middle).weights(1_000)
        low, high = (middle, high) if weights[: round(share * 1_000)].sum() < 0.8 * weights.sum() else (low, middle)
    return low


@pytest.mark.parametrize(("share", "entries", "published"), [(0.4, 119, 458), (0.005, 24, 660)])
def test_the_published_setting_is_read_by_shares(share, entries, published):
    """1,000 topics, 10,000 clients of 10: neither 46 nor 17 entries, and far more as publications weigh them."""
    weights = Power(exponent_of(share)).weights(1_000)
    popularity = weights / weights.sum()
    rng = np.random.default_rng(1)
    wanted = {f"c{one}": rng.choice(1_000, 10, replace=False, p=popularity).tolist() for one in range(10_000)}
    graph = overlap_graph({name: [f"t{topic}" for topic in topics] for name, topics in wanted.items()})
    sizes = {topic: 1 + len(others) for topic, others in zip(graph.topics, graph.neighbours, strict=True)}
    assert abs(sum(sizes.values()) / 1_000 - entries) < 3
    assert abs(sum(popularity[int(topic[1:])] * size for topic, size in sizes.items()) - published) < 10


@pytest.mark.parametrize(("exponent", "top", "drawn"), [(0.901, 5, 0.23), (0.349, 400, 0.55)])
def test_the_published_shapes_are_no_exponents(exponent, top, drawn):
    """As exponents they give the top 0.5 % and 40 % of 1,000 topics 23 % and 55 %, not 80 %."""
    weights = Power(exponent).weights(1_000)
    assert abs(weights[:top].sum() / weights.sum() - drawn) < 0.005
