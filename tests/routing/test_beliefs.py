"""What links are taken for: expected until measured."""

from tidings.routing.beliefs import Beliefs
from tidings.routing.link_quality import LinkQuality
from tidings.vocabulary.frames import LinkReport

EXPECTED = {("a", "b"): LinkQuality(5.0, 0.9), ("b", "a"): LinkQuality(5.0, 0.9)}


def report(*links, broker="a"):
    """What a broker says of its links."""
    return LinkReport(broker, 0, 1, (), (), links)


def test_what_is_measured_takes_the_place_of_what_was_expected():
    """For the sender's own directions, in a new mapping."""
    beliefs = Beliefs(EXPECTED)
    assert beliefs.links is EXPECTED
    assert beliefs.learn(report(("b", 7, 0.5)))
    assert beliefs.links == {**EXPECTED, ("a", "b"): LinkQuality(7.0, 0.5)}
    assert EXPECTED["a", "b"] == LinkQuality(5.0, 0.9)


def test_no_news_changes_nothing():
    """The same again, nothing, or links that do not exist."""
    beliefs = Beliefs(EXPECTED)
    assert not beliefs.learn(report())
    assert not beliefs.learn(report(("b", 5, 0.9)))
    assert not beliefs.learn(report(("c", 7, 0.5)))
    assert beliefs.links is EXPECTED
