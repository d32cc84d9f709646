"""Where events come from: publishers that cannot be told apart, taken together, and what is on each topic."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from tidings.analysis.contents import Contents, listed_contents
from tidings.analysis.dispersion import Curve, Floats, known_curve, measured_curve
from tidings.errors import ScenarioError
from tidings.scenario.world import Content, LinkLaw, Profile, Publisher, World
from tidings.vocabulary.distribution import Distribution
from tidings.vocabulary.value import Value, parse_literal

Longs: TypeAlias = NDArray[np.int64]

TRACE_EVENTS_MAX: Final = 200_000
"""Of a trace's topic, contents beyond this many are thinned out evenly."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Record:
    """What is known of a recorded publisher, from its trace or from its profile."""

    rate: float
    """Events per nanosecond."""
    scv: float
    """Of the intervals between events."""
    curve: Callable[[Floats], Curve]
    """Its index of dispersion over given times."""
    contents: Mapping[str, Contents]
    shares: Mapping[str, float]
    """Of the events, by topic."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Source:
    """Publishers at one broker that publish alike, as one stream of events."""

    publishers: tuple[str, ...]
    broker: str
    rate: float
    """Events per nanosecond, of all of them."""
    every: Distribution | None
    """Of one of them; None for a recorded one."""
    topics: Mapping[str, float]
    """Share of the events that is on each topic."""
    example: Publisher
    record: Record | None = None

    @property
    def scv(self) -> float:
        """Of the intervals between events of one of its publishers."""
        if self.record is not None:
            return self.record.scv
        assert self.every is not None, "a source has intervals or a record"
        return self.every.scv

    @property
    def lifetime_ns(self) -> int:
        """How long its events are of use."""
        return self.example.lifetime_ns

    @property
    def link(self) -> LinkLaw | None:
        """From the publisher to its broker."""
        return self.example.link


def sources_of(world: World) -> tuple[Source, ...]:
    """All sources; publishers stay apart where deadlines depend on who published, or where they are recorded."""
    apart = any(subscriber.deadlines for subscriber in world.subscribers)
    groups: dict[Any, list[Publisher]] = {}
    for publisher in world.publishers:
        groups.setdefault(_likeness(publisher, apart=apart), []).append(publisher)
    return tuple(_source(world, alike) for alike in groups.values())


def _likeness(publisher: Publisher, *, apart: bool) -> Any:
    if apart or publisher.trace is not None or publisher.profile is not None:
        return publisher.id
    attributes = tuple((name, repr(law)) for name, law in publisher.attributes.items())
    place = (publisher.broker, publisher.site, repr(publisher.link))
    what = (publisher.topics, repr(publisher.every), publisher.lifetime_ns, repr(publisher.payload), attributes)
    return place + what


def _source(world: World, alike: Sequence[Publisher]) -> Source:
    first = alike[0]
    record = _record(world, first)
    if record is not None:
        rate, topics = record.rate, record.shares
    else:
        assert first.every is not None, "a publisher has intervals or a record"
        rate, topics = len(alike) / first.every.mean, _topics(world, first)
    return Source(
        publishers=tuple(publisher.id for publisher in alike),
        broker=first.broker,
        rate=rate,
        every=first.every if record is None else None,
        topics=topics,
        example=first,
        record=record,
    )


def _record(world: World, publisher: Publisher) -> Record | None:
    if publisher.profile is not None:
        return _profiled(publisher.profile)
    return None if publisher.trace is None else _traced(world, publisher)


def _topics(world: World, publisher: Publisher) -> dict[str, float]:
    if publisher.topics:
        found: dict[str, float] = {}
        for topic in publisher.topics:
            found[topic] = found.get(topic, 0.0) + 1 / len(publisher.topics)
        return found
    weights = {topic.name: topic.popularity.get(publisher.site or "", 0.0) for topic in world.topics}
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items() if weight > 0}


def _traced(world: World, publisher: Publisher) -> Record:
    """Of a trace, what lies before the end of the scenario."""
    assert publisher.trace is not None
    path = publisher.trace.path
    try:
        table = pq.read_table(path, columns=["published_ns", "topic", "attributes"])
    except (pa.ArrowException, OSError) as problem:
        raise ScenarioError(world.file, "publisher.trace", path.name, f"must be a table of events: {problem}") from None
    instants = np.asarray(table.column("published_ns").to_numpy(), np.int64)
    kept = int(np.searchsorted(instants, world.duration_ns))
    topics = table.column("topic").to_pylist()[:kept]
    records: dict[str, list[Mapping[str, Value]]] = {}
    for topic, pairs in zip(topics, table.column("attributes").to_pylist(), strict=False):
        records.setdefault(topic, []).append({name: parse_literal(text) for name, text in pairs or ()})
    return Record(
        rate=kept / world.duration_ns,
        scv=_scv(np.diff(instants[:kept])),
        curve=partial(measured_curve, instants[:kept]),
        contents={topic: listed_contents(topic, _thinned(found)) for topic, found in records.items()},
        shares={topic: len(found) / kept for topic, found in records.items()},
    )


def _profiled(profile: Profile) -> Record:
    by_topic: dict[str, list[Content]] = {}
    for one in profile.contents:
        by_topic.setdefault(one.topic, []).append(one)
    total = sum(one.weight for one in profile.contents)
    return Record(
        rate=profile.rate,
        scv=1.0 if profile.scv is None else profile.scv,
        curve=partial(known_curve, profile.dispersion, profile.rate),
        contents={
            topic: listed_contents(topic, [one.attributes for one in found], [one.weight for one in found])
            for topic, found in by_topic.items()
        },
        shares={topic: sum(one.weight for one in found) / total for topic, found in by_topic.items()},
    )


def _scv(intervals: Longs) -> float:
    mean = float(intervals.mean()) if intervals.size > 1 else 0.0
    return float(intervals.var()) / mean**2 if mean > 0 else 1.0


def _thinned(records: Sequence[Mapping[str, Value]]) -> Sequence[Mapping[str, Value]]:
    return records[:: -(-len(records) // TRACE_EVENTS_MAX)]
