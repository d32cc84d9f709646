"""Reaches: what each kind makes of the same samples, and how often the next difference exceeds it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import InputError
from tidings.ordering.delay_law import LaplaceSum, TwoLaplace
from tidings.ordering.predictive import SAMPLES_MIN
from tidings.ordering.reach import BernsteinReach, ChebyshevReach, EmpiricalReach, PlainReach, PredictiveReach, reach_of
from tidings.ordering.samples import Samples

TWO = TwoLaplace(1.0)
KINDS = {
    "predictive": lambda tolerance: PredictiveReach(TWO, tolerance),
    "plain": lambda tolerance: PlainReach(TWO, tolerance),
    "empirical": EmpiricalReach,
    "chebyshev": ChebyshevReach,
    "bernstein": lambda tolerance: BernsteinReach(tolerance, 2),
}
kinds = pytest.mark.parametrize("kind", KINDS)


def filled(reach, differences):
    """A buffer of the size that the reach asks for, with these in."""
    samples = Samples(reach.size)
    for difference in differences:
        samples.add(difference)
    return samples


def exceeded(reach, draw, law_survival, trials=1_500, seed=21):
    """How often the next difference exceeds the reach, averaged over buffers of consecutive differences."""
    generator = np.random.default_rng(seed)
    chances = []
    for _ in range(trials):
        differences = np.diff(draw(generator, reach.size + 1) * 1e9).astype(np.int64).tolist()
        chances.append(reach.reach_ns(filled(reach, differences)) / 1e9)
    return float(np.mean(law_survival(np.array(chances))))


def two_hops(generator, count):
    """Delays of the model."""
    return generator.gamma(2.0, size=count)


@pytest.mark.parametrize("tolerance", [0.05, 0.01])
def test_predictive_and_empirical_keep_the_tolerance(tolerance):
    """Under the model; the plain quantile does not."""
    assert 0.85 * tolerance < exceeded(KINDS["predictive"](tolerance), two_hops, TWO.survival) < tolerance
    assert exceeded(EmpiricalReach(tolerance), two_hops, TWO.survival) < tolerance
    assert exceeded(KINDS["plain"](tolerance), two_hops, TWO.survival) > 1.1 * tolerance


def test_only_the_empirical_one_is_to_be_trusted_under_heavy_tails():
    """Delays with a power tail: the model's quantile at 0.01 is exceeded too often, the ranked sample is not."""

    def heavy(generator, count):
        return generator.pareto(1.5, size=count)

    generator = np.random.default_rng(9)
    pool = np.sort(heavy(generator, 400_000) - heavy(generator, 400_000))

    def survival(reaches):
        return 1 - np.searchsorted(pool, reaches) / len(pool)

    assert exceeded(KINDS["predictive"](0.01), heavy, survival) > 0.015
    assert exceeded(EmpiricalReach(0.01), heavy, survival) < 0.011


@pytest.mark.parametrize("kind", ["chebyshev", "bernstein"])
def test_bounds_are_wide(kind):
    """They are exceeded far less often than allowed."""
    assert exceeded(KINDS[kind](0.05), two_hops, TWO.survival, trials=300) < 0.03


@given(st.sampled_from(sorted(KINDS)), st.lists(st.integers(-(10**9), 10**9), min_size=200, max_size=250))
def test_the_unit_is_that_of_the_samples(kind, differences):
    """A thousand times the differences, a thousand times the reach, but for rounding up."""
    reach = KINDS[kind](0.01)
    small = reach.reach_ns(filled(reach, differences))
    large = reach.reach_ns(filled(reach, [1_000 * one for one in differences]))
    assert 0 <= 1_000 * small - large <= 1_000


@kinds
def test_delays_that_never_vary_need_no_waiting(kind):
    """A reach of 0."""
    reach = KINDS[kind](0.05)
    assert reach.reach_ns(filled(reach, [0] * reach.size)) == 0


@kinds
def test_a_smaller_tolerance_reaches_further(kind):
    """From the same samples."""
    differences = np.random.default_rng(1).laplace(0, 1e6, 200).astype(np.int64).tolist()
    reaches = [KINDS[kind](tolerance) for tolerance in (0.2, 0.05, 0.02)]
    found = [reach.reach_ns(filled(reach, differences)) for reach in reaches]
    assert found == sorted(found)
    assert found[0] < found[-1]


@pytest.mark.parametrize(
    ("kind", "fewest"),
    [("predictive", SAMPLES_MIN), ("plain", 1), ("empirical", 9), ("chebyshev", 5), ("bernstein", 5)],
)
def test_too_few_samples_give_no_reach(kind, fewest):
    """None, not a guess, at a tolerance of 0.05."""
    reach = KINDS[kind](0.05)
    assert reach.reach_ns(filled(reach, [5] * (fewest - 1))) is None
    assert reach.reach_ns(filled(reach, [5] * fewest)) is not None


def test_the_empirical_rank_by_hand():
    """25 samples at 0.05: rank 24 of 25, above which a 26th lies with 2 in 26, half of them on the upper side."""
    reach = EmpiricalReach(0.05)
    assert (reach.size, reach.needed) == (36, 9)
    assert reach.reach_ns(filled(reach, range(1, 26))) == 24
    assert reach.reach_ns(filled(reach, range(1, 10))) == 9
    assert EmpiricalReach(0.6).reach_ns(filled(reach, [7])) == 0
    assert EmpiricalReach(0.001).size == 4 * 499


def test_while_samples_are_few_the_empirical_one_may_ask_another():
    """At 0.001 it needs 499; up to then the model is better than nothing."""
    reach, model = EmpiricalReach(0.001, until=PredictiveReach(TWO, 0.001)), PredictiveReach(TWO, 0.001)
    few, enough = filled(reach, range(498)), filled(reach, range(499))
    assert reach.reach_ns(few) == model.reach_ns(few) > 498
    assert reach.reach_ns(enough) == 498
    assert EmpiricalReach(0.001).reach_ns(few) is None


def test_latches_have_names():
    """Those of the scenarios."""
    assert reach_of("predictive", 0.01) == PredictiveReach(TWO, 0.01)
    assert reach_of("plain", 0.01, law=LaplaceSum((1.0,))) == PlainReach(LaplaceSum((1.0,)), 0.01)
    assert reach_of("empirical", 0.01) == EmpiricalReach(0.01, until=PredictiveReach(TWO, 0.01))
    assert reach_of("constant", 0.01) is None
    with pytest.raises(InputError, match="predictive, plain, empirical or constant"):
        reach_of("static", 0.01)


def test_plain_is_the_papers():
    """The scale by moments, then −b(W₋₁(−4e⁻²P) + 2): 3.2718121 b at 0.05."""
    reach = PlainReach(TWO, 0.05)
    assert reach.reach_ns(filled(reach, [10**9] * 25)) == math.ceil(3.2718120603562934 * 2 / 3 * 10**9)


def test_predictive_lies_above_plain():
    """It pays for the estimate's own error, and for the events in between."""
    differences = [10**9] * 25
    plain, predictive = (KINDS[kind](0.05) for kind in ("plain", "predictive"))
    ratio = predictive.reach_ns(filled(predictive, differences)) / plain.reach_ns(filled(plain, differences))
    assert 1.05 < ratio < 1.15
    exact = PredictiveReach(LaplaceSum((1.0,) * 5), 0.05)
    assert exact.reach_ns(filled(exact, differences)) < predictive.reach_ns(filled(predictive, differences))


@kinds
@pytest.mark.parametrize("tolerance", [0.0, 1.0, math.nan])
def test_impossible_tolerances_are_refused(kind, tolerance):
    """When it is made."""
    with pytest.raises(InputError, match="tolerance"):
        KINDS[kind](tolerance)


def test_impossible_sizes_and_hops_are_refused():
    """A buffer that never suffices, and hops that nobody takes."""
    for call in (
        lambda: PredictiveReach(TWO, 0.05, size=4),
        lambda: PlainReach(TWO, 0.05, size=0),
        lambda: EmpiricalReach(0.05, size=0),
        lambda: ChebyshevReach(0.05, size=4),
        lambda: BernsteinReach(0.05, 2, size=4),
        lambda: BernsteinReach(0.05, 0),
        lambda: BernsteinReach(0.05, 65),
    ):
        with pytest.raises(InputError):
            call()
