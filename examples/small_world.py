"""What the processes of the example agree on: trees, and events as text."""

import time
from collections.abc import Iterable
from typing import Final

from tidings.matching import BitsetMatcher
from tidings.node import BrokerOptions
from tidings.routing import TableOptions, plan_trees, tree_neighbours
from tidings.vocabulary.event import Event, event_id
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.overlay import Overlay
from tidings.vocabulary.value import format_literal, parse_literal

LIFETIME_NS: Final = 10 * SECOND
TOPICS: Final = ("quote", "weather")
"""What the trees are planned for; events on other topics go nowhere."""

WISH: Final = 'topic == "quote" and price >= 10'
EVENTS: Final = ("quote price=12", "quote price=9.99", "weather price=50", "quote", "quote price=10", "quote price=99")
WANTED: Final = ("quote price=12", "quote price=10", "quote price=99")
"""What WISH holds for. The last event is wanted and links keep the order: whoever has been shown it misses nothing."""


def broker_options(name: str, brokers: Iterable[str]) -> BrokerOptions:
    """The same trees in every process that is told the same brokers: each is linked to each, all equally far."""
    names = tuple(sorted(brokers))
    links = tuple((one, other) for place, one in enumerate(names) for other in names[place + 1 :])
    trees = plan_trees(Overlay(names, links, (1.0,) * len(links)), TOPICS)
    return BrokerOptions(
        name=name,
        neighbours={tree.name: tree_neighbours(tree.links).get(name, ()) for tree in trees},
        tree_of={topic: tree.name for tree in trees for topic in tree.topics}.get,
        table=TableOptions(new_matcher=BitsetMatcher),
    )


def event_of(publisher: str, number: int, text: str) -> Event:
    """`quote price=12.5`, published now, to be shown within ten seconds."""
    topic, *pairs = text.split()
    attributes = {name: parse_literal(value) for name, value in (pair.split("=", 1) for pair in pairs)}
    now = time.monotonic_ns()
    return Event(event_id(0, number), publisher, topic, now, attributes, now + LIFETIME_NS)


def text_of(event: Event) -> str:
    """The text that `event_of` reads."""
    return " ".join([event.topic, *(f"{name}={format_literal(value)}" for name, value in event.attributes.items())])
