"""The house: what its parts share, and what they tell each other through it."""

from tidings.mqtt.house import Counts, FrontOptions, House
from tidings.mqtt.rights import ALL_RIGHTS, NO_RIGHTS
from tidings.vocabulary import frames
from tidings.vocabulary.event import Event
from tidings.vocabulary.machine import DropEvent

EVENT = Event(1, "p", "t", 0, {})


def house(**options):
    """A house whose only guest with rights is ann."""
    return House(
        FrontOptions(name="lima", rights_of=lambda name: ALL_RIGHTS if name == "ann" else NO_RIGHTS, **options)
    )


def test_rights_are_asked_of_whoever_keeps_them():
    """Anew, every time."""
    assert house().rights_of("ann") is ALL_RIGHTS
    assert house().rights_of("bob") is NO_RIGHTS


def test_what_clients_say_is_told_in_one_go_for_each():
    """In the order said; one client's words stay together only where nobody spoke in between."""
    one = house()
    for sender in "aabba":
        one.say(sender, frames.Publish(EVENT))
    assert [(sender, len(said)) for sender, said in one.said] == [("a", 2), ("b", 2), ("a", 1)]


def test_what_is_given_up_is_counted_and_reported():
    """By reason, for whom."""
    one = house()
    for reason in ("expired", "queue", "expired"):
        one.give_up(EVENT, "s", reason)
    assert one.counts.given_up == {"expired": 2, "queue": 1}
    assert one.reports[1] == DropEvent(EVENT, "queue", ("s",))


def test_counting_begins_at_nothing():
    """And no two houses share it."""
    first, second = Counts(), Counts()
    first.given_up["x"] = 1
    assert second == Counts()
