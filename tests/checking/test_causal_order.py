"""Effects before causes: by program order, by what a client was shown, and through others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checking import twin
from checking.histories import history_of, publication, rows_of_runs, shown
from tidings.checking.causal_order import CausalLimits, causal_order


def rows_with(*deliveries, publications):
    """Rows of the two tables that matter."""
    return {"publications": publications, "deliveries": [row for rows in deliveries for row in rows]}


def inversions(*deliveries, publications, limits=None):
    """The count and whether it is exact."""
    return causal_order(history_of(**rows_with(*deliveries, publications=publications)), limits)


ANSWERS = [publication(1, "a"), publication(2, "b", published_ns=20), publication(3, "c", published_ns=30)]
"""b and c answer what they were shown."""


def test_program_order():
    """What a publisher said before is a cause, on whatever topic and after a restart, too."""
    publications = [publication(0), publication(1, topic="u"), publication(2, incarnation=1)]
    assert inversions(shown("s", 2, 1, 0), publications=publications) == (3, True)
    assert inversions(shown("s", 0, 2), publications=publications) == (0, True)


def test_an_answer_before_its_question():
    """What a client was shown before it published is a cause."""
    assert inversions(shown("b", 1, at=10), shown("s", 2, 1), publications=ANSWERS) == (1, True)
    assert inversions(shown("b", 1, at=10), shown("s", 1, 2), publications=ANSWERS) == (0, True)


@pytest.mark.parametrize(("at", "expected"), [(19, 1), (20, 0), (21, 0)])
def test_what_is_shown_at_the_instant_of_publishing_is_no_cause(at, expected):
    """Strictly before."""
    assert inversions(shown("b", 1, at=at), shown("s", 2, 1), publications=ANSWERS).inversions == expected


def test_causes_of_causes():
    """A's word reached c only through b's; whoever was shown c's answer first was shown it too early."""
    told = [shown("b", 1, at=10), shown("c", 2, at=25)]
    assert inversions(*told, shown("s", 3, 1), publications=ANSWERS) == (1, True)
    assert inversions(*told, shown("s", 3, 2, 1), publications=ANSWERS) == (3, True)


def test_a_tagged_showing_informs_but_is_not_judged():
    """The client knows what it was shown, whatever the tag says."""
    told = shown("b", 1, at=10, out_of_order=True)
    assert inversions(told, shown("s", 2, 1), publications=ANSWERS).inversions == 1
    assert inversions(told, shown("s", 2, 1, out_of_order=True), publications=ANSWERS).inversions == 0


def test_nothing_at_all():
    """Empty tables have no causes."""
    assert causal_order(history_of()) == (0, True)


@given(rows_of_runs())
def test_agrees_with_the_twin(rows):
    """On random histories in which clients listen and publish."""
    assert causal_order(history_of(**rows)) == (twin.causal(rows), True)


@given(
    rows_of_runs(),
    st.builds(
        lambda cells, steps, candidates: CausalLimits(cells_max=cells, steps_max=steps, candidates_max=candidates),
        st.integers(0, 40),
        st.integers(0, 80),
        st.integers(0, 6),
    ),
)
def test_limits_give_a_lower_bound_and_say_so(rows, limits):
    """Never more than there are; exact only when nothing was left out."""
    found = causal_order(history_of(**rows), limits)
    whole = twin.causal(rows)
    assert found.inversions <= whole
    assert found.inversions == whole or not found.exact


def test_without_room_for_counts_program_order_still_counts():
    """The publisher's own order needs no counts."""
    publications = [publication(number) for number in range(4)]
    found = inversions(shown("s", 3, 2, 1, 0), publications=publications, limits=CausalLimits(cells_max=0))
    assert found == (6, False)


def test_beyond_the_candidates_each_late_cause_counts_once():
    """Three causes are late behind six effects; without any comparisons three are certain."""
    publications = [publication(number) for number in range(4)]
    limits = CausalLimits(candidates_max=0)
    assert inversions(shown("s", 3, 2, 1, 0), publications=publications, limits=limits) == (3, False)


def test_many_late_causes_are_compared_in_pieces():
    """More pairs than one piece holds."""
    size = 3_000
    publications = [publication(number) for number in range(size)]
    found = inversions(shown("s", *reversed(range(size)), at=size), publications=publications)
    assert found == (size * (size - 1) // 2, True)


def test_shown_before_it_was_published():
    """Clocks that disagree leave the count a lower bound."""
    assert inversions(shown("s", 2, 1, at=3), publications=ANSWERS) == (0, False)
