"""Two-terminal reliability: published values, and a dumb twin that goes through all states."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.analysis.connection import Network, connection, disjoint_bound, disjoint_paths, path_availability


def bridge(works):
    """The five links that are no series and no parallel."""
    return Network(links=dict.fromkeys([("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t")], works), brokers={})


def twin(network, source, target):
    """Sum over all states of all parts."""
    names = list(dict.fromkeys([source, target, *itertools.chain(*network.links)]))
    parts = [(name, network.of_broker(name)) for name in names] + list(network.links.items())
    total = 0.0
    for state in itertools.product((True, False), repeat=len(parts)):
        chance, up = 1.0, {}
        for (part, works), on in zip(parts, state, strict=True):
            chance *= works if on else 1 - works
            up[part] = on
        if chance and up[source] and up[target]:
            reached, before = {source}, 0
            while len(reached) != before:
                before = len(reached)
                for ends in network.links:
                    if up[ends] and up[ends[0]] and up[ends[1]] and reached & set(ends):
                        reached |= set(ends)
            total += chance * (target in reached)
    return total


@pytest.mark.parametrize(("works", "truth"), [(0.5, 0.5), (0.9, 0.97848), (0.99, 0.9997980498)])
def test_bridge(works, truth):
    """To the digits of the books."""
    assert connection(bridge(works), "s", "t") == pytest.approx(truth, abs=5e-11)


@pytest.mark.parametrize(("works", "truth"), [(0.5, 0.75), (0.9, 0.997848)])
def test_complete_graph_of_four(works, truth):
    """K4."""
    network = Network(links=dict.fromkeys(itertools.combinations("sabt", 2), works), brokers={})
    assert connection(network, "s", "t") == pytest.approx(truth, abs=1e-10)


def three_paths():
    """Disjoint, of four links each."""
    links = {}
    for path in "abc":
        names = ["s", path + "1", path + "2", path + "3", "t"]
        links.update(dict.fromkeys(itertools.pairwise(names), 0.95))
    return links


def test_disjoint_paths():
    """Where there is nothing else, the bound is exact; with more links it is a lower bound."""
    network = Network(links=three_paths(), brokers={})
    assert disjoint_bound(network, "s", "t") == pytest.approx(0.9936175438, abs=5e-11)
    assert connection(network, "s", "t") == pytest.approx(0.9936175438, abs=5e-11)
    richer = Network(links=three_paths() | {("a1", "b2"): 0.95, ("b1", "c3"): 0.95}, brokers={})
    assert connection(richer, "s", "t") > disjoint_bound(richer, "s", "t")


@st.composite
def networks(draw):
    """Up to five brokers, up to six links; some never fail, some never work."""
    names = "stabc"[: draw(st.integers(2, 5))]
    shares = st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0])
    chosen = draw(st.lists(st.sampled_from(list(itertools.combinations(names, 2))), unique=True, max_size=6))
    return Network(
        links={ends: draw(shares) for ends in chosen},
        brokers={name: draw(shares) for name in names if draw(st.booleans())},
    )


@given(networks())
def test_against_all_states(network):
    """The diagram gives what the sum over all states gives; the bound is not above it."""
    truth = twin(network, "s", "t")
    assert connection(network, "s", "t") == pytest.approx(truth, abs=1e-10)
    assert disjoint_bound(network, "s", "t") <= truth + 1e-12


@given(networks())
def test_both_ways(network):
    """The way there is as good as the way back."""
    assert connection(network, "s", "t") == pytest.approx(connection(network, "t", "s"), abs=1e-10)


def test_one_broker():
    """A broker is joined to itself when it works."""
    network = Network(links={}, brokers={"s": 0.9})
    assert connection(network, "s", "s") == disjoint_bound(network, "s", "s") == 0.9
    assert connection(network, "s", "t") == disjoint_bound(network, "s", "t") == 0.0


def test_paths_share_no_broker():
    """And the direct link is used once."""
    network = Network(links=three_paths() | {("s", "t"): 0.5}, brokers={})
    paths = disjoint_paths(network, "s", "t")
    assert paths[0] == ("s", "t")
    inner = [name for path in paths for name in path[1:-1]]
    assert len(paths) == 4
    assert len(inner) == len(set(inner))


def test_path_availability():
    """The product of all parts, both directions alike."""
    network = Network(links={("a", "b"): 0.9, ("b", "c"): 0.8}, brokers={"b": 0.5, "c": 0.6})
    assert path_availability(network, ["a", "b", "c"]) == pytest.approx(0.9 * 0.8 * 0.5 * 0.6)
    assert path_availability(network, ["c", "b", "a"]) == pytest.approx(0.9 * 0.8 * 0.5 * 0.6)
    assert path_availability(network, ["c"]) == 0.6
