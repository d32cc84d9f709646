"""Whole groups from batches of any size."""

from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.pipeline.sequences import integers, whole_groups

groups = st.lists(st.integers(1, 7), max_size=8)


def batches(keys, size):
    """Batches of at most `size` rows; empty ones between, as Spark may send."""
    table = pa.table({"key": pa.array(keys, pa.int64())})
    yield from table.slice(0, 0).to_batches()
    for first in range(0, len(keys), size):
        yield from table.slice(first, size).combine_chunks().to_batches()
        yield pa.RecordBatch.from_pydict({"key": pa.array([], pa.int64())})


@given(lengths=groups, size=st.integers(1, 9), at_once=st.integers(1, 12))
def test_no_group_is_cut_and_none_is_lost(lengths, size, at_once):
    """Whatever the sizes of batches; the rows come in their order."""
    keys = [key for key, length in enumerate(lengths) for _ in range(length)]
    seen = []

    def work(table):
        seen.append(integers(table, "key").tolist())
        return table

    out = list(whole_groups(work, rows_at_once=at_once)(batches(keys, size)))
    assert [key for piece in seen for key in piece] == keys
    assert [key for batch in out for key in batch.column(0).to_pylist()] == keys
    for one, other in pairwise(seen):
        assert one[-1] != other[0]


def test_pieces_are_large():
    """Small groups go together, up to the number of rows."""
    sizes = []
    work = whole_groups(lambda table: sizes.append(table.num_rows) or table, rows_at_once=10)
    list(work(batches(list(range(100)), 10)))
    assert max(sizes) >= 9
    assert sum(sizes) == 100


@pytest.mark.parametrize("values", [[], [3, 1]])
def test_integers_are_arrays(values):
    """Of 64 bits, also from several chunks."""
    column = pa.chunked_array([pa.array(values, pa.int64()), pa.array([7], pa.int64())])
    found = integers(pa.table({"a": column}), "a")
    assert (found.dtype.name, found.tolist()) == ("int64", [*values, 7])
