"""Who stands by: only those who can be in time, those who can wait first, and as few copies as will do."""

from tidings.routing.hedging import AT_ONCE, SLACK_NS, Need, Post, choose_guards, post_at

MS = 1_000_000


def need(destination="s", *, arrives=20, deadline=60):
    """A first copy by h."""
    return Need(destination, "h", arrives * MS, deadline * MS)


def test_a_guard_waits_until_the_news_is_overdue():
    """And no less than until it has the event itself."""
    assert post_at(need(), "g", comes_ns=10 * MS, onward_ns=15 * MS) == Post("g", "s", 35 * MS + SLACK_NS)
    assert post_at(need(), "g", comes_ns=40 * MS, onward_ns=15 * MS) == Post("g", "s", 40 * MS)


def test_a_guard_that_cannot_wait_sends_at_once():
    """Where the news could not be there before it must send."""
    assert post_at(need(), "g", comes_ns=10 * MS, onward_ns=19 * MS) == Post("g", "s", 39 * MS + SLACK_NS)
    assert post_at(need(), "g", comes_ns=10 * MS, onward_ns=20 * MS) == Post("g", "s", AT_ONCE)


def test_who_cannot_be_in_time_is_no_guard():
    """Not even by sending at once."""
    assert post_at(need(), "g", comes_ns=45 * MS, onward_ns=16 * MS) is None


def chosen(possible, sent_to=(), count=1):
    """Guards by destination, of those possible: True for one that can wait."""
    needs = [need(name) for name in possible]
    posts = choose_guards(
        needs,
        lambda one: [Post(name, one.destination, 5 if waits else AT_ONCE) for name, waits in possible[one.destination]],
        sent_to,
        count,
    )
    return {name: [post.guard for post in posts if post.destination == name] for name in possible}


def test_those_who_are_sent_a_copy_anyway_come_first():
    """Though another could guard more."""
    possible = {"s": [("x", True), ("h", True)], "t": [("x", True)]}
    assert chosen(possible, sent_to=["h"]) == {"s": ["h"], "t": ["x"]}


def test_one_who_can_guard_several_is_better_than_several():
    """One copy does for all of them."""
    possible = {"s": [("x", True), ("y", True)], "t": [("z", True), ("y", True)]}
    assert chosen(possible) == {"s": ["y"], "t": ["y"]}


def test_those_who_can_wait_come_before_those_who_cannot():
    """Even at the price of a copy."""
    assert chosen({"s": [("h", False), ("x", True)]}, sent_to=["h"]) == {"s": ["x"]}
    assert chosen({"s": [("h", False)]}) == {"s": ["h"]}


def test_as_many_as_are_asked_for_and_there_are():
    """Each once."""
    possible = {"s": [("x", True), ("y", False), ("z", True)], "t": [("x", True)]}
    assert chosen(possible, count=0) == {"s": [], "t": []}
    assert chosen(possible, count=2) == {"s": ["x", "z"], "t": ["x"]}
    assert chosen(possible, count=5) == {"s": ["x", "z", "y"], "t": ["x"]}
