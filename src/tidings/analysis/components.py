"""Brokers and links that fail and are repaired: how often they work, and how long they stay as they are.

Whatever makes a component fail (laws, recorded outages, episodes, crashes) is taken together as one alternation of up and
down times. With one cause that is what the scenario says; several are merged so that the share of time up and the
frequency of failures are right.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidings.analysis.phase_type import PhaseType, matched
from tidings.scenario.world import Broker, Link, LinkEpisodes, OutageLaw, World

Floats: TypeAlias = NDArray[np.float64]
Span: TypeAlias = tuple[int, int]

_PHASES: Final = 4
"""Up and down times that are steadier than an Erlang law of so many phases are taken as that."""


@dataclass(frozen=True, slots=True)
class Alternation:
    """Up and down times in turn, by their means (nanoseconds) and squared coefficients of variation."""

    up_mean: float
    down_mean: float
    up_scv: float = 1.0
    down_scv: float = 1.0

    @property
    def availability(self) -> float:
        """Share of time up."""
        total = self.up_mean + self.down_mean
        return self.up_mean / total if total > 0 else 1.0

    @property
    def memoryless(self) -> bool:
        """True when both times are exponential."""
        return self.up_scv == self.down_scv == 1.0


@dataclass(frozen=True, eq=False, slots=True)
class Chain:
    """An alternation as a Markov chain: its generator, long-run shares, and which states are up."""

    moves: Floats
    shares: Floats
    up: NDArray[np.bool_]


ALWAYS: Final = Chain(np.zeros((1, 1)), np.ones(1), np.ones(1, np.bool_))
NEVER: Final = Chain(np.zeros((1, 1)), np.ones(1), np.zeros(1, np.bool_))


def chain_of(one: Alternation | None) -> Chain:
    """Phases of up times first, then those of down times; None: always up."""
    if one is None or one.down_mean <= 0:
        return ALWAYS
    if one.up_mean <= 0:
        return NEVER
    up, down = (
        matched(one.up_mean, max(one.up_scv, 1 / _PHASES)),
        matched(one.down_mean, max(one.down_scv, 1 / _PHASES)),
    )
    size, ups = len(up.start) + len(down.start), len(up.start)
    moves = np.zeros((size, size))
    moves[:ups, :ups], moves[ups:, ups:] = up.moves, down.moves
    moves[:ups, ups:] = np.outer(-up.moves.sum(axis=1), down.start)
    moves[ups:, :ups] = np.outer(-down.moves.sum(axis=1), up.start)
    shares = np.concatenate([_times_spent(up), _times_spent(down)])
    return Chain(moves, shares / shares.sum(), np.arange(size) < ups)


def _times_spent(law: PhaseType) -> Floats:
    return np.asarray(np.linalg.solve(-law.moves.T, law.start), np.float64)


def link_alternation(link: Link, world: World) -> Alternation | None:
    """Of a link: drawn outages, recorded ones, episodes; None when it never fails."""
    causes = [
        law_alternation(link.outages),
        _of_spans(link.recorded_outages, world.duration_ns),
        _of_episodes(world.episodes),
    ]
    return merged([one for one in causes if one is not None])


def broker_alternation(broker: Broker, world: World) -> Alternation | None:
    """Of a broker: drawn outages, and the crashes that name it; None when it never fails."""
    spans = [(one.at_ns, one.at_ns + one.lasting_ns) for one in world.crashes if one.component == broker.id]
    causes = [law_alternation(broker.outages), _of_spans(spans, world.duration_ns)]
    return merged([one for one in causes if one is not None])


def availability(one: Alternation | None) -> float:
    """Share of time up; 1 for what never fails."""
    return 1.0 if one is None else one.availability


def episode_share(episodes: LinkEpisodes) -> float:
    """Share of time that a link is down by episodes: those that overlap an instant are as many as fit into one."""
    whole, part = divmod(episodes.lasting_ns, episodes.every_ns)
    up = 1 - episodes.probability
    rest = part / episodes.every_ns
    return 1 - up**whole * (rest * up + 1 - rest)


def merged(causes: Sequence[Alternation]) -> Alternation | None:
    """Independent causes as one: a component works while none of them holds."""
    if len(causes) < 2:
        return causes[0] if causes else None
    share = float(np.prod([one.availability for one in causes]))
    if share <= 0:
        return Alternation(0.0, max(one.down_mean for one in causes))
    failures = sum(1 / one.up_mean for one in causes)
    down_mean = (1 - share) / (share * failures)
    squares = sum(one.down_mean**2 * (1 + one.down_scv) / one.up_mean for one in causes) / failures
    plain = sum(one.down_mean / one.up_mean for one in causes) / failures
    return Alternation(1 / failures, down_mean, 1.0, max(squares / plain**2 - 1, 0.0))


def law_alternation(law: OutageLaw | None) -> Alternation | None:
    """Of drawn outages; None when there are none."""
    if law is None or law.down.mean <= 0:
        return None
    up_scv = law.up.scv if law.up.mean > 0 else 1.0
    return Alternation(law.up.mean, law.down.mean, up_scv, law.down.scv)


def _of_spans(spans: Sequence[Span], duration_ns: int) -> Alternation | None:
    lengths = [float(min(end, duration_ns) - start) for start, end in spans if start < min(end, duration_ns)]
    if not lengths:
        return None
    mean = float(np.mean(lengths))
    up_mean = max(duration_ns - sum(lengths), 0.0) / len(lengths)
    return Alternation(up_mean, mean, 1.0, float(np.var(lengths)) / mean**2)


def _of_episodes(episodes: LinkEpisodes | None) -> Alternation | None:
    """Episodes one upon the other lengthen each other: what is left of the time between two is up."""
    if episodes is None:
        return None
    share = episode_share(episodes)
    if share <= 0:
        return None
    if share >= 1:
        return Alternation(0.0, float(episodes.lasting_ns))
    # A new failure begins where no earlier episode still lasts.
    starts = episodes.probability * (1 - episodes.probability) ** ((episodes.lasting_ns - 1) // episodes.every_ns)
    cycle = episodes.every_ns / starts
    return Alternation((1 - share) * cycle, share * cycle, 1.0, 0.0)
