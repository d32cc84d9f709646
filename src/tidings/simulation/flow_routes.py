"""Where events go: what each broker's table answers, asked once for each content, and kept as numbers of plans."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidings.simulation.columns import Ints
from tidings.simulation.contents import Contents
from tidings.simulation.flow_state import NO_PLAN
from tidings.simulation.flow_window import FlowWindow
from tidings.simulation.plans import Plans
from tidings.simulation.stretch import Stretch
from tidings.vocabulary.event import Event

Ask: TypeAlias = Callable[[int, Sequence[Event]], Sequence[tuple[Sequence[int], Ints]]]
"""What a broker does with events of one tree: directed links to send over, clients (codes) to show it to."""

CELLS_MAX: Final = 1 << 22
"""Contents times brokers for which plans are remembered, as long as the events at hand need no more."""
AHEAD_MIN, AHEAD_MAX = 16, 4_096
"""How many contents a table is asked about at once."""
WASTE_MAX: Final = 32
"""Answers per event that a broker really passed on, beyond which it is asked about fewer at once."""


class FlowRoutes:
    """Plans by content and broker."""

    def __init__(self, brokers: int, ask: Ask) -> None:
        self._ask = ask
        self._contents = Contents()
        self._contents_max = max(1, CELLS_MAX // brokers)
        self.plans = Plans()
        self.plan_of: NDArray[np.int32] = np.full((AHEAD_MIN, brokers), NO_PLAN, np.int32)
        """By content and broker, with room behind."""
        self._ahead = np.full(brokers, AHEAD_MIN)
        self._asked = np.zeros(brokers, np.int64)

    def contents(self, stretch: Stretch) -> Ints:
        """Numbers of what the events say, by place; there are rows in `plan_of` for them."""
        numbers = self._contents.numbers(stretch)
        rows, brokers = self.plan_of.shape
        if len(self._contents) > rows:
            more = max(rows, len(self._contents) - rows)
            self.plan_of = np.concatenate([self.plan_of, np.full((more, brokers), NO_PLAN, np.int32)])
        return numbers

    def forget_contents(self, window: FlowWindow) -> None:
        """Where too many are remembered, keep those of the events at hand, under new numbers."""
        if len(self._contents) <= self._contents_max:
            return
        used, numbers = np.unique(window.records["content"], return_inverse=True)
        window.records["content"] = numbers
        self._contents.keep(used)
        self.plan_of = self.plan_of[used]
        self._contents_max = max(self._contents_max, 2 * len(used))

    def forget_plans(self) -> None:
        """Begin anew; nobody must refer to a plan any more."""
        self.plans = Plans()
        self.plan_of[:] = NO_PLAN

    def changed(self, broker: int) -> None:
        """The broker's tables answer differently from now on."""
        self.plan_of[:, broker] = NO_PLAN
        self._ahead[broker], self._asked[broker] = AHEAD_MIN, 0

    def plan(self, broker: int, event: int, window: FlowWindow, visits: int) -> None:
        """Ask about this event and some that come after it; `visits`: events that came since the last time."""
        ahead = self._next_ahead(broker, visits)
        row = event - window.base
        contents = window.records["content"][row : row + 8 * ahead]
        alike = window.trees[row : row + 8 * ahead] == window.trees[row]
        unknown = np.flatnonzero((self.plan_of[contents, broker] == NO_PLAN) & alike)
        _, first = np.unique(contents[unknown], return_index=True)
        chosen = unknown[np.sort(first)[:ahead]]
        answers = self._ask(broker, window.at(event + chosen))
        self.plan_of[contents[chosen], broker] = [self.plans.number(broker, *answer) for answer in answers]
        self._asked[broker] = len(chosen)

    def _next_ahead(self, broker: int, visits: int) -> int:
        ahead = int(self._ahead[broker])
        if WASTE_MAX * visits < self._asked[broker]:
            ahead = max(ahead // 2, 1)
        elif self._asked[broker]:
            ahead = min(ahead * 2, AHEAD_MAX)
        self._ahead[broker] = ahead
        return ahead
