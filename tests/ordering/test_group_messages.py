"""What travels: messages and their timestamps."""

from tidings.ordering.group_messages import Ended, GroupMessage, Joined, Said
from tidings.ordering.timestamp import Timestamp


def test_a_message_as_the_delivery_rule_takes_it():
    """Its own number, and one for each atom passed, in any order."""
    message = GroupMessage("g2", 4, Said(7), (("g3", 0), ("g1", 5)))
    assert message.stamp() == Timestamp.of("g2", {"g1": 5, "g2": 4, "g3": 0})
    assert message.stamp().number == 4
    assert GroupMessage("g1", 1, Ended()).stamp() == Timestamp.of("g1", {"g1": 1})


def test_messages_are_values():
    """Equal when they say the same; a ticket tells two joins of one member apart."""
    assert GroupMessage("g", 1, Joined("m", 1)) == GroupMessage("g", 1, Joined("m", 1))
    assert Joined("m", 1) != Joined("m", 2)
    assert len({Said(1), Said(1), Said(2)}) == 2
