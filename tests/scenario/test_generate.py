"""Generated overlays: form, determinism, and what is refused."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.scenario.generate import KINDS, generate
from tidings.scenario.shape import BROKERS_MAX, MESH_MAX
from tidings.vocabulary.overlay import Overlay
from tidings.vocabulary.streams import Streams

SMALL = {"transit_domains": 2, "transit_routers": 2, "stubs": 2, "stub_routers": 5}
EXAMPLES = [
    ("line", {"brokers": 7}),
    ("star", {"brokers": 7}),
    ("tree", {"brokers": 7}),
    ("random", {"brokers": 8, "degree": 3}),
    ("full", {"brokers": 7}),
    ("sites", {"sites": 7}),
    ("transit-stub", {"brokers": 7, **SMALL}),
    ("transit-stub", {"brokers": 7, "degree": 2, **SMALL}),
]

seeds = st.integers(0, 2**63 - 1)
sizes = st.integers(1, 30)


def overlay_of(shape):
    """As a graph, with a hop as the unit where the form has no delays."""
    return Overlay(shape.brokers, shape.links, shape.delays_ns or (1.0,) * len(shape.links))


def made(kind, seed=1, **options):
    """The overlay, checked for names that are there, links once, and one part."""
    overlay = overlay_of(generate(kind, options, Streams(seed)))
    assert overlay.brokers == tuple(f"b{place}" for place in range(len(overlay.brokers)))
    assert overlay.is_connected
    return overlay


@given(sizes, seeds)
def test_lines(count, seed):
    """Each to the next."""
    overlay = made("line", seed, brokers=count)
    assert overlay.links == tuple((f"b{place}", f"b{place + 1}") for place in range(count - 1))


@given(sizes, seeds)
def test_stars(count, seed):
    """The first is in the middle."""
    overlay = made("star", seed, brokers=count)
    assert overlay.links == tuple(("b0", f"b{place}") for place in range(1, count))


@given(sizes, seeds)
def test_trees(count, seed):
    """No loops; other seeds give other trees."""
    assert made("tree", seed, brokers=count).is_tree


def test_trees_differ_by_seed():
    """Ten seeds, ten trees of thirty brokers."""
    assert len({made("tree", seed, brokers=30).links for seed in range(10)}) == 10


@given(st.integers(4, 30), st.integers(2, 6), seeds)
def test_random_overlays(count, degree, seed):
    """Exactly that many neighbours for every broker."""
    degree = min(degree, count - 1)
    degree -= count * degree % 2
    overlay = made("random", seed, brokers=count, degree=degree)
    assert {len(overlay.neighbours(broker)) for broker in overlay.brokers} == {degree}


def test_the_least_random_overlay():
    """Two brokers of degree 1."""
    assert made("random", brokers=2, degree=1).links == (("b0", "b1"),)


@given(sizes)
def test_full_meshes(count):
    """Each with each."""
    assert len(made("full", brokers=count).links) == math.comb(count, 2)


@given(st.integers(1, 12))
def test_sites(count):
    """A broker for each site, each linked with each."""
    shape = generate("sites", {"sites": count}, Streams(1))
    assert len(shape.links) == math.comb(count, 2)
    assert dict(shape.sites) == {f"b{place}": f"site{place}" for place in range(count)}


def test_sites_by_name():
    """Sites can be listed."""
    shape = generate("sites", {"sites": ["oslo", "lima"]}, Streams(1))
    assert dict(shape.sites) == {"b0": "oslo", "b1": "lima"}
    assert shape.links == (("b0", "b1"),)


def test_only_delays_that_the_form_knows():
    """Transit-stub measures its links; the others leave them to the scenario."""
    for kind, options in EXAMPLES:
        shape = generate(kind, options, Streams(1))
        assert (shape.delays_ns is not None) == (kind == "transit-stub")
        assert bool(shape.sites) == (kind == "sites")


@pytest.mark.parametrize(("kind", "options"), EXAMPLES)
def test_the_seed_decides(kind, options):
    """The same seed, the same overlay; the order of the options does not matter."""
    again = dict(reversed(options.items()))
    assert generate(kind, options, Streams(9)) == generate(kind, again, Streams(9))


def test_every_kind_is_tried_here():
    """No kind without an example."""
    assert {kind for kind, _ in EXAMPLES} == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "options", "problem"),
    [
        ("lien", {"brokers": 5}, "no overlay is called 'lien'; did you mean \"line\""),
        ("?", {}, "no overlay is called '\\?'; there are line, star"),
        ("line", {}, "brokers is missing; a whole number from 1 to"),
        ("line", {"brokers": 0}, "brokers = 0 must be a whole number from 1"),
        ("line", {"brokers": 2.0}, "brokers = 2.0 must be a whole number"),
        ("line", {"brokers": True}, "brokers = True must be a whole number"),
        ("tree", {"brokers": BROKERS_MAX + 1}, f"must be a whole number from 1 to {BROKERS_MAX}"),
        ("line", {"brokers": 5, "degree": 2}, "line has no option 'degree'"),
        ("full", {"brokers": MESH_MAX + 1}, f"from 1 to {MESH_MAX}"),
        ("random", {"brokers": 5}, "degree is missing"),
        ("random", {"brokers": 5, "degree": 5}, "degree = 5 with 5 brokers: a broker has at most 4 neighbours"),
        ("random", {"brokers": 5, "degree": 3}, "must be even; take degree 2, or 6 brokers"),
        ("random", {"brokers": 4, "degree": 1}, "degree = 1 cannot join 4 brokers; at least 2"),
        ("random", {"brokers": 1, "degree": 1}, "degree = 1 with 1 brokers"),
        ("random", {"brokers": 100_000, "degree": 1000}, "makes more than 1999000 links"),
        ("sites", {}, "sites is missing"),
        ("sites", {"sites": []}, "sites has 0 names"),
        ("sites", {"sites": ["a", "a"]}, "sites names a twice"),
        ("transit-stub", {"brokers": 5, "stub": 3}, "transit-stub has no option 'stub'; did you mean \"stubs\""),
    ],
)
def test_impossible_overlays_are_refused(kind, options, problem):
    """With the option and what would be right."""
    with pytest.raises(ValueError, match=problem):
        generate(kind, options, Streams(1))
