"""Who stands in for whom in a tree, against the definition in the thesis."""

from hypothesis import given
from hypothesis import strategies as st

from tidings.routing.bypass import TreeView
from tidings.routing.trees import tree_neighbours

THESIS = tree_neighbours([("b1", "b2"), ("b2", "b3"), ("b2", "b4"), ("b4", "b5")])
"""As in its Fig. 5.2, and one broker more."""


def view(here="b1", neighbours=THESIS):
    """A tree seen from a broker."""
    return TreeView(here, neighbours)


def test_the_children_of_a_failed_broker_stand_in_for_it():
    """As in Fig. 5.2."""
    assert view().stand_ins("b2", lambda name: name != "b2") == ("b3", "b4")


def test_a_broker_that_can_be_reached_stands_for_itself():
    """Whatever has failed beyond it."""
    assert view().stand_ins("b2", lambda _name: True) == ("b2",)
    assert view().stand_ins("b4", lambda name: name != "b5") == ("b4",)


def test_children_that_failed_too_have_children():
    """And where a branch has failed altogether, nobody stands in for it."""
    assert view().stand_ins("b2", lambda name: name not in ("b2", "b4")) == ("b3", "b5")
    assert view().stand_ins("b2", lambda name: name == "b3") == ("b3",)
    assert view().stand_ins("b2", lambda _name: False) == ()


def test_it_depends_on_where_one_stands():
    """Children are always farther away."""
    assert view("b5").stand_ins("b4", lambda name: name != "b4") == ("b2",)
    assert view("b5").side("b1") == "b4"
    assert view("b2").side("b1") == "b1"
    assert view("b2").side("b5") == "b4"


def test_strangers_and_oneself_are_on_no_side():
    """So is everybody in a tree in which one is alone."""
    assert view().side("b1") is None
    assert view().side("x") is None
    assert TreeView("b1", {}).side("b2") is None


def test_a_long_line_is_no_trouble():
    """Thousands of brokers may fail in a row."""
    line = tree_neighbours([(f"b{number}", f"b{number + 1}") for number in range(5_000)])
    assert view("b0", line).stand_ins("b1", lambda name: name == "b5000") == ("b5000",)


@st.composite
def trees(draw):
    """A random tree, one of its brokers, and those that can be reached from there."""
    size = draw(st.integers(2, 9))
    links = [(f"b{draw(st.integers(0, child - 1))}", f"b{child}") for child in range(1, size)]
    names = [f"b{number}" for number in range(size)]
    here = draw(st.sampled_from(names))
    return links, here, draw(st.sets(st.sampled_from(names))) | {here}


def path(links, one, other):
    """By brute force, the brokers between two, both included."""
    neighbours = tree_neighbours(links)
    ways = [(one,)]
    for way in ways:
        if way[-1] == other:
            return way
        ways += [(*way, name) for name in neighbours[way[-1]] if name not in way]
    return None


@given(trees())
def test_stand_ins_are_the_first_on_every_path_that_can_be_reached(case):
    """By brute force over all paths: whoever can be reached, with nobody on the path before it who can."""
    links, here, reached = case
    seen = TreeView(here, tree_neighbours(links))
    for neighbour in tree_neighbours(links)[here]:
        side = [name for name in tree_neighbours(links) if name != here and path(links, here, name)[1] == neighbour]
        assert [seen.side(name) for name in side] == [neighbour] * len(side)
        firsts = {name for name in side if [one for one in path(links, here, name)[1:] if one in reached][:1] == [name]}
        found = seen.stand_ins(neighbour, reached.__contains__)
        assert set(found) == firsts
        assert len(found) == len(firsts)
