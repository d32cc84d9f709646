"""Numbers of contents: equal for equal topics and attributes, different for everything that a filter can tell apart."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simulation.stretches import stretch_of
from tidings.simulation.contents import Contents, distinct_rows

TOPICS = ("t", "u", "t/a")
small_values = st.sampled_from((0, 1, 1.0, True, False, "1", "a", -2, 0.5))
rows = st.lists(
    st.tuples(st.sampled_from(TOPICS), st.dictionaries(st.sampled_from("ab"), small_values, max_size=2)),
    min_size=1,
    max_size=20,
)
stretches = st.lists(rows, min_size=1, max_size=4)


def content(topic, attributes):
    """What a filter can look at, with the types of values."""
    return topic, tuple((name, type(value), value) for name, value in attributes.items())


@given(stretches)
def test_equal_numbers_mean_equal_contents(parts):
    """Within a stretch and across stretches of one source, one number for one content, and no gaps."""
    contents, meant = Contents(), {}
    for part in parts:
        stretch = stretch_of(part, TOPICS)
        for number, row in zip(contents.numbers(stretch).tolist(), part, strict=True):
            assert meant.setdefault(number, content(*row)) == content(*row)
    assert sorted(meant) == list(range(len(contents)))


@given(rows)
def test_equal_contents_in_a_stretch_have_one_number(part):
    """So that a table is asked once: the numbers are as many as the contents."""
    contents = Contents()
    contents.numbers(stretch_of(part, TOPICS))
    assert len(contents) == len({content(*row) for row in part})


@given(rows)
def test_a_source_that_says_the_same_again_gets_the_same_numbers(part):
    """What is drawn from fixed choices keeps its kind from stretch to stretch."""
    contents = Contents()
    first, again = (contents.numbers(stretch_of(part, TOPICS, kind="choice")) for _ in range(2))
    assert first.tolist() == again.tolist()


@given(rows, st.data())
def test_forgetting_all_but_some(part, data):
    """Those kept are counted anew in their order; the others are new when they come again."""
    contents, stretch = Contents(), stretch_of(part, TOPICS, kind="choice")
    numbers = contents.numbers(stretch)
    used = sorted(data.draw(st.sets(st.sampled_from(numbers.tolist()))))
    contents.keep(np.array(used, np.int64))
    assert len(contents) == len(used)
    again = contents.numbers(stretch).tolist()
    for before, after in zip(numbers.tolist(), again, strict=True):
        assert (after == used.index(before)) if before in used else (after >= len(used))


def test_layouts_are_never_mixed_up_after_forgetting():
    """A layout that was forgotten and comes back has a number of its own: contents of others keep theirs."""
    contents = Contents()
    a, b = ([("t", {name: 1})] for name in "ab")
    contents.numbers(stretch_of(a, TOPICS, kind="choice"))
    contents.numbers(stretch_of(b, TOPICS, kind="choice"))
    contents.keep(np.array([1]))
    assert contents.numbers(stretch_of(b, TOPICS, kind="choice")).tolist() == [0]
    assert contents.numbers(stretch_of(a, TOPICS, kind="choice")).tolist() == [1]


@given(st.integers(1, 4), st.data())
def test_distinct_rows_against_a_dictionary(width, data):
    """One row of each kind, and for every row which kind it is."""
    table = data.draw(st.lists(st.tuples(*[st.integers(-2, 2)] * width), min_size=1, max_size=40))
    columns = [np.array(column, np.int64) for column in zip(*table, strict=True)]
    first, which = distinct_rows(columns)
    kinds = [table[place] for place in first.tolist()]
    assert len(set(kinds)) == len(kinds) == len(set(table))
    assert [kinds[place] for place in which.tolist()] == table


def test_distinct_rows_of_numbers_of_any_size():
    """Products of many large numbers of kinds do not run over."""
    rng = np.random.default_rng(1)
    columns = [rng.integers(-(2**63), 2**63 - 1, 5_000) for _ in range(6)]
    first, which = distinct_rows([*columns, columns[0]])
    assert len(first) == 5_000
    assert np.array_equal(columns[0][first][which], columns[0])
