"""Plans as numbers: each combination once, and what is read back is what was put in."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tidings.simulation import plans as module
from tidings.simulation.plans import ENTRIES_MAX, Plans

codes = st.lists(st.integers(0, 2**40), max_size=5)
combinations = st.lists(st.tuples(st.integers(0, 2), st.lists(st.integers(0, 9), max_size=4), codes), max_size=30)


def number(plans, combination):
    """The number of a plan given in plain lists."""
    broker, links, clients = combination
    return plans.number(broker, links, np.array(clients, np.int64))


@given(combinations)
def test_a_number_for_each_combination(met):
    """Counted as they come, whatever came between; the same again for the same."""
    plans, known = Plans(), {}
    for one in met:
        key = (one[0], tuple(one[1]), tuple(one[2]))
        assert number(plans, one) == known.setdefault(key, len(known))
    assert len(plans) == len(known)


@given(combinations, st.data())
def test_what_is_read_back(met, data):
    """Links by the spans that the kernel reads; clients of any plans, one after the other, with their counts."""
    plans = Plans()
    numbers = [number(plans, one) for one in met]
    array, links = plans.arrays
    for one, place in zip(met, numbers, strict=True):
        assert links[array[place]["links"] : array[place]["links_end"]].tolist() == one[1]
    asked = data.draw(st.lists(st.sampled_from(range(len(met))), max_size=12)) if met else []
    clients, counts = plans.clients(np.array([numbers[place] for place in asked], np.int64))
    assert counts.tolist() == [len(met[place][2]) for place in asked]
    assert clients.tolist() == [code for place in asked for code in met[place][2]]


def test_growing_keeps_what_is_there():
    """Many plans with many clients, far beyond the first room."""
    plans = Plans()
    for place in range(2_000):
        number(plans, (0, [place % 7], range(place % 50)))
    assert len(plans) == 350
    clients, counts = plans.clients(np.arange(350))
    assert len(clients) == counts.sum()
    assert plans.clients(np.array([49]))[0].tolist() == list(range(49))


def test_full_when_there_are_too_many_entries():
    """Plans, links and clients count together, so that memory has a bound."""
    plans = Plans()
    half = ENTRIES_MAX // 2
    plans.number(0, (), np.arange(half))
    assert not plans.is_full
    plans.number(1, (), np.arange(half - 2))
    assert not plans.is_full
    plans.number(2, (), np.zeros(0, np.int64))
    assert plans.is_full


def test_room_behind_is_not_counted():
    """An array doubles; its length is what was put in."""
    growing = module._Growing(np.int64)
    assert [growing.append(range(size)) for size in (3, 0, 100)] == [(0, 3), (3, 3), (3, 103)]
    assert len(growing) == 103
    assert len(growing.array) >= 103
    assert growing.array[:103].tolist() == [*range(3), *range(100)]
