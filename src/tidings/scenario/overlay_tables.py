"""The tables that describe brokers and links: `[overlay]`, `[[broker]]`, `[[link]]`, `[[tree]]`, `[map]`."""

from dataclasses import dataclass
from typing import Any, Final

from tidings.scenario.chance import DELAY, DURATION_LAW, INTERVAL_LAW, SERVICE, Delay, ServiceTime
from tidings.scenario.graphml import GRAPHML_OPTIONS
from tidings.scenario.kinds import (
    BANDWIDTH,
    FLAG,
    NAME,
    POINT,
    POSITIVE_DURATION,
    PROBABILITY,
    TEXT,
    TOPIC,
    distinct,
    either,
    list_of,
    number,
    one_of,
    pair_of,
    whole,
)
from tidings.scenario.measured import check_spans, read_outages
from tidings.scenario.parquet_lists import read_entries
from tidings.scenario.schema import Kind, key, table_kind
from tidings.scenario.shape import BROKERS_MAX, MESH_MAX
from tidings.scenario.source import Place
from tidings.scenario.transit_stub import TRANSIT_STUB_OPTIONS
from tidings.vocabulary.distribution import Distribution
from tidings.vocabulary.instant import format_duration, parse_duration

SHAPES: Final = ("line", "star", "tree", "random", "full", "sites", "transit-stub")
_AGREEMENT: Final = 1e-6


@dataclass(frozen=True, kw_only=True)
class ClientLink:
    """What a link does to packets. Client links have no more than this: they do not fail by themselves."""

    delay: Delay | None = key(DELAY, "propagation delay of a packet; 0 without it", default=None)
    loss: float = key(PROBABILITY, "probability that a packet is lost", default=0.0)
    duplication: float = key(PROBABILITY, "probability that a packet arrives twice", default=0.0)
    fifo: bool = key(FLAG, "packets never overtake each other, whatever delays they draw", default=False)
    bandwidth: float | None = key(BANDWIDTH, "packets wait for those before them; unlimited without it", default=None)


@dataclass(frozen=True, kw_only=True)
class OutageKeys:
    """How a component fails and is repaired, by itself and for ever."""

    availability: float | None = key(
        number(0.0, 1.0, open_low=True), "long-run share of time up; needs `period`", default=None
    )
    period: int | None = key(POSITIVE_DURATION, "mean cycle of failure and repair", default=None)
    up: Distribution | None = key(INTERVAL_LAW, "time up; exponential by `availability` without it", default=None)
    down: Distribution | None = key(INTERVAL_LAW, "time down; exponential by `availability` without it", default=None)

    def check(self, place: Place) -> None:
        """The four keys must say one thing, once or consistently."""
        if (self.availability is None) != (self.period is None):
            missing = "period" if self.period is None else "availability"
            raise place.child(missing).wrong(None, "is missing; availability and period are given together")
        if self.availability is None or self.period is None:
            if (self.up is None) != (self.down is None):
                missing = "down" if self.down is None else "up"
                raise place.child(missing).wrong(None, "is missing; give up and down, or availability and period")
            return
        for name, found, mean in (
            ("up", self.up, self.availability * self.period),
            ("down", self.down, (1.0 - self.availability) * self.period),
        ):
            if found is not None and abs(found.mean - mean) > _AGREEMENT * self.period:
                remedy = f"its mean must be {mean / 1e9:g}s, as availability and period say; or leave those two out"
                raise place.child(name).wrong(found, remedy)


@dataclass(frozen=True, kw_only=True)
class LinkTemplate(ClientLink, OutageKeys):
    """What every generated link is like."""


def _spans(value: object, place: Place) -> tuple[tuple[int, int], ...]:
    if isinstance(value, str):
        return read_outages(place, value)
    return check_spans(list(_SPANS.read(value, place)), place, value)


def _instant(value: object, place: Place) -> int:
    try:
        return parse_duration(value if isinstance(value, str) else "")
    except ValueError as problem:
        raise place.wrong(value, str(problem)) from None


_INSTANT: Final = Kind("an instant from the start", _instant, format_duration)
_SPANS: Final = list_of(pair_of(_INSTANT, 'two instants, down and up, as in ["10s", "12s"]'))
RECORDED: Final = Kind('a file of outages, or a list of ["down", "up"] instants', _spans, _SPANS.write)


@dataclass(frozen=True, kw_only=True)
class LinkEntry(ClientLink, OutageKeys):
    """A link by name. It refines a generated link between the same brokers, or adds one."""

    between: tuple[str, str] = key(pair_of(NAME, 'two broker ids, as in ["a", "b"]'), "the brokers that it joins")
    outages: tuple[tuple[int, int], ...] = key(
        RECORDED, "recorded outages, beside drawn ones; a file has two instants a line", default=()
    )


@dataclass(frozen=True, kw_only=True)
class BrokerEntry(OutageKeys):
    """A broker by name. It refines a generated broker of the same id, or adds one."""

    id: str = key(NAME, "its name")
    site: str | None = key(NAME, "the place it stands in", default=None)
    service: ServiceTime | None = key(
        SERVICE, 'time that an event costs; per = "subscription" multiplies by the subscriptions known', default=None
    )


_ROUTERS: Final = whole(1, 1_000)
NUMBER_OR_SITES: Final = either(
    "a number of sites, or a list of their names",
    (int, whole(1, MESH_MAX)),
    (list, distinct(list_of(NAME, least=1, most=MESH_MAX))),
    write=lambda sites: sites if isinstance(sites, int) else list(sites),
)


@dataclass(frozen=True, kw_only=True)
class OverlayTable(OutageKeys):
    """How brokers and links are made. Without `generate` and `file` it holds defaults for those listed by name."""

    generate: str | None = key(one_of(*SHAPES), "the shape to generate", default=None)
    file: str | None = key(TEXT, "a GraphML file to read the overlay from", default=None)
    inflation: float | None = key(
        number(0.0, open_low=True), "`file`: cables are this many times as long as great circles; 1", default=None
    )
    component: str | None = key(
        one_of("all", "largest"), "`file`: what to take of a graph in parts; all refuses it", default=None
    )
    unlocated: str | None = key(
        TEXT, '`file`: nodes without coordinates: "refuse", "drop", or the delay of their links', default=None
    )
    brokers: int | None = key(whole(1, BROKERS_MAX), "number of brokers", default=None)
    degree: int | None = key(whole(1, BROKERS_MAX), "`random`: links of each broker", default=None)
    sites: int | tuple[str, ...] | None = key(
        NUMBER_OR_SITES, "`sites`: their number (site0, …) or their names; one broker each", default=None
    )
    transit_domains: int | None = key(_ROUTERS, "`transit-stub`: transit domains, 10 without it", default=None)
    transit_routers: int | None = key(_ROUTERS, "`transit-stub`: routers in each of them, 10", default=None)
    stubs: int | None = key(_ROUTERS, "`transit-stub`: stub domains at each transit router, 3", default=None)
    stub_routers: int | None = key(_ROUTERS, "`transit-stub`: routers in each stub domain, 33", default=None)
    between_delay: Distribution | None = key(DURATION_LAW, "`transit-stub`: of links of transit domains", default=None)
    transit_delay: Distribution | None = key(DURATION_LAW, "`transit-stub`: of links in a transit domain", default=None)
    gateway_delay: Distribution | None = key(DURATION_LAW, "`transit-stub`: of links to stub domains", default=None)
    stub_delay: Distribution | None = key(DURATION_LAW, "`transit-stub`: of links in a stub domain", default=None)
    near: ClientLink | None = key(
        table_kind(ClientLink, "a table of link keys"),
        "link of a client to its site's broker, per packet",
        default=None,
    )
    far: LinkTemplate | None = key(
        table_kind(LinkTemplate, "a table of link keys"), "link of brokers of different sites, per packet", default=None
    )
    link: LinkTemplate | None = key(
        table_kind(LinkTemplate, "a table of link keys"),
        "every link; a distribution is drawn once per link",
        default=None,
    )
    service: ServiceTime | None = key(SERVICE, "service time of every broker; 0 without it", default=None)

    @property
    def needs_brokers(self) -> bool:
        """True when nothing in this table says how many brokers there are."""
        return self.generate not in (None, "sites") and self.brokers is None

    def check(self, place: Place) -> None:
        """The shape decides which sizes are needed."""
        OutageKeys.check(self, place)
        if self.generate is not None and self.file is not None:
            raise place.child("file").wrong(self.file, "give generate or file, not both")
        if self.generate == "random" and self.degree is None:
            raise place.child("degree").wrong(None, 'is missing; generate = "random" needs the links of each broker')
        if self.generate == "sites" and self.sites is None:
            raise place.child("sites").wrong(None, 'is missing; generate = "sites" needs their number')
        for name in GRAPHML_OPTIONS:
            if getattr(self, name) is not None and self.file is None:
                raise place.child(name).wrong(getattr(self, name), 'belongs to file = "….graphml" only')
        for name, shapes in _ONLY_FOR.items():
            if getattr(self, name) is not None and self.generate not in shapes:
                remedy = f"belongs to generate = {' or '.join(map(repr, shapes))} only".replace("'", '"')
                raise place.child(name).wrong(_shown(getattr(self, name)), remedy)
        if self.generate == "sites" and self.link is not None and self.far is not None:
            raise place.child("link").wrong("{…}", "give link or far, not both: with sites every link is far")


_ONLY_FOR: Final[dict[str, tuple[str, ...]]] = {
    "degree": ("random", "transit-stub"),
    "sites": ("sites",),
    "far": ("sites",),
    "brokers": ("line", "star", "tree", "random", "full", "transit-stub"),
    **dict.fromkeys(TRANSIT_STUB_OPTIONS, ("transit-stub",)),
}


@dataclass(frozen=True, kw_only=True)
class TreeEntry:
    """The spanning tree that some topics use, written when a world is saved; drawn otherwise."""

    name: str = key(NAME, "its name")
    links: tuple[tuple[str, str], ...] = key(
        list_of(pair_of(NAME, "two broker ids")), "its links, among those of the overlay"
    )
    topics: tuple[str, ...] = key(distinct(list_of(TOPIC)), "the topics whose events use it", default=())


def _points(value: object, place: Place) -> tuple[tuple[float, float], ...]:
    if not isinstance(value, str):
        return _POINTS.read(value, place)
    return _POINTS.read([[row.get("x"), row.get("y")] for row in read_entries(place, value)], place)


_POINTS: Final = distinct(list_of(POINT, least=1, most=BROKERS_MAX))
POINTS: Final = Kind("a list of points, or a Parquet file with the columns x and y", _points, _POINTS.write)


@dataclass(frozen=True, kw_only=True)
class MapTable:
    """Where access points stand; they are brokers, `b0` the first, fully linked without an `[overlay]`."""

    size: tuple[float, float] = key(POINT, "width and height in metres")
    range: float = key(number(0.0, open_low=True), "how far an access point is heard, in metres")
    points: tuple[tuple[float, float], ...] = key(POINTS, "the access points")

    def check(self, place: Place) -> None:
        """Points stand on the map."""
        if min(self.size) <= 0:
            raise place.child("size").wrong(list(self.size), "must be two numbers above 0")
        for index, (x, y) in enumerate(self.points):
            if not (0 <= x <= self.size[0] and 0 <= y <= self.size[1]):
                remedy = f"must lie on the map, 0 to {self.size[0]:g} by 0 to {self.size[1]:g}"
                raise place.child("points").item(index).wrong([x, y], remedy)


def _shown(value: Any) -> object:
    return value if isinstance(value, int | str) else "{…}"
