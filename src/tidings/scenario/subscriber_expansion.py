"""Subscribers, drawn: each copy with its broker, its filter, its topics, its deadlines, its coming and going."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tidings.errors import FilterError
from tidings.scenario.client_expansion import Clients, names_of
from tidings.scenario.client_tables import SubscriberEntry
from tidings.scenario.deadlines import Deadlines
from tidings.scenario.document import Scenario
from tidings.scenario.filters import Template, Wish, template_of, wish_of, wish_within
from tidings.scenario.kinds import ENTRIES_MAX
from tidings.scenario.overlay_expansion import ExpandedOverlay
from tidings.scenario.promise_tables import ACROSS_TOPICS
from tidings.scenario.schema import unknown
from tidings.scenario.source import Place
from tidings.scenario.topic_expansion import Popularity
from tidings.scenario.variation import values_of, whole_ns
from tidings.scenario.world import Publisher, Subscriber, Topic
from tidings.vocabulary.distribution import Constant
from tidings.vocabulary.instant import FOREVER
from tidings.vocabulary.streams import Streams
from tidings.vocabulary.value import Value

_EVERYTHING: Final = Template(("true",), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What subscribers are drawn into."""

    scenario: Scenario
    streams: Streams
    overlay: ExpandedOverlay
    clients: Clients
    popularity: Popularity
    publishers: Sequence[Publisher]
    topics: Sequence[Topic]


@dataclass(frozen=True, slots=True)
class _Copy:
    """One copy of an entry: its name, where it is (None: as clients are), and what its `$name`s stand for."""

    name: str
    broker: str | None
    values: Mapping[str, Value]


def expand_subscribers(setting: Setting) -> tuple[Subscriber, ...]:
    """All copies of all entries, in their order; ScenarioError where a name is taken or a filter cannot be."""
    subscribers: dict[str, Subscriber] = {}
    deadlines = Deadlines(setting.overlay.graph, setting.publishers)
    for index, entry in enumerate(setting.scenario.subscriber):
        place = setting.scenario.place("subscriber", index)
        deadlines.check(place, entry)
        drawing = _Drawing(setting, entry, place)
        for copy in _copies(setting, entry, place):
            if copy.name in subscribers:
                remedy = "another subscriber has this name; give each entry an id of its own"
                raise place.child("id").wrong(copy.name, remedy)
            if len(subscribers) == ENTRIES_MAX:
                raise place.wrong(copy.name, f"more than {ENTRIES_MAX} subscribers are not possible")
            subscribers[copy.name] = drawing.subscriber(copy, deadlines)
    return tuple(subscribers.values())


class _Drawing:
    """The copies of one entry, one after the other."""

    def __init__(self, setting: Setting, entry: SubscriberEntry, place: Place) -> None:
        self._setting, self._entry, self._place = setting, entry, place
        self._template = _EVERYTHING if entry.filter is None else template_of(entry.filter)
        self._across = setting.scenario.ordering.guarantee in ACROSS_TOPICS
        self._check_topics()

    def subscriber(self, copy: _Copy, deadlines: Deadlines) -> Subscriber:
        """The copy as the world has it."""
        entry, clients = self._entry, self._setting.clients
        broker = copy.broker or clients.broker_of(copy.name)
        wish = self._wish(copy)
        if wish.topics is None and self._across:
            guarantee = self._setting.scenario.ordering.guarantee
            remedy = f"no finite set of topics follows from it, and {guarantee} order needs one; give topics beside it"
            raise self._place.child("filter").wrong(entry.filter, remedy)
        deadline_ns, by_publisher = deadlines.of(entry, broker, wish.topics)
        joins_ns, leaves_ns = self._presence(copy.name)
        return Subscriber(
            id=copy.name,
            broker=broker,
            filter=wish.text,
            topics=wish.topics,
            deadline_ns=deadline_ns,
            deadlines=by_publisher,
            joins_ns=joins_ns,
            leaves_ns=leaves_ns,
            requires=entry.requires,
            site=self._setting.overlay.site_of(broker),
            link=clients.link_of(copy.name),
            mobility=entry.mobility,
        )

    def _wish(self, copy: _Copy) -> Wish:
        text = None if self._entry.filter is None else self._template.fill(copy.values)
        try:
            if self._entry.topics is None:
                assert text is not None, "a filter or topics are there"
                return wish_of(text)
            return wish_within(text, self._topics(copy.name))
        except FilterError as error:
            remedy = f"becomes {text} for {copy.name}; column {error.column} of that: {error.problem}"
            raise self._place.child("filter").wrong(self._entry.filter, remedy) from None

    def _topics(self, name: str) -> tuple[str, ...]:
        topics = self._entry.topics
        if not isinstance(topics, int):
            return topics or ()
        setting = self._setting
        generator = setting.streams(f"topics of {name}")
        return setting.popularity.pick(self._place.child("topics"), setting.clients.site_of(name), topics, generator)

    def _check_topics(self) -> None:
        if not isinstance(self._entry.topics, tuple):
            return
        known = {topic.name: None for topic in self._setting.topics}
        for index, name in enumerate(self._entry.topics):
            if name not in known:
                where = self._place.child("topics").item(index)
                raise where.wrong(name, f"no publisher publishes on it: {unknown('topic', name, known)}")

    def _presence(self, name: str) -> tuple[int | None, int | None]:
        entry, streams = self._entry, self._setting.streams
        joins_ns = None if entry.joins is None else whole_ns(entry.joins, streams, f"joins of {name}")
        if entry.stays is None:
            return joins_ns, entry.leaves
        stays_ns = max(1, whole_ns(entry.stays, streams, f"stays of {name}"))
        return joins_ns, min((joins_ns or 0) + stays_ns, FOREVER - 1)


def _copies(setting: Setting, entry: SubscriberEntry, place: Place) -> Iterator[_Copy]:
    if entry.each is not None:
        yield from _each(setting, entry, place)
        return
    names = list(names_of(entry))
    values = values_of(entry, len(names), setting.streams)
    for index, name in enumerate(names):
        yield _Copy(name, None, {key: column[index] for key, column in values.items()})


def _each(setting: Setting, entry: SubscriberEntry, place: Place) -> Iterator[_Copy]:
    """By broker, then by topic; whether one is there hangs on the topic's stream and the broker's number alone."""
    brokers = setting.overlay.graph.brokers
    publishers_at = _publishers_at(setting)
    pairs: list[tuple[int, int]] = []
    for number, topic in enumerate(setting.topics):
        share = _share(setting, entry, place, topic.name)
        there = setting.streams(f"each {entry.id} {topic.name}").random(len(brokers)) < share
        taken = publishers_at.get(topic.name, set())
        pairs.extend((index, number) for index in there.nonzero()[0].tolist() if brokers[index] not in taken)
    pairs.sort()
    if len(pairs) > ENTRIES_MAX:
        raise place.child("each").wrong(
            entry.each, f"makes {len(pairs)} subscribers; at most {ENTRIES_MAX} are possible"
        )
    values = values_of(entry, len(pairs), setting.streams)
    for copy, (index, number) in enumerate(pairs):
        broker, topic_name = brokers[index], setting.topics[number].name
        own = {key: column[copy] for key, column in values.items()}
        own |= {"topic": topic_name, "broker": broker}
        yield _Copy(f"{entry.id}-{broker}-{topic_name}", broker, own)


def _share(setting: Setting, entry: SubscriberEntry, place: Place, topic: str) -> float:
    law = Constant(1.0) if entry.share is None else entry.share
    share = float(law.sample(setting.streams(f"share of {entry.id} {topic}"), 1)[0])
    if not 0.0 <= share <= 1.0:
        raise place.child("share").wrong(share, "was drawn for a topic; a share must be from 0 to 1")
    return share


def _publishers_at(setting: Setting) -> dict[str, set[str]]:
    """By topic the brokers of its publishers; those that draw their topics publish on all that can be drawn."""
    found: dict[str, set[str]] = {}
    for publisher in setting.publishers:
        for topic in publisher.topics or setting.popularity.names:
            found.setdefault(topic, set()).add(publisher.broker)
    return found
