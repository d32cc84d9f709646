"""The plain matcher keeps what it is given and answers like `holds`."""

import pytest

from tidings.matching.linear import LinearMatcher
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import Between, Compare, Everything, Nothing


def event(**attributes: str | float | bool) -> Event:
    """An event on topic `t`."""
    return Event(id=0, publisher="p", topic="t", published_ns=0, attributes=attributes)


def test_answers_are_the_ascending_keys_of_the_filters_that_hold() -> None:
    """Keys come back sorted, whatever the order in which they were added."""
    matcher = LinearMatcher()
    matcher.add_many([(7, Everything()), (3, Compare("price", ">", 10)), (5, Nothing())])
    assert [keys.tolist() for keys in matcher.match([event(price=11), event(price=10)])] == [[3, 7], [7]]
    assert matcher.match([event()])[0].dtype == "int64"


def test_a_removed_filter_is_forgotten_and_its_key_is_free() -> None:
    """After a removal the key can be given to another filter."""
    matcher = LinearMatcher()
    matcher.add(1, Everything())
    matcher.remove(1)
    assert (len(matcher), matcher.match([event()])[0].tolist()) == (0, [])
    matcher.add(1, Between("x", 0, 1))
    assert (len(matcher), matcher.match([event(x=1)])[0].tolist()) == (1, [1])


def test_keys_that_are_taken_negative_or_unknown_are_refused() -> None:
    """Mistakes with keys are told, and change nothing."""
    matcher = LinearMatcher()
    matcher.add(1, Everything())
    with pytest.raises(ValueError, match="key 1 is taken"):
        matcher.add(1, Nothing())
    with pytest.raises(ValueError, match="key -1 is negative"):
        matcher.add(-1, Nothing())
    with pytest.raises(KeyError):
        matcher.remove(2)
    assert len(matcher) == 1
