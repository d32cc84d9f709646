"""Networks that fail, as the thesis describes them."""

import pytest

from tidings.studies.overlay_setting import HIGH_END, LOW_END, Line, Net, endless, outages, with_homes
from tidings.vocabulary.instant import DAY, FOREVER, HOUR, SECOND


def test_a_line_is_as_told():
    """Brokers and links are alike; the ends have the clients."""
    world = Line(brokers=4, availability=0.9, period_s=30_000, mechanism="periodic", days=3, every_s=600).world()
    assert (len(world.brokers), len(world.links), world.duration_ns) == (4, 3, 3 * DAY)
    laws = [one.outages for one in (*world.brokers, *world.links)]
    assert [law.availability for law in laws] == pytest.approx([0.9] * 7)
    assert {law.up.mean + law.down.mean for law in laws} == {30_000 * SECOND}
    assert (world.publishers[0].broker, world.subscribers[0].broker) == ("b0", "b3")
    assert world.publishers[0].lifetime_ns == HOUR
    assert world.reliability.mechanism == "periodic"
    assert endless(Line()).publishers[0].lifetime_ns == FOREVER


@pytest.mark.parametrize(("quality", "shape"), [(LOW_END, "tree"), (HIGH_END, "graph")])
def test_nets_differ_by_their_mechanism_alone(quality, shape):
    """Availabilities are between the bounds of the quality; links are better in graphs."""
    one, other = (
        Net(shape=shape, quality=quality, mechanism=mechanism, seed=3, subscribers=20).world()
        for mechanism in ("periodic", "buffering")
    )
    assert (one.brokers, one.links, one.subscribers) == (other.brokers, other.links, other.subscribers)
    assert all(quality.low <= broker.outages.availability <= quality.high for broker in one.brokers)
    shares = {round(link.outages.availability, 9) for link in one.links}
    assert (shares == {0.99}) == (shape == "graph")
    assert len(one.links) == (9 if shape == "tree" else 20)


def test_outages_have_whole_durations():
    """So that a world can be written down as a scenario."""
    law = outages(0.9371234567890123)
    assert law.up.mean + law.down.mean == 60_000 * SECOND
    assert law.down.mean == round(law.down.mean)


def test_homes_take_the_place_of_subscribers():
    """One each, who want everything."""
    world = with_homes(Net(shape="tree", quality=LOW_END, mechanism="periodic", seed=1).world(), ["b3", "b3", "b0"])
    assert [(one.id, one.broker) for one in world.subscribers] == [("s0", "b3"), ("s1", "b3"), ("s2", "b0")]
