"""Channels: what laws say about loss, delay, order, repetition and bandwidth, and what is reported about it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulation.worlds import MS, const, ms
from tidings.scenario.world import LinkLaw
from tidings.simulation.agenda import Agenda
from tidings.simulation.channel import EVENT_FRAMES, HEADER_BYTES, Channel, Ends, Rare, event_bytes, wire_bytes
from tidings.vocabulary.distribution import Uniform
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import (
    Accepted,
    Deliver,
    Forward,
    HandedOver,
    Interests,
    InterestsKnown,
    Publish,
    Relayed,
    StandBy,
    Subscribe,
)
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.streams import Streams

K = 4.0
"""Standard errors."""


def event(number=0, size=0):
    """An event that is told apart by its number."""
    return Event(number, "p", "t", 0, {}, payload_bytes=size)


class Wire:
    """A channel from a to b, what arrived at b, and what was noted."""

    def __init__(self, law, *, seed=1, trouble=None):
        self.agenda, self.arrived, self.noted = Agenda(), [], []
        ends = Ends(
            sender="a",
            receiver="b",
            arrive=lambda now, sender, frame: self.arrived.append((now, sender, frame)),
            note=lambda now, frame, outcome: self.noted.append((now, frame, outcome)),
            trouble=trouble,
        )
        self.channel = Channel(law, ends, self.agenda, Streams(seed))

    def send(self, instants, size=0):
        """One event at each instant, numbered; then let everything arrive."""
        for number, instant in enumerate(instants):
            self.agenda.at(instant, lambda now, one, _: self.channel.send(now, Forward(one)), event(number, size))
        self.agenda.run(10**15)
        return [(now, frame.event.id) for now, _, frame in self.arrived]

    @property
    def outcomes(self):
        """What was noted, without instants and frames."""
        return [outcome for *_, outcome in self.noted]


def test_a_perfect_link_delivers_at_once():
    """No delay, in order, from the sender, and noted."""
    wire = Wire(LinkLaw())
    assert wire.send([5, 5, 7]) == [(5, 0), (5, 1), (7, 2)]
    assert {sender for _, sender, _ in wire.arrived} == {"a"}
    assert wire.outcomes == ["arrived"] * 3


def test_delays_are_the_laws():
    """Each packet by itself: later ones may overtake; the mean is the law's."""
    wire = Wire(LinkLaw(delay=ms(10)))
    found = wire.send(range(0, 4000 * MS, MS))
    delays = np.array([now - number * MS for now, number in found])
    assert abs(delays.mean() - 10 * MS) < K * 10 * MS / math.sqrt(len(delays))
    assert [number for _, number in found] != sorted(number for _, number in found)


def test_fifo_links_never_reorder():
    """A packet that would overtake arrives together with the one before it; none arrives sooner than it would have."""
    instants = range(0, 2000 * MS, MS)
    plain = {number: now for now, number in Wire(LinkLaw(delay=ms(10))).send(instants)}
    found = Wire(LinkLaw(delay=ms(10), fifo=True)).send(instants)
    assert [number for _, number in found] == list(range(len(instants)))
    highest = np.maximum.accumulate([plain[number] for number in range(len(instants))])
    assert [now for now, _ in found] == highest.tolist()


@pytest.mark.parametrize("loss", [0.02, 0.4])
def test_share_of_packets_lost(loss):
    """As the law says, each by itself."""
    wire = Wire(LinkLaw(loss=loss))
    count = 20_000
    found = wire.send([0] * count)
    assert abs(len(found) / count - (1 - loss)) < K * math.sqrt(loss * (1 - loss) / count)
    assert wire.outcomes.count("lost") == count - len(found)
    lost = np.array([outcome == "lost" for outcome in wire.outcomes], float)
    follow = np.mean(lost[1:] * lost[:-1])
    assert abs(follow - loss**2) < K * loss / math.sqrt(count)


def test_share_of_packets_repeated():
    """A repeated packet arrives twice and is noted once."""
    count, share = 20_000, 0.1
    wire = Wire(LinkLaw(duplication=share, delay=ms(1)))
    found = wire.send([0] * count)
    assert abs(len(found) / count - (1 + share)) < K * math.sqrt(share * (1 - share) / count)
    assert len(wire.outcomes) == count
    assert {number for _, number in found} == set(range(count))


def test_bandwidth_is_waited_for():
    """1,000 bytes a second: frames leave one after the other, and the delay comes on top."""
    wire = Wire(LinkLaw(bandwidth_bps=8_000.0, delay=const(5)))
    found = wire.send([0, 0, 10 * SECOND], size=100 - HEADER_BYTES)
    assert [now for now, _ in found] == [105 * MS, 205 * MS, 10 * SECOND + 105 * MS]


def test_what_is_lost_takes_no_bandwidth():
    """A packet that a link loses or cannot take does not hold up the others."""
    wire = Wire(LinkLaw(bandwidth_bps=8_000.0))
    wire.channel.down = 2
    wire.channel.send(0, Forward(event(size=10_000)))
    wire.channel.down = 0
    assert wire.send([0], size=100 - HEADER_BYTES) == [(100 * MS, 0)]
    assert wire.outcomes == ["down", "arrived"]


def test_a_link_that_is_down_takes_nothing_but_carries_on():
    """What is under way arrives; what is sent meanwhile does not."""
    wire = Wire(LinkLaw(delay=const(10)))
    wire.channel.send(0, Forward(event(0)))
    wire.channel.down = 1
    wire.channel.send(0, Forward(event(1)))
    wire.agenda.run(SECOND)
    assert [(now, frame.event.id) for now, _, frame in wire.arrived] == [(10 * MS, 0)]
    assert wire.outcomes == ["arrived", "down"]


def test_troubles_lose_repeat_and_hold_back():
    """What a campaign says about a packet happens to it."""
    said = iter([(), (0, 3 * MS), (7 * MS,)])
    wire = Wire(LinkLaw(), trouble=lambda _now: next(said))
    assert wire.send([0, MS, 2 * MS]) == [(MS, 1), (4 * MS, 1), (9 * MS, 2)]
    assert wire.outcomes == ["lost", "arrived", "arrived"]


def test_an_order_that_is_kept_survives_trouble():
    """On a FIFO link, what is held back holds back those behind it."""
    said = iter([(7 * MS,), (0,)])
    assert Wire(LinkLaw(fifo=True), trouble=lambda _now: next(said)).send([0, MS]) == [(7 * MS, 0), (7 * MS, 1)]


def test_only_events_keep_the_world_going():
    """Nobody waits for interests that are on their way."""
    wire = Wire(LinkLaw(delay=const(5)))
    wire.channel.send(0, Interests("t", 0, 1, None))
    assert wire.agenda.is_over
    wire.channel.send(0, Accepted(1))
    assert not wire.agenda.is_over
    wire.agenda.run_out()
    assert len(wire.arrived) == 2


def test_one_direction_depends_on_its_name_only():
    """Another seed, another channel; the same one, the same packets, whatever else there is."""
    law = LinkLaw(delay=ms(3), loss=0.2, duplication=0.2)
    instants = [number * MS for number in range(200)]
    assert Wire(law).send(instants) == Wire(law).send(instants)
    assert Wire(law).send(instants) != Wire(law, seed=2).send(instants)


@given(st.integers(0, 10_000), st.text(max_size=9), st.text(max_size=9))
def test_sizes_on_the_wire(size, one, other):
    """A header, and what the frame carries."""
    carrying = event(size=size)
    for kind in (Forward, Publish, Deliver):
        assert wire_bytes(kind(carrying)) == event_bytes(carrying) == HEADER_BYTES + size
        assert kind in EVENT_FRAMES
    assert wire_bytes(Interests("t", 0, 1, None, (one,), (other,))) == HEADER_BYTES + len(one) + len(other)
    assert wire_bytes(InterestsKnown("t", 0, 1, 1, missing=(one,))) == HEADER_BYTES + len(one)
    assert wire_bytes(Subscribe(1, one)) == wire_bytes(Accepted(1)) == HEADER_BYTES
    assert wire_bytes(Relayed(("a", "b"), Forward(carrying))) == HEADER_BYTES + size
    assert (
        wire_bytes(Relayed(("a", "b"), HandedOver("c", 1, 0, (carrying,) * 2, complete=True)))
        == 3 * HEADER_BYTES + 2 * size
    )
    assert wire_bytes(Relayed(("a", "b"), Interests("t", 0, 1, None, (one,)))) == 2 * HEADER_BYTES + len(one)
    assert wire_bytes(Relayed(("a", "b"), StandBy("c", 1))) == HEADER_BYTES


@pytest.mark.parametrize("probability", [0.0, 0.01, 0.3, 1.0])
def test_rare_things_happen_with_their_probability(probability):
    """Gaps are drawn instead of trials; the trials look the same."""
    rare, count = Rare(probability, Streams(3)("rare")), 30_000
    hits = np.array([rare.happens() for _ in range(count)], float)
    assert abs(hits.mean() - probability) <= K * math.sqrt(probability * (1 - probability) / count)
    assert abs(np.mean(hits[1:] * hits[:-1]) - probability**2) <= K * probability / math.sqrt(count)


def test_nobody_has_to_listen_to_notes():
    """A channel without a note carries all the same."""
    agenda, arrived = Agenda(), []
    ends = Ends(sender="a", receiver="b", arrive=lambda now, _sender, frame: arrived.append((now, frame)))
    Channel(LinkLaw(delay=const(1)), ends, agenda, Streams(1)).send(0, Accepted(7))
    agenda.run_out()
    assert arrived == [(MS, Accepted(7))]


def test_uniform_delays_stay_within_bounds():
    """Nothing arrives before the shortest or after the longest delay."""
    wire = Wire(LinkLaw(delay=Uniform(2.0 * MS, 4.0 * MS)))
    delays = [now for now, _ in wire.send([0] * 500)]
    assert 2 * MS <= min(delays) < 2.1 * MS
    assert 3.9 * MS < max(delays) <= 4 * MS
