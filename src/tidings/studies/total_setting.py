"""The setting of the total-order paper, as far as the paper tells, in both readings of its shapes.

Shapes 0.901 and 0.349 are said to give 0.5 % and 40 % of the topics 80 % of the draws; as exponents of r⁻ᵃ they give
23 % and 55 %. Both are done: `exponents` takes the printed numbers for exponents, `shares` takes the printed shares and looks
for the exponent that gives them. Where there are sites, each draws its own topics first, in an order of its own, and
behind them all others.
"""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from tidings.vocabulary.distribution import Power

Floats = NDArray[np.float64]
Reading = Literal["shares", "exponents"]
Interests = dict[str, tuple[str, ...]]
Popularity = dict[str, dict[str, float]]

TOPICS: Final = 1_000
SITES: Final = 5
CLIENTS: Final = 1_000
"""Of the prototype; the evaluation of sizes has ten times as many."""
READINGS: Final[tuple[Reading, ...]] = ("shares", "exponents")


@dataclass(frozen=True, slots=True)
class Shape:
    """One of the paper's two distributions."""

    printed: float
    top: float
    """The share of topics that is said to draw 80 %."""
    about: str

    def exponent(self, reading: Reading) -> float:
        """The exponent of r⁻ᵃ."""
        return self.printed if reading == "exponents" else exponent_of(self.top)


SHAPES: Final = (Shape(0.901, 0.005, "geographic"), Shape(0.349, 0.4, "spray-and-diffuse"))


def exponent_of(top: float, drawn: float = 0.8, topics: int = TOPICS) -> float:
    """The exponent at which the most popular share `top` of the topics draws the share `drawn`."""
    low, high = 0.0, 8.0
    for _ in range(60):
        middle = (low + high) / 2
        weights = Power(middle).weights(topics)
        enough = weights[: round(top * topics)].sum() >= drawn * weights.sum()
        low, high = (low, middle) if enough else (middle, high)
    return high


def shares_of(shape: Shape, reading: Reading) -> Floats:
    """The probability of every rank."""
    weights: Floats = Power(shape.exponent(reading)).weights(TOPICS)
    weights /= weights.sum()
    return weights


def subscribed(shares: Floats, clients: int, topics_each: int, draw: np.random.Generator) -> NDArray[np.bool_]:
    """Who has which topic: each client draws different ones, one after the other. A row for each client."""
    has = np.zeros((clients, len(shares)), np.bool_)
    # Smallest of exponential clocks: the same law as drawing one by one.
    clocks = draw.exponential(1.0, (clients, len(shares))) / shares
    chosen = np.argpartition(clocks, topics_each - 1, axis=1)[:, :topics_each]
    np.put_along_axis(has, chosen, values=True, axis=1)
    return has


@dataclass(frozen=True, slots=True)
class SiteWorld:
    """Five sites with their clients and what those publish and have."""

    publishes: Floats
    """Share of all publications by site (row) and topic (column)."""
    has: NDArray[np.bool_]
    """By client and topic; clients go round the sites."""

    def interests(self) -> Interests:
        """The topics of every client, by name."""
        return {
            f"c{client}": tuple(f"t{topic}" for topic in np.flatnonzero(row).tolist())
            for client, row in enumerate(self.has)
        }

    def popularity(self) -> Popularity:
        """As a plan takes it."""
        rows = self.publishes.T.tolist()
        return {
            f"t{topic}": {f"site{site}": weight for site, weight in enumerate(row)} for topic, row in enumerate(rows)
        }

    def overlaps(self, k: int = 2) -> NDArray[np.bool_]:
        """Which topics share so many clients, both ways round; no topic with itself."""
        return overlaps(self.has, k)


def site_world(shape: Shape, reading: Reading, topics_each: int, draw: np.random.Generator) -> SiteWorld:
    """Interests and publications of one drawn world."""
    shares = shares_of(shape, reading)
    own = TOPICS // SITES
    publishes = np.zeros((SITES, TOPICS))
    for site in range(SITES):
        at_home = np.arange(site * own, (site + 1) * own)
        elsewhere = np.setdiff1d(np.arange(TOPICS), at_home)
        ranked = np.concatenate((draw.permutation(at_home), draw.permutation(elsewhere)))
        publishes[site, ranked] = shares
    has = np.zeros((CLIENTS, TOPICS), np.bool_)
    for site in range(SITES):
        places = np.arange(site, CLIENTS, SITES)
        has[places] = subscribed(publishes[site], len(places), topics_each, draw)
    return SiteWorld(publishes / SITES, has)


def overlaps(has: NDArray[np.bool_], k: int = 2) -> NDArray[np.bool_]:
    """Which topics share at least `k` clients."""
    counts = has.astype(np.float32)
    shared: NDArray[np.bool_] = counts.T @ counts >= k
    np.fill_diagonal(shared, val=False)
    return shared


def block_of(topic: int) -> int:
    """The server of a topic in the published deployment: by identifier, 200 on each."""
    return topic * SITES // TOPICS


def describe(shape: Shape, reading: Reading) -> str:
    """For findings."""
    return f"{shape.about} ({shape.printed}, as {reading})"
