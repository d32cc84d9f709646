"""All that delays an event on its way, on one grid of times: queues, links, and waits for what has failed."""

from dataclasses import dataclass
from functools import cached_property

from tidings.analysis.delay_law import DelayLaw, TimeGrid, no_delay
from tidings.analysis.failures import Failures
from tidings.analysis.flows import Flow
from tidings.analysis.hop_wait import wait_law
from tidings.analysis.path_delays import PathDelays, Setting
from tidings.analysis.scaled_delay import waiting_sometimes
from tidings.analysis.stream_curves import OWN


@dataclass(frozen=True)
class WayDelays:
    """Delays from every root to every broker behind it."""

    grid: TimeGrid
    paths: PathDelays
    """Queues and links."""
    failures: Failures

    def shown(self, flow: Flow, broker: str) -> DelayLaw:
        """Until the broker has worked on the event, and can show it to its own."""
        return self._with_waits(flow, broker, self.paths.shown(flow, broker))

    def arrived(self, flow: Flow, broker: str) -> DelayLaw:
        """Until the event comes in at the broker."""
        return self._with_waits(flow, broker, self.paths.arrived(flow, broker))

    def _with_waits(self, flow: Flow, broker: str, law: DelayLaw) -> DelayLaw:
        if self._waits is None:
            return law
        kept = self._waits.shown(flow, broker)
        if self.failures.bypasses:
            kept = waiting_sometimes(kept, self.failures.at_once(flow.tree.path(broker)))
        return law.plus(kept)

    @cached_property
    def _waits(self) -> PathDelays | None:
        """For neighbours to come back, along each tree."""
        failures = self.failures
        if not (failures.keeps and failures.any):
            return None
        laws = {step: wait_law(self.grid, failures.hops.of(step)) for step in failures.links}
        senders = [*failures.links, *((OWN, name) for name in failures.brokers)]
        return PathDelays(Setting(grid=self.grid, brokers=dict.fromkeys(senders, no_delay(self.grid)), links=laws))
