"""Ways of admission beside the optimum, in the thesis's small setting."""

import pytest

from tidings.analysis.priorities import PRIORITIES
from tidings.studies.content_admission import (
    BEST,
    NOBODY_REFUSED,
    OPTIMUM,
    AdmissionJob,
    admission,
    optimum,
    satisfied,
    small_world,
)
from tidings.studies.study_run import StudyRun


def test_the_setting():
    """Four brokers, eight publishers, ten subscribers, who require different things."""
    world = small_world(AdmissionJob(seed=1, service_ms=16.0))
    assert (len(world.brokers), len(world.publishers), len(world.subscribers)) == (4, 8, 10)
    demands = [one.requires for one in world.subscribers]
    assert len(set(demands)) == 10
    assert all(0.5 <= share <= 1 for share in demands)


def test_one_draw():
    """None beats the optimum, ours is as good, none without control."""
    found = satisfied(AdmissionJob(seed=2, service_ms=16.0))
    assert max(found.values()) == found[OPTIMUM] == found[BEST]
    assert found[BEST] >= max(found[name] for name in PRIORITIES)
    assert found[NOBODY_REFUSED] < found[OPTIMUM]


def test_light_load():
    """Everybody can be in."""
    assert optimum(small_world(AdmissionJob(seed=1, service_ms=1.0))) == 10


@pytest.mark.slow
def test_the_figure():
    """As good as the optimum in every draw, and below no priority."""
    figure = admission(StudyRun())
    found = {one.what: one.ours for one in figure.findings}
    assert found["draws in which best equals the optimum"] >= 0.95
    assert found["draws in which best is below one of the priorities"] == 0
    assert figure.plots
