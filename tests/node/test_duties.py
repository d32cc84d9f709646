"""What a broker answers for: taken once in each round, taken back when it is given back, never rid of by two at once."""

from tidings.node.duties import Duties
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Packet

EVENT = Event(1, "p", "t", 0, {})


def packet(path, *, round_=0, back=False, number=0):
    """A copy for d that made this walk."""
    return Packet(EVENT, number, ("d",), tuple(path), round=round_, back=back)


def test_a_duty_is_taken_once_in_a_round():
    """Held or passed on, it is declined until the broker where it started begins anew."""
    duties = Duties()
    duty = duties.take("a", packet("a"), "d")
    assert duty.holds
    assert duties.take("c", packet("ac"), "d") is None
    duty.given("e")
    assert not duty.holds
    assert duties.take("c", packet("ac"), "d") is None
    again = duties.take("c", packet("ac", round_=1), "d")
    assert again is not duty
    assert (again.round, again.holds) == (1, True)
    assert duties.take("a", packet("a"), "d") is None


def test_what_is_given_back_is_taken():
    """By whom it was given to, or by anybody who says so; with the walk that it made, and without being given there again."""
    duties = Duties()
    duty = duties.take("a", packet("a"), "d")
    duty.given("e")
    assert duties.take("e", packet("abe"), "d") is duty
    assert (duty.holds, list(duty.tried), duty.path) == (True, ["e"], tuple("abe"))
    duty.given("f")
    assert duties.take("g", packet("abg", back=True), "d") is duty
    assert list(duty.tried) == ["e", "g"]


def test_an_offer_under_way_counts_no_more_when_a_duty_is_given_back():
    """Else two brokers could be rid of it at once."""
    duty = Duties().begin(EVENT, "d")
    duties = Duties()
    duty = duties.begin(EVENT, "d")
    turn = duty.turn
    assert duties.take("b", packet("ab", back=True), "d") is duty
    assert duty.turn != turn


def test_an_older_round_is_over_when_a_new_one_comes():
    """Whoever still held it holds the new one instead."""
    duties = Duties()
    old = duties.take("a", packet("a"), "d")
    duties.take("a", packet("a", round_=1), "d")
    assert not old.holds


def test_upstream_is_who_it_first_came_from():
    """However often it has been here since; nobody where it started."""
    duties = Duties()
    duty = duties.take("a", packet("xa"), "d")
    assert duty.upstream("b") == "a"
    duty.given("c")
    duties.take("c", packet("xabcb" + "c"), "d")
    assert duty.upstream("b") == "a"
    assert duties.begin(Event(2, "p", "t", 0, {}), "d").upstream("a") is None


def test_beginning_anew_forgets_what_was_tried():
    """Where it started all brokers may try it again; elsewhere the walk is kept."""
    duties = Duties()
    first = duties.begin(EVENT, "d")
    first.tried["b"] = None
    first.begin_anew("a")
    assert (first.tried, first.path, first.round, first.pauses) == ({}, (), 1, 1)
    later = Duties().take("a", packet("a"), "d")
    later.begin_anew("b")
    assert (later.path, later.round, later.pauses) == (("a",), 0, 1)


def test_memory_is_bounded_and_what_is_held_is_not_forgotten():
    """Two generations; a third pushes out what was passed on."""
    duties = Duties(remembered=2)
    kept = duties.begin(Event(100, "p", "t", 0, {}), "d")
    given = duties.begin(Event(101, "p", "t", 0, {}), "d")
    given.given("b")
    for number in range(20):
        duties.begin(Event(number, "p", "t", 0, {}), "d").given("b")
    assert duties.find(100, "d") is kept
    assert duties.find(101, "d") is None
    assert duties.find(19, "d") is not None
