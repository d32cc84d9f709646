"""α and γ for several transmissions: the closed form against an enumeration, and what it must never do."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tidings.routing.link_quality import LinkQuality

RATIOS = st.floats(0.01, 1.0)
DELAYS = st.floats(0, 1e9)


def enumerated(quality, transmissions):
    """The dumb twin: the k-th transmission is the first that arrives."""
    chances = [quality.ratio * (1 - quality.ratio) ** (number - 1) for number in range(1, transmissions + 1)]
    ratio = sum(chances)
    delay = sum(number * quality.delay_ns * chance for number, chance in enumerate(chances, 1)) / ratio
    return delay, ratio


@given(DELAYS, RATIOS, st.integers(1, 16))
def test_several_transmissions_are_what_enumerating_them_gives(delay, ratio, transmissions):
    """Eq. 1 is a conditional mean over the first transmission that arrives."""
    several = LinkQuality(delay, ratio).repeated(transmissions)
    expected = enumerated(LinkQuality(delay, ratio), transmissions)
    assert several.delay_ns == pytest.approx(expected[0])
    assert several.ratio == pytest.approx(expected[1])


@given(DELAYS, RATIOS, st.integers(1, 15))
@example(5e-324, 0.125, 1)
def test_one_more_transmission_delivers_more_and_later(delay, ratio, transmissions):
    """Trying longer never delivers less; what it adds comes later."""
    fewer, more = (LinkQuality(delay, ratio).repeated(count) for count in (transmissions, transmissions + 1))
    assert more.ratio >= fewer.ratio - 1e-12
    assert more.delay_ns >= fewer.delay_ns * (1 - 1e-9)


def test_one_transmission_changes_nothing():
    """One transmission is the link itself."""
    quality = LinkQuality(5.0, 0.5)
    assert quality.repeated(1) is quality


def test_a_dead_link_stays_dead():
    """Nothing arrives, however often it is sent; the delay stays a number."""
    assert LinkQuality(5.0, 0.0).repeated(7) == LinkQuality(5.0, 0.0)


def test_a_certain_link_needs_one():
    """Nothing is sent twice where everything arrives."""
    assert LinkQuality(5.0, 1.0).repeated(7) == LinkQuality(5.0, 1.0)


@pytest.mark.parametrize(("delay", "ratio"), [(-1.0, 0.5), (math.nan, 0.5), (1.0, -0.1), (1.0, 1.1), (1.0, math.nan)])
def test_impossible_links_are_refused(delay, ratio):
    """Negative delays and shares beyond 0 to 1 are nobody's links."""
    with pytest.raises(ValueError, match="link"):
        LinkQuality(delay, ratio)
