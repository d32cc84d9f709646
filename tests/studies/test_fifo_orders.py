"""Fig. 3: comparisons on the same arrivals, and the search for the best constant latch."""

import numpy as np
import pytest

from tidings.ordering import PredictiveReach, TwoLaplace
from tidings.studies import fifo_orders
from tidings.studies.fifo_orders import Result, best_constant, compare
from tidings.studies.fifo_setting import NetworkJob, network_flows
from tidings.studies.latch_flows import LatchSetting, constant
from tidings.studies.study_run import StudyRun

TOLERANT = LatchSetting(name="P-0.05-0", reach=PredictiveReach(TwoLaplace(1.0), 0.05))
RECORDED = LatchSetting(name="P-0.05-25", reach=PredictiveReach(TwoLaplace(1.0), 0.05), record=25)


@pytest.fixture(scope="module")
def chunks():
    """Flows of a small network in two chunks."""
    flows = network_flows(NetworkJob(seed=5, brokers=20, diameter=9, seconds=6.0, flows=16))
    return [tuple(flows[:8]), tuple(flows[8:])]


@pytest.fixture(scope="module")
def results(chunks):
    """No latch, two of the paper's, and a generous constant one."""
    names = [constant(0), TOLERANT, RECORDED, constant(10**10)]
    return dict(zip(("none", "basic", "record", "patient"), compare(StudyRun(), chunks, names), strict=True))


def test_all_latches_see_the_same(results):
    """As many messages, whatever the latch."""
    assert len({tuple(one.shown.tolist()) for one in results.values()}) == 1
    assert all(len(one.late) == 16 for one in results.values())


def test_latches_prevent_violations(results):
    """Basic mode most of them, a patient one all; none without a price."""
    assert results["basic"].violations < 0.2 * results["none"].violations
    assert results["patient"].violations == 0
    assert results["none"].median_ms == 0 < results["basic"].median_ms < results["patient"].median_ms


def test_a_record_makes_the_median_vanish(results):
    """Near zero, for a little less order than basic mode."""
    assert results["record"].median_ms < 0.1 * results["basic"].median_ms
    assert results["record"].violations < 0.4 * results["none"].violations


def test_the_search_finds_the_shortest(chunks, results):
    """It does what was asked for, and one that is 10 % shorter does not."""
    best = best_constant(StudyRun(), chunks, results["basic"].violations)
    assert best.violations <= results["basic"].violations
    hold_ns = float(best.name.removeprefix("CST-")) * 1e6
    (shorter,) = compare(StudyRun(), chunks, [constant(round(0.9 * hold_ns))])
    assert shorter.violations > results["basic"].violations


def test_shares_and_their_intervals():
    """Half prevented everywhere alike: no spread; unlike: some; nothing to prevent: nothing known."""
    base = np.array([10, 10, 10, 10])
    assert fifo_orders._ratio_interval(base // 2, base) == (0.5, 0.5, 0.5)
    share, low, high = fifo_orders._ratio_interval(np.array([0, 10, 0, 10]), base)
    assert (share, low < 0.5 < high) == (0.5, True)
    assert fifo_orders._ratio_interval(base * 0, base * 0)[1:] == (0, 1)


def test_the_papers_numbers_stand_beside_ours(results):
    """Where the paper has one for this latch."""
    rows = fifo_orders._prevented(results["basic"], results["none"])
    assert [row.paper for row in rows] == [0.995, None]
    rows = fifo_orders._prevented(results["record"], results["none"])
    assert [row.paper for row in rows] == [None, "nearly 0", 190]
    rows = fifo_orders._beside(results["basic"], Result("CST-35.0", *(np.array([1]),) * 3))
    assert [(row.paper, row.ours) for row in rows] == [(250, 35.0), (None, 1000.0)]


def test_plots_have_a_place_for_every_latch(results):
    """Words under the axis, quartiles as ranges."""
    shown = list(results.values())
    plot = fifo_orders._extra(shown, [])
    assert len(plot.categories) == len(plot.curves[0].y) == 4
    assert fifo_orders._violations(results["none"], shown).categories[0] == "none"
