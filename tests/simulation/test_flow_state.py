"""The records of the compiled path: names stand at their numbers, numbers are apart, fields hold what is put in."""

import numpy as np
import pytest

from tidings.simulation import flow_state
from tidings.simulation.flow_state import (
    BROKER,
    CLIENT,
    COUNTERS,
    EVENT,
    KINDS,
    LINK,
    NO_PLAN,
    NOTED,
    ON_ITS_WAY,
    OUTCOMES,
    PLAN,
    SENT,
    TAKEN,
    THING,
    WANTED,
)
from tidings.vocabulary.instant import FOREVER
from tidings.vocabulary.records import NULL_NS

RECORDS = {"counters": COUNTERS, "thing": THING, "broker": BROKER, "link": LINK, "event": EVENT, "plan": PLAN}
RECORDS |= {"sent": SENT, "noted": NOTED, "taken": TAKEN}
INSTANTS = ("ns", "free_ns", "last_ns", "leaves_ns", "published_ns", "expires_ns", "sequence", "next_sequence")


@pytest.mark.parametrize("name", OUTCOMES)
def test_names_of_outcomes_stand_at_their_numbers(name):
    """`OUTCOMES[LOST]` is `lost`."""
    assert OUTCOMES[getattr(flow_state, name.upper())] == name


def test_what_clients_want_is_no_outcome():
    """It is the next number."""
    assert len(OUTCOMES) == WANTED


def test_reasons_to_come_back_are_apart():
    """Each has a number of its own."""
    reasons = [getattr(flow_state, name) for name in dir(flow_state) if name.startswith("NEED_")]
    assert len({*reasons, flow_state.REACHED}) == len(reasons) + 1 == 5


@pytest.mark.parametrize("name", RECORDS)
def test_records_hold_the_end_of_time(name):
    """Every instant and every sequence number has 64 bits with a sign; null fits, too."""
    row = np.zeros(1, RECORDS[name])[0]
    for field in set(INSTANTS) & set(RECORDS[name].names):
        for value in (FOREVER, NULL_NS):
            row[field] = value
            assert int(row[field]) == value


@pytest.mark.parametrize("name", RECORDS)
def test_fields_do_not_share_their_place(name):
    """What is written into one is not seen in another."""
    kind = RECORDS[name]
    row = np.zeros(1, kind)[0]
    for number, field in enumerate(kind.names, 1):
        row[field] = number
    assert [row[field] for field in kind.names] == list(range(1, len(kind.names) + 1))
    assert kind.isalignedstruct


def test_marks_are_no_numbers_of_anything():
    """A sender, an incarnation and a plan are counted from 0."""
    assert max(CLIENT, ON_ITS_WAY, NO_PLAN) < 0


def test_the_first_kind_of_a_copy_has_an_event():
    """The kernel writes 0 for it; what the others are, Python says."""
    assert KINDS[0] == "event"
    assert len(set(KINDS)) == len(KINDS)
