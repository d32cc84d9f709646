"""How long an event is kept before the next broker has it, where events are buffered (thesis, 5.5.3).

An event at a broker goes on when the broker, the link and the next broker all work. Broker, link and next broker make one
Markov chain that ends in that state (eight states when all times are exponential, Eq. 5.6); the wait is the time until then.

The thesis adds up the waits along a path as if they were independent (Eq. 5.10) although neighbouring hops share a broker.
With exponential times they *are*: when an event arrives, the broker between two hops has just been seen working and
forgets the rest, and what lies further on knows nothing of the event yet.
"""

from functools import reduce

import numpy as np

from tidings.analysis.components import Alternation, Chain, chain_of
from tidings.analysis.delay_law import DelayLaw, Floats, TimeGrid, constant_delay, mixture, never
from tidings.analysis.phase_type import PhaseType, no_time


def hop_wait(sender: Alternation | None, link: Alternation | None, receiver: Alternation | None) -> PhaseType:
    """From the arrival at a sender that works until all three do."""
    if link is None and receiver is None:
        return no_time()
    first = chain_of(sender)
    if not first.up.any():
        first = chain_of(None)
    parts = (_seen_up(first), chain_of(link), chain_of(receiver))
    moves = reduce(_side_by_side, (part.moves for part in parts))
    start: Floats = reduce(_each_with_each, (part.shares for part in parts))
    through = reduce(_each_with_each, (part.up.astype(np.float64) for part in parts)) > 0
    kept = np.flatnonzero(~through)
    return PhaseType(start[kept], moves[np.ix_(kept, kept)])


def wait_law(grid: TimeGrid, wait: PhaseType) -> DelayLaw:
    """On a grid of times; never when something that is needed does not come back."""
    if len(wait.start) == 0 or wait.atom >= 1 - 1e-15:
        return constant_delay(grid, 0.0)
    mean = wait.mean
    if not np.isfinite(mean):
        return never(grid)
    tails = np.concatenate([[mean + grid.step], wait.excesses(grid.step, grid.points + 2)])
    masses: Floats = np.maximum((tails[:-2] - 2 * tails[1:-1] + tails[2:]) / grid.step, 0.0)
    return mixture(grid, masses, wait.atom, mean, wait.variance)


def _seen_up(chain: Chain) -> Chain:
    shares = np.where(chain.up, chain.shares, 0.0)
    return Chain(chain.moves, shares / shares.sum(), chain.up)


def _each_with_each(one: Floats, other: Floats) -> Floats:
    return np.asarray(np.kron(one, other), np.float64)


def _side_by_side(one: Floats, other: Floats) -> Floats:
    """The generator of two chains that know nothing of each other."""
    return np.asarray(np.kron(one, np.eye(len(other))) + np.kron(np.eye(len(one)), other), np.float64)
