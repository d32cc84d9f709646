"""The fast matcher answers like the plain one, whatever filters and events come, and in whatever order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matching.bulk import Bulk, differences
from strategies import events, filters, huge_lists, narrow_filters
from tidings.matching.bitset import BitsetMatcher
from tidings.matching.limits import BATCH_MAX, PLAIN_PAIRS_MAX, WAITING_MAX
from tidings.matching.linear import LinearMatcher
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import Compare, Everything, Nothing
from tidings.vocabulary.streams import Streams


def event(**attributes):
    """On a topic of no interest."""
    return Event(id=0, publisher="p", topic="t", published_ns=0, attributes=attributes)


def both(wishes):
    """A plain and a fast matcher with the same filters, keys from 0."""
    plain, fast = LinearMatcher(), BitsetMatcher()
    for matcher in (plain, fast):
        matcher.add_many(enumerate(wishes))
    return plain, fast


@pytest.mark.parametrize("seed", range(3))
def test_a_thousand_filters_on_events_of_all_sorts(seed):
    """About a million pairs of filter and event in the three runs together."""
    bulk = Bulk(Streams(seed)("filters and events"))
    plain, fast = both(bulk.wishes(1_000))
    chosen = bulk.events(340)
    assert differences(plain.match(chosen), fast.match(chosen)) == []


def test_filters_come_and_go_between_batches():
    """Additions and removals of every size, of keys old and new, leave the answers right."""
    bulk = Bulk(Streams(9)("churn"))
    plain, fast = both(bulk.wishes(40))
    keys = list(range(40))
    for step in range(60):
        size = int(bulk.random.integers(1, 60)) if step % 3 else 3
        for _ in range(min(size, len(keys)) if bulk.random.random() < 0.45 else 0):
            key = keys.pop(int(bulk.random.integers(len(keys))))
            plain.remove(key)
            fast.remove(key)
        for _ in range(size):
            key = int(bulk.random.integers(2_000))
            if key not in keys:
                keys.append(key)
                wish = bulk.wish()
                plain.add(key, wish)
                fast.add(key, wish)
        chosen = bulk.events(int(bulk.random.integers(1, 40)))
        assert differences(plain.match(chosen), fast.match(chosen)) == [], f"step {step}"
        assert len(plain) == len(fast) == len(keys)


def test_keys_that_are_taken_negative_or_unknown_are_refused():
    """Mistakes with keys are told, before and after a table exists."""
    matcher = BitsetMatcher()
    matcher.add(1, Everything())
    for _ in range(2):
        with pytest.raises(ValueError, match="key 1 is taken"):
            matcher.add(1, Nothing())
        with pytest.raises(ValueError, match="key -1 is negative"):
            matcher.add(-1, Nothing())
        with pytest.raises(KeyError):
            matcher.remove(0)
        matcher.add_many((key, Compare("x", ">", key)) for key in range(2 + len(matcher), 2 * WAITING_MAX + 2))
        matcher.match([event()])


@given(st.lists(filters, max_size=60), st.lists(events, max_size=12))
def test_any_filters_and_events(wishes, chosen):
    """Odd trees and odd values; a table from the seventeenth filter on."""
    plain, fast = both(wishes)
    assert differences(plain.match(chosen), fast.match(chosen)) == []


@settings(max_examples=40)
@given(st.lists(narrow_filters | huge_lists(), min_size=20, max_size=60), st.lists(events, min_size=5, max_size=12))
def test_narrow_filters_and_long_lists(wishes, chosen):
    """Many overlaps; single events and batches are encoded in different ways."""
    plain, fast = both(wishes)
    expected = plain.match(chosen)
    assert differences(expected, fast.match(chosen)) == []
    assert differences(expected, [fast.match([event])[0] for event in chosen]) == []


def test_nan_is_decided_like_the_plain_matcher_does():
    """It is refused at the doors; should one come through, nobody sees a difference."""
    wishes = Bulk(Streams(3)("nan")).wishes(400)
    plain, fast = both(wishes)
    nan = event(price=float("nan"), volume=1, symbol=float("nan"))
    assert differences(plain.match([nan] * 6), fast.match([nan] * 6)) == []
    assert differences(plain.match([nan]), fast.match([nan])) == []


def test_long_sequences_are_cut():
    """More events than one batch holds."""
    wishes = [Compare("x", ">", number) for number in range(20)]
    plain, fast = both(wishes)
    many = [event(x=number % 23) for number in range(BATCH_MAX + 5)]
    assert differences(plain.match(many), fast.match(many)) == []


def test_few_filters_and_many_events_make_a_table():
    """It pays for itself within the call."""
    _, fast = both([Compare("x", ">", 3)] * 4)
    assert len(fast.match([event(x=4)] * 10)) == 10
    assert fast._table is None
    assert fast.match([event(x=4)] * PLAIN_PAIRS_MAX)[-1].tolist() == [0, 1, 2, 3]
    assert fast._table is not None


def test_a_few_newcomers_wait_beside_the_table():
    """Single events must not pay for an insertion."""
    _, fast = both([Compare("x", ">", number) for number in range(30)])
    assert fast.match([event(x=2)])[0].tolist() == [0, 1]
    fast.add(90, Compare("x", "==", 2))
    fast.add(50, Compare("x", "==", 3))
    assert fast.match([event(x=2)])[0].tolist() == [0, 1, 90]
    assert fast.match([event(x=3)])[0].tolist() == [0, 1, 2, 50]
    assert len(fast._waiting) == 2
    assert [keys.tolist() for keys in fast.match([event(x=2)] * 64)] == [[0, 1, 90]] * 64
    assert len(fast._waiting) == 0


def test_a_key_can_leave_and_come_back_between_two_matches():
    """Its old filter is gone, its new one is there."""
    _, fast = both([Compare("x", ">", number) for number in range(30)])
    fast.match([event()])
    fast.remove(3)
    fast.add(3, Compare("x", "==", "new"))
    assert fast.match([event(x="new")])[0].tolist() == [3]
    assert fast.match([event(x=5)])[0].tolist() == [0, 1, 2, 4]
    fast.remove(3)
    assert fast.match([event(x="new")])[0].tolist() == []


def test_a_table_that_has_become_too_large_is_given_up():
    """For a smaller one, or none."""
    _, fast = both([Compare("x", ">", number) for number in range(400)])
    fast.match([event()])
    table = fast._table
    for key in range(40, 400):
        fast.remove(key)
    assert fast.match([event(x=2)])[0].tolist() == [0, 1]
    assert fast._table is not None
    assert fast._table is not table
    for key in range(2, 40):
        fast.remove(key)
    assert fast.match([event(x=2)])[0].tolist() == [0, 1]
    assert fast._table is None


def test_a_table_is_made_anew_when_most_of_it_has_changed():
    """Cells fit the filters that are there."""
    _, fast = both([Compare("x", ">", number) for number in range(70)])
    fast.match([event()])
    table = fast._table
    fast.add_many((key, Compare("x", ">", key)) for key in range(100, 150))
    assert fast.match([event(x=2)])[0].tolist() == [0, 1]
    assert fast._table is table
    fast.add_many((key, Compare("x", ">", key)) for key in range(200, 250))
    assert fast.match([event(x=2)])[0].tolist() == [0, 1]
    assert fast._table is not table


def test_small_matchers_have_no_table():
    """Thousands of small matchers must stay cheap."""
    matcher = BitsetMatcher()
    matcher.add_many((key, Everything()) for key in range(WAITING_MAX))
    assert matcher.match([event()])[0].tolist() == list(range(WAITING_MAX))
    assert matcher._table is None


def test_no_events_no_answers():
    """An empty batch is allowed, with and without a table."""
    plain, fast = both([Everything()] * 30)
    assert plain.match([]) == fast.match([]) == BitsetMatcher().match([]) == []


def test_answers_are_arrays_of_integers():
    """Whichever way they were found."""
    _, fast = both([Nothing()] * 30)
    assert fast.match([event()])[0].dtype == np.int64
    assert BitsetMatcher().match([event()])[0].dtype == np.int64
