"""Flows through latches: stamps as a publisher's, latches as the product's, outcomes that add up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordering.latch_world import FixedReach
from tidings.ordering import PublicationRecord
from tidings.studies.latch_flows import Flow, LatchSetting, Outcome, constant, latched, showings, stamped
from tidings.vocabulary.instant import MILLISECOND

FLOW = Flow(
    departures_ns=(0, 10, 20, 30),
    kinds=(1, 1, 2, 1),
    wanted=1,
    arrivals=((100, 1), (140, 0), (150, 3)),
)
"""Number 1 overtakes number 0; number 2 is for others."""


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.integers(0, 5))
def test_stamps_are_those_of_a_publisher(kinds, record):
    """The same as a `PublicationRecord` of that length makes, event by event."""
    flow = Flow(tuple(range(0, 10 * len(kinds), 10)), tuple(kinds), 0, tuple((100, n) for n in range(len(kinds))))
    publisher = PublicationRecord(record, "summaries")
    for _, event, stamp in stamped(flow, record):
        assert publisher.stamp(event) == stamp


def test_without_a_latch_violations_are_counted():
    """Number 0 comes after number 1."""
    assert latched(FLOW, constant(0)) == Outcome(3, 1, 0)


def test_a_latch_long_enough_prevents_them():
    """Number 1 is held for 40 ns, and number 3 for its latch, since number 2 never comes."""
    assert latched(FLOW, constant(50)) == Outcome(3, 0, 40 + 50)
    assert showings(FLOW, constant(50)) == [(0, 0), (1, 40), (3, 50)]


def test_a_record_skips_what_others_want():
    """Number 2 is known to be of another kind."""
    setting = LatchSetting(name="known", reach=FixedReach(60), record=3)
    assert latched(FLOW, setting) == Outcome(3, 0, 40)
    assert latched(FLOW, LatchSetting(name="known", reach=FixedReach(60))).held_ns == 40 + 50


@pytest.mark.parametrize("setting", [constant(0), constant(50), LatchSetting(name="r", reach=FixedReach(60), record=3)])
def test_showings_and_outcome_agree(setting):
    """Two ways to look at one run."""
    outcome, shown = latched(FLOW, setting), showings(FLOW, setting)
    numbers = [number for number, _ in shown]
    assert outcome.shown == len(shown)
    assert outcome.held_ns == sum(held for _, held in shown)
    assert outcome.late == sum(number < max(numbers[: place + 1]) for place, number in enumerate(numbers))


def test_what_is_warmed_up_is_not_counted():
    """After two arrivals one is left; after none of them all are."""
    assert latched(FLOW, constant(0), warm=2) == Outcome(1, 0, 0)
    assert latched(FLOW, constant(0), warm=99) == latched(FLOW, constant(0))


def test_names_and_means():
    """As in the paper: CST and milliseconds; nothing shown, nothing held."""
    assert constant(250 * MILLISECOND).name == "CST-250.0"
    assert Outcome(4, 0, 8 * 10**9).extra_s == 2
    assert Outcome(0, 0, 0).extra_s == 0
