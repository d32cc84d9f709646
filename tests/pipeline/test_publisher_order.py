"""Inversions of publishers' orders, against the plain check."""

from collections import Counter

from tidings.checking.publisher_order import publisher_order
from tidings.pipeline.publisher_order import chances, inversions, ordered_showings


def test_inversions_are_those_of_the_plain_check(audited):
    """For each subscriber, over all topics and within one."""
    rows = inversions(audited.stage("showings"), audited.stage("suspects")).collect()
    for name, within_topic in (("fifo_inversions", False), ("topic_inversions", True)):
        plain = publisher_order(audited.history, within_topic=within_topic)
        wanted = Counter(audited.history.clients[one] for one in plain.subscribers.tolist())
        assert Counter({audited.clients[row["client"]]: row[name] for row in rows}) == wanted
        assert wanted.total() > 0


def test_chances_are_those_of_the_plain_check(audited):
    """Showings that had one of the same publisher and incarnation before them."""
    found = chances(audited.stage("showings")).head()[0]
    assert found == publisher_order(audited.history).chances > 0


def test_without_showings_there_are_no_chances(audited):
    """Nothing is a number, too."""
    assert chances(audited.stage("showings").limit(0)).head()[0] == 0


def test_whoever_has_an_inversion_is_suspect(audited):
    """No group outside the suspects has one: they are found by rank, inversions by number."""
    groups = {(row["client"], row["publisher"]) for row in audited.rows("suspects")}
    shown = ordered_showings(audited.stage("showings")).orderBy("client", "place").toArrow().to_pylist()
    highest = {}
    inverted = set()
    for row in shown:
        group = (row["client"], row["publisher"])
        if row["number"] < highest.get((*group, row["started"]), -1):
            inverted.add(group)
        highest[*group, row["started"]] = max(row["number"], highest.get((*group, row["started"]), -1))
    assert inverted <= groups
    assert inverted
