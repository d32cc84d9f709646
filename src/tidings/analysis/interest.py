"""Who wants what: for each kind of content the share that each filter wants, and what each broker needs for its own."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidings.analysis.contents import Asked, Bools, Contents, contents_of, skewed
from tidings.analysis.sources import Source
from tidings.scenario.world import Subscriber
from tidings.vocabulary.filter import Filter
from tidings.vocabulary.filter_parser import parsed

Shares: TypeAlias = Mapping[str, float]
Wanted: TypeAlias = NDArray[Any]
"""For each content: whether it is wanted, or how likely."""
Places: TypeAlias = Callable[[Subscriber], Mapping[str, float]]
"""The share of the time that each broker takes events for a subscriber."""


@dataclass(frozen=True, eq=False, slots=True)
class TopicInterest:
    """Of the events of one source on one topic."""

    contents: Contents
    shares: Shares
    """Wanted by each filter that wants any of them."""
    unions: Mapping[str, Wanted]
    """By broker: the probability that any of its own subscribers wants each content; all or nothing where none roams."""


Answer: TypeAlias = tuple[str, Bools, float]
"""A filter, the contents that it wants, and their share."""


class Wishes:
    """All filters, and what they say to a source's events on a topic."""

    def __init__(self, subscribers: Sequence[Subscriber], skew: float = 1.0) -> None:
        self._skew = skew
        self._by_topic: dict[str, dict[str, None]] = {}
        self._everywhere: dict[str, None] = {}
        """Filters that may hold on any topic."""
        self._kept: dict[tuple[str, str], tuple[Contents, tuple[Answer, ...]]] = {}
        self.keeps = False
        """Whether answers are kept for those who ask again: that takes a byte for each filter and content."""
        indexed: set[str] = set()
        for subscriber in subscribers:
            if subscriber.filter not in indexed:
                indexed.add(subscriber.filter)
                self._index(subscriber)

    def _index(self, subscriber: Subscriber) -> None:
        if subscriber.topics is None:
            self._everywhere[subscriber.filter] = None
            return
        for topic in subscriber.topics:
            self._by_topic.setdefault(topic, {})[subscriber.filter] = None

    def asked(self, kind: str, source: Source, topic: str) -> tuple[Contents, Iterable[Answer]]:
        """Contents of this kind, and each filter that wants any of them."""
        if not self.keeps:
            return self._ask(source, topic)
        if (kind, topic) not in self._kept:
            contents, answers = self._ask(source, topic)
            self._kept[kind, topic] = contents, tuple(answers)
        return self._kept[kind, topic]

    def _ask(self, source: Source, topic: str) -> tuple[Contents, Iterator[Answer]]:
        texts = [*self._by_topic.get(topic, ()), *self._everywhere]
        wishes = [parsed(text) for text in texts]
        if source.record is not None:
            contents = source.record.contents[topic]
        else:
            contents = contents_of(source.example.attributes, topic, wishes)
        if self._skew != 1.0:
            contents = skewed(contents, self._skew)
        return contents, _answers(contents, texts, wishes)


class Interest:
    """What the subscribers of a world want, worked out once for each different kind of content."""

    def __init__(
        self,
        subscribers: Sequence[Subscriber],
        skew: float = 1.0,
        *,
        wishes: Wishes | None = None,
        places: Places | None = None,
    ) -> None:
        self._wishes, self._places = wishes or Wishes(subscribers, skew), places
        self._known: dict[tuple[str, str], TopicInterest] = {}
        self._at: dict[str, dict[str, float]] = {}
        """By filter: brokers with somebody who has it, and how likely."""
        for subscriber in subscribers:
            here = self._at.setdefault(subscriber.filter, {})
            if subscriber.mobility is None or places is None:
                here[subscriber.broker] = 1.0
                continue
            for broker, share in places(subscriber).items():
                here[broker] = 1 - (1 - here.get(broker, 0.0)) * (1 - share)

    def narrowed(self, subscribers: Sequence[Subscriber]) -> "Interest":
        """With only these of them there; all filters still have their shares, and are not asked again."""
        self._wishes.keeps = True
        return Interest(subscribers, wishes=self._wishes, places=self._places)

    def on(self, source: Source, topic: str) -> TopicInterest:
        """What is wanted of a source's events on one topic."""
        key = _kind(source), topic
        if key not in self._known:
            self._known[key] = self._joined(*self.answers(source, topic))
        return self._known[key]

    def answers(self, source: Source, topic: str) -> tuple[Contents, Iterable[Answer]]:
        """What each filter wants of a source's events on one topic, whoever has it."""
        return self._wishes.asked(_kind(source), source, topic)

    def _joined(self, contents: Contents, answers: Iterable[Answer]) -> TopicInterest:
        shares: dict[str, float] = {}
        unions: dict[str, Wanted] = {}
        for text, wanted, share in answers:
            shares[text] = share
            for broker, there in self._at.get(text, {}).items():
                here: Wanted = wanted if there >= 1 else wanted * there
                unions[broker] = either(here, unions[broker]) if broker in unions else here
        return TopicInterest(contents, shares, unions)


def _answers(contents: Contents, texts: Sequence[str], wishes: Sequence[Filter]) -> Iterator[Answer]:
    """Of the filters that want anything; one after the other, since all together would fill the memory."""
    asked = Asked(contents)
    for text, wish in zip(texts, wishes, strict=True):
        wanted = asked.wants(wish)
        share = float(contents.weights @ wanted)
        if share > 0:
            yield text, wanted, min(share, 1.0)


def _kind(source: Source) -> str:
    """Sources of one kind have the same contents."""
    if source.record is not None:
        return source.example.id
    return repr(sorted(source.example.attributes.items(), key=lambda item: item[0]))


def either(one: Wanted, other: Wanted) -> Wanted:
    """Wanted here or there: certain, or with probabilities that know nothing of each other."""
    if one.dtype == np.bool_ and other.dtype == np.bool_:
        certain: Wanted = one | other
        return certain
    likely: Wanted = 1 - (1 - one.astype(np.float64)) * (1 - other)
    return likely


def share_of(contents: Contents, wanted: Wanted) -> float:
    """Probability of the contents that are wanted."""
    return min(float(np.dot(contents.weights, wanted)), 1.0)
