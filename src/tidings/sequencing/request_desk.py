"""What a stage remembers of each publisher's requests: each is taken once, in the publisher's order.

A repeated request only asks how far the first has come. Of a publisher's incarnations the latest counts: what an earlier
one still has on its way was never acknowledged, and is not taken any more.
"""

from dataclasses import dataclass, field

from tidings.ordering.hop_channel import InputBuffer, Numbered
from tidings.sequencing.messages import Requested, Taken

AHEAD_MAX = 256
"""Requests kept that came before their turn, by publisher and topic; a publisher sends no further ahead."""


@dataclass(slots=True)
class _Lane:
    """One publisher on one topic."""

    incarnation: int
    requests: InputBuffer[Requested] = field(default_factory=lambda: InputBuffer(ahead_max=AHEAD_MAX))
    complete: int = 0


class RequestDesk:
    """All publishers of a stage's topics."""

    def __init__(self) -> None:
        self._lanes: dict[tuple[str, str], _Lane] = {}

    def receive(self, request: Requested) -> list[Requested]:
        """The requests that are now next, in order; none for a repeated one and for one of an incarnation that is over."""
        key = request.topic, request.publisher
        lane = self._lanes.get(key)
        if lane is None or lane.incarnation < request.incarnation:
            lane = self._lanes[key] = _Lane(request.incarnation)
        if lane.incarnation > request.incarnation:
            return []
        return lane.requests.receive(Numbered(request.number, request))

    def completed(self, request: Requested) -> None:
        """A request has its timestamp; those of one publisher and topic get theirs in order."""
        lane = self._lanes[request.topic, request.publisher]
        if lane.incarnation == request.incarnation:
            lane.complete += 1

    def state(self, version: int, topic: str, publisher: str) -> Taken:
        """How far a publisher that has asked has come."""
        lane = self._lanes[topic, publisher]
        return Taken(version, topic, lane.incarnation, lane.requests.arrived, lane.complete)
