"""Channels between stages: in order, once, repaired, also over a restart."""

import numpy as np
import pytest

from tidings.errors import PeerError
from tidings.sequencing.messages import Finished, Hop, HopTaken
from tidings.sequencing.stage_channels import RESEND_NS, TRIES_HELD, StageChannels


def item(number):
    """Anything that can be told apart."""
    return Finished("a", bytes([number]))


def test_items_arrive_once_in_order_over_a_bad_network():
    """Whatever is lost, repeated and reordered."""
    draw = np.random.default_rng(1)
    here, there = StageChannels(1, "x"), StageChannels(1, "y")
    for number in range(40):
        here.send("y", item(number), 0)
    found, now = [], 0
    while len(found) < 40:
        hops = [hop for _, hop in here.drain() for _ in range(draw.integers(3))]
        for place in draw.permutation(len(hops)):
            found += [one.item for one in there.receive(hops[place])]
            if draw.random() < 0.5:
                here.taken("y", there.taken_from("x").number, now)
        now = here.deadline() or now
        here.expire(now)
    assert found == [item(number) for number in range(40)]


def test_an_acknowledgement_covers_all_before_it():
    """And nothing waits any more."""
    here, there = StageChannels(1, "x"), StageChannels(1, "y")
    for number in range(3):
        here.send("y", item(number), 0)
    for _, hop in here.drain():
        there.receive(hop)
    assert there.taken_from("x") == HopTaken(1, "y", 3)
    assert here.holds
    here.taken("y", 3, 1)
    assert not here.holds
    assert here.deadline() is None


def test_news_goes_to_the_log_once():
    """The last number of each channel."""
    here = StageChannels(1, "x")
    for number in range(3):
        here.send("y", item(number), 0)
    here.taken("y", 1, 1)
    here.taken("y", 2, 1)
    assert [(one.receiver, one.number) for one in here.news()] == [("y", 2)]
    assert here.news() == []


def test_after_a_restart_only_what_may_be_missing_is_sent_again():
    """The log tells what was sent, and how much of it arrived."""
    here = StageChannels(1, "x")
    for number in range(3):
        here.send("y", item(number), 0)
    here.taken("y", 2, 0)
    here.repeat(50)
    assert here.drain() == [("y", Hop(1, "x", 3, item(2)))]


def test_a_replayed_item_counts_as_arrived():
    """The channel goes on behind it."""
    there = StageChannels(1, "y")
    there.replay("x", item(0))
    assert there.taken_from("x").number == 1
    assert [one.item for one in there.receive(Hop(1, "x", 2, item(1)))] == [item(1)]


def test_tries_become_seldom_and_nobody_waits_for_ever():
    """They go on all the same."""
    here = StageChannels(1, "x")
    here.send("y", item(0), 0)
    gaps, last = [], 0
    for _ in range(TRIES_HELD):
        assert here.holds
        due = here.deadline()
        gaps.append(due - last)
        here.expire(due)
        last = due
    assert gaps[:3] == [RESEND_NS, 2 * RESEND_NS, 4 * RESEND_NS]
    assert not here.holds
    assert here.deadline() is not None


def test_what_was_never_sent_cannot_have_arrived():
    """PeerError; of a stage that nothing was sent to it says nothing."""
    here = StageChannels(1, "x")
    here.taken("z", 5, 0)
    here.send("y", item(0), 0)
    with pytest.raises(PeerError, match="was the last sent"):
        here.taken("y", 2, 0)
