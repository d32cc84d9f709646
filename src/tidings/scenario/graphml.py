"""An overlay from a GraphML file with coordinates, such as those of the Internet Topology Zoo.

(Knight et al., "The Internet Topology Zoo", IEEE JSAC 29(9), 2011.) A link is as long as the great circle between its
ends, and light covers about 200 km of glass fibre in a millisecond (refractive index near 1.5). Cables do not follow
great circles: `inflation` multiplies; measured routes are 1.4 to 4.4 times as long. What a file leaves open is an
error that names the option which decides it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NoReturn, TypeAlias

from tidings.scenario.graphml_text import Markup, Node, parse_markup
from tidings.scenario.options import unknown_key
from tidings.scenario.shape import BROKERS_MAX, Shape
from tidings.vocabulary.instant import MILLISECOND, parse_duration
from tidings.vocabulary.overlay import Overlay

FILE_BYTES_MAX: Final = 20_000_000
FIBRE_KM_PER_MS: Final = 200.0
EARTH_RADIUS_KM: Final = 6371.0088
"""The mean radius; a sphere is off by half a percent at most."""
NAME_MAX: Final = 200

GRAPHML_OPTIONS: Final = ("inflation", "component", "unlocated")

_SHOWN: Final = 5
_Ends: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFile:
    """What a file gave, and a sentence for each thing that was not taken as it stood."""

    shape: Shape
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Choices:
    """The options, read; `unlocated_ns` None with `drop_unlocated` False refuses."""

    inflation: float
    largest: bool
    drop_unlocated: bool
    unlocated_ns: int | None


@dataclass(frozen=True, slots=True)
class _Graph:
    """What is left of the file so far, still under the file's own identifiers."""

    file: str
    nodes: Mapping[str, Node]
    edges: tuple[_Ends, ...]
    notes: tuple[str, ...] = ()

    def refuse(self, problem: str) -> NoReturn:
        """The file cannot be used."""
        raise ValueError(f"{self.file}: {problem}")

    def without(self, dropped: frozenset[str], note: str) -> "_Graph":
        """The same without these nodes and their edges."""
        return replace(
            self,
            nodes={key: node for key, node in self.nodes.items() if key not in dropped},
            edges=tuple(ends for ends in self.edges if not dropped.intersection(ends)),
            notes=(*self.notes, note),
        )


def read_graphml(path: Path, options: Mapping[str, object] | None = None, *, located: bool = True) -> GraphFile:
    """The brokers and links of the file, in its order; brokers are named by their labels, made unique.

    Links are undirected; parallel ones are equally long, so one of them stays.

    Args:
        path: at most 20 MB of GraphML, without a document type.
        options: `inflation` (a factor above 0; 1), `component` ("all" or "largest": what to take of a graph in
            parts; "all" refuses it) and `unlocated` ("refuse", "drop" or a duration: what to do with nodes without
            coordinates; the duration is the delay of their links).
        located: False when the scenario gives the delays: then coordinates do not matter and `delays_ns` is None.

    Raises:
        ValueError: with a sentence that names the file, the node where there is one, and what would be right.
    """
    choices = _choices({} if options is None else options)
    graph = _checked(path.name, parse_markup(path.name, _content(path)))
    if located:
        graph = _placed(graph, choices)
    graph = _single_links(_connected(graph, choices))
    names = _unique_names(graph.nodes)
    shape = Shape(
        brokers=tuple(names.values()),
        links=tuple((names[one], names[other]) for one, other in graph.edges),
        delays_ns=tuple(_delay_ns(graph, ends, choices) for ends in graph.edges) if located else None,
    )
    labels = {key: node.label or key for key, node in graph.nodes.items()}
    renamed = [f"{label!r} is {names[key]!r}" for key, label in labels.items() if label != names[key]]
    notes = (*graph.notes, f"named anew: {_some(renamed)}") if renamed else graph.notes
    return GraphFile(shape=shape, notes=notes)


def distance_km(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Great-circle distance between two points, (latitude, longitude) in degrees (haversine formula)."""
    (latitude, longitude), (latitude_other, longitude_other) = (
        (math.radians(point[0]), math.radians(point[1])) for point in (one, other)
    )
    across = math.sin((latitude_other - latitude) / 2) ** 2
    along = math.cos(latitude) * math.cos(latitude_other) * math.sin((longitude_other - longitude) / 2) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(min(1.0, across + along)))


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except OSError as problem:
        raise ValueError(f"{path.name}: cannot be read ({problem.strerror}); name a GraphML file") from None
    if len(content) > FILE_BYTES_MAX:
        raise ValueError(f"{path.name}: more than {FILE_BYTES_MAX // 1_000_000} MB; a smaller file is needed")
    return content


def _choices(options: Mapping[str, object]) -> _Choices:
    for key in options:
        if key not in GRAPHML_OPTIONS:
            raise unknown_key("a GraphML file", key, GRAPHML_OPTIONS)
    inflation = options.get("inflation", 1.0)
    if isinstance(inflation, bool) or not isinstance(inflation, int | float) or not 0 < inflation <= 1_000:
        raise ValueError(
            f"inflation = {inflation!r} must be a factor above 0, at most 1000; real routes have 1.4 to 4.4"
        )
    component = options.get("component", "all")
    if component not in ("all", "largest"):
        raise ValueError(f'component = {component!r} must be "all" or "largest"')
    unlocated = options.get("unlocated", "refuse")
    drop, delay_ns = unlocated == "drop", None
    if unlocated not in ("refuse", "drop"):
        try:
            delay_ns = parse_duration(unlocated if isinstance(unlocated, str) else "")
        except ValueError:
            raise ValueError(
                f'unlocated = {unlocated!r} must be "refuse", "drop" or the delay of links to nodes without '
                'coordinates, as in "5ms"'
            ) from None
    return _Choices(float(inflation), component == "largest", drop, delay_ns)


def _checked(file: str, markup: Markup) -> _Graph:
    """Every edge joins two nodes that are there."""
    graph = _Graph(file, markup.nodes, markup.edges)
    if not graph.nodes:
        graph.refuse("has no nodes; an overlay needs at least one")
    if len(graph.nodes) > BROKERS_MAX:
        graph.refuse(f"has {len(graph.nodes)} nodes; at most {BROKERS_MAX} are possible")
    for one, other in graph.edges:
        for end in (one, other):
            if end not in graph.nodes:
                graph.refuse(f"edge {one} – {other} ends at {end}, which is no node of the file")
        if one == other:
            graph.refuse(f"{_shown(graph, one)} is linked to itself; take that edge out of the file")
    return graph


def _placed(graph: _Graph, choices: _Choices) -> _Graph:
    """Coordinates are right, and what to do without them is decided."""
    missing = [key for key, node in graph.nodes.items() if _point(graph, node, key) is None]
    if not missing or choices.unlocated_ns is not None:
        return graph
    names = _some([_shown(graph, key) for key in missing])
    if not choices.drop_unlocated:
        graph.refuse(
            f"no coordinates for {names} ({len(missing)} of {len(graph.nodes)}); add them, or say in the scenario "
            'unlocated = "drop", unlocated = "5ms" (the delay of their links), or the delay of every link'
        )
    if len(missing) == len(graph.nodes):
        graph.refuse('no node has coordinates, so unlocated = "drop" leaves none; give a delay instead')
    return graph.without(frozenset(missing), f"left out, without coordinates: {names}")


def _point(graph: _Graph, node: Node, key: str) -> tuple[float, float] | None:
    """Latitude and longitude, or None where one of them is missing."""
    if node.latitude is None or node.longitude is None:
        return None
    try:
        latitude, longitude = float(node.latitude), float(node.longitude)
    except ValueError:
        latitude = longitude = math.nan
    if not (abs(latitude) <= 90 and abs(longitude) <= 180):
        graph.refuse(
            f"{_shown(graph, key)} has the coordinates {node.latitude!r}, {node.longitude!r}; latitude must be a number "
            "from -90 to 90 and longitude from -180 to 180"
        )
    return latitude, longitude


def _connected(graph: _Graph, choices: _Choices) -> _Graph:
    """One part, or the largest of them (the first of equals)."""
    links = tuple(dict.fromkeys((min(ends), max(ends)) for ends in graph.edges))
    parts = Overlay(tuple(graph.nodes), links, (0.0,) * len(links)).components()
    if len(parts) == 1:
        return graph
    shown = "; ".join(_some([_shown(graph, key) for key in part]) for part in parts[:_SHOWN])
    if not choices.largest:
        more = "; …" if len(parts) > _SHOWN else ""
        graph.refuse(
            f"falls into {len(parts)} parts without a way between them ({shown}{more}); add links to the file, or say "
            'component = "largest"'
        )
    largest: tuple[str, ...] = max(parts, key=len)
    kept = frozenset(largest)
    dropped = [key for key in graph.nodes if key not in kept]
    names = _some([_shown(graph, key) for key in dropped])
    return graph.without(frozenset(dropped), f"left out, not in the largest of {len(parts)} parts: {names}")


def _single_links(graph: _Graph) -> _Graph:
    """Each pair once; parallel edges have the same ends and therefore the same length."""
    single: dict[frozenset[str], _Ends] = {}
    for ends in graph.edges:
        single.setdefault(frozenset(ends), ends)
    surplus = len(graph.edges) - len(single)
    if not surplus:
        return graph
    note = f"left out, parallel to others: {surplus} edge{'s' if surplus > 1 else ''}"
    return replace(graph, edges=tuple(single.values()), notes=(*graph.notes, note))


def _delay_ns(graph: _Graph, ends: _Ends, choices: _Choices) -> float:
    """Whole nanoseconds."""
    one, other = (_point(graph, graph.nodes[end], end) for end in ends)
    if one is None or other is None:
        assert choices.unlocated_ns is not None
        return float(choices.unlocated_ns)
    return float(round(distance_km(one, other) / FIBRE_KM_PER_MS * choices.inflation * MILLISECOND))


def _unique_names(nodes: Mapping[str, Node]) -> dict[str, str]:
    """A broker's name for every node: its label made printable, numbered (`-2`, `-3` …) where it is there already."""
    wished = {key: _clean(node.label) or _clean(key) or "node" for key, node in nodes.items()}
    reserved = set(wished.values())
    names: dict[str, str] = {}
    taken: set[str] = set()
    counts: dict[str, int] = {}
    for key, wish in wished.items():
        name = wish
        while name in taken or (name != wish and name in reserved):
            counts[wish] = counts.get(wish, 1) + 1
            name = f"{wish}-{counts[wish]}"
        taken.add(name)
        names[key] = name
    return names


def _clean(label: str | None) -> str:
    """Printable, single spaces, and without the signs that separate names elsewhere."""
    if label is None:
        return ""
    kept = "".join("-" if sign in ':/\\<>"$' else sign if sign.isprintable() else " " for sign in label)
    return " ".join(kept.split())[:NAME_MAX].strip()


def _shown(graph: _Graph, key: str) -> str:
    label = graph.nodes[key].label
    return f"node {key}" if not label else f"node {key} ({label})"


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
