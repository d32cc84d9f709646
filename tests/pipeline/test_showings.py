"""The stages that every check reads, against the plain history."""

import numpy as np
from scipy.stats import rankdata


def test_clients_are_numbered_once(audited):
    """Everyone of the history, publishers and subscribers alike."""
    assert sorted(audited.clients.values()) == sorted(audited.history.clients)
    assert sorted(audited.clients) == list(range(len(audited.history.clients)))


def test_events_are_those_of_the_history(audited):
    """The same facts, for published ones; unpublished ones are there, too."""
    events, rows = audited.history.events, {row["event"]: row for row in audited.rows("events")}
    assert sorted(rows) == events.ids.tolist()
    for place, event in enumerate(events.ids.tolist()):
        row = rows[event]
        assert bool(row["published"]) == events.published[place]
        if row["published"]:
            assert audited.clients[row["publisher"]] == audited.history.clients[events.publisher[place]]
            found = (row["started"], row["number"], row["published_ns"], row["acknowledged"], row["expires_ns"])
            wanted = (events.incarnation, events.number, events.published_ns, events.acknowledged, events.expires_ns)
            assert found == tuple(column[place].item() for column in wanted)


def test_the_reference_is_one_order(audited):
    """Every event has a place of its own, and the places follow the mean instant of being shown."""
    rows = audited.rows("events")
    assert sorted(row["reference"] for row in rows) == list(range(1, len(rows) + 1))
    showings = audited.history.showings
    means = [
        showings.delivered_ns[showings.event == place].mean()
        for place in range(len(audited.history.events))
        if (showings.event == place).any()
    ]
    shown = {row["event"]: row["reference"] for row in rows}
    ids = [event for place, event in enumerate(audited.history.events.ids.tolist()) if (showings.event == place).any()]
    assert np.corrcoef(rankdata(means), [shown[event] for event in ids])[0, 1] > 0.9999


def test_ranks_count_a_publishers_events(audited):
    """From 1, by time; numbers that ascend are straight."""
    by_publisher = {}
    for row in audited.rows("events"):
        if row["published"]:
            by_publisher.setdefault(row["publisher"], []).append(row)
    for rows in by_publisher.values():
        rows.sort(key=lambda row: (row["published_ns"], row["number"]))
        assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
        assert all(row["straight"] for row in rows)


def test_showings_are_those_of_the_history(audited):
    """In the same order for each subscriber, with the same ones first, and the same ones ordered."""
    history, rows = audited.history, audited.rows("showings")
    rows.sort(key=lambda row: (audited.clients[row["client"]], row["place"]))
    names = np.array(history.clients)
    for rows_there, showings in (
        (rows, history.showings),
        ([row for row in rows if row["ordered"]], history.showings.ordered),
    ):
        order = np.argsort(names[showings.subscriber], kind="stable")
        assert [row["event"] for row in rows_there] == history.events.ids[showings.event[order]].tolist()
        assert [audited.clients[row["client"]] for row in rows_there] == names[showings.subscriber[order]].tolist()
        assert [row["tagged"] for row in rows_there] == showings.tagged[order].tolist()
    assert sum(row["first"] for row in rows) == len({(row["client"], row["event"]) for row in rows})
