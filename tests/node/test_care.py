"""Clients that are no plain ones: who is owed what, and what is written down of it."""

import pytest

from node.network import Network, options_on
from tidings.delivery.courier import Courier
from tidings.delivery.keeper import Noted
from tidings.node.care import Care
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Deliver, Publish, Received, Subscribe, Unsubscribe
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.machine import ClientLost, ClientReached

EVENT = Event(1, "p", "t", 0, {})
WISH = 'topic == "t"'


def care():
    """With nobody in it."""
    courier = Courier((), drop_expired=True)
    return Care(courier), courier


@pytest.mark.parametrize("keeping", ["receipts", "repairs", "none"])
def test_a_client_is_kept_as_it_said_while_it_wants_something(keeping):
    """However many wishes it has, and however often it says so."""
    one, courier = care()
    one.subscribed("c", Subscribe(1, WISH, keeping))
    one.subscribed("c", Subscribe(1, WISH, keeping))
    one.subscribed("c", Subscribe(2, WISH, keeping))
    one.unsubscribed("c", 1)
    assert (bool(one), one.keeping("c"), courier.serves("c")) == (True, keeping, keeping != "none")
    one.unsubscribed("c", 2)
    one.unsubscribed("c", 2)
    assert (bool(one), one.keeping("c"), courier.serves("c")) == (False, "plain", False)


def test_plain_clients_are_not_remembered():
    """They cost nothing."""
    one, courier = care()
    one.subscribed("c", Subscribe(1, WISH))
    one.unsubscribed("c", 1)
    assert not one
    assert not courier.serves("c")


def test_who_takes_back_everything_is_owed_nothing():
    """And the event is done with."""
    one, courier = care()
    one.subscribed("c", Subscribe(1, WISH, "receipts"))
    assert [send.frame for send in courier.send(EVENT, ["c"], 0)] == [Deliver(EVENT)]
    assert courier.owes
    one.unsubscribed("c", 1)
    assert not courier.owes
    assert courier.take_finished() == [1]


def test_notes_say_how_clients_are_kept():
    """Those who only pass through are left out."""
    one, _ = care()
    one.subscribed("c", Subscribe(1, WISH, "receipts"))
    one.subscribed("d", Subscribe(1, WISH, "none"))
    notes = [Noted(name, Subscribe(1, WISH)) for name in "bcd"]
    assert list(one.notes(notes)) == [notes[0], Noted("c", Subscribe(1, WISH, "receipts"))]


# ---- the same in a broker that keeps


def network(keeping, **more):
    """Two brokers that keep, and a client at the second."""
    found = Network(options_on([("a", "b")], keeps=True, **more))
    found.run()
    found.tell("b", "c", Subscribe(1, WISH, keeping))
    found.run()
    return found


def delivered(found):
    """What the client heard."""
    return [frame.event.id for frame in found.heard.get("c", []) if isinstance(frame, Deliver)]


def test_a_client_is_sent_an_event_until_it_acknowledges():
    """Again and again, and not once more after that."""
    found = network("receipts")
    found.tell("a", "p", Publish(EVENT))
    found.run()
    assert delivered(found) == [1]
    found.wait(2 * SECOND)
    assert len(delivered(found)) > 1
    found.tell("b", "c", Received((1,)))
    heard = len(delivered(found))
    found.wait(100 * SECOND)
    assert len(delivered(found)) == heard
    assert not found.machines["b"].holds


def test_repairs_come_late_or_not_at_all():
    """Others bring the event first; the broker sends what nobody has acknowledged in time."""
    found = network("repairs")
    found.tell("a", "p", Publish(EVENT))
    found.run()
    assert delivered(found) == []
    found.wait(2 * SECOND)
    assert delivered(found) == [1]
    found.tell("b", "c", Received((1,)))
    found.tell("a", "p", Publish(Event(2, "p", "t", 0, {})))
    found.run()
    found.tell("b", "c", Received((2,)))
    found.wait(100 * SECOND)
    assert delivered(found) == [1]


def test_a_client_that_cannot_be_reached_keeps_nobody_busy():
    """It is owed its events all the same, and sent them when it is back."""
    found = network("receipts")
    found.notify("b", ClientLost("c"))
    found.tell("a", "p", Publish(EVENT))
    found.run()
    assert delivered(found) == []
    assert not found.machines["b"].holds
    assert list(found.machines["b"].owed_to_clients()) == [("c", EVENT)]
    found.notify("b", ClientReached("c"))
    assert delivered(found) == [1]
    assert found.machines["b"].holds


@pytest.mark.parametrize("keeping", ["receipts", "repairs"])
def test_what_a_client_is_owed_survives_a_crash(keeping):
    """So does how it is kept."""
    found = network(keeping)
    found.tell("a", "p", Publish(EVENT))
    found.run()
    found.start("b")
    found.wait(2 * SECOND)
    assert 1 in delivered(found)
    assert found.machines["b"]._safe.care.keeping("c") == keeping
    found.tell("b", "c", Received((1,)), Unsubscribe(1))
    found.start("b")
    assert not found.machines["b"]._safe.care
    assert not found.machines["b"].holds


def test_who_has_gone_since_is_owed_nothing_after_a_crash():
    """An event that was kept for it alone is done with."""
    found = network("receipts")
    found.tell("a", "p", Publish(EVENT))
    found.run()
    found.tell("b", "c", Unsubscribe(1))
    found.start("b")
    found.wait(5 * SECOND)
    assert not found.machines["b"].holds
    assert found.machines["b"]._safe._keeper._events == {}
    found.tell("b", "c", Received((1,)))


def test_nothing_is_kept_for_those_who_pass_through():
    """Neither wishes nor events; both are told on and delivered."""
    found = network("none")
    records = len(found.records["b"])
    found.tell("a", "p", Publish(EVENT))
    found.run()
    assert delivered(found) == [1]
    assert len(found.records["b"]) == records == 0
    found.start("b")
    found.wait(SECOND)
    assert found.machines["b"].clients == []
    found.tell("a", "p", Publish(Event(2, "p", "t", 0, {})))
    found.run()
    assert delivered(found) == [1]
