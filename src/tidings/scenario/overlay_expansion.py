"""Brokers and links, drawn: a generated or read form, refined by entries with names."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from tidings.scenario.chance import Delay, ServiceTime
from tidings.scenario.document import Scenario
from tidings.scenario.generate import KINDS, generate
from tidings.scenario.graphml import GRAPHML_OPTIONS, read_graphml
from tidings.scenario.link_laws import link_law, outage_law
from tidings.scenario.overlay_tables import BrokerEntry, ClientLink, LinkEntry, OverlayTable
from tidings.scenario.schema import dump_table, unknown
from tidings.scenario.shape import MESH_MAX, Shape
from tidings.scenario.source import Place
from tidings.scenario.world import Broker, Link, Service
from tidings.vocabulary.distribution import Constant
from tidings.vocabulary.overlay import Overlay
from tidings.vocabulary.streams import Streams

_NO_SHAPE: Final = Shape(brokers=(), links=())


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpandedOverlay:
    """The brokers and links of a world, and what clients need to know of them."""

    brokers: tuple[Broker, ...]
    links: tuple[Link, ...]
    graph: Overlay
    """With the mean delays of the links."""
    sites: Mapping[str, tuple[str, ...]]
    """Brokers by site, in order; empty unless every broker has a site."""
    site_by_broker: Mapping[str, str | None]
    near: ClientLink | None
    """What the scenario says about the links of clients."""
    notes: tuple[str, ...]
    """What of a file was not taken as it stood."""

    @property
    def places(self) -> tuple[str, ...]:
        """All sites at which brokers are, "" for brokers without one, in the order of the brokers."""
        return tuple(dict.fromkeys(site or "" for site in self.site_by_broker.values()))

    def site_of(self, broker: str) -> str | None:
        """The place where the broker stands, if it is said."""
        return self.site_by_broker[broker]


def expand_overlay(scenario: Scenario, streams: Streams) -> ExpandedOverlay:
    """Draw brokers and links; ScenarioError where they do not fit together."""
    table = scenario.overlay or OverlayTable()
    shape, notes = _shape(scenario, table, streams)
    brokers = _brokers(scenario, table, shape)
    _check_map(scenario, brokers)
    links = _links(scenario, table, shape, brokers, streams)
    graph = Overlay(
        tuple(brokers), tuple(link.between for link in links), tuple(link.law.mean_delay_ns for link in links)
    )
    return ExpandedOverlay(
        brokers=tuple(brokers.values()),
        links=links,
        graph=graph,
        sites=_sites(brokers),
        site_by_broker={name: broker.site for name, broker in brokers.items()},
        near=table.near,
        notes=notes,
    )


def _shape(scenario: Scenario, table: OverlayTable, streams: Streams) -> tuple[Shape, tuple[str, ...]]:
    place = scenario.place("overlay")
    if table.generate is not None:
        given = dump_table(table)
        options = {name: given[name] for name in KINDS[table.generate] if name in given}
        if table.needs_brokers and scenario.map is not None:
            options["brokers"] = len(scenario.map.points)
        try:
            return generate(table.generate, options, streams), ()
        except ValueError as problem:
            raise place.child("generate").wrong(table.generate, str(problem)) from None
    if table.file is not None:
        return _shape_of_file(place.child("file"), table)
    if scenario.map is not None and not scenario.broker:
        return _mesh_of_points(scenario.place("map").child("points"), len(scenario.map.points)), ()
    return _NO_SHAPE, ()


def _shape_of_file(place: Place, table: OverlayTable) -> tuple[Shape, tuple[str, ...]]:
    assert table.file is not None
    path = place.companion(table.file)
    given = dump_table(table)
    options: dict[str, object] = {name: given[name] for name in GRAPHML_OPTIONS if name in given}
    located = table.link is None or table.link.delay is None
    try:
        found = read_graphml(path, options, located=located)
    except ValueError as problem:
        raise place.wrong(table.file, str(problem)) from None
    return found.shape, found.notes


def _mesh_of_points(place: Place, count: int) -> Shape:
    if count > MESH_MAX:
        raise place.wrong(f"{count} points", f"more than {MESH_MAX} are not linked each with each; add an [overlay]")
    names = tuple(f"b{index}" for index in range(count))
    return Shape(brokers=names, links=tuple(combinations(names, 2)))


def _brokers(scenario: Scenario, table: OverlayTable, shape: Shape) -> dict[str, Broker]:
    entries = {name: BrokerEntry(id=name) for name in shape.brokers} | {one.id: one for one in scenario.broker}
    return {
        name: Broker(
            id=name,
            site=entry.site or shape.sites.get(name),
            service=_service(entry.service or table.service),
            outages=outage_law([entry, table]),
        )
        for name, entry in entries.items()
    }


def _service(service: ServiceTime | None) -> Service | None:
    if service is None or service.law == Constant(0.0):
        return None
    return Service(law=service.law, per_subscription=service.per_subscription)


def _check_map(scenario: Scenario, brokers: Mapping[str, Broker]) -> None:
    if scenario.map is not None and len(brokers) != len(scenario.map.points):
        remedy = f"there are {len(brokers)} brokers; the points are where they stand, one for each, in their order"
        raise scenario.place("map").child("points").wrong(f"{len(scenario.map.points)} points", remedy)


def _links(
    scenario: Scenario, table: OverlayTable, shape: Shape, brokers: Mapping[str, Broker], streams: Streams
) -> tuple[Link, ...]:
    entries = _link_entries(scenario, brokers)
    delays = shape.delays_ns or (None,) * len(shape.links)
    links = []
    for ends, delay_ns in zip(shape.links, delays, strict=True):
        own = entries.pop(frozenset(ends), None)
        links.append(_link(ends, own, table, delay_ns, streams))
    links.extend(_link(entry.between, entry, table, None, streams) for entry in entries.values())
    return tuple(links)


def _link(
    ends: tuple[str, str], own: LinkEntry | None, table: OverlayTable, delay_ns: float | None, streams: Streams
) -> Link:
    template = table.link or table.far
    keys: list[ClientLink] = [one for one in (own, template) if one is not None]
    if delay_ns is not None:
        keys.append(ClientLink(delay=Delay(law=Constant(delay_ns))))
    by_itself = own is not None and own.delay is not None
    per = "packet" if by_itself or table.link is None else "link"
    return Link(
        between=ends,
        law=link_law(keys, per=per, streams=streams, name=f"delay of link {ends[0]} {ends[1]}"),
        outages=outage_law([one for one in (own, template) if one is not None]),
        recorded_outages=own.outages if own is not None else (),
    )


def _link_entries(scenario: Scenario, brokers: Mapping[str, Broker]) -> dict[frozenset[str], LinkEntry]:
    entries: dict[frozenset[str], LinkEntry] = {}
    for index, entry in enumerate(scenario.link):
        place = scenario.place("link", index).child("between")
        for name in entry.between:
            if name not in brokers:
                raise place.wrong(list(entry.between), f"{name}: {unknown('broker', name, brokers)}")
        ends = frozenset(entry.between)
        if len(ends) == 1:
            raise place.wrong(list(entry.between), "joins a broker to itself; a link needs two brokers")
        if ends in entries:
            raise place.wrong(list(entry.between), "is listed twice; one link joins two brokers, in both directions")
        entries[ends] = entry
    return entries


def _sites(brokers: Mapping[str, Broker]) -> dict[str, tuple[str, ...]]:
    sites: dict[str, list[str]] = {}
    for name, broker in brokers.items():
        if broker.site is None:
            return {}
        sites.setdefault(broker.site, []).append(name)
    return {site: tuple(names) for site, names in sites.items()}
