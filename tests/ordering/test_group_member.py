"""A member of groups: what it is shown when, how it gets in, and what becomes of what it waits for when it leaves."""

from itertools import permutations

import pytest

from tidings.ordering.group_member import Depart, GroupMember, Show
from tidings.ordering.group_messages import Ended, GroupMessage, Joined, Said


def said(group, number, event, **before):
    """A message with an event."""
    return GroupMessage(group, number, Said(event), tuple(before.items()))


def events(outcomes):
    """What is shown."""
    return [outcome.event for outcome in outcomes if isinstance(outcome, Show)]


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_messages_are_shown_in_the_one_order(order):
    """Two groups with an atom, whatever comes first; numbers of groups that the member does not have say nothing."""
    sent = [said("g", 1, 0, h=0), said("h", 1, 1, g=1, x=9), said("g", 2, 2, h=1), said("h", 2, 3, g=2)]
    member = GroupMember("m", ("g", "h"))
    assert events([one for place in order for one in member.receive(sent[place])]) == [0, 1, 2, 3]
    assert member.held == 0


def test_the_decision_is_made_at_once():
    """What may be shown is; what waits is held, and counted."""
    member = GroupMember("m", ("g", "h"))
    assert member.receive(said("h", 1, 1, g=1)) == []
    assert member.held == 1
    assert member.receive(said("g", 1, 0, h=0)) == [Show(0, "g"), Show(1, "h")]
    assert member.receive(said("g", 1, 0, h=0)) == []


def test_numbers_of_an_atom_that_has_retired_hold_nobody_up():
    """More of the other group has been shown than the message asks for; under the published rule it waits for ever."""
    sent = [said("g", 1, 0), said("g", 2, 1), said("h", 1, 2, g=1)]
    for exact, shown in ((False, [0, 1, 2]), (True, [0, 1])):
        member = GroupMember("m", ("g", "h"), exact=exact)
        assert events([one for message in sent for one in member.receive(message)]) == shown
        assert member.held == 3 - len(shown)


def test_what_does_not_fit_is_not_taken():
    """Neither held back nor kept while the member waits to be let in."""
    member = GroupMember("m", ("g",), held_max=1)
    assert member.receive(said("g", 3, 0)) == member.receive(said("g", 2, 0)) == []
    assert member.held == 1
    member.join("h", 1)
    assert member.receive(said("g", 1, 7)) == member.receive(said("g", 1, 8)) == []
    assert member.held == 2
    assert member.refused == 2


def test_messages_of_other_groups_are_dropped():
    """They were on their way when the member left."""
    member = GroupMember("m")
    assert member.receive(said("g", 1, 0)) == []
    member.appoint("g")
    assert member.receive(said("h", 1, 1)) == []
    assert member.receive(said("g", 1, 2)) == [Show(2, "g")]
    assert member.held == 0


def test_who_joins_is_shown_nothing_until_let_in():
    """Then first what comes before, of its other groups; the message that lets it in is for nobody to see."""
    member = GroupMember("m", ("h",))
    member.join("g", 4)
    assert member.receive(said("h", 1, 0, g=6)) == []
    assert member.receive(said("h", 2, 3, g=9)) == []
    assert member.receive(GroupMessage("g", 8, Joined("m", 4), (("h", 1),))) == [Show(0, "h")]
    assert member.receive(said("g", 7, 1, h=1)) == []
    assert member.receive(said("g", 9, 2, h=1)) == [Show(2, "g"), Show(3, "h")]


def test_only_its_own_ticket_lets_a_member_in():
    """Not somebody else's, nor one from before it left and joined again."""
    member = GroupMember("m", ("h",))
    member.join("g", 1)
    assert member.leave(["g"]) == []
    member.join("g", 2)
    for joined in (Joined("other", 2), Joined("m", 1)):
        assert not member.awaits("g", joined)
        assert member.receive(GroupMessage("g", 3, joined)) == []
    assert member.receive(said("h", 1, 0)) == []
    assert member.awaits("g", Joined("m", 2))
    assert member.receive(GroupMessage("g", 4, Joined("m", 2))) == [Show(0, "h")]


def test_two_joins_at_once_wait_for_both():
    """And a leave ends the wait for what was left."""
    member = GroupMember("m", ("h",))
    member.join("g", 1)
    member.join("i", 2)
    member.receive(said("h", 1, 0))
    assert member.receive(GroupMessage("g", 5, Joined("m", 1))) == []
    assert member.leave(["i"]) == [Show(0, "h")]
    assert member.receive(said("g", 6, 1)) == [Show(1, "g")]


def test_the_end_is_seen_and_told():
    """After everything before it; the directory is told, and the group is not waited for any more."""
    member = GroupMember("m", ("g", "h"))
    assert member.receive(GroupMessage("g", 2, Ended())) == []
    assert member.receive(said("h", 1, 5, g=3)) == []
    assert member.receive(said("g", 1, 0)) == [Show(0, "g"), Depart("g"), Show(5, "h")]
    assert member.receive(said("g", 3, 9)) == []
    assert member.held == 0


def test_an_heir_begins_while_the_old_group_ends():
    """The member has both; the heir's numbers say what comes before."""
    member = GroupMember("m", ("g.1",))
    member.appoint("g.2")
    assert member.receive(GroupMessage("g.2", 1, Said(1), (("g.1", 2),))) == []
    assert member.receive(said("g.1", 1, 0)) == [Show(0, "g.1")]
    assert member.receive(GroupMessage("g.1", 2, Ended())) == [Depart("g.1"), Show(1, "g.2")]


def test_a_later_version_waits_until_all_earlier_groups_have_ended():
    """Whatever their numbers say; then all of it, in order."""
    member = GroupMember("m", ("g.1", "h.1"))
    member.appoint("g.2", 1)
    assert member.receive(said("g.2", 2, 3)) == member.receive(said("g.2", 1, 2)) == []
    assert member.held == 2
    assert member.receive(GroupMessage("g.1", 1, Ended())) == [Depart("g.1")]
    assert member.receive(said("h.1", 1, 1)) == [Show(1, "h.1")]
    assert member.receive(GroupMessage("h.1", 2, Ended())) == [Depart("h.1"), Show(2, "g.2"), Show(3, "g.2")]
    assert member.receive(said("g.2", 3, 4)) == [Show(4, "g.2")]


def test_versions_follow_one_after_the_other():
    """Two plans in a row: the ends of the first let the second begin, and its ends the third."""
    member = GroupMember("m", ("g.1",))
    member.appoint("g.2", 1)
    member.appoint("g.3", 2)
    for message in (said("g.3", 1, 3), said("g.2", 1, 2), GroupMessage("g.2", 2, Ended()), said("g.1", 1, 1)):
        shown = member.receive(message)
    assert shown == [Show(1, "g.1")]
    assert member.receive(GroupMessage("g.1", 2, Ended())) == [
        Depart("g.1"),
        Show(2, "g.2"),
        Depart("g.2"),
        Show(3, "g.3"),
    ]


def test_leaving_the_last_of_a_version_lets_the_next_begin():
    """Nobody waits for an end that is not to come."""
    member = GroupMember("m", ("g.1", "h.1"))
    member.appoint("h.2", 1)
    member.receive(said("h.2", 1, 7))
    assert member.leave(["g.1"]) == []
    assert member.leave(["h.1"]) == [Show(7, "h.2")]


def test_who_joins_a_later_version_waits_for_the_end_of_earlier_ones():
    """It is let in all the same, from that message on."""
    member = GroupMember("m", ("g.1",))
    member.join("h.2", 5, 1)
    assert member.receive(GroupMessage("h.2", 3, Joined("m", 5))) == []
    assert member.receive(said("h.2", 4, 2)) == []
    assert member.receive(GroupMessage("g.1", 1, Ended())) == [Depart("g.1"), Show(2, "h.2")]


def test_what_does_not_fit_of_a_later_version_is_not_taken():
    """As little as what is held back."""
    member = GroupMember("m", ("g.1",), held_max=1)
    member.appoint("g.2", 1)
    assert member.receive(said("g.2", 1, 1)) == member.receive(said("g.2", 2, 2)) == []
    assert (member.held, member.refused) == (1, 1)


def test_leaving_several_at_once():
    """Nothing of any of them is shown because another one is left; what waits for them goes on."""
    member = GroupMember("m", ("g.1", "g.2", "h"))
    member.receive(GroupMessage("g.2", 1, Said(1), (("g.1", 2),)))
    member.receive(GroupMessage("h", 1, Said(2), (("g.1", 1),)))
    assert member.held == 2
    assert member.leave(["g.1", "g.2"]) == [Show(2, "h")]
    assert member.held == 0
    assert member.leave(["g.1"]) == []
