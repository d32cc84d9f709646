"""How long to wait for an answer."""

from hypothesis import given
from hypothesis import strategies as st

from tidings.delivery.round_trip import FIRST_NS, LEAST_NS, MOST_NS, RoundTrip
from tidings.vocabulary.instant import MILLISECOND, SECOND


def measured(*took):
    """After these round trips."""
    one = RoundTrip()
    for each in took:
        one.measured(each)
    return one


def test_nothing_is_known_at_first():
    """A second, as TCP waits."""
    assert RoundTrip().patience_ns == FIRST_NS


def test_the_first_answer_counts_for_all():
    """Its time, and twice as much for what it may vary."""
    assert measured(100 * MILLISECOND).patience_ns == 300 * MILLISECOND


def test_steady_answers_make_impatient():
    """The wait comes down to the round trip itself, and never below the least."""
    assert 100 * MILLISECOND <= measured(*[100 * MILLISECOND] * 50).patience_ns < 101 * MILLISECOND
    assert measured(*[0] * 50).patience_ns == LEAST_NS


def test_answers_that_vary_make_patient():
    """The deviation counts four times."""
    assert measured(*[50 * MILLISECOND, 150 * MILLISECOND] * 20).patience_ns > 250 * MILLISECOND


def test_the_wait_doubles_until_something_comes():
    """Up to a minute."""
    one = measured(SECOND)
    waits = []
    for _ in range(7):
        waits.append(one.patience_ns // SECOND)
        one.missed()
    assert waits == [3, 6, 12, 24, 48, 60, 60]
    one.answered()
    assert one.patience_ns == 3 * SECOND


@given(st.lists(st.one_of(st.integers(0, 10 * MOST_NS), st.none()), max_size=30))
def test_the_wait_stays_in_its_bounds(course):
    """Whatever comes, or does not (None)."""
    one = RoundTrip()
    for took in course:
        if took is None:
            one.missed()
        else:
            one.measured(took)
        assert LEAST_NS <= one.patience_ns <= MOST_NS
