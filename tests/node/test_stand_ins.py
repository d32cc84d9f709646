"""Who is told instead of a neighbour that cannot be reached, and until when."""

from tidings.delivery.soft_state import Teller
from tidings.node.stand_ins import StandIns
from tidings.vocabulary.frames import Interests, InterestsKnown
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.machine import SendFrame

RENEW_NS = 60 * SECOND


def primary(name="n"):
    """The teller of a neighbour, which has been told that a is wanted."""
    one = Teller(tree="t", neighbour=name, incarnation=0, renew_ns=RENEW_NS)
    one.change(("a",), (), 0)
    return one


def whole(version, *texts):
    """Everything that is wanted."""
    return Interests("t", 0, version, None, texts)


def appointed(*names):
    """A neighbour and those who stand in for it, told everything."""
    stand_ins, one = StandIns(RENEW_NS), primary()
    for name in stand_ins.appoint(one, names):
        stand_ins.tellers[name].whole(0)
    return stand_ins, one


def test_those_who_stand_in_have_everything_to_hear():
    """What the neighbour was told; said by whoever appointed them."""
    stand_ins, one = StandIns(RENEW_NS), primary()
    assert stand_ins.appoint(one, ("x", "y")) == ["x", "y"]
    assert [teller.whole(1) for teller in stand_ins.tellers.values()] == [whole(0, "a"), whole(0, "a")]
    assert stand_ins.appoint(one, ("y", "x", "z")) == ["z"]
    assert list(stand_ins.tellers) == ["x", "y", "z"]


def test_changes_are_told_to_those_on_that_side_only():
    """Each counts its own versions."""
    stand_ins, _ = appointed("x")
    other = primary("m")
    stand_ins.tellers["y"] = None if stand_ins.appoint(other, ("y",)) == [] else stand_ins.tellers["y"]
    stand_ins.tellers["y"].whole(0)
    assert stand_ins.tell({"n": (("b",), ("a",))}, 5) == [SendFrame("x", Interests("t", 0, 1, 0, ("b",), ("a",)))]
    assert stand_ins.tell({"q": (("b",), ())}, 5) == []


def test_who_stands_in_no_more_is_told_nothing():
    """And when it does so again, everything, under a number that it takes for newer."""
    stand_ins, one = appointed("x", "y")
    stand_ins.tell({"n": (("b",), ())}, 1)
    assert stand_ins.appoint(one, ("y",)) == []
    assert list(stand_ins.tellers) == ["y"]
    assert stand_ins.appoint(one, ("x", "y")) == ["x"]
    assert stand_ins.tellers["x"].whole(2).version == 2


def test_they_stay_until_the_neighbour_has_confirmed_anew():
    """It may have forgotten everything, whatever it confirmed before."""
    stand_ins, one = appointed("x")
    one.hear(InterestsKnown("t", 0, 1, 1), 1)
    assert stand_ins.release(one, 2) == [SendFrame("n", Interests("t", 0, 2, 1))]
    assert stand_ins.release(one, 3) == [], "once is enough"
    assert list(stand_ins.goodbyes({"n": one})) == []
    assert stand_ins.tell({"n": (("b",), ())}, 4) != []
    one.hear(InterestsKnown("t", 0, 2, 2), 5)
    assert list(stand_ins.goodbyes({"n": one})) == [SendFrame("x", whole(2))]
    assert stand_ins.tellers == {}
    assert list(stand_ins.goodbyes({"n": one})) == []
    stand_ins.appoint(one, ("x",))
    assert stand_ins.tellers["x"].whole(6).version == 3, "later than the last word"


def test_a_neighbour_that_is_lost_again_is_not_waited_for():
    """Those who stood in go on."""
    stand_ins, one = appointed("x")
    stand_ins.release(one, 1)
    assert stand_ins.appoint(one, ("x",)) == []
    one.hear(InterestsKnown("t", 0, 2, 2), 2)
    assert list(stand_ins.goodbyes({"n": one})) == []


def test_nobody_is_released_where_nobody_stood_in():
    """A neighbour that was reached by another way has heard everything."""
    assert StandIns(RENEW_NS).release(primary(), 0) == []
