"""Soft state between two neighbours: one teller, one listener, and a link that loses, repeats and reorders."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.delivery.soft_state import (
    ANSWER_NS,
    ANSWER_NS_MAX,
    RENEWALS_MISSED_MAX,
    TRIES_MAX,
    Change,
    Known,
    Listener,
    Teller,
)
from tidings.vocabulary.frames import Interests, InterestsKnown
from tidings.vocabulary.instant import SECOND

RENEW_NS = 50 * SECOND


def teller(*, incarnation=0, renew_ns=None):
    """What we want, as neighbour n is told."""
    return Teller(tree="t", neighbour="n", incarnation=incarnation, renew_ns=renew_ns)


def whole(version, *texts, incarnation=0):
    """Everything that is wanted."""
    return Interests("t", incarnation, version, None, texts)


def change(version, added=(), removed=(), base=None, incarnation=0):
    """A step from the version before, or from `base`."""
    return Interests("t", incarnation, version, version - 1 if base is None else base, added, removed)


def known(version, confirmed=None, **more):
    """The neighbour's answer."""
    return InterestsKnown("t", more.pop("incarnation", 0), version, version if confirmed is None else confirmed, **more)


# ---- the teller


def test_the_first_word_is_the_whole_and_then_changes_follow():
    """Versions count every change."""
    one = teller()
    assert one.change(("a", "b"), (), 0) == whole(1, "a", "b")
    assert one.change(("c",), ("a",), 0) == change(2, ("c",), ("a",))
    assert one.whole(0) == whole(2, "b", "c")


def test_nothing_is_due_before_anything_was_told():
    """A broker that wants nothing is silent; an early timer does no harm."""
    one = teller(renew_ns=RENEW_NS)
    assert one.deadline is None
    assert one.due(10**18) is None
    one.change(("a",), (), 0)
    assert one.due(ANSWER_NS - 1) is None


def test_the_whole_is_said_again_until_it_is_acknowledged():
    """Waits double up to a minute."""
    one = teller()
    one.change(("a",), (), 0)
    waits, now = [], 0
    for _ in range(9):
        waits.append(one.deadline - now)
        now = one.deadline
        assert one.due(now) == whole(1, "a")
    assert waits[:6] == [ANSWER_NS << tries for tries in range(6)]
    assert waits[6:] == [ANSWER_NS_MAX] * 3


def test_what_is_acknowledged_is_only_asked_about():
    """The neighbour knows it, but those behind it have not confirmed: waits double all the same."""
    one = teller()
    one.change(("a",), (), 0)
    waits, now = [], 0
    for _ in range(4):
        assert one.hear(known(1, 0), now) is None
        waits.append(one.deadline - now)
        now = one.deadline
        assert one.due(now) == change(1, base=1)
        assert one.known == Known(0, ())
    assert waits == [1 * SECOND, 2 * SECOND, 4 * SECOND, 8 * SECOND]
    one.hear(known(1), now)
    assert one.deadline is None
    assert one.known == Known(1, ())


def test_a_neighbour_that_never_answers_counts_as_missing():
    """After so many tries; it is asked on, and a new change does not wait for it."""
    one = teller()
    one.change(("a",), (), 0)
    for tries in range(TRIES_MAX + 1):
        assert one.known == Known(0, ()), tries
        one.due(one.deadline)
    assert one.known == Known(1, ("n",))
    one.change(("b",), (), one.deadline)
    assert one.known == Known(2, ("n",))
    assert one.due(one.deadline) == whole(2, "a", "b")
    one.hear(known(2, 1), 10**12)
    assert one.known == Known(2, ("n",))
    one.hear(known(2), 10**12)
    assert one.known == Known(2, ())


def test_any_answer_shows_that_a_neighbour_is_there():
    """Silent tries count from the last answer, whatever it said."""
    one = teller()
    one.change(("a",), (), 0)
    for answer in (known(1, 0), known(0, 0), known(0, behind=True)):
        for _ in range(TRIES_MAX):
            one.due(one.deadline)
        one.hear(answer, one.deadline)
    for _ in range(TRIES_MAX):
        one.due(one.deadline)
    assert one.known == Known(0, ())


def test_who_is_behind_gets_the_whole():
    """Whatever it says about versions."""
    one = teller()
    one.change(("a",), (), 0)
    one.hear(known(1), 0)
    assert one.hear(known(-1, incarnation=-1, behind=True), 5) == whole(1, "a")
    assert one.deadline == 5 + ANSWER_NS


def test_answers_to_others_are_not_taken():
    """To an earlier process, or to versions that were never told."""
    one = teller(incarnation=2)
    one.change(("a",), (), 0)
    for answer in (known(1, incarnation=1), known(7, incarnation=2), known(1, 7, incarnation=2)):
        assert one.hear(answer, 0) is None
        assert one.known == Known(0, ())
        assert one.deadline == ANSWER_NS


def test_an_answer_that_was_overtaken_takes_nothing_back():
    """What was confirmed stays so."""
    one = teller()
    one.change(("a",), (), 0)
    one.change(("b",), (), 0)
    one.hear(known(2), 0)
    one.hear(known(1, 1), 0)
    assert one.known == Known(2, ())
    assert one.deadline is None


def test_whoever_is_missing_is_asked_about_until_nobody_is():
    """Also when the bad news comes after the good: better news may be lost on its way."""
    one = teller()
    one.change(("a",), (), 0)
    one.hear(known(1), 0)
    one.hear(known(1, missing=("z",)), 10)
    assert one.known == Known(1, ("z",))
    assert one.deadline == 10 + ANSWER_NS
    assert one.due(one.deadline) == change(1, base=1)
    one.hear(known(1), 10 + ANSWER_NS)
    assert one.known == Known(1, ())
    assert one.deadline is None


def test_renewals_come_regularly_and_with_them_nothing_but_the_version():
    """Whole only while unacknowledged; a question on the way does not move them."""
    one = teller(renew_ns=RENEW_NS)
    one.change(("a",), (), 0)
    one.hear(known(1), 1)
    assert one.deadline == RENEW_NS
    assert one.due(RENEW_NS) == change(1, base=1)
    one.change((), ("a",), RENEW_NS + 5)
    one.hear(known(2), RENEW_NS + 6)
    assert one.deadline == 2 * RENEW_NS
    one.change(("b",), (), 2 * RENEW_NS - 5)
    assert one.deadline == 2 * RENEW_NS
    assert one.due(2 * RENEW_NS) == whole(3, "b")
    assert one.deadline == 2 * RENEW_NS - 5 + ANSWER_NS
    assert one.whole(0) == whole(3, "b")
    assert one.deadline == 2 * RENEW_NS - 5 + ANSWER_NS


# ---- the listener


def test_a_listener_follows_step_by_step():
    """Only what is new is a change."""
    one = Listener(renew_ns=None)
    assert one.learn(whole(1, "a", "b"), 0) == Change(("a", "b"), ())
    assert one.learn(change(2, ("c", "a"), ("b", "x")), 0) == Change(("c",), ("b",))
    assert one.learn(whole(3, "c", "d"), 0) == Change(("d",), ("a",))
    assert (one.incarnation, one.version, one.deadline) == (0, 3, None)


def test_repeated_words_change_nothing_and_are_answered():
    """The answer may have been lost."""
    one = Listener(renew_ns=None)
    for frame in (whole(1, "a"), change(2, ("b",))):
        one.learn(frame, 0)
        assert one.learn(frame, 0) == Change()


@pytest.mark.parametrize(
    "frame", [whole(3, "x", incarnation=1), change(3, ("x",), incarnation=1), whole(9, "x"), change(5, ("x",))]
)
def test_old_words_are_not_heard(frame):
    """Of versions and of processes that are over."""
    one = Listener(renew_ns=None)
    one.learn(whole(4, "a", incarnation=1), 0)
    assert one.learn(frame, 0) is None
    assert one._wanted == {"a": None}


@pytest.mark.parametrize(
    "frame", [change(3, ("x",)), change(6, base=6), change(5, base=5, incarnation=1), change(5, ("x",), incarnation=1)]
)
def test_a_gap_needs_the_whole(frame):
    """A missed change, a renewal of the unknown, a new process; nothing is changed meanwhile."""
    one = Listener(renew_ns=None)
    assert one.learn(change(1, ("a",)), 0) == Change(behind=True)
    one.learn(whole(1, "a"), 0)
    assert one.learn(frame, 0) == Change(behind=True)
    assert (one.incarnation, one.version) == (0, 1)
    assert one.learn(change(2, ("b",)), 0) == Change(("b",), ())


def test_a_new_process_starts_over():
    """Its versions count anew, its first word is the whole."""
    one = Listener(renew_ns=None)
    one.learn(whole(7, "a", "b"), 0)
    assert one.learn(whole(0, "b", incarnation=1), 0) == Change((), ("a",))
    assert (one.incarnation, one.version) == (1, 0)


def test_what_is_not_renewed_is_forgotten():
    """After three renewals that did not come; then only the whole will do."""
    one = Listener(renew_ns=RENEW_NS)
    one.learn(whole(1, "a"), 5)
    assert one.deadline == 5 + RENEWALS_MISSED_MAX * RENEW_NS
    assert one.learn(change(1, base=1), 9) == Change()
    assert one.deadline == 9 + RENEWALS_MISSED_MAX * RENEW_NS
    assert one.forget() == Change((), ("a",))
    assert one.deadline is None
    assert one.learn(change(1, base=1), 10) == Change(behind=True)
    assert one.deadline is None
    assert one.learn(whole(1, "a"), 10) == Change(("a",), ())


# ---- both, and a bad link

troubles = st.lists(
    st.tuples(
        st.sampled_from(("change", "change", "carry", "carry", "swap", "lose", "repeat", "wait", "restart")),
        st.integers(0, 9),
    ),
    max_size=60,
)


class Link:
    """A teller that restarts, a listener that stays, and what is on its way between them."""

    def __init__(self, renew_ns):
        self.renew_ns = renew_ns
        self.now = 0
        self.incarnation = -1
        self.listener = Listener(renew_ns=renew_ns)
        self.flying = []
        self.wanted = set()
        self.learned = set()
        self.restart(0)

    def change(self, number):
        """Something more is wanted, or no longer."""
        text = f"x{number % 4}"
        added, removed = ((), (text,)) if text in self.wanted else ((text,), ())
        self.wanted ^= {text}
        self.flying.append(self.teller.change(added, removed, self.now))

    def carry(self, _number):
        """The oldest frame arrives."""
        self._arrive(0)

    def swap(self, number):
        """Some frame overtakes the others."""
        self._arrive(number)

    def lose(self, number):
        """Some frame does not arrive."""
        if self.flying:
            self.flying.pop(number % len(self.flying))

    def repeat(self, number):
        """Some frame comes twice."""
        if self.flying:
            self.flying.append(self.flying[number % len(self.flying)])

    def wait(self, number):
        """Time passes; whose timer rings does what is due."""
        self.now += number * 10 * SECOND
        for _ in range(3):
            self.ring()

    def restart(self, _number):
        """The teller's process starts anew, and wants nothing."""
        self.incarnation += 1
        self.teller = teller(incarnation=self.incarnation, renew_ns=self.renew_ns)
        self.wanted = set()

    def ring(self):
        """Whatever is due now."""
        frame = self.teller.due(self.now)
        if frame is not None:
            self.flying.append(frame)
        if self.listener.deadline is not None and self.listener.deadline <= self.now:
            self._apply(self.listener.forget())

    def calm(self):
        """Nothing is lost any more, the teller says once more what it wants, and time passes."""
        self.change(0)
        for _ in range(40):
            while self.flying:
                self._arrive(0)
            self.now += 10 * SECOND
            self.ring()

    def _arrive(self, number):
        if not self.flying:
            return
        frame = self.flying.pop(number % len(self.flying))
        if isinstance(frame, InterestsKnown):
            answer = self.teller.hear(frame, self.now)
            self.flying += [] if answer is None else [answer]
            return
        change = self.listener.learn(frame, self.now)
        if change is not None:
            self._apply(change)
            version = self.listener.version
            self.flying.append(InterestsKnown("t", self.listener.incarnation, version, version, change.behind))

    def _apply(self, change):
        assert self.learned.isdisjoint(change.added)
        assert self.learned.issuperset(change.removed)
        self.learned = (self.learned | set(change.added)) - set(change.removed)
        assert self.learned == set(self.listener._wanted)


@given(troubles, st.sampled_from((None, RENEW_NS)))
def test_after_all_troubles_both_sides_agree(troubles, renew_ns):
    """Whatever was lost, repeated, overtaken or restarted; every change that a listener reports is one."""
    link = Link(renew_ns)
    for trouble, number in troubles:
        getattr(link, trouble)(number)
    link.calm()
    assert link.learned == link.wanted == set(link.teller._wanted)
    assert link.teller.known == Known(link.teller.version, ())
    assert (link.teller.deadline is None) == (renew_ns is None)


# ---- brokers that stand in for a neighbour


def test_a_deputy_tells_another_broker_the_same():
    """From the next version on, with renewals of its own."""
    one = teller(renew_ns=None)
    one.change(("a", "b"), (), 0)
    other = one.deputy("m", 6, RENEW_NS)
    assert other.whole(10) == whole(7, "a", "b")
    assert (other.neighbour, other.renew_ns) == ("m", RENEW_NS)
    other.change(("c",), (), 20)
    assert one.whole(30) == whole(1, "a", "b"), "what it is told from then on is its own business"


def test_the_last_word_is_that_nothing_is_wanted():
    """And the next version is that of the word after it."""
    one = teller()
    one.change(("a",), (), 0)
    assert one.farewell() == whole(2)
    listener = Listener(renew_ns=None)
    listener.learn(whole(1, "a"), 0)
    assert listener.learn(one.farewell(), 1) == Change(removed=("a",))


def test_nobody_waits_for_a_neighbour_that_cannot_be_reached():
    """Until it has confirmed everything; who is patient waits."""
    one = teller()
    one.change(("a",), (), 0)
    one.despair()
    assert one.known == Known(1, ("n",))
    assert not one.is_confirmed
    one.hear(known(1), 5)
    assert one.is_confirmed
    assert one.known == Known(1, ())
    patient = Teller(tree="t", neighbour="n", incarnation=0, renew_ns=None, patient=True)
    patient.change(("a",), (), 0)
    patient.despair()
    assert patient.known == Known(0, ())
