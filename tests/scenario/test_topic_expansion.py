"""Topics and their popularity."""

import numpy as np
import pytest

from scenario_texts import PUBLISHER, SMALL, scenario_of, world_of
from tidings.errors import ScenarioError
from tidings.scenario.source import Place, Source
from tidings.scenario.topic_expansion import Popularity, expand_popularity, world_topics
from tidings.scenario.world import Publisher, Topic
from tidings.vocabulary.streams import Streams

TOPICS = "[topics]\ncount = 4\npopularity = { dist = 'power', exponent = 1.0 }\n"


def popularity_of(folder, text, places=("",), seed=1):
    """The popularity of a scenario's topics."""
    return expand_popularity(scenario_of(folder, SMALL + text), places, Streams(seed))


def test_without_sites_the_first_topic_is_the_first_rank(tmp_path):
    """Weights by r^-exponent."""
    found = popularity_of(tmp_path, TOPICS)
    assert found.names == ("t0", "t1", "t2", "t3")
    assert found.weights[""].tolist() == [1.0, 0.5, pytest.approx(1 / 3), 0.25]


def test_each_site_has_favourites_of_its_own(tmp_path):
    """The same weights in another order; more sites change none of the others."""
    text = TOPICS.replace("4", "200")
    found = popularity_of(tmp_path, text, ("rome", "oslo"))
    assert sorted(found.weights["rome"]) == sorted(found.weights["oslo"])
    assert found.weights["rome"].tolist() != found.weights["oslo"].tolist()
    more = popularity_of(tmp_path, text, ("lima", "rome"))
    assert more.weights["rome"].tolist() == found.weights["rome"].tolist()


def test_without_popularity_all_topics_weigh_the_same(tmp_path):
    """And may be named otherwise."""
    found = popularity_of(tmp_path, "[topics]\ncount = 2\nid = 'news/'\n")
    assert found.names == ("news/0", "news/1")
    assert found.weights[""].tolist() == [1.0, 1.0]


def test_topics_by_name_say_their_weights(tmp_path):
    """As a written world has them."""
    found = popularity_of(tmp_path, "[[topic]]\nname = 'x'\npopularity = { '' = 2 }\n[[topic]]\nname = 'y'\n")
    assert found.weights[""].tolist() == [2.0, 0.0]
    assert popularity_of(tmp_path, "[[topic]]\nname = 'x'").weights == {}
    with pytest.raises(ScenarioError, match="no broker is at this site"):
        popularity_of(tmp_path, "[[topic]]\nname = 'x'\npopularity = { rome = 2 }\n")


def test_a_world_lists_every_topic_that_can_be_published_on(tmp_path):
    """Those that are drawn first, then those that publishers name."""
    publishers = (Publisher(id="p", broker="a", topics=("t1", "x")), Publisher(id="q", broker="a", topics=("x",)))
    topics = world_topics(popularity_of(tmp_path, "[topics]\ncount = 2"), publishers)
    assert topics == (
        Topic(name="t0", popularity={"": 1.0}),
        Topic(name="t1", popularity={"": 1.0}),
        Topic(name="x"),
    )


PLACE = Place(Source(None), "topics")


def test_topics_are_picked_without_replacement_by_weight():
    """The law of drawing one after the other; the first pick of two by hand."""
    popularity = Popularity(("a", "b", "c"), {"": np.array([6.0, 3.0, 1.0])})
    generator = np.random.default_rng(7)
    counts = dict.fromkeys("abc", 0)
    for _ in range(4000):
        for name in popularity.pick(PLACE, None, 2, generator):
            counts[name] += 1
    # P(c is among two) = 0.1 + 0.6 · 0.1/0.4 + 0.3 · 0.1/0.7
    expected = 0.1 + 0.6 * 0.25 + 0.3 / 7
    assert counts["c"] / 4000 == pytest.approx(expected, abs=4 * (expected * (1 - expected) / 4000) ** 0.5)
    assert sum(counts.values()) == 8000


def test_all_topics_can_be_picked():
    """In their own order."""
    popularity = Popularity(("a", "b"), {"": np.array([1.0, 9.0])})
    assert popularity.pick(PLACE, None, 2, np.random.default_rng(1)) == ("a", "b")


@pytest.mark.parametrize(("weights", "site"), [({"": np.array([1.0, 0.0])}, None), ({}, None), ({}, "rome")])
def test_more_topics_than_there_are_cannot_be_picked(weights, site):
    """Those without weight count for nothing."""
    with pytest.raises(ScenarioError, match=r"give \[topics\]"):
        Popularity(("a", "b"), weights).pick(PLACE, site, 2, np.random.default_rng(1))


def test_publishers_draw_from_listed_topics(tmp_path):
    """Through the whole expansion."""
    world = world_of(tmp_path, SMALL.replace(PUBLISHER, PUBLISHER.replace('topic = "t"\n', "")) + TOPICS)
    assert world.publishers[0].topics == ()
    assert [topic.name for topic in world.topics] == ["t0", "t1", "t2", "t3"]
