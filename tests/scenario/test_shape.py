"""The bare form of an overlay."""

import pytest

from tidings.scenario.shape import Shape, shape_of


def test_brokers_are_numbered_and_links_sorted():
    """Whatever the order and direction of the pairs."""
    shape = shape_of(11, [(10, 2), (1, 0), (2, 3)])
    assert shape.brokers[:2] == ("b0", "b1")
    assert shape.brokers[-1] == "b10"
    assert shape.links == (("b0", "b1"), ("b2", "b3"), ("b2", "b10"))


def test_a_form_without_delays_leaves_them_to_the_links():
    """And has no sites unless they are given."""
    shape = Shape(brokers=("a",), links=())
    assert shape.delays_ns is None
    assert shape.sites == {}
    with pytest.raises(AttributeError):
        shape.brokers = ()
