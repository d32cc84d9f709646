"""Stretches of events put together by hand, for tests of what works on them."""

import numpy as np

from tidings.simulation.columns import Block, Column, choice_kind
from tidings.simulation.publishing import Drawn, Topics
from tidings.simulation.stretch import Cast, Stretch
from tidings.vocabulary.instant import FOREVER


def drawn(instants, *, first=0, topics=None, attributes=None, expires=None, sizes=None, kind=None):
    """Events of one publisher, without attributes and on topic 0 unless told otherwise."""
    count = len(instants)
    rows = [{}] * count if attributes is None else attributes
    return Drawn(
        first=first,
        instants=np.array(instants, np.int64),
        expires=np.array([FOREVER] * count if expires is None else expires, np.int64),
        topics=np.array([0] * count if topics is None else topics, np.int64),
        sizes=np.array([0] * count if sizes is None else sizes, np.int64),
        blocks=blocks_of(rows, (kind, first)),
    )


def blocks_of(rows, kind):
    """A block for each set of names; numbers count the values met, or places in a fixed choice of all kinds."""
    places = {}
    for place, row in enumerate(rows):
        places.setdefault(tuple(row), []).append(place)
    return [
        Block(np.array(group), tuple(_column(name, [rows[place][name] for place in group], kind) for name in names))
        for names, group in places.items()
    ]


CHOICE = (0, 1, 1.0, True, False, "1", "a", -2, 0.5)


def _column(name, values, kind):
    if kind[0] == "choice":
        listed = [(type(one), one) for one in CHOICE]
        return Column(name, choice_kind(CHOICE), np.array([listed.index((type(one), one)) for one in values]), CHOICE)
    seen = {}
    numbers = [seen.setdefault((type(one), one), len(seen)) for one in values]
    return Column(name, (*kind, *seen), np.array(numbers, np.int64), [value for _, value in seen])


def cast(publishers=("p",), topics=("t",), trees=None):
    """One tree for all topics unless told otherwise."""
    return Cast(publishers, Topics(topics), dict.fromkeys(topics, 0) if trees is None else trees)


def stretch_of(rows, topics, *, kind="met", first=0):
    """One publisher's stretch of (topic, attributes), one event a nanosecond."""
    one = drawn(
        range(first, first + len(rows)),
        first=first,
        topics=[topics.index(topic) for topic, _ in rows],
        attributes=[attributes for _, attributes in rows],
        kind=kind,
    )
    return Stretch([one], first=first, cast=cast(topics=topics))
