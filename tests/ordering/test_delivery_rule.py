"""When an event may be shown: the rule against its definition, and the window against trying again and again."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import InputError, PeerError
from tidings.ordering.delivery_rule import OrderedWindow, SubscriberClock, Verdict
from tidings.ordering.plan import plan_sequencing
from tidings.ordering.stage import Stage
from tidings.ordering.timestamp import Timestamp

NUMBERS = st.dictionaries(st.sampled_from("abc"), st.integers(0, 3))


@given(NUMBERS, NUMBERS, st.integers(1, 4))
def test_the_verdict_is_the_published_rule(shown, others, number):
    """Shown when it is the next of its topic and all other numbers of the subscriber's topics are what was shown."""
    clock = SubscriberClock(("a", *shown), shown)
    stamp = Timestamp.of("a", others | {"a": number, "z": 9})
    mine = {topic: value for topic, value in others.items() if topic in shown and topic != "a"}
    last = shown.get("a", 0)
    verdict = clock.verdict(stamp)
    assert (verdict is Verdict.SHOW) == (number == last + 1 and all(shown[t] == n for t, n in mine.items()))
    assert (verdict is Verdict.LATE) == (number <= last or any(n < shown[t] for t, n in mine.items()))
    awaited = clock.awaited(stamp)
    if verdict is Verdict.WAIT:
        assert clock[awaited[0]] < awaited[1]
    if verdict is Verdict.SHOW:
        assert awaited is None
        clock.show(stamp)
        assert clock["a"] == number
        assert clock.verdict(stamp) is Verdict.LATE


def test_entries_of_other_topics_say_nothing():
    """Topic z is ahead by far, and the subscriber does not have it."""
    assert SubscriberClock(("a",)).verdict(Timestamp.of("a", {"a": 1, "z": 100})) is Verdict.SHOW


def test_events_of_other_topics_are_refused():
    """Somebody sent what was not asked for."""
    stamp = Timestamp.of("z", {"z": 1})
    for ask in (SubscriberClock(("a",)).verdict, SubscriberClock(("a",)).awaited):
        with pytest.raises(PeerError, match="topic z came to a subscriber that does not have it"):
            ask(stamp)
    with pytest.raises(PeerError, match="topic z"):
        OrderedWindow(("a",)).receive(stamp, "x")


def test_layouts_may_change():
    """A later version's timestamps of a topic are read by their own layout."""
    clock = SubscriberClock(("a", "b"))
    assert clock.verdict(Timestamp.of("a", {"a": 1, "z": 1})) is Verdict.SHOW
    assert clock.verdict(Timestamp.of("a", {"a": 1, "b": 1})) is Verdict.WAIT


def test_showing_out_of_turn_is_our_own_bug():
    """The caller asks first."""
    with pytest.raises(AssertionError):
        SubscriberClock(("a",)).show(Timestamp.of("a", {"a": 2}))


def sequenced(count, picks):
    """`count` events on t1 to t3 in one stage, and their timestamps."""
    plan = plan_sequencing({"one": ("t1", "t2", "t3")}, k=1)
    stage = Stage(plan, plan.stages[0].name)
    return [stage.request(f"t{picks[event % len(picks)]}", event).timestamp for event in range(count)]


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_any_order_of_arrival_ends_in_the_one_order(order):
    """Four events on three topics, all orders; the last to come lets the rest go."""
    stamps, window, shown = sequenced(4, (1, 2, 1, 3)), OrderedWindow(("t1", "t2", "t3")), []
    for event in order:
        shown += window.receive(stamps[event], event)
    assert shown == [0, 1, 2, 3]
    assert (window.held, window.missing(), window.duplicates) == (0, [], 0)


@given(st.lists(st.integers(1, 3), min_size=1, max_size=4), st.data())
def test_the_window_shows_what_trying_again_would(picks, data):
    """Against a list that is gone through until nothing more can be shown; arrivals repeat and some are missing."""
    stamps = sequenced(10, picks)
    topics = data.draw(st.lists(st.sampled_from(("t1", "t2", "t3")), min_size=1, unique=True))
    wanted = [event for event in range(10) if stamps[event].topic in topics]
    arrivals = data.draw(st.lists(st.sampled_from(wanted), max_size=30) if wanted else st.just([]))
    window, clock, waiting = OrderedWindow(topics), SubscriberClock(topics), {}
    for event in arrivals:
        if clock.verdict(stamps[event]) is not Verdict.LATE:
            waiting[event] = stamps[event]
        expected, progress = [], True
        while progress:
            progress = False
            for other in sorted(waiting):
                if clock.verdict(waiting[other]) is Verdict.SHOW:
                    clock.show(waiting.pop(other))
                    expected.append(other)
                    progress = True
        assert window.receive(stamps[event], event) == expected
        assert window.held == len(waiting)
        have = {(stamp.topic, stamp.number) for stamp in waiting.values()}
        assert all(missing not in have for missing in window.missing())
        assert bool(window.missing()) == bool(waiting)


def test_duplicates_are_dropped():
    """Shown before, or held back already."""
    first, second = sequenced(2, (1,))
    window = OrderedWindow(("t1",))
    assert window.receive(second, "second") == []
    assert window.receive(second, "second again") == []
    assert window.missing() == [("t1", 1)]
    assert window.receive(first, "first") == ["first", "second"]
    assert window.receive(first, "first again") == []
    assert window.duplicates == 2


def test_what_does_not_fit_is_asked_for_again():
    """A full window still takes what can be shown at once, so it never blocks itself."""
    stamps, window = sequenced(4, (1,)), OrderedWindow(("t1",), held_max=1)
    assert window.receive(stamps[2], 2) == []
    assert window.receive(stamps[3], 3) == []
    assert (window.held, window.refused) == (1, 1)
    assert window.receive(stamps[0], 0) == [0]
    assert window.receive(stamps[1], 1) == [1, 2]
    assert window.receive(stamps[3], 3) == [3]


def test_what_should_have_come_before_is_never_shown():
    """It stays where it can be seen; stages on a tree never produce it."""
    window = OrderedWindow(("a", "b"), {"b": 2})
    assert window.receive(Timestamp.of("a", {"a": 1, "b": 1}), "x") == []
    assert (window.held, window.missing()) == (1, [])


def test_a_subscriber_may_start_anywhere():
    """With the numbers that it was told on joining."""
    window = OrderedWindow(("t1", "t2"), {"t1": 1})
    stamps = sequenced(3, (1, 1, 2))
    assert window.receive(stamps[0], 0) == []
    assert window.receive(stamps[2], 2) == []
    assert window.receive(stamps[1], 1) == [1, 2]
    assert window.duplicates == 1


def test_a_subscriber_has_topics():
    """Without any there is nothing to show."""
    with pytest.raises(InputError, match="at least one topic"):
        OrderedWindow(())


@given(NUMBERS, NUMBERS, st.integers(1, 4))
def test_the_weaker_rule_asks_for_no_more_than_was_shown(shown, others, number):
    """Shown when it is the next of its topic and nothing that comes before is missing; what was shown beyond is fine."""
    clock = SubscriberClock(("a", *shown), shown, exact=False)
    stamp = Timestamp.of("a", others | {"a": number, "z": 9})
    mine = {topic: value for topic, value in others.items() if topic in shown and topic != "a"}
    last = shown.get("a", 0)
    verdict = clock.verdict(stamp)
    assert (verdict is Verdict.SHOW) == (number == last + 1 and all(shown[t] >= n for t, n in mine.items()))
    assert (verdict is Verdict.LATE) == (number <= last)
    assert (clock.awaited(stamp) is None) == (number <= last + 1 and all(shown[t] >= n for t, n in mine.items()))


@given(st.lists(st.integers(1, 3), min_size=1, max_size=4), st.permutations(range(8)))
def test_both_rules_show_the_same_where_all_are_put_in_order(picks, order):
    """The later of two events names the earlier one: that alone makes the order."""
    stamps = sequenced(8, picks)
    windows = [OrderedWindow(("t1", "t2", "t3"), exact=exact) for exact in (True, False)]
    shown = [[one for event in order for one in window.receive(stamps[event], event)] for window in windows]
    assert shown[0] == shown[1] == list(range(8))


def test_topics_may_be_taken_on():
    """From a number on; what comes before is not shown, and other topics' numbers of it are not waited for."""
    window = OrderedWindow(("t1",))
    assert window.receive(Timestamp.of("t1", {"t1": 1, "t2": 5}), "a") == ["a"]
    window.begin("t2", 5)
    assert window.receive(Timestamp.of("t1", {"t1": 2, "t2": 6}), "d") == []
    assert window.receive(Timestamp.of("t2", {"t1": 0, "t2": 5}), "b") == []
    assert window.receive(Timestamp.of("t2", {"t1": 1, "t2": 6}), "c") == ["c", "d"]
    assert window.duplicates == 1


def test_topics_may_be_given_up():
    """With what is held of them; what waited for them goes on, and nothing else is missing because of them."""
    window = OrderedWindow(("a", "b", "c"))
    assert window.receive(Timestamp.of("b", {"b": 2, "c": 1}), "lost") == []
    assert window.receive(Timestamp.of("a", {"a": 1, "b": 1}), "kept") == []
    assert window.receive(Timestamp.of("c", {"c": 1, "a": 1}), "after") == []
    assert window.missing() == [("b", 1)]
    assert window.forget(["b"]) == ["kept", "after"]
    assert (window.held, window.missing()) == (0, [])
    with pytest.raises(PeerError, match="topic b came to a subscriber that does not have it"):
        window.receive(Timestamp.of("b", {"b": 1}), "x")


def test_what_only_the_given_up_waited_for_is_not_missing():
    """Two events of a topic wait for one of another: without the topic nobody does."""
    window = OrderedWindow(("a", "b"))
    assert window.receive(Timestamp.of("b", {"b": 1, "a": 3}), "x") == []
    assert window.missing() == [("a", 3)]
    assert window.forget(["b"]) == []
    assert window.missing() == []


def test_members_of_groups_may_see_an_effect_before_its_cause():
    """Groups {p1, p2, s}, {p2, p3}, {p3, s}: with k = 2 nothing is sequenced and s is shown e3 before e1; with k = 1 not."""
    members = {"p1": ("g1",), "p2": ("g1", "g2"), "p3": ("g2", "g3"), "s": ("g1", "g3")}
    shown = {}
    for k in (1, 2):
        plan = plan_sequencing(members, k=k)
        stages = {stage.name: Stage(plan, stage.name) for stage in plan.stages}
        stamps = [
            stages[plan.routes[group].stage].request(group, number).timestamp
            for number, group in enumerate(("g1", "g2", "g3"))
        ]
        window = OrderedWindow(members["s"])
        shown[k] = window.receive(stamps[2], "e3") + window.receive(stamps[0], "e1")
        assert all(len(stamp.numbers) == 1 for stamp in stamps) == (k == 2)
    assert shown == {1: ["e1", "e3"], 2: ["e3", "e1"]}


def test_a_clock_tells_what_a_timestamp_says_of_its_topics():
    """Of the subscriber's other topics alone."""
    clock = SubscriberClock(("a", "b", "c"))
    assert clock.others(Timestamp.of("a", {"a": 1, "b": 4, "z": 9})) == [("b", 4)]
