"""What each direction of a link is good for to an event that is addressed to a broker behind it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tidings.analysis.components import availability
from tidings.analysis.failures import Failures
from tidings.analysis.outcomes import Ends
from tidings.routing.link_quality import LinkQuality
from tidings.scenario.world import Link, World
from tidings.vocabulary.instant import MILLISECOND

_LEAST_NS: Final = 10 * MILLISECOND
_SLACK_NS: Final = MILLISECOND
_DEVIATIONS: Final = 4
"""An answer is awaited for the round trip, so many mean deviations, and some slack; never for less than the least."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """From one broker to the next."""

    works: float
    """Probability that the link works, and the broker behind it."""
    loss: float
    """Of what is sent over a link that works."""
    delay_ns: float
    patience_ns: float
    """How long an answer is awaited."""


def crossings(world: World, failures: Failures) -> dict[Ends, Crossing]:
    """Of every direction of every link."""
    found = {}
    for link in world.links:
        for here, there in (link.between, link.between[::-1]):
            works = availability(failures.links[here, there]) * availability(failures.brokers[there])
            found[here, there] = Crossing(works, link.law.loss, link.law.mean_delay_ns, _patience_ns(world, link))
    return found


def expected_links(world: World, failures: Failures) -> Mapping[Ends, LinkQuality]:
    """What brokers take links for in the long run: mean delay, and the share that arrives while brokers work."""
    return {
        ends: LinkQuality(link.law.mean_delay_ns, (1 - link.law.loss) * availability(failures.links[ends]))
        for link in world.links
        for ends in (link.between, link.between[::-1])
    }


def _patience_ns(world: World, link: Link) -> float:
    if world.routing.ack == "one-way":
        return link.law.mean_delay_ns
    round_trip = 2 * link.law.mean_delay_ns
    variance = 0.0 if link.law.delay is None else 2 * link.law.delay.variance
    # Mean deviation of what is about normal.
    return max(round_trip + _DEVIATIONS * math.sqrt(2 * variance / math.pi), _LEAST_NS) + _SLACK_NS
