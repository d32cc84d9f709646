"""The thesis's synthetic setting as a world."""

from dataclasses import replace

import pytest

from tidings.studies.content_setting import INTERVALS, SERVICES, Setting, law_of, world_from, world_of
from tidings.vocabulary.instant import SECOND


def test_table_3_2():
    """Twenty brokers in a tree, four topics, eight publishers, a hundred subscribers, one second of life."""
    world = world_of(Setting(seed=1))
    assert (len(world.brokers), len(world.links), len(world.topics)) == (20, 19, 4)
    assert (len(world.publishers), len(world.subscribers)) == (8, 100)
    assert world.duration_ns == 10_000 * SECOND
    assert all(one.every.mean == SECOND == one.lifetime_ns for one in world.publishers)
    assert all(one.service.per_subscription and one.service.law.mean == SECOND / 1000 for one in world.brokers)
    assert all(one.law.loss == 0.001 and SECOND // 50 <= one.law.mean_delay_ns <= 0.12 * SECOND for one in world.links)


def test_laws_change_nothing_else():
    """The same overlay and the same wishes, whatever intervals and services."""
    plain = world_of(Setting(seed=3))
    for intervals in INTERVALS:
        for services in SERVICES:
            other = world_of(Setting(seed=3, intervals=intervals, services=services, lifetime_s=0.25))
            assert (other.links, other.subscribers, other.trees) == (plain.links, plain.subscribers, plain.trees)
            assert other.publishers[0].lifetime_ns == SECOND // 4
    assert replace(plain, seed=4).links != world_of(Setting(seed=4)).links


@pytest.mark.parametrize(("name", "scv"), [("exponential", 1.0), ("deterministic", 0.0), ("uniform", 1 / 3)])
def test_laws(name, scv):
    """Of the same mean."""
    law = law_of(name, 2.0)
    assert law.mean == pytest.approx(2.0)
    assert law.scv == pytest.approx(scv)


def test_a_text_in_a_folder(tmp_path):
    """What a scenario names lies beside it."""
    world_from("tidings = 1\nduration = '1s'\n[[broker]]\nid = 'a'\n", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["content.toml"]
