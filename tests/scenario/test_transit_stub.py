"""Brokers on an internetwork: the routers' ways are what the links are long."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.scenario import transit_stub as module
from tidings.scenario.transit_stub import nearest_pairs, router_distances, transit_stub
from tidings.vocabulary.overlay import Overlay
from tidings.vocabulary.streams import Streams

SMALL = {"transit_domains": 2, "transit_routers": 3, "stubs": 2, "stub_routers": 4}
seeds = st.integers(0, 2**63 - 1)


def laid_out(seed, **options):
    """A network of routers as an overlay, with the network itself."""
    network = module.lay_out(options, Streams(seed)("x"))
    return network, network.overlay()


def test_ten_thousand_routers_by_default():
    """Connected, with 9,900 of them in stub domains and no way between stubs but over transit routers."""
    network, overlay = laid_out(1)
    assert network.routers == 10_000
    assert len(network.stub_routers) == 9_900
    assert overlay.is_connected
    assert network.stub_routers == list(range(100, 10_000))
    stub_of = {router: (router - 100) // 33 for router in network.stub_routers}
    crossing = [(a, b) for a, b in network.links if a in stub_of and b in stub_of and stub_of[a] != stub_of[b]]
    assert crossing == []


def test_gateways_join_stubs_to_their_transit_router():
    """Exactly one link for each stub domain."""
    network, _ = laid_out(1)
    gateways = [(a, (b - 100) // 33) for a, b in network.links if a < 100 <= b]
    assert sorted(gateways) == [(stub // 3, stub) for stub in range(300)]


@given(seeds)
def test_small_networks_are_connected(seed):
    """Whatever the dice say; delays are whole nanoseconds in the range of their kind."""
    network, overlay = laid_out(seed, **SMALL)
    assert overlay.is_connected
    assert network.routers == 6 * 9
    assert all(500_000 <= delay <= 60_000_000 and delay.is_integer() for delay in network.links.values())


@given(seeds, st.integers(1, 12))
def test_links_are_as_long_as_the_shortest_way(seed, count):
    """The bulk distances are the plain ones."""
    network, overlay = laid_out(seed, **SMALL)
    places = Streams(seed)("places").choice(network.stub_routers, size=count, replace=False).tolist()
    bulk = router_distances(network, places)
    for row, place in enumerate(places):
        plain = overlay.distances_from(str(place))
        assert bulk[row].tolist() == [plain[str(other)] for other in places]


@given(seeds, st.integers(1, 12))
def test_full_mesh_without_degree(seed, count):
    """Each with each, every delay positive, no triangle shorter over a third."""
    shape = transit_stub({"brokers": count, **SMALL}, Streams(seed)("x"))
    assert len(shape.links) == math.comb(count, 2)
    assert all(delay > 0 for delay in shape.delays_ns)
    overlay = Overlay(shape.brokers, shape.links, shape.delays_ns)
    for one, other in shape.links:
        assert overlay.distances_from(one)[other] == overlay.delay_ns(one, other)


@given(seeds, st.integers(2, 14), st.integers(1, 4))
def test_nearest_neighbours(seed, count, degree):
    """Connected; every broker has its nearest; delays are those of the full mesh."""
    degree = min(degree, count - 1)
    mesh = transit_stub({"brokers": count, **SMALL}, Streams(seed)("x"))
    shape = transit_stub({"brokers": count, "degree": degree, **SMALL}, Streams(seed)("x"))
    far = dict(zip(mesh.links, mesh.delays_ns, strict=True))
    overlay = Overlay(shape.brokers, shape.links, shape.delays_ns)
    assert overlay.is_connected
    assert all(far[link] == delay for link, delay in zip(shape.links, shape.delays_ns, strict=True))
    for broker in overlay.brokers:
        lengths = sorted(delay for link, delay in far.items() if broker in link)
        linked = sorted(overlay.delay_ns(broker, other) for other in overlay.neighbours(broker))
        assert linked[:degree] == lengths[:degree]


def kruskal(apart, pairs):
    """The shortest links that join the parts which `pairs` leave, one by one over all pairs."""
    part = {node: {node} for node in range(len(apart))}
    added = []
    shortest = sorted((apart[pair], *pair) for pair in itertools.combinations(range(len(apart)), 2))
    for distance, one, other in [(0, *pair) for pair in pairs] + shortest:
        if part[one] is not part[other]:
            part[one] |= part[other]
            for node in part[other]:
                part[node] = part[one]
            if distance:
                added.append(distance)
    return added


@given(st.integers(2, 12), seeds)
def test_parts_are_joined_by_their_shortest_links(count, seed):
    """Prim's tree gives what Kruskal's takes from all pairs."""
    points = Streams(seed)("points").random((count, 2)) * [10, 1]
    apart = np.hypot(*(points[:, None] - points[None, :]).transpose(2, 0, 1))
    pairs = nearest_pairs(apart, 1)
    nearest = [int(np.argsort(row + 1e9 * (np.arange(count) == node))[0]) for node, row in enumerate(apart)]
    own = {(min(pair), max(pair)) for pair in enumerate(nearest)}
    joins = kruskal(apart, sorted(own))
    assert own <= set(pairs)
    assert sorted(apart[pair] for pair in set(pairs) - own) == pytest.approx(sorted(joins))


def test_one_broker_needs_no_links():
    """With or without a degree."""
    assert nearest_pairs(np.zeros((1, 1)), 1) == []
    for options in ({"brokers": 1, **SMALL}, {"brokers": 1, "degree": 1, **SMALL}):
        assert transit_stub(options, Streams(1)("x")).links == ()


def test_delays_can_be_set():
    """All links of one length: distances count hops."""
    delays = dict.fromkeys(("between_delay", "transit_delay", "gateway_delay", "stub_delay"), "1ms")
    shape = transit_stub({"brokers": 10, **SMALL, **delays}, Streams(1)("x"))
    assert all(delay % 1_000_000 == 0 and delay > 0 for delay in shape.delays_ns)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"brokers": 2001}, "brokers = 2001 must be a whole number from 1 to 2000"),
        ({"brokers": 5, "degree": 5}, "degree = 5 must be a whole number from 1 to 4"),
        ({"brokers": 49, **SMALL}, "brokers = 49 but there are 48 stub routers; take fewer brokers, or more stubs"),
        ({"brokers": 5, "stubs": 0}, "stubs = 0 must be a whole number from 1"),
        ({"brokers": 5, "stubs": 100, "stub_routers": 100}, "make 1000100 routers; at most 100000 are possible"),
        ({"brokers": 5, "stub_delay": 5}, "stub_delay: value = 5 must be a duration"),
    ],
)
def test_impossible_networks_are_refused(options, problem):
    """With the option and what would be right."""
    with pytest.raises(ValueError, match=problem):
        transit_stub(options, Streams(1)("x"))
