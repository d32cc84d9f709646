"""A stage's records: what was written comes back, and a foreign log is refused."""

import pytest

from sequencing.board import requested
from tidings.errors import PeerError
from tidings.sequencing.messages import Climbing, Finished
from tidings.sequencing.stage_records import (
    GoneLogged,
    HopLogged,
    RequestLogged,
    TakenLogged,
    from_record,
    to_record,
)

RECORDS = (
    RequestLogged(requested(1), 7),
    HopLogged("x", Climbing(1, "a", 1, b"\x00"), 8),
    HopLogged("x", Finished("a", b"\x00"), 9),
    TakenLogged("y", 3),
    GoneLogged("a", 4),
)


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: type(one).__name__)
def test_a_record_comes_back(record):
    """As it was."""
    assert from_record(to_record(record)) == record


@pytest.mark.parametrize("data", [b"", b"\xff", b"\x90"])
def test_a_foreign_log_is_refused(data):
    """Nothing is guessed."""
    with pytest.raises(PeerError, match="no record of a stage"):
        from_record(data)
