"""One publisher's order: inversions by a running maximum, and the interval around their rate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from checking import twin
from checking.histories import history_of, publication, rows_of_runs, shown
from tidings.checking.history import by_subscriber
from tidings.checking.publisher_order import interval, publisher_order


def inversions(*orders, publications):
    """Inversions of subscribers who were shown these orders."""
    deliveries = [row for index, order in enumerate(orders) for row in shown(f"s{index}", *order)]
    return publisher_order(history_of(publications=publications, deliveries=deliveries))


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ([], 0),
        ([0, 1, 2, 3], 0),
        ([0, 3], 0),
        ([1, 0], 1),
        ([3, 0, 1, 2], 3),
        ([1, 2, 3, 0], 1),
        ([3, 2, 1, 0], 3),
        ([0, 1, 0, 2], 0),
    ],
)
def test_an_inversion_is_a_number_below_one_shown_before(order, expected):
    """Skips are none, one late event is one, one early event makes one of each that it overtook."""
    found = inversions(order, publications=[publication(number) for number in range(4)])
    assert found.inversions == expected
    assert found.chances == max(len(dict.fromkeys(order)) - 1, 0)


def test_publishers_incarnations_and_subscribers_are_apart():
    """Nothing is promised between publishers, or across a publisher's restart."""
    publications = [publication(0), publication(1, incarnation=1), publication(2, "q")]
    assert inversions([1, 0], [2, 0], [2, 1], publications=publications).inversions == 0


def test_topics_are_apart_only_when_asked():
    """`total` promises a publisher's order within a topic, `fifo` over all of them."""
    publications = [publication(0, topic="t"), publication(1, topic="u"), publication(2, topic="t")]
    history = history_of(publications=publications, deliveries=[*shown("s", 1, 0), *shown("r", 2, 0)])
    assert publisher_order(history).inversions == 2
    assert publisher_order(history, within_topic=True).inversions == 1


def test_tagged_and_unpublished_events_do_not_count():
    """The tag says that order is not kept."""
    deliveries = [*shown("s", 1), *shown("s", 0, at=2_000, out_of_order=True)]
    deliveries[1]["position"] = 1
    deliveries += shown("r", 7, 6)
    found = publisher_order(history_of(publications=[publication(0), publication(1)], deliveries=deliveries))
    assert (found.inversions, found.chances) == (0, 0)


def test_nothing_at_all():
    """Empty tables have no inversions."""
    found = publisher_order(history_of())
    assert (found.inversions, found.chances) == (0, 0)


@given(rows_of_runs(), st.booleans())
def test_agrees_with_the_twin(rows, within_topic):
    """On random histories, by subscriber."""
    history = history_of(**rows)
    found = publisher_order(history, within_topic=within_topic)
    counted = {history.clients[one]: count for one, count in by_subscriber(history, found.subscribers).items()}
    assert (counted, found.chances) == twin.fifo(rows, within_topic=within_topic)


@given(st.integers(0, 300), st.integers(0, 300))
def test_the_interval_is_that_of_clopper_and_pearson(violations, more):
    """Against another implementation."""
    chances = violations + more
    if chances:
        expected = binomtest(violations, chances).proportion_ci(0.95, method="exact")
        assert interval(violations, chances) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_without_chances_everything_is_possible():
    """No observation narrows nothing; none in 100 leaves about 3 %."""
    assert interval(0, 0) == (0.0, 1.0)
    assert interval(0, 100)[1] == pytest.approx(0.0362, abs=1e-4)
