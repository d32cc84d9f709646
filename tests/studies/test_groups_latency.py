"""Fig. 3 and 4: times of single messages by hand, stretch of small worlds, and the figures."""

import numpy as np
import pytest

from tidings.ordering.placement import Journey
from tidings.studies import groups_latency
from tidings.studies.groups_latency import (
    CHOICES,
    OURS,
    PUBLISHED,
    LatencyJob,
    latencies,
    measured,
    stretch_figures,
    times,
)
from tidings.studies.groups_setting import Membership
from tidings.studies.study_run import StudyRun


class OnALine:
    """Machine and host n at n, a nanosecond apart."""

    def __init__(self, *hosts):
        self.hosts = list(hosts)

    def delays(self, machine):
        """From one machine to all."""
        return np.abs(np.arange(10.0) - machine)

    def unicast(self):
        """Between hosts."""
        return np.array([self.delays(host)[self.hosts] for host in self.hosts])


def test_times_of_messages():
    """In to the first node, on to the last, and out."""
    line = OnALine()
    found = times(Journey((7, 8), (0, 4)), {7: 1, 8: 5}, line.delays)
    assert found.tolist() == [[1 + 4 + 5, 1 + 4 + 1], [3 + 4 + 5, 3 + 4 + 1]]


def test_stretch_is_by_destination():
    """Two hosts and one node: there and back against straight; who hears of nobody is left out."""
    members, line = Membership(((0, 1), (2,))), OnALine(0, 4, 9)
    found = measured(members, {"g0": Journey((0,), (0, 4))}, {0: 6}, line)
    assert found.stretch.tolist() == [2.0, 2.0]
    assert found.pair_stretch.tolist() == [2.0, 2.0]
    assert found.pairs.tolist() == [[4e-6, 2.0], [4e-6, 2.0]]
    assert found.visits == 1.0


def test_means_of_times_and_of_ratios_differ():
    """One sender near and one far: the near one's ratio is large and its time small."""
    members, line = Membership(((0, 1, 2),)), OnALine(0, 1, 9)
    found = measured(members, {"g0": Journey((0,), (0, 1, 9))}, {0: 9}, line)
    assert found.stretch[0] == pytest.approx(((8 + 9) + (0 + 9)) / (1 + 9))
    assert found.pair_stretch[0] == pytest.approx((17 / 1 + 9 / 9) / 2)


def test_two_groups_of_a_pair_count_twice():
    """The mean over both, in the pair's ratio as in the destination's."""
    members, line = Membership(((0, 1), (0, 1))), OnALine(0, 4)
    ways = {"g0": Journey((0,), (0, 4)), "g1": Journey((1,), (0, 4))}
    found = measured(members, ways, {0: 2, 1: 6}, line)
    assert found.stretch.tolist() == [1.5, 1.5]
    assert found.pairs[:, 1].tolist() == [1.5, 1.5]


def test_choices_are_measured_on_the_same_world():
    """Settled nodes stretch less than those put beside each other; all hosts of the first group are destinations."""
    found = latencies(LatencyJob(seed=1, draw=0, groups=8))
    assert [len(one.stretch) for one in found] == [128] * len(CHOICES)
    published, ours = found[CHOICES.index(PUBLISHED)], found[CHOICES.index(OURS)]
    assert ours.stretch.mean() < published.stretch.mean()
    assert (published.stretch >= 1 - 1e-9).all()
    assert found[-1].visits == 1


def test_jobs_carry_their_own_seed():
    """The same job, the same numbers; another draw, others."""
    one, again, other = (latencies(LatencyJob(seed=1, draw=draw, groups=8))[0] for draw in (0, 0, 1))
    assert (one.stretch == again.stretch).all()
    assert not (one.stretch == other.stretch).all()


def test_the_figures():
    """From two draws of few groups: rows for each number of groups, the paper's beside ours, curves that rise to one."""
    found = {groups: [latencies(LatencyJob(seed=1, draw=draw, groups=groups)) for draw in (0, 1)] for groups in (8, 16)}
    third, fourth, choices = (
        groups_latency._fig3(found),
        groups_latency._fig4(found[16]),
        groups_latency._choices(found),
    )
    rows = {row.what: row for row in third.findings}
    assert rows["8 groups, ours: largest stretch of a destination"].paper == "<= 2.5"
    assert rows["8 groups, ours: largest stretch of a destination"].ours < 2.5
    assert all(curve.y[-1] == 1 for plot in third.plots for curve in plot.curves)
    near, far = (row.ours for row in fourth.findings[:2])
    assert near > far > 1
    assert len(choices.findings) == 2 * 2 * len(CHOICES)


@pytest.mark.slow
def test_all_of_it():
    """The quick form holds what the paper says."""
    third, fourth, choices = stretch_figures(StudyRun())
    assert [third.name, fourth.name, choices.name] == ["fig3", "fig4", "placement"]
    rows = {row.what: row.ours for row in third.findings}
    assert rows["8 groups, ours: largest stretch of a destination"] <= 2.5
    assert rows["64 groups, published heuristics: the same, largest of all draws"] < 8
