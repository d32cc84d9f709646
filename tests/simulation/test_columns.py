"""Attributes as columns: values come back as they went in, and the log's map array is what a plain loop would write."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import values
from tidings.logs.table_writer import map_array
from tidings.simulation.columns import FLOAT, NO_ATTRIBUTES, WHOLE, Block, Column, choice_kind, joined, literals
from tidings.vocabulary.value import format_literal

records = st.lists(st.dictionaries(st.sampled_from(("a", "b", "größe")), values, max_size=3), max_size=12)


def counted(name, column):
    """A column of any values, by counting the different ones."""
    seen = {}
    numbers = [seen.setdefault((type(one), repr(one)), (len(seen), one))[0] for one in column]
    kinds = [value for _, value in seen.values()]
    return Column(name, choice_kind(kinds), np.array(numbers, np.int64), kinds)


def blocks_of(rows):
    """Rows with the same names, in the same order, stand in one block."""
    places = {}
    for place, row in enumerate(rows):
        places.setdefault(tuple(row), []).append(place)
    return [
        Block(np.array(group), tuple(counted(name, [rows[place][name] for place in group]) for name in names))
        for names, group in places.items()
    ]


def same(one, other):
    """Equal, and of one type: 1, 1.0 and True are three values, and so are 0.0 and -0.0."""
    return repr(one) == repr(other)


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_whole_numbers_are_their_own_numbers(column):
    """Nothing stands behind them."""
    found = Column("x", WHOLE, np.array(column, np.int64)).at(np.arange(len(column)))
    assert same(found, column)


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_floats_are_known_by_their_bits(column):
    """Also -0.0, infinities and the smallest ones."""
    found = Column("x", FLOAT, np.array(column, np.float64).view(np.int64)).at(np.arange(len(column)))
    assert same(found, column)


@given(st.lists(values, min_size=1), st.data())
def test_counted_values_come_back(column, data):
    """In any choice of rows, in any order."""
    rows = data.draw(st.lists(st.integers(0, len(column) - 1)))
    assert same(counted("x", column).at(np.array(rows, np.int64)), [column[row] for row in rows])


def test_kinds_tell_what_numbers_count():
    """The same values in the same order are one kind; 1, 1.0 and True are not the same values."""
    assert choice_kind([1, "a"]) == choice_kind((1, "a"))
    kinds = [choice_kind(listed) for listed in ([1], [1.0], [True], ["1"], [0.0], [-0.0], [1, 2], [2, 1])]
    assert all(one != other for place, one in enumerate(kinds) for other in kinds[:place])


@given(records)
def test_records_come_back(rows):
    """Each row has its own names and values, in their order; and no name at all where there was none."""
    for block in blocks_of(rows):
        found = block.records(np.arange(len(block.places)))
        assert same(found, [rows[place] for place in block.places.tolist()])
    assert Block(np.arange(2), ()).records(np.arange(2)) == [NO_ATTRIBUTES] * 2


@given(records, st.integers(1, 4))
def test_joined_blocks_say_the_same(rows, parts):
    """However the events are cut up, one block for each layout is left, and every event says what it said."""
    cut = [
        Block(block.places[start::parts], tuple(every(column, start, parts) for column in block.columns))
        for block in blocks_of(rows)
        for start in range(parts)
    ]
    together = joined(cut)
    assert len({block.layout for block in together}) == len(together)
    said = {}
    for block in together:
        said.update(zip(block.places.tolist(), block.records(np.arange(len(block.places))), strict=True))
    assert same([said[place] for place in range(len(rows))], rows)


def every(column, start, step):
    """Some rows of a column."""
    return Column(column.name, column.kind, column.numbers[start::step], column.values)


def test_layouts_are_joined_in_the_order_they_appear():
    """So that tables do not depend on anything else; the names' order makes a layout of its own."""
    one, other = counted("a", [1, 2]), counted("b", ["x", "y"])
    ab, ba = Block(np.array([0, 1]), (one, other)), Block(np.array([2, 3]), (other, one))
    found = joined([ab, ba, Block(np.array([4, 5]), (one, other))])
    assert [block.places.tolist() for block in found] == [[0, 1, 4, 5], [2, 3]]
    assert joined([]) == []


@given(records)
def test_literals_against_a_plain_loop(rows):
    """Each value as its literal, name by name, event by event: the array that `map_array` makes of dictionaries."""
    plain = map_array([{name: format_literal(value) for name, value in row.items()} for row in rows])
    assert literals(blocks_of(rows), len(rows)).equals(plain)


@pytest.mark.parametrize("events", [0, 3])
def test_events_that_say_nothing(events):
    """Empty maps, not null ones."""
    found = literals([Block(np.arange(events), ())], events)
    assert found.to_pylist() == [[]] * events
    assert found.null_count == 0
