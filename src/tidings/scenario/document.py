"""The whole scenario file as a table of tables, and the rules between its parts that need no drawing."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from tidings.scenario.client_tables import PublisherEntry, SubscriberEntry, TopicEntry, TopicsTable
from tidings.scenario.kinds import ENTRIES_MAX, POSITIVE_DURATION, TEXT, whole, words_of
from tidings.scenario.mobility_tables import HandoffTable
from tidings.scenario.on_the_map import off_the_map
from tidings.scenario.overlay_tables import BrokerEntry, LinkEntry, MapTable, OverlayTable, TreeEntry
from tidings.scenario.parquet_lists import read_entries
from tidings.scenario.promise_tables import (
    MECHANISMS_OF,
    CrashEntry,
    FaultsTable,
    OrderingTable,
    ReliabilityTable,
    RoutingTable,
)
from tidings.scenario.schema import Kind, dump_table, key, read_table, table_kind
from tidings.scenario.source import Place, Source
from tidings.vocabulary.streams import SEED_MAX

T = TypeVar("T")
VERSION: Final = 1
RUNS_MAX: Final = 100_000


def entries(table: type[T]) -> Kind[tuple[T, ...]]:
    """An array of tables, or the name of a Parquet file that holds it. The size of either file bounds its length."""

    def read(value: object, place: Place) -> tuple[T, ...]:
        if isinstance(value, str):
            rows = read_entries(place, value)
            inside: Sequence[object] = rows
            place = dataclasses.replace(place, file=str(place.companion(value)))
        elif isinstance(value, list):
            inside = value
        else:
            remedy = f"must be tables, each under [[{place.key}]], or the name of a Parquet file that holds them"
            raise place.wrong(value, remedy)
        return tuple(read_table(table, one, place.item(index)) for index, one in enumerate(inside))

    return Kind("tables, or a Parquet file", read, lambda found: [dump_table(one) for one in found])


def _version(value: object, place: Place) -> int:
    if value is not True and value == VERSION:
        return VERSION
    raise place.wrong(value, f"must be {VERSION}, the version of the format; write tidings = {VERSION} on top")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A scenario file: parsed and checked, nothing drawn yet. Its attributes are the file's keys."""

    source: Source
    tidings: int = key(Kind("1", _version), "the version of the format")
    name: str | None = key(TEXT, "what to call it; the file's name without it", default=None)
    seed: int = key(whole(0, SEED_MAX), "decides every draw", default=1, always=True)
    duration: int = key(POSITIVE_DURATION, "publishing stops here, and what fails is repaired")
    runs: int = key(whole(1, RUNS_MAX), "repetitions, with seed, seed + 1, …", default=1, always=True)
    overlay: OverlayTable | None = key(
        table_kind(OverlayTable, "a table"), "brokers and links, generated", default=None
    )
    broker: tuple[BrokerEntry, ...] = key(entries(BrokerEntry), "brokers by name", default=())
    link: tuple[LinkEntry, ...] = key(entries(LinkEntry), "links by name", default=())
    map: MapTable | None = key(table_kind(MapTable, "a table"), "access points for roaming subscribers", default=None)
    topics: TopicsTable | None = key(table_kind(TopicsTable, "a table"), "topics drawn by popularity", default=None)
    topic: tuple[TopicEntry, ...] = key(entries(TopicEntry), "topics by name", default=())
    publisher: tuple[PublisherEntry, ...] = key(entries(PublisherEntry), "clients that publish", default=())
    subscriber: tuple[SubscriberEntry, ...] = key(entries(SubscriberEntry), "clients that want events", default=())
    tree: tuple[TreeEntry, ...] = key(entries(TreeEntry), "spanning trees by name", default=())
    crash: tuple[CrashEntry, ...] = key(entries(CrashEntry), "components that stop and come back", default=())
    faults: FaultsTable = key(table_kind(FaultsTable, "a table"), "failures in episodes", default=FaultsTable())
    routing: RoutingTable = key(
        table_kind(RoutingTable, "a table"), "how events find their way", default=RoutingTable(), always=True
    )
    reliability: ReliabilityTable = key(
        table_kind(ReliabilityTable, "a table"),
        "what is done against failures",
        default=ReliabilityTable(),
        always=True,
    )
    ordering: OrderingTable = key(
        table_kind(OrderingTable, "a table"), "the order promised", default=OrderingTable(), always=True
    )
    mobility: HandoffTable | None = key(
        table_kind(HandoffTable, "a table"), "hand-off between access points", default=None
    )

    @property
    def path(self) -> Path:
        """The file it was read from."""
        return self.source.path

    def place(self, name: str, index: int | None = None) -> Place:
        """Where a key of the top level stands, for complaints; `index` for an entry of a list."""
        whole_key = Place(self.source, name)
        return whole_key if index is None else whole_key.item(index)

    def check(self, place: Place) -> None:
        """Rules between the parts."""
        self._check_sources(place)
        self._check_combination(place)
        self._check_counts(place)
        for name in ("broker", "topic", "tree"):
            _refuse_doubles(place.child(name), [getattr(one, "id", None) or one.name for one in getattr(self, name)])

    def _check_sources(self, place: Place) -> None:
        shapeless = self.overlay is None or (self.overlay.generate is None and self.overlay.file is None)
        if shapeless and not self.broker and self.map is None:
            raise place.child("overlay").wrong(None, "is missing; describe brokers by [overlay], [[broker]] or [map]")
        if self.topics is not None and self.topic:
            raise place.child("topic").wrong("…", "give [topics] or [[topic]], not both")
        if self.overlay is not None and self.overlay.needs_brokers and self.map is None:
            raise place.child("overlay.brokers").wrong(None, "is missing; say how many brokers to generate")
        if self.map is None:
            for index, one in enumerate(self.subscriber):
                if one.mobility is not None:
                    where = place.child("subscriber").item(index).child("mobility")
                    raise where.wrong(one.mobility.model, "moves on a map; add [map] with its access points")
            if self.mobility is not None:
                raise place.child("mobility").wrong("…", "is about access points; add [map], or leave it out")
        else:
            self._check_walks(place, self.map.size)

    def _check_walks(self, place: Place, size: tuple[float, float]) -> None:
        for index, one in enumerate(self.subscriber):
            found = None if one.mobility is None else off_the_map(one.mobility, size)
            if found is not None:
                where = place.child("subscriber").item(index).child("mobility").child(found[0])
                raise where.wrong(found[1], f"must lie on the map, 0 to {size[0]:g} by 0 to {size[1]:g}")

    def _check_combination(self, place: Place) -> None:
        scheme, mechanism = self.routing.scheme, self.reliability.mechanism
        possible = MECHANISMS_OF[scheme]
        if mechanism not in possible:
            known = " or ".join(f'"{one}"' for one in possible)
            remedy = f'with [routing] scheme = "{scheme}" it must be {known}; scheme "tree" goes with every mechanism'
            raise place.child("reliability.mechanism").wrong(mechanism, remedy)

    def _check_counts(self, place: Place) -> None:
        for name in ("publisher", "subscriber"):
            total = sum(one.count or 1 for one in getattr(self, name))
            if total > ENTRIES_MAX:
                remedy = f"makes {total} of them together; at most {ENTRIES_MAX} are possible, lower a count"
                raise place.child(name).wrong(f"{total} copies", remedy)


def _refuse_doubles(place: Place, names: Sequence[Any]) -> None:
    seen: dict[Any, int] = {}
    doubles = [name for index, name in enumerate(names) if seen.setdefault(name, index) != index]
    if doubles:
        raise place.wrong(words_of(doubles), "is listed twice; each needs a name of its own")
