"""What a prediction takes for granted, a sentence each: only what matters for the world in question."""

from collections.abc import Iterator, Mapping, Sequence

from tidings.analysis.broker_waits import DISPERSED, MEAN, BrokerWait
from tidings.analysis.failures import EXACT_LINKS_MAX, Failures
from tidings.analysis.flows import Flow
from tidings.analysis.roaming import Roaming
from tidings.scenario.world import World


def assumptions_of(
    world: World, flows: Sequence[Flow], waits: Mapping[str, BrokerWait], failures: Failures, roaming: Roaming
) -> tuple[str, ...]:
    """In the order of the way that an event takes."""
    return (
        *_of_contents(flows),
        *_of_queues(waits),
        *_of_failures(world, failures),
        *_of_addresses(world),
        *_of_roaming(world, roaming),
        *_of_latches(world),
    )


def _of_contents(flows: Sequence[Flow]) -> Iterator[str]:
    yield "publishers are in their steady state, and go on as the scenario says"
    if any(flow.interest.contents.sampled for flow in flows):
        yield "contents have too many combinations to be listed: a sample of 4,096, evenly spread, stands for them"
    if any(flow.source.record is not None for flow in flows):
        yield "recorded publishers publish at random with the rate, the contents and the burstiness of their record"


def _of_queues(waits: Mapping[str, BrokerWait]) -> Iterator[str]:
    busy = {name: wait for name, wait in waits.items() if wait.service is not None and wait.station.rate > 0}
    if len(busy) > 1:
        yield "times at different brokers are added up as if independent, then spread as far as their covariance says"
    dispersed = [name for name, wait in busy.items() if wait.method == DISPERSED]
    if dispersed:
        yield (
            f"waits at {_named(dispersed)} come from indices of dispersion: an approximation, "
            "mostly within 5 %, up to 15 % at low loads"
        )
    if any(wait.method == MEAN for wait in busy.values()):
        yield "mode mean: every event waits for the mean wait; errors grow with the load"
    if any(not wait.station.stable for wait in busy.values()):
        yield "overloaded brokers: what a run of infinite length would show; a short one shows some events in time"


def _of_failures(world: World, failures: Failures) -> Iterator[str]:
    if not failures.any:
        return
    yield "brokers and links fail and are repaired independently of each other and of the events"
    if world.routing.scheme != "tree":
        return
    mechanism = world.reliability.mechanism
    if mechanism == "none" and any(one is not None for one in failures.brokers.values()):
        yield "a broker that fails forgets what others want, for good: shares are means over the duration"
    if mechanism in ("periodic", "bypass"):
        yield "a broker that is back is told at once what others want, not at the next renewal"
    if failures.bypasses and not failures.exact:
        yield f"more than {EXACT_LINKS_MAX} links: ways that share no broker stand for all ways, a lower bound"
    if failures.keeps:
        parts = [*failures.brokers.values(), *failures.links.values()]
        if all(one is None or one.memoryless for one in parts):
            yield "waits at neighbouring hops are independent (exactly so with exponential up and down times)"
        else:
            yield "waits at neighbouring hops are independent, and up and down times Erlang or hyperexponential"
        yield "what is lost on a link that works is sent again at once; loads are means, not those after a repair"
    if mechanism == "bypass+buffering":
        yield "an event that finds no way at once waits along its tree as if only that were known (Eq. 5.12)"


def _of_addresses(world: World) -> Iterator[str]:
    scheme = world.routing.scheme
    if scheme == "tree":
        return
    yield "a link that fails while an event is under way stays so until it is there or has been given up"
    if scheme != "oracle" and world.routing.monitor_ns is not None:
        yield "brokers take links for what they are in the long run, not for what they measured last"
    if scheme == "dcrd":
        yield "answers are never lost, and what nobody can take waits until what failed is back"


def _of_latches(world: World) -> Iterator[str]:
    if world.ordering.guarantee == "fifo":
        yield "latches: delays of neighbouring events are independent, and events wait as if they were published at random"


def _of_roaming(world: World, roaming: Roaming) -> Iterator[str]:
    if not roaming.any:
        return
    models = {one.mobility.model for one in world.subscribers if one.mobility is not None}
    yield "subscribers move independently of each other and of the events: shares are means over many walks"
    if "random-waypoint" in models:
        yield "random waypoint: 280 places stand for the map, straight legs between all of them are exact"
    yield "how long a stay and the gap beside it last are independent; only stays shorter than a hand-off notice"
    if world.handoff is not None and world.handoff.scheme == "proactive":
        yield "hand-off: what waits is always fetched ahead by the broker to which a subscriber comes"
    elif len(world.brokers) > 1:
        yield "hand-off: a fetch takes the mean round trip between two brokers"
    if any(one.outages is not None for one in world.brokers):
        yield "a broker that fails loses nothing that waits for subscribers out of range"


def _named(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
