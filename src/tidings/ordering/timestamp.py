"""Timestamps across topics: pairs of topic and number, one for each member of the topic's sequencing group.

The number of the event's own topic counts the topic's events from 1; every other says how many events of that topic come
before this one. A number of 0: none yet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tidings.errors import PeerError


@dataclass(frozen=True, slots=True)
class Layout:
    """Whose numbers the timestamps of one topic hold: its sequencing group, in one order for all of a version."""

    topic: str
    members: tuple[str, ...]
    place: Mapping[str, int] = field(init=False, compare=False, repr=False)
    """Where each member stands."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", {member: position for position, member in enumerate(self.members)})
        if self.topic not in self.place or len(self.place) < len(self.members):
            raise PeerError(f"a timestamp of topic {self.topic} must name it, and each of its topics once")

    @property
    def own(self) -> int:
        """Where the topic itself stands."""
        return self.place[self.topic]


@dataclass(frozen=True, slots=True, eq=False)
class Timestamp:
    """A complete timestamp; `numbers` stand as the layout's members do, and cannot be written."""

    layout: Layout
    numbers: NDArray[np.int64]
    number: int = field(init=False, repr=False)
    """Which event of its topic this is, from 1."""

    def __post_init__(self) -> None:
        self.numbers.flags.writeable = False
        object.__setattr__(self, "number", int(self.numbers[self.layout.own]))

    @classmethod
    def of(cls, topic: str, numbers: Mapping[str, int]) -> "Timestamp":
        """From pairs, whatever their order."""
        members = tuple(sorted(numbers))
        return cls(Layout(topic, members), np.array([numbers[member] for member in members], np.int64))

    @property
    def topic(self) -> str:
        """The event's own topic."""
        return self.layout.topic

    def pairs(self) -> dict[str, int]:
        """Number by topic."""
        return dict(zip(self.layout.members, self.numbers.tolist(), strict=True))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Timestamp):
            return NotImplemented
        return self.layout == other.layout and np.array_equal(self.numbers, other.numbers)

    def __hash__(self) -> int:
        return hash((self.layout, self.number))


def comparable(one: Timestamp, other: Timestamp) -> bool:
    """True when some topic stands in both."""
    return bool(_shared(one, other))


def precedes(one: Timestamp, other: Timestamp) -> bool:
    """True when the two are comparable, no shared number of `one` is greater and at least one is smaller."""
    numbers = [(one.numbers[here], other.numbers[there]) for here, there in _shared(one, other)]
    return all(left <= right for left, right in numbers) and any(left < right for left, right in numbers)


def _shared(one: Timestamp, other: Timestamp) -> Sequence[tuple[int, int]]:
    there = other.layout.place
    return [(place, there[member]) for member, place in one.layout.place.items() if member in there]
