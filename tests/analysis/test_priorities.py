"""Orders of greedy admission."""

import itertools

import numpy as np
import pytest

from analysis.admission_worlds import ATTRIBUTES, drawn_world
from simulation.worlds import make_world, ms, publisher, subscriber
from tidings.analysis.predicting import Ground, PredictOptions
from tidings.analysis.priorities import ONLINE, PRIORITIES, order_of


def ordered(world, name, left=None, admitted=()):
    """Names in the order."""
    order = order_of(name, world.subscribers, world.seed, Ground(world, PredictOptions()))
    return [one.id for one in order(world.subscribers if left is None else left, admitted)]


def test_by_requirement():
    """The greedy for much first, or last; who requires nothing requires the least."""
    world = make_world(subscribers=[subscriber("a", requires=0.5), subscriber("b", requires=0.9), subscriber("c")])
    assert ordered(world, "hi-req-first") == ["b", "a", "c"]
    assert ordered(world, "low-req-first") == ["c", "a", "b"]


def test_by_time():
    """Who is there from the start comes first, in the order of the file."""
    world = make_world(
        subscribers=[subscriber("late", joins_ns=9), subscriber("b"), subscriber("a"), subscriber("soon", joins_ns=3)]
    )
    assert ordered(world, ONLINE) == ["b", "a", "soon", "late"]


@pytest.mark.parametrize("name", [*PRIORITIES, ONLINE])
def test_everybody_once(name):
    """Nobody twice, nobody left out, the same for the same seed."""
    world = drawn_world(4, 9)
    assert sorted(ordered(world, name)) == sorted(one.id for one in world.subscribers)
    assert ordered(world, name) == ordered(world, name)


def test_random_by_seed():
    """Another seed is another order."""
    orders = {tuple(ordered(drawn_world(4, 9).__class__(**_fields(seed)), "random")) for seed in range(5)}
    assert len(orders) > 1


def _fields(seed):
    world = drawn_world(4, 9)
    return {name: getattr(world, name) for name in world.__dataclass_fields__} | {"seed": seed}


def test_overlap_adds_least():
    """After the first log₂ n, drawn: always whoever wants fewest events that nobody admitted wants yet."""
    world = make_world(
        "ab",
        publishers=[
            publisher(every=ms(1000), attributes=ATTRIBUTES),
            publisher("q", "b", "u", ms(100), attributes=ATTRIBUTES),
        ],
        subscribers=[
            subscriber(f"{topic}{limit}", "b", f'topic == "{topic}" and x <= {limit}', topics=(topic,))
            for topic, limit in itertools.product("tu", range(1, 6))
        ],
    )
    found = ordered(world, "overlap-first")
    assert sorted(found[:4]) == sorted(ordered(world, "random")[:4])
    covered = {topic: max((int(name[1]) for name in found[:4] if name[0] == topic), default=0) for topic in "tu"}
    weights = np.cumsum([0.0, *(1 / value for value in range(1, 7))]) / sum(1 / value for value in range(1, 7))
    rates = {"t": 1.0, "u": 10.0}
    for place, name in enumerate(found[4:], 4):
        added = {
            other: rates[other[0]] * (weights[max(int(other[1]), covered[other[0]])] - weights[covered[other[0]]])
            for other in found[place:]
        }
        assert added[name] == pytest.approx(min(added.values()))
        covered[name[0]] = max(covered[name[0]], int(name[1]))


def test_overlap_goes_on_from_who_is_admitted():
    """Asked again with some admitted and some refused, it goes on as it would have."""
    world = drawn_world(5, 8)
    whole = ordered(world, "overlap-first")
    by_id = {one.id: one for one in world.subscribers}
    admitted = [by_id[name] for name in whole[:5]]
    left = [one for one in world.subscribers if one not in admitted]
    assert ordered(world, "overlap-first", left, admitted) == whole[5:]


def test_overlap_of_one_and_of_nobody():
    """A world of one subscriber, and of filters that want nothing."""
    assert ordered(make_world(), "overlap-first") == ["s"]
    bored = [subscriber(f"n{number}", "b", "false", topics=()) for number in range(4)]
    assert sorted(ordered(make_world(subscribers=bored), "overlap-first")) == ["n0", "n1", "n2", "n3"]
    assert ordered(make_world(), "overlap-first", left=()) == []
