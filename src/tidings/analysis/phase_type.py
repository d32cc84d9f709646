"""Phase-type laws: the time until a Markov chain in continuous time is absorbed, with a chance of no time at all.

They hold repair times that are not exponential, waits for a path to come back, and sums of both along a path.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class PhaseType:
    """Time to absorption: `start` probabilities of the phases (what is missing to 1 is absorbed at once), `moves` rates.

    `moves` is the generator among the phases: rates between them, and on the diagonal minus all that leaves.
    """

    start: Floats
    moves: Floats

    @property
    def atom(self) -> float:
        """Probability of no time at all."""
        return max(0.0, 1.0 - float(self.start.sum()))

    @property
    def mean(self) -> float:
        """Infinite when a phase that can be reached has no way out."""
        return self._moment(1)

    @property
    def variance(self) -> float:
        """Infinite like the mean."""
        mean = self.mean
        return math.inf if math.isinf(mean) else self._moment(2) - mean**2

    def _moment(self, order: int) -> float:
        kept = self._reached()
        if kept.size == 0:
            return 0.0
        moves, start = self.moves[np.ix_(kept, kept)], self.start[kept]
        weights: Floats = np.ones(kept.size)
        try:
            for number in range(1, order + 1):
                weights = np.asarray(number * np.linalg.solve(-moves, weights), np.float64)
        except np.linalg.LinAlgError:
            return math.inf
        return math.inf if (weights < 0).any() else float(start @ weights)

    def _reached(self) -> NDArray[np.int64]:
        """Phases that the chain can be in."""
        reached = self.start > 0
        for _ in range(len(self.start)):
            reached |= (self.moves[reached] > 0).any(axis=0)
        return np.flatnonzero(reached)

    def cdf(self, times: Sequence[float] | Floats) -> Floats:
        """P(X ≤ t) for each time."""
        found = [1.0 - float((self.start @ expm(self.moves * time)).sum()) if time >= 0 else 0.0 for time in times]
        shares: Floats = np.clip(np.array(found), 0.0, 1.0)
        return shares

    def excesses(self, step: float, count: int) -> Floats:
        """E[(X − t)⁺] at 0, step, 2 · step …, so many of them; for finite means."""
        left: Floats = np.asarray(np.linalg.solve(-self.moves, np.ones(len(self.start))), np.float64)
        ahead = expm(self.moves * step)
        found = np.empty(count)
        row = self.start
        for place in range(count):
            found[place] = row @ left
            row = row @ ahead
        return found

    def capped_mean(self, limit: float) -> float:
        """E[min(X, limit)]."""
        if len(self.start) == 0 or limit <= 0:
            return 0.0
        mean = self.mean
        if math.isinf(limit):
            return mean
        if math.isinf(mean):
            return self._capped_by_steps(limit)
        return mean - float(self.excesses(limit, 2)[1])

    def _capped_by_steps(self, limit: float, steps: int = 512) -> float:
        """Where some of it never ends: the survival, added up."""
        ahead, row = expm(self.moves * (limit / steps)), self.start
        shares = []
        for _ in range(steps + 1):
            shares.append(float(row.sum()))
            row = row @ ahead
        return (sum(shares) - (shares[0] + shares[-1]) / 2) * limit / steps

    def plus(self, other: "PhaseType") -> "PhaseType":
        """The sum of the two, independent of each other."""
        mine, theirs = len(self.start), len(other.start)
        moves = np.zeros((mine + theirs, mine + theirs))
        moves[:mine, :mine], moves[mine:, mine:] = self.moves, other.moves
        moves[:mine, mine:] = np.outer(-self.moves.sum(axis=1), other.start)
        return PhaseType(np.concatenate([self.start, self.atom * other.start]), moves)

    def given_positive(self) -> "PhaseType":
        """The same, given that it takes time; what never takes any stays as it is."""
        total = self.start.sum()
        return PhaseType(self.start / total, self.moves) if total > 0 else self


def no_time() -> PhaseType:
    """Takes no time."""
    return PhaseType(np.zeros(0), np.zeros((0, 0)))


def hypoexponential(rates: Sequence[float]) -> PhaseType:
    """A sum of exponential times with these rates, equal or not."""
    moves = np.diag([-float(rate) for rate in rates]) + np.diag([float(rate) for rate in rates[:-1]], 1)
    start = np.zeros(len(rates))
    start[0] = 1.0
    return PhaseType(start, moves)


def matched(mean: float, scv: float) -> PhaseType:
    """A law with this mean and scv: one exponential, a mixture of two, or of two Erlang laws.

    Below 1 / 64 the scv is taken as 1 / 64, a chain of 64 phases: as good as constant.
    """
    if math.isclose(scv, 1.0, rel_tol=1e-9):
        return hypoexponential([1 / mean])
    if scv > 1:
        root = math.sqrt((scv - 1) / (scv + 1))
        shares = np.array([(1 + root) / 2, (1 - root) / 2])
        return PhaseType(shares, np.diag(-2 * shares / mean))
    scv = max(scv, 1 / 64)
    phases = math.ceil(1 / scv - 1e-12)
    # Tijms: with probability p one phase fewer; one rate for all of them.
    fewer = (phases * scv - math.sqrt(max(phases * (1 + scv) - phases**2 * scv, 0.0))) / (1 + scv)
    rate = (phases - fewer) / mean
    law = hypoexponential([rate] * phases)
    start = law.start.copy()
    start[0] = 1 - fewer
    if phases > 1:
        start[1] = fewer
    return PhaseType(start, law.moves)
