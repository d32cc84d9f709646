"""Wanted events and what became of them; showings that nothing allows."""

import itertools

import pytest
from hypothesis import given

from checking import twin
from checking.histories import drop, history_of, interest, publication, rows_of_runs, shown
from tidings.checking.outcomes import Outcome, outcomes

COUNTS = ("wanted", "on_time", "late", "expired", "lost", "acknowledged_lost", "duplicates", "unexpected")


def outcome(subscriber="s", **rows):
    """The outcome of one subscriber, by default one who wants everything."""
    history = history_of(**{"interests": [interest("s")], **rows})
    return outcomes(history)[history.clients.index(subscriber)]


def counts(found: Outcome):
    """Those that are not zero."""
    return {name: getattr(found, name) for name in COUNTS if getattr(found, name)}


def published(at=100, **other):
    """One publication."""
    return [publication(0, published_ns=at, **other)]


@given(rows_of_runs())
def test_agrees_with_the_twin(rows):
    """All counts of everyone, on random histories."""
    history = history_of(**rows)
    found = {history.clients[one]: counts(outcome) for one, outcome in outcomes(history).items()}
    assert found == {client: dict(twin.outcome(rows, client)) for client in twin.clients(rows)}


@given(rows_of_runs())
def test_each_wanted_event_is_exactly_one_of_four(rows):
    """The four add up."""
    for one in outcomes(history_of(**rows)).values():
        assert one.wanted == one.on_time + one.late + one.expired + one.lost
        assert one.acknowledged_lost <= one.lost
        assert len(one.delay_ns) == (4 if one.on_time + one.late else 0)
        assert len(one.late_by_ns) == (4 if one.late else 0)
        assert [sum(counts) for counts in zip(*one.batches, strict=True)] == [one.wanted, one.on_time]


@pytest.mark.parametrize(
    ("lifetime", "deadline", "delay", "expected"),
    [
        (None, None, 10**18, "on_time"),
        (50, None, 50, "on_time"),
        (50, 70, 51, "late"),
        (70, 50, 50, "on_time"),
        (70, 50, 51, "late"),
        (None, 2**63 - 1, 5, "on_time"),
        (None, 0, 0, "on_time"),
    ],
)
def test_on_time_is_within_lifetime_and_deadline(lifetime, deadline, delay, expected):
    """The shorter of the two, its last instant included."""
    deadlines = [] if deadline is None else [{"subscriber": "s", "publisher": None, "deadline_ns": deadline}]
    expires = None if lifetime is None else 100 + lifetime
    found = outcome(
        publications=published(expires_ns=expires), deliveries=shown("s", 0, at=100 + delay), deadlines=deadlines
    )
    assert getattr(found, expected) == 1


def test_a_deadline_of_its_own_replaces_the_general_one():
    """Longer or shorter; others' rows do not matter."""
    rows = [("s", None, 5), ("s", "p", 50), ("r", "p", 1), ("s", "q", 1)]
    deadlines = [dict(zip(("subscriber", "publisher", "deadline_ns"), row, strict=True)) for row in rows]
    found = outcome(publications=published(), deliveries=shown("s", 0, at=120), deadlines=deadlines)
    assert found.on_time == 1


@pytest.mark.parametrize(
    ("effective", "until", "wanted"),
    [(100, None, 1), (101, None, 0), (None, None, 0), (0, 100, 0), (0, 101, 1)],
)
def test_wanted_is_what_is_published_while_the_interest_is_effective(effective, until, wanted):
    """From the effective instant on, up to before the end."""
    interests = [interest("s", effective_ns=effective, until_ns=until)]
    assert outcome(publications=published(), interests=interests).wanted == wanted


def test_interests_that_overlap_want_an_event_once():
    """Two filters of one subscriber."""
    interests = [interest("s"), interest("s", filter='topic == "t"')]
    assert outcome(publications=published(), interests=interests).wanted == 1


@pytest.mark.parametrize(
    ("drops", "expected"),
    [
        ([], "lost"),
        ([drop(0)], "expired"),
        ([drop(0, "s")], "expired"),
        ([drop(0, "r")], "lost"),
        ([drop(0, reason="queue")], "lost"),
        ([drop(1)], "lost"),
    ],
)
def test_what_is_given_up_as_expired_is_not_lost(drops, expected):
    """For this subscriber or for everyone; for no other reason."""
    assert counts(outcome(publications=published(), drops=drops)) == {"wanted": 1, expected: 1}


def test_what_was_shown_is_not_expired():
    """A drop elsewhere does not undo a showing."""
    found = outcome(publications=published(), drops=[drop(0)], deliveries=shown("s", 0))
    assert counts(found) == {"wanted": 1, "on_time": 1}


def test_acknowledged_and_lost():
    """Only what the publisher was told to be safe."""
    assert outcome(publications=published(acknowledged_ns=0)).acknowledged_lost == 1
    assert outcome(publications=published()).acknowledged_lost == 0


def test_who_has_left_misses_nothing_that_was_acknowledged():
    """It is lost, since it was wanted when it was published; but there was nobody left to be shown it."""
    gone = [interest("s", until_ns=10**6)]
    found = outcome(publications=published(acknowledged_ns=0), interests=gone)
    assert (found.lost, found.acknowledged_lost) == (1, 0)
    again = [*gone, interest("s")]
    assert outcome(publications=published(acknowledged_ns=0), interests=again).acknowledged_lost == 1


def test_duplicates_count_across_restarts():
    """What the application was shown before, it need not be shown again; the first showing decides."""
    again = [*shown("s", 0, 0, at=100), *shown("s", 0, at=10**6, incarnation=1)]
    deadlines = [{"subscriber": "s", "publisher": None, "deadline_ns": 0}]
    found = outcome(publications=published(), deliveries=again, deadlines=deadlines)
    assert counts(found) == {"wanted": 1, "on_time": 1, "duplicates": 2}


@pytest.mark.parametrize(
    ("fault", "wish"),
    [
        ({"event": 7}, {}),
        ({"delivered_ns": 151}, {}),
        ({}, {"filter": 'topic == "u"'}),
        ({}, {"until_ns": 100}),
        ({}, {"requested_ns": 121, "effective_ns": None}),
    ],
)
def test_unexpected_showings(fault, wish):
    """Never published, past its lifetime, not wanted, after the end, before the request."""
    deliveries = [{**shown("s", 0, at=120)[0], **fault}]
    found = outcome(publications=published(expires_ns=150), deliveries=deliveries, interests=[interest("s", **wish)])
    assert found.unexpected == 1


@pytest.mark.parametrize(
    "wish",
    [
        {},
        {"requested_ns": 50, "effective_ns": 200},
        {"requested_ns": 110, "effective_ns": None},
        {"until_ns": 101},
    ],
)
def test_what_may_be_shown_is_not_unexpected(wish):
    """A subscription that is still spreading may or may not bring events."""
    found = outcome(publications=published(), deliveries=shown("s", 0, at=120), interests=[interest("s", **wish)])
    assert found.unexpected == 0


def test_who_wanted_nothing_is_reported_too():
    """A showing to a stranger is unexpected."""
    assert counts(outcome("x", publications=published(), deliveries=shown("x", 0))) == {"unexpected": 1}


def test_delays_are_whole_nanoseconds_that_occurred():
    """Nearest ranks; p50, p90, p99, max."""
    publications = [publication(number, published_ns=0) for number in range(100)]
    deliveries = [
        {**row, "delivered_ns": delay} for delay, row in zip(itertools.count(1), shown("s", *range(100)), strict=False)
    ]
    deadlines = [{"subscriber": "s", "publisher": None, "deadline_ns": 90}]
    found = outcome(publications=publications, deliveries=deliveries, deadlines=deadlines)
    assert found.delay_ns == (50, 90, 99, 100)
    assert found.late_by_ns == (5, 9, 10, 10)


def test_nothing_at_all():
    """Empty tables have no subscribers."""
    assert outcomes(history_of()) == {}
