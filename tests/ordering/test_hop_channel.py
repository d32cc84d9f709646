"""A repaired channel: each item once and in order, whatever the network does, with bounded memory on the way."""

import heapq

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import PeerError
from tidings.ordering.hop_channel import InputBuffer, Numbered, OutputBuffer


def numbers(frames):
    """Of what is sent."""
    return [frame.number for frame in frames]


def test_items_are_sent_at_once_and_kept():
    """Until they are acknowledged."""
    out = OutputBuffer(100)
    assert out.deadline() is None
    out.send("a", 0)
    out.send("b", 10)
    assert out.drain() == [Numbered(1, "a"), Numbered(2, "b")]
    assert out.drain() == []
    assert (len(out), out.deadline()) == (2, 100)
    out.acknowledge(2, 50)
    assert (len(out), out.deadline()) == (0, None)


def test_what_is_overdue_is_sent_again_in_order():
    """All of it, once for each time it is overdue; an acknowledgement of some gives the rest more time."""
    out = OutputBuffer(100)
    for item in "abc":
        out.send(item, 0)
    out.drain()
    out.expire(99)
    assert out.drain() == []
    out.expire(100)
    assert numbers(out.drain()) == [1, 2, 3]
    assert out.deadline() == 200
    out.acknowledge(1, 150)
    assert out.deadline() == 250
    out.expire(260)
    assert numbers(out.drain()) == [2, 3]


def test_a_late_acknowledgement_says_nothing_new():
    """Whatever it covers is covered."""
    out = OutputBuffer(100)
    out.send("a", 0)
    out.send("b", 0)
    out.acknowledge(2, 10)
    out.acknowledge(1, 20)
    assert (len(out), out.deadline()) == (0, None)


def test_few_are_on_their_way_at_once():
    """The others follow as acknowledgements come."""
    out = OutputBuffer(100, flight_max=2)
    for item in "abcd":
        out.send(item, 0)
    assert numbers(out.drain()) == [1, 2]
    out.acknowledge(1, 10)
    assert numbers(out.drain()) == [3]
    out.expire(110)
    assert numbers(out.drain()) == [2, 3]


def test_what_was_never_sent_cannot_be_acknowledged():
    """The peer is wrong, and nothing changes."""
    out = OutputBuffer(100)
    out.send("a", 0)
    with pytest.raises(PeerError, match="number 2 is acknowledged, and 1 was the last sent"):
        out.acknowledge(2, 5)
    assert len(out) == 1


def test_items_come_out_in_order():
    """Early ones wait, old ones are dropped, far ones too."""
    into = InputBuffer(ahead_max=4)
    assert into.receive(Numbered(2, "b")) == []
    assert into.receive(Numbered(4, "d")) == []
    assert into.receive(Numbered(1, "a")) == ["a", "b"]
    assert into.arrived == 2
    assert into.receive(Numbered(2, "b")) == []
    assert into.receive(Numbered(2**62, "far")) == []
    assert into.receive(Numbered(3, "c")) == ["c", "d"]
    assert into.arrived == 4


def carried(count, loss, flight, seed):
    """Items over a network that loses, repeats and reorders frames and acknowledgements."""
    draw, now, turn, sent, got = np.random.default_rng(seed), 0, 0, [], []
    out, into = OutputBuffer(500, flight_max=flight), InputBuffer(ahead_max=flight)
    agenda = [(int(at), turn := turn + 1, "send", number) for number, at in enumerate(draw.integers(0, 2_000, count))]
    heapq.heapify(agenda)
    for _ in range(100_000):
        for frame in out.drain():
            for _ in range(int(draw.random() >= loss) + int(draw.random() < loss)):
                heapq.heappush(agenda, (now + int(draw.integers(1, 400)), turn := turn + 1, "frame", frame))
        due = out.deadline()
        if due is not None and (not agenda or due <= agenda[0][0]):
            now = max(now, due)
            out.expire(now)
            continue
        if not agenda:
            break
        now, _, kind, what = heapq.heappop(agenda)
        if kind == "send":
            sent.append(what)
            out.send(what, now)
        elif kind == "frame":
            got += into.receive(what)
            if draw.random() >= loss:
                heapq.heappush(agenda, (now + int(draw.integers(1, 400)), turn := turn + 1, "ack", into.arrived))
        else:
            out.acknowledge(what, now)
    assert len(out) == 0
    return got, sent


@given(st.integers(0, 30), st.sampled_from([0.0, 0.2, 0.5]), st.integers(1, 6), st.integers(0, 999))
def test_every_item_once_and_in_order(count, loss, flight, seed):
    """As sent, and the output buffer is empty in the end."""
    got, sent = carried(count, loss, flight, seed)
    assert got == sent


def test_tries_become_seldom_while_nobody_answers():
    """Twice as long each time, so often; an acknowledgement begins anew."""
    out = OutputBuffer(100, slower=2)
    out.send("a", 0)
    out.send("b", 0)
    waits, now = [], 0
    for _ in range(4):
        waits.append(out.deadline() - now)
        now = out.deadline()
        out.expire(now)
    assert (waits, out.tries) == ([100, 200, 400, 400], 4)
    out.acknowledge(1, now)
    assert (out.deadline(), out.tries) == (now + 100, 0)


def test_repeating_sends_nothing_twice_that_was_not_drained():
    """After a restart all that is not acknowledged is sent, once."""
    out = OutputBuffer(100)
    for item in "abc":
        out.send(item, 0)
    out.acknowledge(1, 0)
    out.repeat(50)
    assert numbers(out.drain()) == [2, 3]
    assert out.deadline() == 150
