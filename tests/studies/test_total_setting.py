"""The paper's setting: shapes in both readings, interests, sites."""

import numpy as np
import pytest

from studies.total_worlds import drawn
from tidings.studies.total_setting import (
    CLIENTS,
    READINGS,
    SHAPES,
    SITES,
    TOPICS,
    block_of,
    describe,
    exponent_of,
    overlaps,
    shares_of,
    subscribed,
)
from tidings.vocabulary.distribution import Power


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.about)
def test_both_readings_say_what_they_say(shape):
    """By shares the top topics draw 80 %; by exponents the printed number is the exponent."""
    ranks = shares_of(shape, "shares")
    assert ranks.sum() == pytest.approx(1)
    assert ranks[: round(shape.top * TOPICS)].sum() == pytest.approx(0.8, abs=1e-6)
    assert shape.exponent("exponents") == shape.printed
    assert shares_of(shape, "exponents")[3] / shares_of(shape, "exponents")[0] == pytest.approx(4**-shape.printed)


def test_exponents_of_shares():
    """A hand-made one: of two topics the first draws two thirds at exponent 1."""
    assert exponent_of(0.5, 2 / 3, 2) == pytest.approx(1, abs=1e-9)


def test_clients_draw_different_topics_by_weight():
    """Each the same number; the drawing is that of numpy, one after the other without replacement."""
    shares = Power(1.0).weights(20)
    shares = shares / shares.sum()
    has = subscribed(shares, 20_000, 3, np.random.default_rng(1))
    assert (has.sum(axis=1) == 3).all()
    rng = np.random.default_rng(2)
    twin = np.zeros(20)
    for _ in range(3_000):
        twin[rng.choice(20, 3, replace=False, p=shares)] += 1
    assert np.abs(has.mean(axis=0) - twin / 3_000).max() < 0.03


def test_sites_have_favourites_of_their_own():
    """What a site publishes most on is its own; all sites publish alike; clients have what is popular where they are."""
    world = drawn()
    assert world.publishes.shape == (SITES, TOPICS)
    assert world.publishes.sum(axis=1) == pytest.approx(np.full(SITES, 1 / SITES))
    for site in range(SITES):
        top = np.argsort(world.publishes[site])[-200:]
        assert {block_of(topic) for topic in top.tolist()} == {site}
        mine = world.has[site::SITES].sum(axis=0)
        assert mine[200 * site : 200 * (site + 1)].sum() > 0.8 * mine.sum()
    assert world.has.sum() == 10 * CLIENTS


def test_interests_and_popularity_are_the_same_by_name():
    """As plans take them."""
    world = drawn()
    interests, popularity = world.interests(), world.popularity()
    assert len(interests) == CLIENTS
    assert interests["c3"] == tuple(f"t{topic}" for topic in np.flatnonzero(world.has[3]))
    assert popularity["t7"]["site2"] == world.publishes[2, 7]


def test_overlaps_are_counted():
    """Pairs that two share, or one."""
    has = np.array([[1, 1, 0], [1, 1, 1]], np.bool_)
    assert overlaps(has).tolist() == [[False, True, False], [True, False, False], [False, False, False]]
    assert overlaps(has, 1).sum() == 6


def test_names_say_which():
    """All are different."""
    assert len({describe(shape, reading) for shape in SHAPES for reading in READINGS}) == 4
