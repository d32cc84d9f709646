"""Random numbers for the compiled path: blocks from the same streams, in the same order, as `Channel` and `Host` draw."""

from collections.abc import Sequence

import numpy as np

from tidings.scenario.world import World
from tidings.simulation.flow_state import State
from tidings.vocabulary.instant import DRAWN_MAX
from tidings.vocabulary.streams import Streams


class FlowDraws:
    """Sees to it that every link and every broker always has a number left."""

    def __init__(self, world: World, streams: Streams, ways: Sequence[tuple[str, str]], state: State) -> None:
        self._laws = [link.law for link in world.links for _ in range(2)]
        self._services = [(broker.service, streams(f"service {broker.id}")) for broker in world.brokers]
        self._delays = [streams(f"delay {one}>{other}") for one, other in ways]
        self._losses = [streams(f"loss {one}>{other}") for one, other in ways]
        for link in np.flatnonzero(state.links["lossy"]).tolist():
            state.links["loss_in"][link] = self._gap(link)

    def refill(self, state: State) -> None:
        """Draw whatever is used up."""
        links, brokers = state.links, state.brokers
        for link in np.flatnonzero((links["drawn"] == state.delays.shape[1]) & (links["delays"] != 0)).tolist():
            law = self._laws[link].delay
            assert law is not None
            drawn = np.rint(law.sample(self._delays[link], state.delays.shape[1]))
            state.delays[link] = np.clip(drawn, 0, DRAWN_MAX).astype(np.int64)
            links["drawn"][link] = 0
        for link in np.flatnonzero((links["loss_gap"] == 0) & (links["lossy"] != 0)).tolist():
            links["loss_gap"][link] = self._gap(link)
        for broker in np.flatnonzero((brokers["drawn"] == state.services.shape[1]) & (brokers["serves"] != 0)).tolist():
            service, generator = self._services[broker]
            assert service is not None
            state.services[broker] = np.clip(service.law.sample(generator, state.services.shape[1]), 0, DRAWN_MAX)
            brokers["drawn"][broker] = 0
        state.counters["drained"] = False

    def _gap(self, link: int) -> int:
        return int(self._losses[link].geometric(self._laws[link].loss))
