"""From a publisher's broker to every other: the law of the delay, all queues and links on the way."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tidings.analysis.delay_law import DelayLaw, TimeGrid, constant_delay, delay_of, no_delay
from tidings.analysis.flows import Flow
from tidings.analysis.stations import Station, poisson_wait
from tidings.analysis.stream_curves import OWN
from tidings.analysis.trees import RootedTree
from tidings.analysis.waiting import WaitShape, shaped_wait_law
from tidings.scenario.world import LinkLaw
from tidings.vocabulary.distribution import Distribution
from tidings.vocabulary.instant import SECOND

HEADER_BYTES = 64
"""What a frame needs on a link beside its payload; only bandwidth asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What delays depend on."""

    grid: TimeGrid
    brokers: Mapping[tuple[str, str], DelayLaw]
    """Wait and service of what comes from a neighbour (`OWN`: from publishers) to a broker."""
    links: Mapping[tuple[str, str], DelayLaw]
    """By direction."""
    covariances: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """Of the times at two brokers of one way."""


class PathDelays:
    """Delays from each root along each tree, computed once."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._known: dict[tuple[int, str], dict[str, DelayLaw]] = {}
        self._arrivals: dict[tuple[int, str], dict[str, DelayLaw]] = {}

    def shown(self, flow: Flow, broker: str) -> DelayLaw:
        """Until the broker has worked on the event, and can show it to its own."""
        return self._of(flow)[broker]

    def arrived(self, flow: Flow, broker: str) -> DelayLaw:
        """Until the event comes in at the broker."""
        self._of(flow)
        return self._arrivals[flow.tree.number, flow.tree.root][broker]

    def _of(self, flow: Flow) -> dict[str, DelayLaw]:
        key = flow.tree.number, flow.tree.root
        found = self._known.get(key)
        if found is None:
            setting, tree = self._setting, flow.tree
            arrived = {tree.root: no_delay(setting.grid)}
            found = {tree.root: setting.brokers[OWN, tree.root]}
            for parent, child in tree.edges():
                arrived[child] = found[parent].plus(setting.links[parent, child])
                here = setting.brokers[parent, child]
                found[child] = arrived[child].plus(replace(here, covariance=self._with_before(tree, child)))
            self._known[key], self._arrivals[key] = found, arrived
        return found

    def _with_before(self, tree: RootedTree, broker: str) -> float:
        """What the time at a broker adds to the variance of a way by not being independent of the times before."""
        known = self._setting.covariances
        return 2 * sum(known.get((before, broker), 0.0) for before in tree.path(broker)[:-1]) if known else 0.0


def link_delay(grid: TimeGrid, law: LinkLaw, rate: float, payload: Distribution | None) -> DelayLaw:
    """Propagation, and where bandwidth is limited the wait for those before and the sending itself."""
    delay = no_delay(grid) if law.delay is None else delay_of(grid, law.delay)
    if law.bandwidth_bps is None:
        return delay
    ns_per_byte = 8 * SECOND / law.bandwidth_bps
    bytes_mean = HEADER_BYTES + (0.0 if payload is None else payload.mean)
    scv = (0.0 if payload is None else payload.variance) / bytes_mean**2
    station = Station(rate=rate, service_mean=bytes_mean * ns_per_byte, service_scv=scv)
    wait = shaped_wait_law(grid, WaitShape(mean=poisson_wait(station), share=min(station.load, 1.0)))
    return delay.plus(wait).plus(constant_delay(grid, station.service_mean))


def link_load(law: LinkLaw, rate: float, payload: Distribution | None) -> float:
    """Share of time that one direction is busy sending; 0 without a limit."""
    if law.bandwidth_bps is None:
        return 0.0
    return rate * (HEADER_BYTES + (0.0 if payload is None else payload.mean)) * 8 * SECOND / law.bandwidth_bps
