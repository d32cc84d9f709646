"""Overlays from GraphML files: lengths, names, and everything that a real file can lack."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.scenario import graphml
from tidings.scenario.graphml import EARTH_RADIUS_KM, FILE_BYTES_MAX, distance_km, read_graphml
from tidings.scenario.graphml_text import Node
from tidings.scenario.shape import BROKERS_MAX
from tidings.vocabulary.overlay import Overlay

DATA = Path(__file__).parent / "data"
ZOO = Path(__file__).resolve().parents[3] / "shared" / "data" / "topology_zoo" / "graphml"
QUARTER_NS = round(EARTH_RADIUS_KM * math.pi / 2 / 200 * 1e6)

with_the_zoo = pytest.mark.skipif(not ZOO.is_dir(), reason="shared data absent: no topology_zoo beside the project")

points = st.tuples(st.floats(-90, 90), st.floats(-180, 180))


def read(name, located=True, **options):
    """One of the files here."""
    return read_graphml(DATA / name, options, located=located)


def written(folder, body, keys=True):
    """A file with this graph."""
    head = '<key id="n" for="node" attr.name="label"/><key id="la" attr.name="Latitude"/><key id="lo" attr.name="Longitude"/>'
    path = folder / "own.graphml"
    path.write_text(f"<graphml>{head if keys else ''}<graph>{body}</graph></graphml>", encoding="utf-8")
    return path


def node(identifier, latitude="0", longitude="0", label=None):
    """A node with data."""
    name = "" if label is None else f'<data key="n">{label}</data>'
    return f'<node id="{identifier}">{name}<data key="la">{latitude}</data><data key="lo">{longitude}</data></node>'


def test_links_are_as_long_as_the_great_circle():
    """A quarter of the earth each way, light in fibre."""
    found = read("triangle.graphml")
    assert found.shape.brokers == ("Quito", "New York", "North & Pole")
    assert found.shape.links == (("Quito", "New York"), ("North & Pole", "New York"), ("Quito", "North & Pole"))
    assert found.shape.delays_ns == pytest.approx([QUARTER_NS] * 3, abs=1)
    assert all(delay.is_integer() for delay in found.shape.delays_ns)
    assert found.notes == ("named anew: 'New  York' is 'New York'",)


def test_cables_are_longer():
    """By the factor that is given."""
    assert read("triangle.graphml", inflation=2).shape.delays_ns[0] == pytest.approx(2 * QUARTER_NS, abs=1)


def test_without_coordinates_where_the_scenario_gives_delays():
    """Nothing is measured, nothing is missed."""
    found = read("parts.graphml", located=False, component="largest")
    assert found.shape.brokers == ("Lima", "Cusco", "Tacna")
    assert found.shape.delays_ns is None


def test_parallel_edges_become_one_link():
    """In either direction; it is said how many were left out."""
    found = read("parallel.graphml")
    assert found.shape.links == (("a", "b"), ("b", "c"))
    assert found.notes == ("left out, parallel to others: 2 edges",)


def test_one_parallel_edge(tmp_path):
    """The note counts properly."""
    path = written(tmp_path, node("a") + node("b") + 2 * '<edge source="a" target="b"/>')
    assert read_graphml(path).notes == ("left out, parallel to others: 1 edge",)


def test_nodes_without_coordinates_are_refused():
    """By name, with the ways out."""
    with pytest.raises(ValueError, match=r"^parts\.graphml: no coordinates for node 4 \(Tacna\) \(1 of 5\)") as raised:
        read("parts.graphml")
    for remedy in ('unlocated = "drop"', 'unlocated = "5ms"', "the delay of every link"):
        assert remedy in str(raised.value)


def test_nodes_without_coordinates_can_be_dropped():
    """With their links, before the parts are counted."""
    found = read("parts.graphml", unlocated="drop", component="largest")
    assert found.shape.brokers == ("Oslo", "Pune")
    assert found.shape.links == (("Oslo", "Pune"),)
    assert found.notes == (
        "left out, without coordinates: node 4 (Tacna)",
        "left out, not in the largest of 2 parts: node 1 (Lima), node 3 (Cusco)",
    )


def test_links_to_nowhere_can_be_given_a_delay():
    """Inflation is for measured ones."""
    found = read("parts.graphml", unlocated="7ms", component="largest", inflation=3.0)
    assert found.shape.brokers == ("Lima", "Cusco", "Tacna")
    assert found.shape.delays_ns[1] == 7_000_000
    assert found.shape.delays_ns[0] == pytest.approx(3 * distance_km((-12, -77), (-13.5, -72)) / 200 * 1e6, abs=1)


def test_parts_are_refused():
    """With the nodes of each."""
    with pytest.raises(ValueError, match="falls into 2 parts") as raised:
        read("parts.graphml", unlocated="1ms")
    message = str(raised.value)
    assert "(node 0 (Oslo), node 2 (Pune); node 1 (Lima), node 3 (Cusco), node 4 (Tacna))" in message
    assert 'component = "largest"' in message


def test_many_parts_are_cut_short(tmp_path):
    """A message stays readable."""
    path = written(tmp_path, "".join(node(number) for number in range(9)))
    with pytest.raises(ValueError, match=r"falls into 9 parts .* \(node 0; node 1; node 2; node 3; node 4; …\)"):
        read_graphml(path)
    assert read_graphml(path, {"component": "largest"}).shape.brokers == ("0",)


def test_one_node_is_an_overlay(tmp_path):
    """Without links."""
    shape = read_graphml(written(tmp_path, node("a"))).shape
    assert (shape.brokers, shape.links, shape.delays_ns) == (("a",), (), ())


def test_names_are_made_unique(tmp_path):
    """In the order of the file, without taking a name that another node has; signs that separate become dashes."""
    labels = ["Oslo", "Oslo", "Oslo-2", "Oslo", "a:b/c", "tab\there", None, "  "]
    body = "".join(node(number, label=label) for number, label in enumerate(labels))
    body += "".join(f'<edge source="0" target="{number}"/>' for number in range(1, len(labels)))
    found = read_graphml(written(tmp_path, body))
    assert found.shape.brokers == ("Oslo", "Oslo-3", "Oslo-2", "Oslo-4", "a-b-c", "tab here", "6", "7")
    assert found.notes[0].startswith("named anew: 'Oslo' is 'Oslo-3', 'Oslo' is 'Oslo-4', 'a:b/c' is 'a-b-c'")


@given(st.lists(st.text(max_size=4) | st.sampled_from(["a", "a-2", "a-3"]), max_size=12))
def test_names_are_unique_printable_and_kept_where_they_can(labels):
    """For any labels."""
    names = graphml._unique_names({str(place): Node(label) for place, label in enumerate(labels)})
    assert list(names) == [str(place) for place in range(len(labels))]
    assert len(set(names.values())) == len(labels)
    assert all(name.isprintable() and name.strip() == name != "" for name in names.values())
    first_of = {label: str(place) for place, label in reversed(list(enumerate(labels)))}
    assert all(names[first_of[label]] == label for label in first_of if label and graphml._clean(label) == label)


def test_long_names_are_cut():
    """And a node whose identifier says nothing still has a name."""
    names = graphml._unique_names({"x": Node("n" * 500), "\x00": Node()})
    assert [len(name) for name in names.values()] == [200, 4]


@given(points, points)
def test_distances_are_symmetric_and_bounded(one, other):
    """Nobody is further away than the antipodes."""
    assert distance_km(one, other) == pytest.approx(distance_km(other, one), abs=1e-6)
    assert 0 <= distance_km(one, other) <= EARTH_RADIUS_KM * math.pi + 1e-6
    assert distance_km(one, one) == 0


@given(points, points)
def test_distances_are_angles_between_vectors(one, other):
    """Against the other formula, which is exact except for tiny and nearly opposite angles."""

    def vector(point):
        latitude, longitude = map(math.radians, point)
        return math.cos(latitude) * math.cos(longitude), math.cos(latitude) * math.sin(longitude), math.sin(latitude)

    cosine = sum(a * b for a, b in zip(vector(one), vector(other), strict=True))
    angle = math.acos(max(-1.0, min(1.0, cosine)))
    assert distance_km(one, other) == pytest.approx(EARTH_RADIUS_KM * angle, abs=1)


def test_known_distances():
    """London to New York is 5,570 km, within half a percent."""
    assert distance_km((51.5074, -0.1278), (40.7128, -74.0060)) == pytest.approx(5570, rel=0.005)
    assert distance_km((0, 0), (0, 180)) == pytest.approx(math.pi * EARTH_RADIUS_KM)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("", "has no nodes; an overlay needs at least one"),
        (node("a") + '<edge source="a" target="z"/>', "edge a – z ends at z, which is no node of the file"),
        (node("a", label="Oslo") + '<edge source="a" target="a"/>', r"node a \(Oslo\) is linked to itself; take that"),
        (node("a", latitude="91"), "node a has the coordinates '91', '0'; latitude must be a number from -90 to 90"),
        (node("a", longitude="-181"), "longitude from -180 to 180"),
        (node("a", latitude="north"), "node a has the coordinates 'north', '0'"),
        (node("a", latitude="nan"), "node a has the coordinates 'nan', '0'"),
        (node("a", latitude="inf"), "node a has the coordinates 'inf', '0'"),
        (node("a", latitude=""), "no coordinates for node a"),
        (node("a", longitude=""), "no coordinates for node a"),
    ],
)
def test_wrong_graphs_are_refused(tmp_path, body, problem):
    """With the file, the node and what would be right."""
    with pytest.raises(ValueError, match=problem) as raised:
        read_graphml(written(tmp_path, body))
    assert str(raised.value).startswith("own.graphml: ")


def test_dropping_all_is_refused(tmp_path):
    """An overlay needs brokers."""
    path = written(tmp_path, '<node id="a"/>')
    with pytest.raises(ValueError, match='unlocated = "drop" leaves none; give a delay instead'):
        read_graphml(path, {"unlocated": "drop"})


def test_too_many_nodes_are_refused(tmp_path):
    """Before anything is computed."""
    path = written(tmp_path, "".join(f'<node id="{number}"/>' for number in range(BROKERS_MAX + 1)))
    with pytest.raises(ValueError, match=f"has {BROKERS_MAX + 1} nodes; at most {BROKERS_MAX} are possible"):
        read_graphml(path)


def test_files_that_cannot_be_read_are_refused(tmp_path):
    """Absent ones, folders, and those that are too large."""
    with pytest.raises(ValueError, match=r"none\.graphml: cannot be read \(No such file"):
        read_graphml(tmp_path / "none.graphml")
    with pytest.raises(ValueError, match="cannot be read"):
        read_graphml(tmp_path)
    large = tmp_path / "large.graphml"
    with large.open("wb") as file:
        file.truncate(FILE_BYTES_MAX + 1)
    with pytest.raises(ValueError, match=r"large\.graphml: more than 20 MB"):
        read_graphml(large)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"inflatoin": 2}, "a GraphML file has no option 'inflatoin'; did you mean \"inflation\""),
        ({"inflation": 0}, "inflation = 0 must be a factor above 0"),
        ({"inflation": "2"}, "inflation = '2' must be a factor above 0"),
        ({"inflation": True}, "inflation = True must be a factor above 0"),
        ({"inflation": math.nan}, "inflation = nan must be a factor above 0"),
        ({"component": "first"}, 'component = \'first\' must be "all" or "largest"'),
        ({"unlocated": "skip"}, 'unlocated = \'skip\' must be "refuse", "drop" or the delay'),
        ({"unlocated": 5}, "unlocated = 5 must be"),
    ],
)
def test_wrong_options_are_refused(options, problem):
    """Whatever the file."""
    with pytest.raises(ValueError, match=problem):
        read("triangle.graphml", **options)


def remedy(path, options):
    """The option that the refusal of this file names; nothing where it loads."""
    try:
        read_graphml(path, options)
    except ValueError as refusal:
        return {"unlocated": "5ms"} if 'unlocated = "5ms"' in str(refusal) else {"component": "largest"}
    return {}


@with_the_zoo
def test_real_networks_load_or_say_how():
    """Every network of the zoo loads with the options that its refusals name, and is then one overlay."""
    plain = 0
    for path in sorted(ZOO.glob("*.graphml")):
        first = remedy(path, {})
        shape = read_graphml(path, first | remedy(path, first)).shape
        plain += not first
        assert Overlay(shape.brokers, shape.links, shape.delays_ns).is_connected
    assert plain > 20


@with_the_zoo
def test_abilene():
    """Eleven cities across America: within 5 and 60 ms from coast to coast."""
    shape = read_graphml(ZOO / "Abilene.graphml").shape
    overlay = Overlay(shape.brokers, shape.links, shape.delays_ns)
    assert len(shape.brokers) == 11
    assert len(shape.links) == 14
    assert 15e6 < overlay.distances_from("New York")["Los Angeles"] < 40e6
