"""One site takes in what ties the other sites together.

Topics that overlap may live at different sites only when one of the two is at the hub: then no two other sites' stages
are joined, and every site's stage hangs on the hub's alone. Two ways, by what the hub's stage is to be:

- `split_above`: the hub on top, a tree of depth two. What need not be at the hub pays: a topic at home that overlaps with
  one at the hub sends every request there and gets it back.
- `split_below`: the hub at the bottom, a deeper tree. What is at the hub pays: its requests climb to the other sites. Few
  messages in all when the topics that tie sites together are seldom published on.

Either is a weighted vertex cover at heart, so single moves improve a greedy start; the cheapest found is taken.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Final

from tidings.ordering.elimination import members
from tidings.ordering.overlap import OverlapGraph
from tidings.ordering.traffic import Traffic

HUBS_TRIED_MAX: Final = 8


def split_above(overlap: OverlapGraph, component: Sequence[int], traffic: Traffic) -> dict[int, tuple[int, ...]]:
    """The topics of a component by site, with few crossings between sites when the hub is the root."""
    cluster = _cluster(overlap, component, traffic)
    found = [(hub, moved) for hub in cluster.hubs() for moved in cluster.moved_above(hub)]
    return cluster.by_site(component, *min(found, key=lambda one: cluster.cost_above(*one)))


def split_below(overlap: OverlapGraph, component: Sequence[int], traffic: Traffic) -> dict[int, tuple[int, ...]]:
    """The topics of a component by site, with few crossings when the hub stands below all other sites."""
    cluster = _cluster(overlap, component, traffic)
    moved = cluster.cover(-1, cluster.totals.__getitem__)
    hub = max(cluster.at_home, key=lambda site: sum(cluster.shares[topic][site] for topic in members(moved)))
    return cluster.by_site(component, hub, moved | cluster.at_home[hub])


@dataclass(frozen=True, slots=True)
class _Cluster:
    """A component by positions; sets of topics are bits."""

    neighbours: list[int]
    shares: list[tuple[float, ...]]
    totals: list[float]
    homes: list[int]
    at_home: dict[int, int]

    def hubs(self) -> list[int]:
        """The sites to try, those that publish most first."""
        return sorted(self.at_home, key=lambda site: -sum(row[site] for row in self.shares))[:HUBS_TRIED_MAX]

    def by_site(self, component: Sequence[int], hub: int, moved: int) -> dict[int, tuple[int, ...]]:
        """The component's topics by site when `moved` are at the hub; sites with none are left out."""
        parts = {site: moved if site == hub else mask & ~moved for site, mask in self.at_home.items()}
        return {site: tuple(component[place] for place in members(mask)) for site, mask in parts.items() if mask}

    def cover(self, hub: int, price: Callable[[int], float]) -> int:
        """A cover of the overlaps between sites other than `hub`, those first that settle most of them for their price."""
        free = self.at_home.get(hub, 0)
        across = {
            topic: self.neighbours[topic] & ~free & ~self.at_home[home]
            for topic, home in enumerate(self.homes)
            if home != hub
        }

        def urgency(topic: int) -> tuple[float, int]:
            return -across[topic].bit_count() / (price(topic) or _LEAST), topic

        moved = 0
        queue = [urgency(topic) for topic in across]
        heapify(queue)
        while queue:
            known, chosen = heappop(queue)
            if not across[chosen]:
                continue
            if urgency(chosen)[0] > known:
                # Some of its overlaps have been settled since: it comes later.
                heappush(queue, urgency(chosen))
                continue
            moved |= 1 << chosen
            for other in members(across[chosen]):
                across[other] &= ~(1 << chosen)
            across[chosen] = 0
        return moved

    def moved_above(self, hub: int) -> list[int]:
        """What to have at the hub, from two starts: only what must be there, and everything."""
        starts = [self.at_home[hub] | self.cover(hub, self.totals.__getitem__), (1 << len(self.homes)) - 1]
        return [self._improved(hub, start) for start in starts]

    def cost_above(self, hub: int, moved: int) -> float:
        """Crossings per publication with the hub on top."""
        return sum(
            self._at_hub(hub, topic) if moved >> topic & 1 else self._at_leaf(topic, moved)
            for topic in range(len(self.homes))
        )

    def _at_hub(self, hub: int, topic: int) -> float:
        return self.totals[topic] - self.shares[topic][hub]

    def _at_leaf(self, topic: int, moved: int) -> float:
        climbs = 2 * self.totals[topic] if self.neighbours[topic] & moved else 0.0
        return self.totals[topic] - self.shares[topic][self.homes[topic]] + climbs

    def _improved(self, hub: int, moved: int) -> int:
        """Move single topics to and fro while the cost falls; it falls with every move, so this ends."""
        before = -1
        while moved != before:
            before = moved
            for topic, home in enumerate(self.homes):
                tied = moved >> topic & 1 and self.neighbours[topic] & ~moved & ~self.at_home[home]
                if home != hub and not tied and self._saving(hub, topic, moved) > _LEAST:
                    moved ^= 1 << topic
        return moved

    def _saving(self, hub: int, topic: int, moved: int) -> float:
        """What moving `topic` to the other side saves."""
        without = moved & ~(1 << topic)
        # Those below the hub that climb because of this topic alone.
        alone = [other for other in members(self.neighbours[topic] & ~moved) if not self.neighbours[other] & without]
        saving = self._at_hub(hub, topic) + sum(2 * self.totals[other] for other in alone)
        saving -= self._at_leaf(topic, without)
        return saving if moved >> topic & 1 else -saving


_LEAST: Final = 1e-12
"""Shares below this count as nothing, so that rounding moves no topic for ever."""


def _cluster(overlap: OverlapGraph, component: Sequence[int], traffic: Traffic) -> _Cluster:
    homes, totals = traffic.homes, traffic.totals
    place = {topic: position for position, topic in enumerate(component)}
    at_home = dict.fromkeys(sorted(homes[topic] for topic in component), 0)
    for topic in component:
        at_home[homes[topic]] |= 1 << place[topic]
    return _Cluster(
        neighbours=[sum(1 << place[other] for other in overlap.neighbours[topic]) for topic in component],
        shares=[traffic.shares[topic] for topic in component],
        totals=[totals[topic] for topic in component],
        homes=[homes[topic] for topic in component],
        at_home=at_home,
    )
