"""Fig. 4: the latch follows the rate, and a record lets it rest."""

import pytest

from tidings.ordering import Past, Relevance, Stamp
from tidings.studies import fifo_adapts
from tidings.studies.study_run import StudyRun
from tidings.vocabulary.filter_parser import parse_filter


@pytest.fixture(scope="module")
def figure():
    """The quick form."""
    return fifo_adapts.adaptivity(StudyRun())


def test_more_messages_more_risk_longer_latch(figure):
    """At 400 a second against 20; with a record far fewer are latched at all."""
    ours = {row.what: row.ours for row in figure.findings}
    assert ours["mean chance of a violation, 400 messages/s, basic"] > 0.3
    assert ours["mean chance of a violation, 20 messages/s, basic"] < 0.15
    assert ours["mean latch, 400 messages/s, basic, ms"] > 2 * ours["mean latch, 20 messages/s, basic, ms"]
    assert ours["share of messages latched, record of 25"] < 0.5 * ours["share of messages latched, basic"]
    assert ours["of them received out of order"] > 0


def test_the_frames_of_the_paper_are_there(figure):
    """Five, one below the other."""
    assert [plot.title for plot in figure.plots] == [
        "out of order",
        "publication rate",
        "chance of a violation, basic",
        "latch, record of 25",
        "latch, basic",
    ]


def test_the_latest_missing_by_hand():
    """Number 3 is of no interest, 2 has come, 1 may matter; below the record anything may."""
    wish = Relevance()
    wish.wish(0, parse_filter('topic == "t"'))
    before = (Past(30, topic="x"), Past(20, topic="t"), Past(10, topic="t"))
    find = fifo_adapts._latest_missing
    assert find(Stamp(0, before), 4, {2}, wish) == 10
    assert find(Stamp(0, before), 3, {1, 0}, wish) is None
    assert find(Stamp(0, before[:1]), 4, {2}, wish) == 30
    assert find(Stamp(0, ()), 0, set(), wish) is None


def test_out_of_order_is_below_the_highest():
    """As a violation is defined."""
    flow = fifo_adapts.Flow((0, 10**9, 2 * 10**9), (0, 0, 0), 0, ((5, 1), (6, 0), (7, 2)))
    assert fifo_adapts._out_of_order(flow) == [0.0]
