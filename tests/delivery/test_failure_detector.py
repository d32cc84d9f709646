"""Who is there, from what is heard."""

from tidings.delivery.failure_detector import BEAT_NS, SILENCE_NS, FailureDetector
from tidings.vocabulary.machine import NeighbourLost, NeighbourReturned


def test_everybody_is_there_at_first():
    """A new process has heard nobody, and blames nobody for it."""
    one = FailureDetector(("m", "n"), 100)
    assert one.next_beat_ns == 100
    assert one.due(100 + SILENCE_NS - 1) == []


def test_who_is_silent_is_lost_once():
    """After three and a half beats, and named once."""
    one = FailureDetector(("m", "n"), 0)
    assert one.heard("m", BEAT_NS) is None
    assert one.due(SILENCE_NS) == [NeighbourLost("n")]
    assert one.due(SILENCE_NS + 1) == []
    assert one.due(BEAT_NS + SILENCE_NS) == [NeighbourLost("m")]


def test_who_is_heard_again_has_returned():
    """And may be lost once more."""
    one = FailureDetector(("n",), 0)
    one.due(SILENCE_NS)
    assert one.heard("n", 9 * BEAT_NS) == NeighbourReturned("n")
    assert one.heard("n", 9 * BEAT_NS) is None
    assert one.due(9 * BEAT_NS + SILENCE_NS) == [NeighbourLost("n")]


def test_three_beats_may_go_missing():
    """The fourth is late by half a beat when its neighbour counts as lost."""
    one = FailureDetector(("n",), 0)
    assert one.due(3 * BEAT_NS) == []
    assert one.heard("n", 3 * BEAT_NS) is None


def test_the_timer_is_for_the_next_beat_or_the_next_silence():
    """Whichever comes first; those who are lost need no watching."""
    one = FailureDetector(("m", "n"), 0)
    assert one.deadline == 0
    one.beaten(0)
    assert one.deadline == BEAT_NS
    one.beaten(3 * BEAT_NS)
    assert one.deadline == SILENCE_NS
    one.due(SILENCE_NS)
    assert one.deadline == 4 * BEAT_NS
