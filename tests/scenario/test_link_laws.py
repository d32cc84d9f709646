"""What a distribution of delays is drawn for, and how components fail."""

import pytest

from tidings.scenario.chance import Delay
from tidings.scenario.link_laws import link_law, outage_law
from tidings.scenario.overlay_tables import ClientLink, LinkTemplate, OutageKeys
from tidings.scenario.world import LinkLaw
from tidings.vocabulary.distribution import Constant, Exponential, Uniform
from tidings.vocabulary.streams import Streams

UNIFORM = Uniform(20e6, 120e6)


def law(*keys, per="packet", seed=1, name="link"):
    """A law with fewer words."""
    return link_law(keys, per=per, streams=Streams(seed), name=name)


def test_the_place_decides_and_per_overrides():
    """Once per link: a constant; for each packet: the law itself."""
    plain, once, each = (Delay(law=UNIFORM, per=per) for per in (None, "link", "packet"))
    assert law(ClientLink(delay=plain), per="packet").delay == UNIFORM
    assert law(ClientLink(delay=each), per="link").delay == UNIFORM
    for found in (law(ClientLink(delay=plain), per="link"), law(ClientLink(delay=once), per="packet")):
        assert isinstance(found.delay, Constant)
        assert 20e6 <= found.delay.value <= 120e6
        assert found.delay.value.is_integer()


def test_each_link_draws_from_its_own_stream():
    """The name and the seed decide, nothing else."""
    delay = ClientLink(delay=Delay(law=UNIFORM))
    assert law(delay, per="link") == law(delay, per="link")
    assert law(delay, per="link", name="other") != law(delay, per="link")
    assert law(delay, per="link", seed=2) != law(delay, per="link")


def test_drawn_delays_fill_their_law():
    """A thousand links: the mean within four standard errors."""
    delays = [law(ClientLink(delay=Delay(law=UNIFORM)), per="link", name=f"{number}").delay for number in range(1000)]
    mean = sum(delay.value for delay in delays) / 1000
    assert abs(mean - UNIFORM.mean) < 4 * (UNIFORM.variance / 1000) ** 0.5


def test_a_link_without_delay_has_none():
    """A constant 0 is the same thing."""
    assert law() == LinkLaw()
    assert law(ClientLink(delay=Delay(law=Constant(0.0)))) == LinkLaw()


def test_what_a_link_leaves_open_its_template_says():
    """Key by key."""
    own = ClientLink(loss=0.5, fifo=True)
    template = LinkTemplate(loss=0.1, delay=Delay(law=Constant(5.0)), bandwidth=1e6, duplication=0.2)
    assert law(own, template) == LinkLaw(delay=Constant(5.0), loss=0.5, duplication=0.2, fifo=True, bandwidth_bps=1e6)


def test_availability_and_period_are_exponential():
    """With the means that they say."""
    found = outage_law([OutageKeys(availability=0.95, period=60_000 * 10**9)])
    assert (found.up, found.down) == (Exponential(57_000e9), Exponential(3_000e9))
    assert found.availability == pytest.approx(0.95)


def test_named_laws_take_their_places():
    """One or both."""
    up, down = Constant(95e9), Constant(5e9)
    both = outage_law([OutageKeys(up=up, down=down)])
    assert (both.up, both.down) == (up, down)
    one = outage_law([OutageKeys(up=up, availability=0.95, period=100 * 10**9)])
    assert (one.up, one.down) == (up, Exponential(5e9))


def test_what_never_fails_has_no_law():
    """Nothing said, or an availability of 1."""
    assert outage_law([OutageKeys()]) is None
    assert outage_law([OutageKeys(availability=1.0, period=10**9)]) is None


def test_the_first_that_says_anything_decides():
    """A component's own keys, not a mixture with the template's."""
    own, template = OutageKeys(availability=1.0, period=10**9), OutageKeys(availability=0.5, period=10**9)
    assert outage_law([own, template]) is None
    assert outage_law([OutageKeys(), template]) == outage_law([template])
