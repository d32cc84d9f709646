"""Publishers, drawn: each copy with its broker and its topics."""

from dataclasses import replace

from tidings.scenario.client_expansion import Clients, names_of
from tidings.scenario.client_tables import PublisherEntry
from tidings.scenario.document import Scenario
from tidings.scenario.measured import named_file, trace_topics
from tidings.scenario.profiles import Profiles, sizes_of
from tidings.scenario.source import Place
from tidings.scenario.topic_expansion import NOWHERE, Popularity
from tidings.scenario.world import NamedFile, Profile, Publisher
from tidings.vocabulary.instant import FOREVER


def expand_publishers(scenario: Scenario, clients: Clients, popularity: Popularity) -> tuple[Publisher, ...]:
    """All copies of all entries, in their order; ScenarioError where a name is taken or topics are missing."""
    publishers: dict[str, Publisher] = {}
    profiles = Profiles()
    for index, entry in enumerate(scenario.publisher):
        place = scenario.place("publisher", index)
        trace = None if entry.trace is None else named_file(place.child("trace"), entry.trace)
        traced = () if trace is None else trace_topics(place.child("trace"), trace.path)
        for copy, name in enumerate(names_of(entry)):
            if name in publishers:
                raise place.child("id").wrong(name, "another publisher has this name; give each entry an id of its own")
            if entry.profile is not None:
                profile = profiles.of(place.child("profile"), entry.profile, entry.like or name)
                publishers[name] = _profiled(_publisher(entry, name, (), None, clients), profile)
                continue
            topics = traced or _topics(entry, copy)
            if not topics:
                _check_drawable(place, clients.site_of(name), popularity)
            publishers[name] = _publisher(entry, name, topics, trace, clients)
    return tuple(publishers.values())


def _publisher(
    entry: PublisherEntry, name: str, topics: tuple[str, ...], trace: NamedFile | None, clients: Clients
) -> Publisher:
    return Publisher(
        id=name,
        broker=clients.broker_of(name),
        topics=topics,
        every=entry.every,
        trace=trace,
        lifetime_ns=FOREVER if entry.lifetime is None else entry.lifetime,
        payload=entry.payload,
        attributes=entry.attributes,
        site=clients.site_of(name),
        link=clients.link_of(name),
    )


def _profiled(publisher: Publisher, profile: Profile) -> Publisher:
    """With what the profile says; a lifetime of its own goes first."""
    recorded = FOREVER if profile.lifetime_ns is None else profile.lifetime_ns
    return replace(
        publisher,
        profile=profile,
        every=profile.every,
        payload=sizes_of(profile),
        topics=tuple(sorted({one.topic for one in profile.contents})),
        lifetime_ns=recorded if publisher.lifetime_ns == FOREVER else publisher.lifetime_ns,
    )


def _topics(entry: PublisherEntry, copy: int) -> tuple[str, ...]:
    if entry.topics is not None:
        return entry.topics
    if entry.topic is None:
        return ()
    if isinstance(entry.topic, str):
        return (f"{entry.topic}{copy}",) if entry.per == "publisher" else (entry.topic,)
    return (entry.topic[copy % len(entry.topic)],)


def _check_drawable(place: Place, site: str | None, popularity: Popularity) -> None:
    weights = popularity.weights.get(site or NOWHERE)
    if weights is None or not weights.any():
        remedy = "is missing; give a topic, or [topics] for events to draw theirs by popularity"
        raise place.child("topic").wrong(None, remedy)
