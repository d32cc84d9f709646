"""Brokers on a random internetwork of transit and stub domains.

The structure follows Zegura, Calvert and Bhattacharjee, "How to Model an Internetwork", INFOCOM 1996: transit domains
linked with each other, and at every transit router some stub domains, each reached through one gateway link. Domains
are random trees with further random links. Brokers stand on different stub routers, drawn evenly; the routers are
then left out: what remains are links between brokers, as long as the shortest way over the routers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidings.scenario.options import whole
from tidings.scenario.random_graph import Pairs, tree_and_more
from tidings.scenario.shape import MESH_MAX, Shape
from tidings.vocabulary.distribution import Distribution, distribution_from
from tidings.vocabulary.overlay import Overlay

ROUTERS_MAX: Final = 100_000

_COUNTS: Final = {"transit_domains": 10, "transit_routers": 10, "stubs": 3, "stub_routers": 33}
"""10 × 10 transit routers with 3 × 33 stub routers each: 10,000 routers."""
_DELAYS: Final = {
    "between_delay": {"dist": "uniform", "low": "20ms", "high": "60ms"},
    "transit_delay": {"dist": "uniform", "low": "5ms", "high": "20ms"},
    "gateway_delay": {"dist": "uniform", "low": "1ms", "high": "5ms"},
    "stub_delay": {"dist": "uniform", "low": "500us", "high": "2ms"},
}
"""Between transit domains, inside them, from them to stub domains, and inside those; drawn once for each link."""

TRANSIT_STUB_OPTIONS: Final = (*_COUNTS, *_DELAYS)


@dataclass(slots=True)
class RouterNetwork:
    """The routers while they are being laid out."""

    generator: np.random.Generator
    laws: Mapping[str, Distribution]
    routers: int = 0
    stubs: list[range] = field(default_factory=list)
    """The routers of each stub domain."""
    links: dict[tuple[int, int], float] = field(default_factory=dict)

    @property
    def stub_routers(self) -> list[int]:
        """Of all stub domains."""
        return [router for stub in self.stubs for router in stub]

    def overlay(self) -> Overlay:
        """As brokers, named by their numbers."""
        names = tuple(map(str, range(self.routers)))
        links = tuple((names[one], names[other]) for one, other in self.links)
        return Overlay(names, links, tuple(self.links.values()))

    def add_domain(self, size: int, extra: int, law: str) -> range:
        """A connected domain of new routers."""
        first = self.routers
        self.routers += size
        self.add_links([(first + a, first + b) for a, b in tree_and_more(size, extra, self.generator)], law)
        return range(first, self.routers)

    def add_links(self, pairs: Pairs, law: str) -> None:
        """Links with delays of the named law, whole nanoseconds; one that is there already stays."""
        delays = np.maximum(np.rint(self.laws[law].sample(self.generator, len(pairs))), 0.0).tolist()
        for pair, delay_ns in zip(pairs, delays, strict=True):
            self.links.setdefault(pair, delay_ns)

    def any_of(self, routers: range) -> int:
        """One of them, drawn evenly."""
        return routers[int(self.generator.integers(len(routers)))]


def transit_stub(options: Mapping[str, object], generator: np.random.Generator) -> Shape:
    """Brokers `b0`, … with the delays of their shortest ways: each with each, or with its `degree` nearest.

    Where the nearest alone leave the overlay in parts, the shortest ways between the parts are added. `degree` is
    thus the least number of neighbours. Raises ValueError for what cannot be.
    """
    count = whole(options, "brokers", 1, MESH_MAX)
    degree = whole(options, "degree", 1, max(1, count - 1)) if "degree" in options else None
    network = lay_out(options, generator)
    if count > len(network.stub_routers):
        raise ValueError(
            f"brokers = {count} but there are {len(network.stub_routers)} stub routers; take fewer brokers, or more "
            "stubs or stub_routers"
        )
    places = generator.choice(network.stub_routers, size=count, replace=False).tolist()
    distances = router_distances(network, places)
    pairs = list(combinations(range(count), 2)) if degree is None else nearest_pairs(distances, degree)
    names = tuple(f"b{place}" for place in range(count))
    return Shape(
        brokers=names,
        links=tuple((names[one], names[other]) for one, other in pairs),
        delays_ns=tuple(float(distances[pair]) for pair in pairs),
    )


def lay_out(options: Mapping[str, object], generator: np.random.Generator) -> RouterNetwork:
    """The routers alone, 10,000 unless the options say otherwise. Raises ValueError for what cannot be."""
    domains, transit, stubs, size = (whole(options, key, 1, 1_000, default) for key, default in _COUNTS.items())
    routers = domains * transit * (1 + stubs * size)
    if routers > ROUTERS_MAX:
        raise ValueError(f"{', '.join(_COUNTS)} make {routers} routers; at most {ROUTERS_MAX} are possible")
    laws = {key: _delay_law(key, options.get(key, default)) for key, default in _DELAYS.items()}
    network = RouterNetwork(generator, laws)
    backbone = [network.add_domain(transit, transit, "transit_delay") for _ in range(domains)]
    between = tree_and_more(domains, domains // 2, generator)
    ends = [(network.any_of(backbone[a]), network.any_of(backbone[b])) for a, b in between]
    network.add_links(ends, "between_delay")
    for router in range(domains * transit):
        for _ in range(stubs):
            stub = network.add_domain(size, size // 2, "stub_delay")
            network.add_links([(router, network.any_of(stub))], "gateway_delay")
            network.stubs.append(stub)
    return network


def _delay_law(key: str, value: object) -> Distribution:
    try:
        return distribution_from(value, unit="duration")
    except ValueError as problem:
        raise ValueError(f"{key}: {problem}") from None


def router_distances(network: RouterNetwork, places: list[int]) -> NDArray[np.float64]:
    """Shortest ways over the routers between the routers at `places`, row and column by place."""
    return network.overlay().distance_matrix(list(map(str, places)))[:, places]


def nearest_pairs(distances: NDArray[np.float64], degree: int) -> Pairs:
    """Each with its `degree` nearest (ties: smaller number first), and what it takes to be connected."""
    count = len(distances)
    if count < 2:
        return []
    apart = distances + np.diag(np.full(count, np.inf))
    nearest = np.argsort(apart, axis=1, kind="stable")[:, :degree].tolist()
    pairs = {(min(one, other), max(one, other)) for one, others in enumerate(nearest) for other in others}
    part = list(range(count))
    for one, other in sorted(pairs):
        _join(part, one, other)
    for one, other in _spanning_pairs(apart):
        if _join(part, one, other):
            pairs.add((one, other))
    return sorted(pairs)


def _spanning_pairs(apart: NDArray[np.float64]) -> Pairs:
    """The links of a shortest spanning tree, shortest first (Prim, one row at a time)."""
    count = len(apart)
    reach, parent = apart[0].copy(), np.zeros(count, dtype=np.int64)
    outside = np.ones(count, dtype=bool)
    outside[0] = False
    found: list[tuple[float, int, int]] = []
    for _ in range(count - 1):
        node = int(np.argmin(np.where(outside, reach, np.inf)))
        outside[node] = False
        origin = int(parent[node])
        found.append((float(reach[node]), min(node, origin), max(node, origin)))
        nearer = apart[node] < reach
        reach[nearer], parent[nearer] = apart[node][nearer], node
    return [(one, other) for _, one, other in sorted(found)]


def _join(part: list[int], one: int, other: int) -> bool:
    """Unites the parts of both; False when they were one already."""
    roots = []
    for node in (one, other):
        while part[node] != node:
            part[node] = part[part[node]]
            node = part[node]  # noqa: PLW2901 - walking up
        roots.append(node)
    part[max(roots)] = min(roots)
    return roots[0] != roots[1]
