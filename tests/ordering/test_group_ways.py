"""Which groups come past a node: orders from above and items from below in any order, told to the parent as they settle."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import PeerError
from tidings.ordering.group_messages import Began, Ceased, Entered, GroupMessage, Left, Said
from tidings.ordering.group_ways import GroupWays


def below(parent="p"):
    """A node with a parent."""
    ways = GroupWays("n")
    ways.stand_below(parent, drained=False)
    return ways


def test_a_group_climbs_on_when_it_comes_and_is_to():
    """Whichever is known first."""
    ways = below()
    ways.begin("c", Began("g", 5, 1))
    assert (ways.drain(), ways.next("g")) == ([], None)
    ways.go_on("g", 1)
    assert (ways.drain(), ways.next("g")) == ([("p", Began("g", 5, 1))], "p")
    ways.go_on("h", 1)
    assert (ways.drain(), ways.next("h")) == ([], None)
    ways.begin("c", Began("h", 0, 1))
    assert (ways.drain(), ways.next("h")) == ([("p", Began("h", 0, 1))], "p")


def test_a_group_that_enters_here_climbs_on_like_others():
    """Until it stops, or is no more."""
    ways = below()
    ways.enter("g")
    ways.go_on("g", 3)
    ways.numbers["g"] = 2
    ways.stop("g")
    ways.go_on("g", 4)
    ways.shut("g")
    assert ways.drain() == [("p", Began("g", 0, 3)), ("p", Ceased("g")), ("p", Began("g", 2, 4)), ("p", Ceased("g"))]
    assert "g" not in ways.numbers
    ways.stop("g")
    assert ways.drain() == []


def test_without_a_parent_everything_leaves_here():
    """A later parent is told of all that is to climb on."""
    ways = GroupWays("n")
    ways.enter("g")
    ways.go_on("g", 1)
    assert (ways.drain(), ways.next("g")) == ([], None)
    ways.stand_below("p", drained=False)
    assert (ways.drain(), ways.next("g")) == ([("p", Began("g", 0, 1))], "p")


def test_a_call_is_answered_when_all_below_have_heard_it():
    """The lower of what came from below and what was ordered here; the same answer is given once."""
    ways = below()
    ways.begin("c", Began("g", 5, 1))
    ways.go_on("g", 2)
    assert ways.drain() == [("p", Began("g", 5, 1))]
    assert (ways.heard("g", 1), ways.heard("g", 2), ways.heard("x", 0)) == (True, False, False)
    ways.begin("c", Began("g", 7, 2))
    assert ways.drain() == [("p", Began("g", 7, 2))]
    ways.go_on("g", 2)
    assert ways.drain() == []
    ways.begin("c", Began("g", 7, 9))
    assert ways.drain() == []
    assert ways.heard("g", 9)


def test_what_ceased_below_ceases_above():
    """Unless the group comes from elsewhere by now."""
    ways = below()
    ways.go_on("g", 1)
    ways.begin("c", Began("g", 5, 1))
    ways.begin("d", Began("g", 6, 1))
    ways.drain()
    ways.cease("c", "g")
    assert ways.drain() == []
    ways.cease("d", "g")
    assert ways.drain() == [("p", Ceased("g"))]
    ways.cease("d", "g")
    assert ways.drain() == []


def test_only_the_next_message_passes():
    """From where the group comes; anything else is the channel's fault, or a stranger's."""
    ways = below()
    ways.begin("c", Began("g", 5, 1))
    ways.check("c", GroupMessage("g", 6, Said(1)))
    with pytest.raises(PeerError, match="number 7 of group g came where 6 is next"):
        ways.check("c", GroupMessage("g", 7, Said(1)))
    with pytest.raises(PeerError, match="group g came from d, which is not on its way"):
        ways.check("d", GroupMessage("g", 6, Said(1)))
    with pytest.raises(PeerError, match="group h came from c"):
        ways.check("c", GroupMessage("h", 1, Said(1)))


def test_a_new_parent_is_told_at_once_when_the_old_one_is_drained():
    """The old one hears that nothing more comes, the new one what will."""
    ways = below("old")
    ways.enter("g")
    ways.go_on("g", 1)
    ways.numbers["g"] = 4
    ways.drain()
    ways.stand_below("new", drained=True)
    assert ways.drain() == [("old", Left("n")), ("new", Entered((Began("g", 4, 1),)))]
    assert ways.next("g") == "new"


def test_a_root_that_steps_out_leaves_roots():
    """The old parent hears of it, and nobody else."""
    ways = below("old")
    ways.stand_below(None, drained=True)
    assert ways.drain() == [("old", Left("n"))]
    ways.enter("g")
    assert ways.next("g") is None


def test_a_child_that_left_speaks_for_itself():
    """What came from it is forgotten, and nothing is said of it but that it left."""
    ways = below()
    for group, child in (("g", "c"), ("h", "d")):
        ways.go_on(group, 1)
        ways.begin(child, Began(group, 1, 1))
    ways.drain()
    ways.let_go("c")
    assert ways.drain() == [("p", Left("c"))]
    assert (ways.next("g"), ways.next("h")) == (None, "p")
    assert list(ways.numbers) == ["h"]
    ways.stop("g")
    assert ways.drain() == []


def test_a_parent_that_comes_late_hears_of_children_that_left():
    """The order to stand below it was on its way."""
    ways = GroupWays("n")
    ways.let_go("c")
    assert ways.drain() == []
    ways.stand_below("p", drained=False)
    assert ways.drain() == [("p", Left("c"))]
    ways.stand_below("q", drained=False)
    assert ways.drain() == [("p", Left("n"))]


ORDERS = st.lists(st.tuples(st.sampled_from(["go", "stop"]), st.integers(1, 3)), max_size=6)
ITEMS = st.lists(st.tuples(st.sampled_from(["begin", "cease"]), st.integers(1, 3)), max_size=6)


@given(ORDERS, ITEMS, st.lists(st.booleans(), max_size=12))
def test_what_the_parent_knows_is_what_holds_in_the_end(orders, items, turns):
    """However orders and items mix: the last word of each decides; the parent is never told twice, or the wrong thing."""
    ways, known, told = below(), None, None
    left = {True: list(orders), False: list(items)}
    for turn in [*turns, *[True] * 6, *[False] * 6]:
        if not left[turn]:
            continue
        kind, call = left[turn].pop(0)
        if kind == "go":
            ways.go_on("g", call)
        elif kind == "stop":
            ways.stop("g")
        elif kind == "begin":
            ways.begin("c", Began("g", call, call))
        else:
            ways.cease("c", "g")
        for _, item in ways.drain():
            told = item.call if isinstance(item, Began) else None
            assert told != known
            known = told
    onward = orders[-1][1] if orders and orders[-1][0] == "go" else None
    comes = items[-1][1] if items and items[-1][0] == "begin" else None
    assert known == (None if onward is None or comes is None else min(onward, comes))
    assert ways.next("g") == (None if known is None else "p")
