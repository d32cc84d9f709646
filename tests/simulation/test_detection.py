"""What failure detectors say, worked out from outages: held to the detector itself, with every beat."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.delivery.failure_detector import BEAT_NS, SILENCE_NS, FailureDetector
from tidings.simulation.detection import lives_between, suspicions
from tidings.vocabulary.machine import NeighbourLost

TENTH = BEAT_NS // 10
LONG = 800 * TENTH
ALWAYS = [(0, None)]


@st.composite
def intervals(draw):
    """Up to three outages, ascending and apart, in tenths of a beat."""
    count = draw(st.integers(0, 3))
    points = sorted(draw(st.lists(st.integers(1, 400), min_size=2 * count, max_size=2 * count, unique=True)))
    return [(low * TENTH, high * TENTH) for low, high in zip(points[::2], points[1::2], strict=True)]


def by_every_beat(speaker, cuts, listener):
    """The dumb twin: a detector for each life of the listener, and all beats of the speaker."""
    heard = [
        beat
        for start, end in speaker
        for beat in range(start, LONG if end is None else end, BEAT_NS)
        if not any(low <= beat < high for low, high in cuts)
    ]
    changes = []
    for start, end in listener:
        changes += _one_life(heard, start, LONG if end is None else end)
    return changes


def _one_life(heard, start, end):
    detector = FailureDetector(("n",), start)
    detector.next_beat_ns = LONG
    beats = [beat for beat in heard if start <= beat < end]
    changes = []
    while True:
        now = min([*beats[:1], detector.deadline])
        if now >= end:
            return changes
        if beats and beats[0] == now:
            if detector.heard("n", beats.pop(0)) is not None:
                changes.append((now, False))
        elif detector.due(now) == [NeighbourLost("n")]:
            changes.append((now, True))


@given(intervals(), intervals(), intervals())
def test_the_short_way_says_what_every_beat_says(speaker, cuts, listener):
    """Whoever is down, and whatever does not get through."""
    lives = [lives_between(one) for one in (speaker, listener)]
    assert suspicions(lives[0], cuts, lives[1]) == by_every_beat(lives[0], cuts, lives[1])


@pytest.mark.parametrize(
    ("speaker", "cuts", "expected"),
    [
        (ALWAYS, [], []),
        (ALWAYS, [(10 * BEAT_NS, 12 * BEAT_NS)], []),
        (ALWAYS, [(10 * BEAT_NS, 20 * BEAT_NS)], [(9 * BEAT_NS + SILENCE_NS, True), (20 * BEAT_NS, False)]),
        ([(0, BEAT_NS)], [], [(SILENCE_NS, True)]),
        ([(9 * BEAT_NS, None)], [], [(SILENCE_NS, True), (9 * BEAT_NS, False)]),
    ],
)
def test_cases_by_hand(speaker, cuts, expected):
    """Nothing; a cut too short to matter; a cut that matters; a neighbour that goes, and one that comes."""
    assert suspicions(speaker, cuts, ALWAYS) == expected


def test_lives_are_what_outages_leave():
    """From 0 to the end."""
    assert lives_between([]) == [(0, None)]
    assert lives_between([(5, 7), (9, 10)]) == [(0, 5), (7, 9), (10, None)]
