"""The window of events by number against a plain list that never forgets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simulation.stretches import cast, drawn
from tidings.simulation.channel import HEADER_BYTES
from tidings.simulation.flow_window import FlowWindow
from tidings.simulation.stretch import Stretch

NAMES, TOPICS = ("p", "q"), ("t", "u")
ORIGINS = (7, 3)
steps = st.lists(
    st.tuples(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(any), st.floats(0, 1)), min_size=1, max_size=6
)


def stretches(counts):
    """One after the other; the publishers' events alternate in time as they come."""
    first, numbers = 0, [0, 0]
    for place, pair in enumerate(counts):
        begin = 100 * place
        parts = [
            drawn(
                range(begin + shift, begin + shift + 2 * count, 2),
                first=numbers[shift],
                topics=[(at + shift) % 2 for at in range(count)],
                expires=[begin + 50] * count,
                sizes=[count] * count,
            )
            for shift, count in enumerate(pair)
        ]
        yield Stretch(parts, first=first, cast=cast(NAMES, TOPICS, {"t": 4, "u": 5}))
        first += sum(pair)
        numbers = [number + count for number, count in zip(numbers, pair, strict=True)]


@given(steps, st.data())
def test_events_by_number(counts, data):
    """Records, identities, trees and objects of all events since the oldest that somebody still needs."""
    window, everything, oldest = FlowWindow(ORIGINS), [], 0
    for stretch, (_, share) in zip(stretches([pair for pair, _ in counts]), counts, strict=True):
        window.forget(oldest)
        assert window.base <= oldest
        window.add(stretch, np.arange(len(stretch)) + 10)
        everything += stretch.events
        assert (window.end, window.now) == (len(everything), everything[-1].published_ns)
        known = everything[window.base :]
        assert window.ids.tolist() == [event.id for event in known]
        assert window.trees.tolist() == [{"t": 4, "u": 5}[event.topic] for event in known]
        assert window.records["published_ns"].tolist() == [event.published_ns for event in known]
        assert window.records["expires_ns"].tolist() == [event.expires_ns for event in known]
        assert window.records["bytes"].tolist() == [event.payload_bytes + HEADER_BYTES for event in known]
        assert window.records["origin"].tolist() == [ORIGINS[NAMES.index(event.publisher)] for event in known]
        assert window.records["content"][-len(stretch) :].tolist() == [place + 10 for place in range(len(stretch))]
        wanted = sorted(data.draw(st.sets(st.integers(window.base, window.end - 1))))
        assert window.at(np.array(wanted, np.int64)) == [everything[number] for number in wanted]
        oldest = window.base + int(share * (window.end - window.base))


def test_only_whole_stretches_are_forgotten():
    """One with an event that is still under way stays whole."""
    window = FlowWindow(ORIGINS)
    for stretch in stretches([(3, 0), (2, 2)]):
        window.add(stretch, np.zeros(len(stretch), np.int64))
    for oldest, base in ((0, 0), (2, 0), (3, 3), (6, 3), (7, 7)):
        window.forget(oldest)
        assert (window.base, window.end) == (base, 7)
    assert len(window.records) == len(window.ids) == len(window.trees) == 0


def test_before_the_first_event():
    """Nothing there, and it is time 0."""
    window = FlowWindow(ORIGINS)
    window.forget(0)
    assert (window.base, window.end, window.now) == (0, 0, 0)
    assert window.at(np.zeros(0, np.int64)) == []
