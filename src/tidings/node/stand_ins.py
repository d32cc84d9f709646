"""Brokers that stand in for neighbours which cannot be reached: they are told what the neighbour would be told.

They are told until the neighbour is back and has confirmed all that it was told since; so on the way back nothing is
wanted by nobody. What they are told is soft: when nobody says goodbye, it is forgotten for want of renewals.
"""

from collections.abc import Iterator, Mapping, Sequence

from tidings.delivery.soft_state import Teller
from tidings.routing.interest_table import Difference
from tidings.vocabulary.machine import SendFrame


class StandIns:
    """Those of one broker in one tree."""

    def __init__(self, renew_ns: int | None) -> None:
        self._renew_ns = renew_ns
        self.tellers: dict[str, Teller] = {}
        self._sides: dict[str, str] = {}
        """The neighbour that each stands in for."""
        self._versions: dict[str, int] = {}
        """The last that those were told who stand in no more."""
        self._leaving: dict[str, None] = {}
        """Neighbours that can be reached again."""

    def appoint(self, primary: Teller, names: Sequence[str]) -> list[str]:
        """These stand in for a neighbour, and nobody else; gives those who are new, and have been told nothing yet."""
        side = primary.neighbour
        self._leaving.pop(side, None)
        for name in [name for name, of in self._sides.items() if of == side and name not in names]:
            self._dismiss(name)
        new = [name for name in names if name not in self.tellers]
        for name in new:
            self.tellers[name] = primary.deputy(name, self._versions.get(name, -1), self._renew_ns)
            self._sides[name] = side
        return new

    def release(self, primary: Teller, now: int) -> list[SendFrame]:
        """The neighbour can be reached again: it must confirm anew, since it may have forgotten everything."""
        side = primary.neighbour
        if side in self._leaving or side not in self._sides.values():
            return []
        self._leaving[side] = None
        return [SendFrame(side, primary.change((), (), now))]

    def tell(self, differences: Mapping[str, Difference], now: int) -> list[SendFrame]:
        """What changes for a side is told to those who stand in on it."""
        return [
            SendFrame(name, self.tellers[name].change(*differences[side], now))
            for name, side in self._sides.items()
            if side in differences
        ]

    def goodbyes(self, primaries: Mapping[str, Teller]) -> Iterator[SendFrame]:
        """The last words to those whose neighbour is back and knows everything."""
        for side in [side for side in self._leaving if primaries[side].is_confirmed]:
            del self._leaving[side]
            for name in [name for name, of in self._sides.items() if of == side]:
                yield SendFrame(name, self.tellers[name].farewell())
                self._dismiss(name, told=1)

    def _dismiss(self, name: str, told: int = 0) -> None:
        self._versions[name] = self.tellers.pop(name).version + told
        del self._sides[name]
