"""Sets of slots in one array."""

import numpy as np

from tidings.matching.sets import SetPool
from tidings.matching.words import compiled, set_of_slot


@compiled
def _cuts_of(values, start, attribute):
    return set_of_slot(values, start, attribute)


def cuts_of(pool: SetPool, slot: int, attribute: int) -> list[float]:
    """What compiled code finds."""
    first, last = _cuts_of(pool.values, pool.starts[slot], attribute)
    return pool.values[first:last].tolist()


def test_what_was_written_is_found():
    """For each slot and attribute its own."""
    pool = SetPool(4)
    pool.write(np.array([0, 2]), [(2, 5, np.array([1.0, 2.0])), (2, 7, np.array([3.0])), (0, 5, np.array([4.0]))])
    assert cuts_of(pool, 2, 5) == [1.0, 2.0]
    assert cuts_of(pool, 2, 7) == [3.0]
    assert cuts_of(pool, 0, 5) == [4.0]
    assert cuts_of(pool, 0, 7) == cuts_of(pool, 1, 5) == []


def test_slots_that_are_written_again_forget():
    """Whoever has the slot next has other sets, or none."""
    pool = SetPool(4)
    pool.write(np.array([1]), [(1, 0, np.array([1.0]))])
    pool.write(np.array([1]), [])
    assert cuts_of(pool, 1, 0) == []


def test_the_pool_and_the_slots_grow():
    """Long sets, many slots."""
    pool = SetPool(2)
    long = np.arange(1_000.0)
    pool.write(np.array([1]), [(1, 0, long)])
    pool.double()
    assert pool.starts.size == 4
    pool.write(np.array([3]), [(3, 0, long + 1)])
    assert cuts_of(pool, 1, 0) == long.tolist()
    assert cuts_of(pool, 3, 0) == (long + 1).tolist()
    assert cuts_of(pool, 2, 0) == []
