"""The face to a network: wishes begin empty, and every endpoint has it."""

import pytest

from sequencing.board import deployment
from tidings.sequencing import OrderedPublisher, OrderedSubscriber, StageProcess, Wishes

ENDPOINTS = (
    lambda: StageProcess(deployment(), deployment().plan.stages[0].name),
    lambda: OrderedPublisher(deployment(), "p"),
    lambda: OrderedSubscriber(deployment(), "s", ("a",)),
)


@pytest.mark.parametrize("make", ENDPOINTS)
def test_an_endpoint_that_nobody_has_spoken_to_waits_for_nothing(make):
    """No timer, nothing to wait for; what is drained twice is empty the second time."""
    one = make()
    assert one.deadline() is None
    assert not one.holds
    one.drain()
    assert one.drain() == Wishes()
    one.expire(10**12)
    assert one.drain() == Wishes()


def test_batches_do_not_share_lists():
    """Each batch is its owner's."""
    one, other = Wishes(), Wishes()
    one.store.append(b"x")
    assert other.store == []
