"""Who wants what: for each kind of content the share that each filter wants, and what each broker needs for its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tidings.analysis.contents import Asked, Bools, Contents, contents_of, skewed
from tidings.analysis.sources import Source
from tidings.scenario.world import Subscriber
from tidings.vocabulary.filter_parser import parsed

Shares: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, eq=False, slots=True)
class TopicInterest:
    """Of the events of one source on one topic."""

    contents: Contents
    shares: Shares
    """Wanted by each filter that wants any of them."""
    unions: Mapping[str, Bools]
    """By broker: what its own subscribers want together."""


class Interest:
    """All filters of a world, asked once for each different kind of content."""

    def __init__(self, subscribers: Sequence[Subscriber], skew: float = 1.0) -> None:
        self._skew = skew
        self._at: dict[str, dict[str, None]] = {}
        """Brokers with somebody who has the filter."""
        self._by_topic: dict[str, dict[str, None]] = {}
        self._everywhere: dict[str, None] = {}
        """Filters that may hold on any topic."""
        self._known: dict[tuple[str, str], TopicInterest] = {}
        for subscriber in subscribers:
            if subscriber.filter not in self._at:
                self._index(subscriber)
            self._at.setdefault(subscriber.filter, {})[subscriber.broker] = None

    def _index(self, subscriber: Subscriber) -> None:
        if subscriber.topics is None:
            self._everywhere[subscriber.filter] = None
            return
        for topic in subscriber.topics:
            self._by_topic.setdefault(topic, {})[subscriber.filter] = None

    def on(self, source: Source, topic: str) -> TopicInterest:
        """What is wanted of a source's events on one topic."""
        laws = source.example.attributes
        kind = source.example.id if source.record is not None else repr(sorted(laws.items(), key=lambda item: item[0]))
        found = self._known.get((kind, topic))
        if found is None:
            found = self._known[kind, topic] = self._ask(source, topic)
        return found

    def _ask(self, source: Source, topic: str) -> TopicInterest:
        texts = [*self._by_topic.get(topic, ()), *self._everywhere]
        wishes = [parsed(text) for text in texts]
        if source.record is not None:
            contents = source.record.contents[topic]
        else:
            contents = contents_of(source.example.attributes, topic, wishes)
        if self._skew != 1.0:
            contents = skewed(contents, self._skew)
        asked = Asked(contents)
        shares: dict[str, float] = {}
        unions: dict[str, Bools] = {}
        for text, wish in zip(texts, wishes, strict=True):
            wanted = asked.wants(wish)
            share = float(contents.weights @ wanted)
            if share > 0:
                shares[text] = min(share, 1.0)
                for broker in self._at[text]:
                    unions[broker] = wanted | unions[broker] if broker in unions else wanted
        return TopicInterest(contents, shares, unions)


def share_of(contents: Contents, wanted: Bools) -> float:
    """Probability of the contents that are wanted."""
    return min(float(np.dot(contents.weights, wanted)), 1.0)
