"""Troubles of packets: shares of each kind, counted, and none in quiet times or after the end."""

import numpy as np
import pytest

from simulation.worlds import MS
from tidings.simulation.faults import LINK_FAULTS, LinkFaults
from tidings.simulation.packets import PacketTrouble
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.streams import Streams

COUNT = 20_000
K = 4.0


def trouble(faults, *, quiet=(), ends_ns=10 * SECOND, seed=1):
    """The trouble of one direction."""
    return PacketTrouble(faults, quiet=quiet, ends_ns=ends_ns, generator=Streams(seed)("packets"))


def near(share, probability):
    """True within K standard errors."""
    return abs(share - probability) <= K * np.sqrt(probability * (1 - probability) / COUNT)


def test_packets_are_dropped():
    """No copy arrives."""
    one = trouble(LinkFaults(drop=0.2))
    copies = [one(0) for _ in range(COUNT)]
    assert set(copies) == {(), (0,)}
    assert near(copies.count(()) / COUNT, 0.2)
    assert one.counters.rows() == [("drop", "link", copies.count(()))]


def test_packets_are_repeated():
    """Two copies arrive, both as late as the one would be."""
    one = trouble(LinkFaults(duplicate=0.2, spike=0.5, spike_ns=7))
    copies = [one(0) for _ in range(COUNT)]
    assert set(copies) == {(0,), (7,), (0, 0), (7, 7)}
    assert near(sum(len(extras) == 2 for extras in copies) / COUNT, 0.2)
    assert near(sum(extras[0] == 7 for extras in copies) / COUNT, 0.5)


def test_packets_are_held_back():
    """For exponential times of the mean given."""
    one = trouble(LinkFaults(reorder=0.3, reorder_ns=5 * MS))
    held = np.array([extra for (extra,) in (one(0) for _ in range(COUNT)) if extra])
    assert near(len(held) / COUNT, 0.3)
    assert abs(held.mean() - 5 * MS) < K * 5 * MS / np.sqrt(len(held))
    assert one.counters.count("reorder", "link") == pytest.approx(len(held), abs=2)


def test_quiet_times_and_the_end():
    """Neither inside a quiet time nor from the end on; at the edges, what begins there counts."""
    one = trouble(LinkFaults(drop=1.0), quiet=[(10, 20), (30, 40)], ends_ns=50)
    lost = [now for now in range(60) if one(now) == ()]
    assert lost == [*range(10), *range(20, 30), *range(40, 50)]
    assert one.counters.count("drop") == len(lost)


def test_no_faults_no_trouble():
    """Neutral options do nothing."""
    one = trouble(LinkFaults())
    assert {one(now) for now in range(1000)} == {(0,)}
    assert one.counters.rows() == []


@pytest.mark.parametrize("kind", LINK_FAULTS)
def test_every_kind_can_strike(kind):
    """Each by its own chance, and nothing else is counted."""
    one = trouble(LinkFaults(**{kind: 0.5, "reorder_ns": 5, "spike_ns": 5}))
    for now in range(200):
        one(now)
    assert [name for name, _, _ in one.counters.rows()] == [kind]


def test_one_kind_does_not_shift_another():
    """Each packet uses up the same numbers, whatever strikes."""
    alone, together = trouble(LinkFaults(drop=0.1)), trouble(LinkFaults(drop=0.1, duplicate=0.5, spike=0.5))
    assert [alone(0) == () for _ in range(500)] == [together(0) == () for _ in range(500)]
