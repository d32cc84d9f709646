"""Sending lists of all brokers, worked out from one picture of the links (DCRD, III).

Every broker that has the same picture finds the same lists; so each works out all of them by itself, from what links are
reported to be, instead of being told `<d, r>` by its neighbours. What has been worked out is kept by picture, origin
and publisher: D of a broker is what is left of the publisher's deadline after the shortest way from its broker, the origin.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidings.routing.expectations import Expectations, Lattice, expect, lattice, shortest_delays
from tidings.routing.ways import Links

Deadlines: TypeAlias = Mapping[str, Mapping[str, int]]
"""By publisher and broker, the shortest deadline of the clients there; absent: none."""

PICTURES_MAX: Final = 3
"""Pictures of which lists are kept: brokers do not change theirs at the same instant."""


class Lists:
    """Of all brokers, for some destinations of one publisher."""

    __slots__ = ("_brokers", "_columns", "_found", "_known", "_places")

    def __init__(
        self, net: Lattice, places: Mapping[str, int], destinations: Sequence[str], found: Expectations
    ) -> None:
        self._brokers, self._places, self._found = net.brokers, places, found
        self._columns = {name: column for column, name in enumerate(destinations)}
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}

    def order(self, here: str, destination: str) -> tuple[str, ...]:
        """Whom a broker tries, best first."""
        order = self._known.get((here, destination))
        if order is None:
            row = self._found.order[self._columns[destination], self._places[here]]
            order = tuple(self._brokers[place] for place in row.tolist() if place >= 0)
            self._known[here, destination] = order
        return order

    def delay_ns(self, here: str, destination: str) -> float:
        """d: what a broker needs on average, if it delivers at all."""
        return float(self._found.delays_ns[self._columns[destination], self._places[here]])


class Picture:
    """The lists that follow from one picture of the links."""

    def __init__(self, brokers: Sequence[str], links: Links, deadlines: Deadlines, transmissions: int) -> None:
        self._places = {name: place for place, name in enumerate(brokers)}
        self._net = lattice(brokers, links, transmissions=transmissions)
        self._deadlines = deadlines
        self._lists: dict[tuple[str, ...], Lists] = {}
        self._shortest: dict[str, NDArray[np.float64]] = {}

    def lists(self, origin: str, publisher: str, destination: str) -> Lists:
        """Those that hold for what `publisher`, whose broker is `origin`, says to `destination`."""
        deadlines = self._deadlines.get(publisher, {})
        timed = destination in deadlines
        key = (origin, publisher) if timed else (destination,)
        found = self._lists.get(key)
        if found is None:
            destinations = [name for name in deadlines if name != origin] if timed else [destination]
            found = self._lists[key] = self._work_out(origin, destinations, deadlines)
        return found

    def shortest_ns(self, here: str, there: str) -> float:
        """The least delay between two brokers where nothing fails; infinite where there is no way."""
        return float(self._shortest_to(there)[self._places[here]])

    def _work_out(self, origin: str, destinations: Sequence[str], deadlines: Mapping[str, int]) -> Lists:
        # Links are taken to be as long one way as the other, so that ways from the origin are ways to it.
        spent = self._shortest_to(origin)
        for_ever = np.full(len(spent), np.inf)
        left = np.array(
            [np.maximum(deadlines[name] - spent, 0.0) if name in deadlines else for_ever for name in destinations]
        )
        found = expect(self._net, [self._places[name] for name in destinations], left)
        return Lists(self._net, self._places, destinations, found)

    def _shortest_to(self, there: str) -> NDArray[np.float64]:
        row = self._shortest.get(there)
        if row is None:
            row = self._shortest[there] = shortest_delays(self._net, [self._places[there]])[0]
        return row


class ListPlans:
    """Pictures, each kept while it is among the last few that were asked for."""

    def __init__(self, brokers: Sequence[str], deadlines: Deadlines, transmissions: int) -> None:
        self._brokers, self._deadlines, self._transmissions = tuple(brokers), deadlines, transmissions
        self._pictures: dict[int, tuple[Links, Picture]] = {}

    def picture(self, links: Links) -> Picture:
        """The picture of these links; equal ones have one."""
        for known, picture in self._pictures.values():
            if known is links or known == links:
                return picture
        made = Picture(self._brokers, links, self._deadlines, self._transmissions)
        self._pictures[max(self._pictures, default=0) + 1] = (links, made)
        if len(self._pictures) > PICTURES_MAX:
            del self._pictures[min(self._pictures)]
        return made
