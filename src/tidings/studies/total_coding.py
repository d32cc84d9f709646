"""Bytes of timestamps, written whole and as differences, for events drawn by what is published."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tidings.ordering import Layout, Timestamp, TimestampWriter
from tidings.studies.total_setting import Floats


@dataclass(frozen=True, slots=True)
class Bytes:
    """Per event, on average."""

    entries: float
    whole: float
    coded: float


def coded_bytes(joined: NDArray[np.bool_], popularity: Floats, events: int, draw: np.random.Generator) -> Bytes:
    """Events in one order, each with the numbers of its topic's sequencing group as they stand then."""
    numbers = np.zeros(len(popularity), np.int64)
    groups: dict[int, NDArray[np.int64]] = {}
    writers: dict[int, tuple[Layout, TimestampWriter]] = {}
    entries = whole = coded = 0
    for topic in draw.choice(len(popularity), size=events, p=popularity).tolist():
        if topic not in groups:
            groups[topic] = np.union1d(np.flatnonzero(joined[topic]), [topic])
            layout = Layout(f"t{topic}", tuple(f"t{member}" for member in groups[topic].tolist()))
            writers[topic] = layout, TimestampWriter(groups[topic].tolist())
        numbers[topic] += 1
        layout, writer = writers[topic]
        stamp = Timestamp(layout, numbers[groups[topic]])
        entries += len(groups[topic])
        whole += len(writer.whole(stamp))
        coded += len(writer.write(stamp))
    return Bytes(entries / events, whole / events, coded / events)
