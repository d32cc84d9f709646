"""What brokers of a world are told of its overlay: who is linked to whom, and what is to be expected of a link."""

from tidings.routing.link_quality import LinkQuality
from tidings.routing.ways import Links
from tidings.scenario.world import Link, World
from tidings.vocabulary.overlay import Overlay


def overlay_of(world: World) -> Overlay:
    """The brokers and links of a world, with mean delays."""
    delays = tuple(link.law.mean_delay_ns for link in world.links)
    return Overlay(tuple(one.id for one in world.brokers), tuple(link.between for link in world.links), delays)


def expected_links(world: World) -> Links:
    """What monitoring for ever would say of every direction of every link: mean delay, and the share that arrives."""
    found: dict[tuple[str, str], LinkQuality] = {}
    for link in world.links:
        quality = LinkQuality(link.law.mean_delay_ns, _share(world, link))
        one, other = link.between
        found[one, other] = found[other, one] = quality
    return found


def _share(world: World, link: Link) -> float:
    share = 1.0 - link.law.loss
    if link.outages is not None:
        share *= link.outages.availability
    if world.episodes is not None:
        share *= 1.0 - world.episodes.probability * world.episodes.lasting_ns / world.episodes.every_ns
    return share
