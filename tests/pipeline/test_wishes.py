"""Classes of subscribers and what they want, against the plain audit."""

import numpy as np

from tidings.checking.outcomes import wanted_events
from tidings.checking.selection import Selection


def test_a_class_holds_equal_interests(audited):
    """Clients of a class have the same interests, others have not."""
    rows = audited.folder.table("interests").to_pylist()
    sets = {}
    for row in rows:
        wish = (row["filter"], row["requested_ns"], row["effective_ns"], row["until_ns"])
        sets.setdefault(row["subscriber"], set()).add(wish)
    by_class = {}
    for row in audited.rows("classes"):
        by_class.setdefault(row["class"], []).append(frozenset(sets.pop(audited.clients[row["client"]])))
    assert sets == {}
    assert all(len(set(one)) == 1 for one in by_class.values())
    assert len({one[0] for one in by_class.values()}) == len(by_class)


def test_wanted_is_what_the_plain_audit_wants(audited):
    """For every subscriber the same events."""
    history = audited.history
    selection = Selection(history.events, history.topics, history.interests.texts)
    wanted = {}
    for row in audited.rows("wanted"):
        if row["wanted"]:
            wanted.setdefault(row["class"], set()).add(row["event"])
    numbers = {name: number for number, name in enumerate(history.clients)}
    for row in audited.rows("classes"):
        mine = wanted_events(history, numbers[audited.clients[row["client"]]], selection)
        assert wanted.get(row["class"], set()) == set(history.events.ids[np.flatnonzero(mine)].tolist())


def test_owed_is_what_was_acknowledged_and_is_still_waited_for(audited):
    """By interests that were never taken back, as the plain audit counts it."""
    history = audited.history
    selection = Selection(history.events, history.topics, history.interests.texts)
    owed = {}
    for row in audited.rows("wanted"):
        if row["owed"]:
            owed.setdefault(row["class"], set()).add(row["event"])
    numbers = {name: number for number, name in enumerate(history.clients)}
    for row in audited.rows("classes"):
        mine = wanted_events(history, numbers[audited.clients[row["client"]]], selection, staying=True)
        mine &= history.events.acknowledged
        assert owed.get(row["class"], set()) == set(history.events.ids[np.flatnonzero(mine)].tolist())


def test_every_row_names_its_first_asking(audited):
    """The earliest request of an interest that holds; facts of the event are there."""
    facts = {row["event"]: row for row in audited.rows("events")}
    asked = {row["requested_ns"] for row in audited.folder.table("interests").to_pylist()}
    for row in audited.rows("wanted"):
        assert row["asked_ns"] in asked
        assert row["wanted"] or not row["owed"]
        assert row["given_up"] == facts[row["event"]]["given_up"]
