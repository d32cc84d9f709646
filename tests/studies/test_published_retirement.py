"""A node that forgets a group as soon as its last message has passed."""

from tidings.ordering.group_messages import End, RetireAtom, Said, TakeIn
from tidings.ordering.group_sequencer import GroupSequencer
from tidings.studies.published_retirement import PublishedRetirement


def numbers(make):
    """What messages of h are told of g, before g ends and after; the directory's own order comes last."""
    node = make("n")
    for order in (TakeIn("g", 0), TakeIn("h", 0, ("g",)), TakeIn("i", 0, ("h",))):
        node.order(order)
    node._entrances["h"].awaited.clear()
    node.ask("g", 1)
    node.ask("h", 2)
    node.order(End("g"))
    node.ask("h", 3)
    node.order(RetireAtom(("h", "g")))
    node.ask("h", 4)
    said = [wish.message for wish in node.drain() if isinstance(wish.message.body, Said)]
    return [dict(message.before) for message in said if message.group == "h"]


def test_it_says_nothing_of_what_has_ended():
    """Other atoms stay; an honest node goes on until the directory says that nobody waits any more."""
    assert numbers(PublishedRetirement) == [{"g": 1, "i": 0}, {"i": 0}, {"i": 0}]
    assert numbers(GroupSequencer) == [{"g": 1, "i": 0}, {"g": 2, "i": 0}, {"i": 0}]
