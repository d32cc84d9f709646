"""The tables of what is promised and what goes wrong: routing, reliability, ordering, faults, crashes.

A key that belongs to another scheme, mechanism or guarantee than the chosen one has no effect; its value is checked all
the same. So one file can be compared across them by changing a single word.
"""

from dataclasses import dataclass
from typing import Final

from tidings.scenario.kinds import (
    DURATION,
    FLAG,
    NAME,
    POSITIVE_DURATION,
    PROBABILITY,
    either,
    number,
    one_of,
    whole,
)
from tidings.scenario.schema import key, table_kind
from tidings.scenario.source import Place
from tidings.scenario.world import LinkEpisodes
from tidings.vocabulary.instant import MINUTE

SCHEMES: Final = ("tree", "r-tree", "d-tree", "multipath", "dcrd", "dcrd+", "oracle")
MECHANISMS: Final = ("none", "periodic", "buffering", "bypass", "bypass+buffering")
ACROSS_TOPICS: Final = ("total", "causal", "groups")
"""Guarantees of one order across topics."""

MECHANISMS_OF: Final[dict[str, tuple[str, ...]]] = {
    "tree": MECHANISMS,
    "r-tree": ("none",),
    "d-tree": ("none",),
    "multipath": ("none",),
    "dcrd": ("none", "buffering"),
    "dcrd+": ("none", "buffering"),
    "oracle": ("none",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingTable:
    """How events find their way."""

    scheme: str = key(one_of(*SCHEMES), "the routing scheme", default="tree", always=True)
    transmissions: int = key(whole(1, 16), "`dcrd`, `dcrd+`: how often one link is tried", default=1, always=True)
    ack: str = key(
        one_of("round-trip", "one-way"),
        "`dcrd`: how long an acknowledgement is awaited",
        default="round-trip",
        always=True,
    )
    monitor: int | None = key(
        POSITIVE_DURATION, "all but `tree`, `oracle`: how often link estimates are renewed", default=None, always=True
    )
    guards: int = key(
        whole(0, 8), "`dcrd+`: how many brokers stand by with a second copy for a destination", default=1, always=True
    )
    covering: bool = key(FLAG, "filters that another one covers are not passed on", default=True, always=True)
    merging: bool = key(FLAG, "filters are merged where that loses nothing", default=False, always=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityTable:
    """What is done against failures."""

    mechanism: str = key(one_of(*MECHANISMS), "the mechanism", default="none", always=True)
    renew: int = key(
        POSITIVE_DURATION, "`periodic`, `bypass`: how often subscriptions are renewed", default=MINUTE, always=True
    )
    expired: str = key(
        one_of("drop", "carry"),
        "whether events past their lifetime go on and load the brokers",
        default="drop",
        always=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderingTable:
    """What order is promised and how it is kept."""

    guarantee: str = key(one_of("none", "fifo", *ACROSS_TOPICS), "the promise", default="none", always=True)
    precedence: str = key(
        one_of("identifier", "shallow", "by-site"),
        "order across topics: the order of topics",
        default="shallow",
        always=True,
    )
    stages: int | str = key(
        either(
            'a number, "by-site" or "automatic"',
            (int, whole(1, 1_000_000)),
            (str, one_of("by-site", "automatic")),
            write=lambda stages: stages,
        ),
        "order across topics: how topics are partitioned",
        default="automatic",
        always=True,
    )
    k: int | None = key(
        whole(1, 1_000),
        "subscribers that two topics must share; 2 for total and groups, 1 for causal",
        default=None,
        always=True,
    )
    tolerance: float = key(
        number(0.0, 0.5, open_low=True), "`fifo`: accepted share of violations (P_t)", default=0.05, always=True
    )
    latch: str = key(
        one_of("predictive", "plain", "empirical", "constant"), "`fifo`: the latch", default="predictive", always=True
    )
    hold: int | None = key(DURATION, "`fifo`: how long a constant latch holds", default=None, always=True)
    record: int = key(
        whole(0, 1_024), "`fifo`: earlier messages that each one tells of; 0: none", default=25, always=True
    )
    mode: str = key(
        one_of("reliable", "unreliable"),
        "order across topics: wait for ever, or for `wait`",
        default="reliable",
        always=True,
    )
    wait: int | None = key(
        POSITIVE_DURATION, "order across topics, unreliable: how long to wait", default=None, always=True
    )

    def check(self, place: Place) -> None:
        """Choices that need a time have one, and only they."""
        for name, value, needed, because in (
            ("hold", self.hold, self.latch == "constant", 'latch = "constant"'),
            ("wait", self.wait, self.mode == "unreliable", 'mode = "unreliable"'),
        ):
            if needed and value is None:
                raise place.child(name).wrong(None, f"is missing; {because} needs a duration")
            if not needed and value is not None:
                raise place.child(name).wrong(value, f"belongs to {because} only")
        if self.guarantee == "causal" and self.k not in (None, 1):
            raise place.child("k").wrong(self.k, "causal order needs k = 1; leave it out")


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodesTable:
    """Link failures in episodes."""

    probability: float = key(PROBABILITY, "with which a link is down in an episode")
    every: int = key(POSITIVE_DURATION, "time between the starts of episodes")
    lasting: int = key(POSITIVE_DURATION, "how long a link that fails is down")

    def check(self, place: Place) -> None:
        """Episodes do not overlap."""
        if self.lasting > self.every:
            raise place.child("lasting").wrong(f"{self.lasting} ns", "must not be longer than every")


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultsTable:
    """What fails, beside what brokers and links say of themselves."""

    links: EpisodesTable | None = key(
        table_kind(EpisodesTable, "{ probability, every, lasting }"), "every link by itself", default=None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashEntry:
    """A component that stops and comes back."""

    component: str = key(NAME, "a broker's id, or `stage:T`: the stage that holds topic T")
    at: int = key(DURATION, "when, from the start")
    lasting: int = key(POSITIVE_DURATION, "how long")


def episodes_of(table: FaultsTable) -> LinkEpisodes | None:
    """As the world says it."""
    if table.links is None:
        return None
    return LinkEpisodes(probability=table.links.probability, every_ns=table.links.every, lasting_ns=table.links.lasting)
