"""The tables that describe clients and what they are about: `[topics]`, `[[topic]]`, `[[publisher]]`, `[[subscriber]]`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from tidings.scenario.chance import (
    ATTRIBUTE,
    BYTES_LAW,
    DURATION_LAW,
    INTERVAL_LAW,
    NUMBER_LAW,
    POPULARITY,
    VARIATION,
)
from tidings.scenario.kinds import (
    DURATION,
    ENTRIES_MAX,
    NAME,
    POSITIVE_DURATION,
    PROBABILITY,
    TEXT,
    TOPIC,
    distinct,
    either,
    list_of,
    named,
    number,
    one_of,
    whole,
)
from tidings.scenario.mobility_tables import MOBILITY
from tidings.scenario.overlay_tables import ClientLink
from tidings.scenario.schema import Kind, key, table_kind
from tidings.scenario.source import Place
from tidings.scenario.world import Choice, Mobility
from tidings.vocabulary.distribution import Distribution, Power
from tidings.vocabulary.filter_parser import VALUES_MAX, is_attribute_name
from tidings.vocabulary.instant import format_duration
from tidings.vocabulary.value import Value

EACH: Final = "broker and topic"
_MULTIPLE: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*x\s+shortest")
_BILLION: Final = 10**9
"""Multiples have at most nine decimals."""
_VARIABLE_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True, kw_only=True)
class TopicsTable:
    """Topics that are drawn by popularity."""

    count: int = key(whole(1, ENTRIES_MAX), "how many there are: `t0`, `t1`, …")
    id: str = key(TOPIC, "what their names begin with", default="t")
    popularity: Power | None = key(
        POPULARITY,
        "weight of a topic by its rank; each site has an order of its own; without it all weigh the same",
        default=None,
    )


@dataclass(frozen=True, kw_only=True)
class TopicEntry:
    """A topic by name, written when a world is saved. With `[[topic]]` there is no `[topics]`."""

    name: str = key(TOPIC, "its name")
    popularity: Mapping[str, float] = key(
        named(number(0.0)),
        'its weight by site, in which events and interests draw it; "" where there are no sites',
        default_factory=dict,
    )


def _topic_or_list(value: object, place: Place) -> str | tuple[str, ...]:
    return _SOME_TOPICS.read(value, place) if isinstance(value, list) else TOPIC.read(value, place)


_SOME_TOPICS: Final = list_of(TOPIC, least=1)
TOPIC_OR_LIST: Final = Kind(
    "a topic or a list of topics", _topic_or_list, lambda one: one if isinstance(one, str) else list(one)
)


def _attribute_name(name: str, place: Place) -> None:
    if name == "topic":
        raise place.wrong(name, "topic is reserved for the topic itself; choose another name")
    if not is_attribute_name(name):
        raise place.wrong(name, "no filter can speak of this name: letters, digits, _ . and -, a letter or _ first")


def _variable_name(name: str, place: Place) -> None:
    if _VARIABLE_NAME.fullmatch(name) is None:
        raise place.wrong(name, "is used as $name: letters, digits and _, a letter or _ first")


@dataclass(frozen=True, kw_only=True)
class PublisherEntry:
    """A client that publishes, or `count` of them."""

    id: str = key(NAME, "its name, or what the names of its copies begin with", default="p", always=True)
    count: int | None = key(whole(1, ENTRIES_MAX), "make that many, named `id0`, `id1`, …", default=None)
    broker: str | None = key(NAME, "the broker it is at; drawn uniformly without it", default=None)
    topic: str | tuple[str, ...] | None = key(
        TOPIC_OR_LIST, "what it publishes on; of a list, copy i takes topic i mod length", default=None
    )
    per: str | None = key(one_of("publisher"), 'per = "publisher" numbers the topic for each copy', default=None)
    topics: tuple[str, ...] | None = key(_SOME_TOPICS, "its events go round through these", default=None)
    every: Distribution | None = key(INTERVAL_LAW, "time between events; the first comes after one", default=None)
    trace: str | None = key(
        TEXT, "a Parquet table (published_ns, topic, attributes, payload_bytes) to replay", default=None
    )
    profile: str | None = key(
        TEXT,
        "a table that `tidings profile` wrote: publish at random, with rates and contents as recorded",
        default=None,
    )
    like: str | None = key(NAME, "`profile`: whose row of it to take; its own without it", default=None)
    lifetime: int | None = key(
        POSITIVE_DURATION, "how long an event is of use; without it as in the profile, else for ever", default=None
    )
    payload: Distribution | None = key(BYTES_LAW, "size of an event in bytes; 0 without it", default=None)
    attributes: Mapping[str, Distribution | Choice] = key(
        named(ATTRIBUTE, check=_attribute_name), "what an event says, drawn for each", default_factory=dict
    )
    link: ClientLink | None = key(
        table_kind(ClientLink, "a table of link keys"),
        "its link to its broker; without delay or loss when absent",
        default=None,
    )

    def check(self, place: Place) -> None:
        """One source of events, one source of topics."""
        ways = [name for name in ("every", "trace", "profile") if getattr(self, name) is not None]
        if len(ways) != 1:
            remedy = "give every (time between events), trace (a file of events) or profile (what was recorded)"
            raise place.child("every").wrong(None, remedy + (", not both" if ways else ""))
        if self.topic is not None and self.topics is not None:
            raise place.child("topics").wrong(list(self.topics), "give topic or topics, not both")
        if self.per is not None and not isinstance(self.topic, str):
            raise place.child("per").wrong(self.per, 'numbers one topic; give topic = "name" beside it')
        if self.every is None:
            for name in ("topic", "topics", "payload", "attributes"):
                if getattr(self, name):
                    raise place.child(name).wrong("…", f"the {ways[0]} says this already; leave it out")
        if self.like is not None and self.profile is None:
            raise place.child("like").wrong(self.like, "says whose row of a profile to take; give profile, too")


@dataclass(frozen=True, kw_only=True)
class Deadline:
    """A deadline: nanoseconds, or a multiple of the shortest path; exactly one of the two."""

    ns: int | None = None
    multiple: Fraction | None = None


def _deadline(value: object, place: Place) -> Deadline:
    match = _MULTIPLE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is not None:
        multiple = Fraction(match[1])
        if multiple == 0:
            raise place.wrong(value, "must be above 0 shortest paths")
        return Deadline(multiple=multiple)
    if not isinstance(value, str) or "shortest" in value:
        raise place.wrong(value, 'must be a duration as in "200ms", or a multiple as in "3x shortest"')
    return Deadline(ns=POSITIVE_DURATION.read(value, place))


def _deadline_text(deadline: Deadline) -> str:
    if deadline.ns is not None:
        return format_duration(deadline.ns)
    billionths = int((deadline.multiple or Fraction(0)) * _BILLION)
    return f"{billionths // _BILLION}.{billionths % _BILLION:09d}".rstrip("0").rstrip(".") + "x shortest"


DEADLINE: Final = Kind('a duration, or a multiple as in "3x shortest"', _deadline, _deadline_text)
NUMBER_OR_TOPICS: Final = either(
    "a number of topics to draw, or a list of topics",
    (int, whole(1, VALUES_MAX)),
    (list, distinct(list_of(TOPIC, least=1, most=VALUES_MAX))),
    write=lambda topics: topics if isinstance(topics, int) else list(topics),
)


@dataclass(frozen=True, kw_only=True)
class SubscriberEntry:
    """A client that wants events, or many of them."""

    id: str = key(NAME, "its name, or what the names of its copies begin with", default="s", always=True)
    count: int | None = key(whole(1, ENTRIES_MAX), "make that many, named `id0`, `id1`, …", default=None)
    each: str | None = key(
        one_of(EACH),
        "one for every broker and topic, named `id-broker-topic`; publishers' own brokers left out",
        default=None,
    )
    share: Distribution | None = key(
        NUMBER_LAW,
        "`each`: the probability with which one is there; a distribution is drawn once per topic",
        default=None,
    )
    broker: str | None = key(NAME, "the broker it is at; drawn uniformly without it", default=None)
    filter: str | None = key(TEXT, "the events it wants; `$name` stands for a value of `vary`", default=None)
    topics: int | tuple[str, ...] | None = key(
        NUMBER_OR_TOPICS, "the topics it may want: a list, or a number drawn by popularity", default=None
    )
    vary: Mapping[str, tuple[Value, ...] | Choice | Distribution] = key(
        named(VARIATION, check=_variable_name), "values that differ from copy to copy", default_factory=dict
    )
    deadline: Deadline | None = key(DEADLINE, "when an event must be there; never without it", default=None)
    deadlines: Mapping[str, int] = key(
        named(DURATION, says="a table of durations by publisher"),
        "deadlines that hold for single publishers",
        default_factory=dict,
    )
    requires: float | None = key(PROBABILITY, "the reliability that it asks of admission control", default=None)
    joins: Distribution | None = key(
        DURATION_LAW,
        "when it comes; there before the start without it; a distribution is drawn for each copy",
        default=None,
    )
    leaves: int | None = key(DURATION, "when it goes, from the start of the run", default=None)
    stays: Distribution | None = key(INTERVAL_LAW, "how long it stays after it came, instead of `leaves`", default=None)
    mobility: Mobility | None = key(MOBILITY, "how it moves on the map", default=None)
    link: ClientLink | None = key(
        table_kind(ClientLink, "a table of link keys"),
        "its link to its broker; without delay or loss when absent",
        default=None,
    )

    def check(self, place: Place) -> None:
        """What it wants is said, and its copies are made in one way."""
        if self.filter is None and self.topics is None:
            raise place.child("filter").wrong(None, "is missing; say which events it wants, by filter or by topics")
        if self.each is None:
            if self.share is not None:
                raise place.child("share").wrong("…", f'belongs to each = "{EACH}"')
        else:
            self._check_each(place)
        if self.leaves is not None and self.stays is not None:
            raise place.child("stays").wrong("…", "give leaves (an instant) or stays (a time), not both")
        if self.leaves is not None and self.joins is not None and not _before(self.joins, self.leaves):
            remedy = "must come after joins; where joins is drawn, give stays instead"
            raise place.child("leaves").wrong(format_duration(self.leaves), remedy)
        if self.leaves == 0:
            raise place.child("leaves").wrong("0s", "must be after the start")

    def _check_each(self, place: Place) -> None:
        for name, remedy in (
            ("count", "each makes the copies; leave count out"),
            ("broker", "each takes every broker; leave broker out"),
            ("topics", "each takes every topic; leave topics out"),
        ):
            value: Any = getattr(self, name)
            if value is not None:
                raise place.child(name).wrong(value, remedy)
        for name in ("topic", "broker"):
            if name in self.vary:
                raise place.child("vary").child(name).wrong("…", f"each gives ${name} its value; leave it out")


def _before(joins: Distribution, leaves: int) -> bool:
    """Sure only where `joins` does not vary."""
    return joins.variance == 0 and joins.mean < leaves
