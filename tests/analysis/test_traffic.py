"""The operators of QNA: published numbers, limits, and laws of mixing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.analysis.traffic import Stream, departure_scv, split, superposed

STREAMS = st.lists(st.builds(Stream, st.floats(0.01, 10), st.floats(0, 8)), min_size=1, max_size=6)


def test_departure():
    """ρ 0.8, arrivals 0.5, services 0.25."""
    assert departure_scv(0.8, 0.5, 0.25) == pytest.approx(0.34)


def test_split():
    """Three in ten of a stream of 0.25."""
    assert split(Stream(2.0, 0.25), 0.3) == Stream(0.6, pytest.approx(0.775))


def test_superposition():
    """Two streams of rate 0.4 and scv 4 at ρ 0.8: with Whitt's weight, and the plain average of the thesis."""
    two = [Stream(0.4, 4.0), Stream(0.4, 4.0)]
    assert superposed(two, load=0.8).scv == pytest.approx(3.5862069, abs=5e-8)
    assert superposed(two) == Stream(0.8, pytest.approx(4.0))


def test_uniform_intervals_are_not_constant():
    """The thesis (3.2.3.1) gives 0 for a uniform interval: that is the constant one's; uniform on [0, 2/λ] has 1/3."""
    from tidings.vocabulary.distribution import Constant, Uniform

    assert Constant(1.0).scv == 0.0
    assert Uniform(0.0, 2.0).scv == pytest.approx(1 / 3)


@given(STREAMS, st.floats(0, 0.99))
def test_one_stream_is_itself(streams, load):
    """A superposition of one, and rates add up."""
    assert superposed(streams[:1], load=load).scv == pytest.approx(streams[0].scv)
    assert superposed(streams, load=load).rate == pytest.approx(sum(stream.rate for stream in streams))


@given(STREAMS)
def test_a_busy_server_sees_the_average(streams):
    """At load 1 Whitt's weight is 1."""
    assert superposed(streams, load=1.0).scv == pytest.approx(superposed(streams).scv)


@given(st.floats(0, 8), st.floats(0.01, 1), st.floats(0.01, 1))
def test_splitting_twice(scv, one, other):
    """Keeping a share of a share is keeping their product."""
    twice = split(split(Stream(1.0, scv), one), other)
    assert twice.scv == pytest.approx(split(Stream(1.0, scv), one * other).scv)


@given(st.floats(0, 1), st.floats(0, 8))
def test_poisson_stays_poisson(load, scv):
    """M/M/1 lets out what came in (Burke); an idle server too, a full one its services."""
    assert departure_scv(load, 1.0, 1.0) == pytest.approx(1.0)
    assert departure_scv(0.0, scv, 0.3) == scv
    assert departure_scv(1.0, scv, 0.3) == pytest.approx(0.3)


def test_no_traffic():
    """Nothing is Poisson."""
    assert superposed([Stream(0.0, 4.0)]) == Stream(0.0, 1.0)
