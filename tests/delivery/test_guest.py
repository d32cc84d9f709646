"""Guests: what waits and what is reported, whose events are held, and where clients go next."""

from tidings.delivery.backlog import Backlog
from tidings.delivery.fetch import Fetch
from tidings.delivery.guest import LEARNED_MAX, Guest, GuestBook, NextBrokers
from tidings.vocabulary.event import Event
from tidings.vocabulary.machine import DropEvent


def event(number, expires_ns=100):
    """One of many."""
    return Event(number, "p", "t", 0, {}, expires_ns=expires_ns)


def guest(client="c", session=1, *, present=False, most=2):
    """A stay with a small backlog."""
    return Guest(client, session, present, Backlog(most))


def test_what_is_given_up_is_reported_for_that_client():
    """The oldest for want of room, and what has waited too long."""
    one = guest()
    assert one.keep(event(0), 1) == one.keep(event(1), 2) == []
    assert one.keep(event(2), 3) == [DropEvent(event(0), "queue", ("c",))]
    assert one.give_up_expired(101) == [DropEvent(event(1), "expired", ("c",)), DropEvent(event(2), "expired", ("c",))]


def test_copies_are_given_up_in_silence():
    """They are elsewhere too."""
    one = guest()
    one.standby_for = "o"
    assert [one.keep(event(number), 0) for number in range(4)] == [[], [], [], []]
    assert one.give_up_expired(101) == []
    assert len(one.backlog) == 0


def test_only_one_open_stay_lets_events_pass():
    """Held is whoever is away, has something to be fetched first, or was here before and left something."""
    book, clients = GuestBook(), ["x", "c"]
    stay = book.add(guest(present=True))
    book.note("c", clients)
    assert book.held == {}
    stay.fetch = Fetch("c", 0, "o", copy=False, began_ns=0, unconfirmed=set())
    book.note("c", clients)
    assert book.held == {1: "c"}
    stay.fetch = None
    second = book.add(guest(session=3, present=True))
    book.note("c", clients)
    assert book.held == {1: "c"}
    book.remove(stay)
    book.note("c", clients)
    assert book.held == {}
    second.present = False
    book.note("c", clients)
    assert book.held == {1: "c"}
    book.remove(second)
    book.note("c", clients)
    assert book.held == {}
    assert book.of("c") == {}
    assert list(book) == []


def test_a_client_without_a_number_is_not_held():
    """The broker has never heard a wish of it."""
    book = GuestBook()
    book.add(guest())
    book.note("c", [])
    assert book.held == {}
    assert list(book.of("c")) == [1]


def test_where_most_clients_went_comes_first():
    """Of equals by name; at most so many; given ones are taken as they are."""
    learned = NextBrokers(None)
    for broker in ("b", "z", "a", "z"):
        learned.learn(broker)
    assert learned.names() == ["z", "a", "b"]
    for number in range(20):
        learned.learn(f"n{number}")
    assert len(learned.names()) == LEARNED_MAX
    given = NextBrokers(("q", "b"))
    given.learn("z")
    assert given.names() == ["q", "b"]
