"""How a broker leads events and interests around what has failed (thesis, 5.3.3): who stands in for whom, by which way.

A tree neighbour is *cut off* while no way leads to it; then the nearest brokers behind it stand in for it. One that only the
direct link to has failed is reached by another way. Composes the link state with the view of every tree.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tidings.errors import PeerError
from tidings.node.demand import Demand
from tidings.routing.bypass import TreeView
from tidings.routing.link_state import LinkState
from tidings.vocabulary.frames import Forward, Interests, InterestsKnown, LinkReports, LinkReportsKnown, Relayed
from tidings.vocabulary.machine import NeighbourLost, NeighbourReturned, Notice, SendFrame
from tidings.vocabulary.overlay import Overlay


@dataclass(frozen=True, slots=True, kw_only=True)
class DetourOptions:
    """What every broker knows of the overlay from the beginning, and keeps."""

    overlay: Overlay
    trees: Mapping[str, Mapping[str, Sequence[str]]]
    """By tree and broker, its neighbours."""


class Detours:
    """One broker's; made anew with every process."""

    def __init__(self, here: str, options: DetourOptions) -> None:
        self._here, self._links = here, LinkState(here, options.overlay)
        self._views = {tree: TreeView(here, neighbours) for tree, neighbours in options.trees.items()}
        self._sides = {tree: tuple(neighbours.get(here, ())) for tree, neighbours in options.trees.items()}
        self._version = 0
        """Of the link state that `changes` has told of."""
        self._aside: dict[tuple[str, str], tuple[str, ...]] = {}
        """By tree and neighbour whose link has failed, who is sent what it would be: itself, or those who stand in."""

    # ---- what comes in

    def begin(self, incarnation: int) -> None:
        """A new process."""
        self._links.begin(incarnation)

    def hear_of(self, notice: Notice) -> None:
        """What the failure detector says."""
        if type(notice) is NeighbourLost:
            self._links.lost(notice.name)
        elif type(notice) is NeighbourReturned:
            self._links.returned(notice.name)

    def reported(self, sender: str, frame: LinkReports | LinkReportsKnown) -> None:
        """A neighbour says what it has learned of links, or how far it is."""
        if not self._links.is_neighbour(sender):
            raise PeerError(f"{sender} is no neighbour of {self._here} and has nothing to report")
        if isinstance(frame, LinkReports):
            self._links.hear(sender, frame)
        else:
            self._links.acknowledged(sender, frame)

    # ---- what the broker asks

    def side(self, tree: str, name: str) -> str | None:
        """The neighbour in a tree on whose side another broker lies."""
        return self._views[tree].side(name)

    def way(self, to: str) -> tuple[str, ...] | None:
        """The shortest way to a broker that works."""
        return self._links.way(to)

    def aside(self, tree: str, name: str) -> tuple[str, ...]:
        """Who is sent an event aside from the tree, for the sake of `name`, which wants it; nobody where the tree will do."""
        if name not in self._sides[tree]:
            return self._views[tree].stand_ins(name, self._reaches)
        return self._aside.get((tree, name), ())

    def is_direct(self, name: str) -> bool:
        """True when a link to a neighbour works."""
        return self._links.works(self._here, name)

    def changes(self, demand: Demand, now: int) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        """After every batch: tell `demand` who is cut off and back; gives tree, neighbour, and who is new aside from it."""
        if self._links.version == self._version:
            return
        self._version = self._links.version
        for tree, sides in self._sides.items():
            for name in sides:
                before = self._aside.pop((tree, name), None)
                if self.is_direct(name):
                    if before is not None:
                        demand.rejoined(tree, name, now)
                    continue
                aside = self._aside[tree, name] = self._views[tree].stand_ins(name, self._reaches)
                if aside == (name,):
                    demand.rejoined(tree, name, now)
                else:
                    demand.cut_off(tree, name, aside, now)
                yield tree, name, tuple(one for one in aside if one not in (before or ()))

    # ---- what goes out

    @property
    def deadline(self) -> int | None:
        """When `flush` has something to say again."""
        return self._links.deadline

    def flush(self, now: int) -> list[SendFrame]:
        """What neighbours must be told of links."""
        return self._links.flush(now)

    def led(self, sends: Sequence[SendFrame]) -> list[SendFrame]:
        """The same frames; those about interests, for brokers to which no link leads that works, by another way.

        Without any way they are left out, but for neighbours, which may be back sooner than that is noticed.
        """
        led = (self._led(send) if type(send.frame) in (Interests, InterestsKnown) else send for send in sends)
        return [send for send in led if send is not None]

    def relayed(self, names: Sequence[str], frame: Forward) -> list[SendFrame]:
        """An event for brokers that are not next in its tree; those that cannot be reached are left out."""
        ways = (self.way(name) for name in names)
        return [SendFrame(way[1], Relayed(way, frame)) for way in ways if way is not None]

    def next_hop(self, frame: Relayed) -> str | None:
        """Where a frame goes next; None when it is for us. PeerError when its way does not lead through here."""
        if self._here not in frame.way[1:]:
            raise PeerError(f"a way by {', '.join(frame.way)} does not lead to {self._here}")
        hop = frame.after(self._here)
        if hop is not None and not self._links.is_neighbour(hop):
            raise PeerError(f"a way by {', '.join(frame.way)} leads from {self._here} to a broker that is no neighbour")
        return hop

    def _led(self, send: SendFrame) -> SendFrame | None:
        assert isinstance(send.frame, Interests | InterestsKnown)
        is_neighbour = self._links.is_neighbour(send.to)
        way = None if is_neighbour and self.is_direct(send.to) else self.way(send.to)
        if way is not None:
            return SendFrame(way[1], Relayed(way, send.frame))
        return send if is_neighbour else None

    def _reaches(self, name: str) -> bool:
        return self._links.way(name) is not None
