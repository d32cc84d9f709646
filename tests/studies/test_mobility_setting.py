"""The thesis's map, its walkers, and their phases."""

import pytest

from tidings.studies.mobility_setting import HANDOFFS, MODELS, POINTS, Walkers, phases
from tidings.vocabulary.instant import SECOND


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("mode", HANDOFFS)
@pytest.mark.parametrize("brokers", POINTS)
def test_a_world_is_as_told(model, mode, brokers):
    """Everything that the figures vary."""
    world = Walkers(model=model, brokers=brokers, mode=mode, speed=5.0, pause=7.0, lifetime=30.0, handoff_s=4.0).world()
    assert {one.mobility.model for one in world.subscribers} == {model}
    assert (len(world.brokers), len(world.map.points), len(world.subscribers)) == (brokers, brokers, 40)
    assert world.handoff.scheme == HANDOFFS[mode]
    assert world.handoff.latency.mean == 2 * SECOND
    assert world.publishers[0].lifetime_ns == 30 * SECOND
    assert world.subscribers[0].mobility.options["pause"].mean == 7 * SECOND


def test_phases_on_roads_by_hand():
    """Across a range of 150 m in 30 s at 10 m/s, straight over its middle; outages are whole too."""
    stays, outages = phases(Walkers(model="manhattan", brokers=1, walkers=10), 1)
    assert len(stays) > 20
    assert stays == pytest.approx([30.0] * len(stays))
    assert min(outages) >= 50.0, "there and back between the range and the next junction or the border"


def test_faster_walkers_have_shorter_phases():
    """In proportion, without pauses."""
    means = []
    for speed in (5.0, 20.0):
        stays, _ = phases(Walkers(speed=speed, walkers=20, seconds=round(36_000 / speed)), 1)
        means.append(sum(stays) / len(stays))
    assert means[0] / means[1] == pytest.approx(4.0, rel=0.15)
