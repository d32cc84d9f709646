"""Who is to stand by with a second copy of an event, and from when (`dcrd+`).

A *guard* of a destination gets the event together with those who are sent it, or by a copy of its own, and waits. When the event has
come to the destination, the destination tells the guard. When it has not heard so by the time that it should have, the guard
sends the event there itself. So a second copy costs little where the first one arrives. Where that news could not come before
the guard must send to be in time, it sends at once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

SLACK_NS: Final = 2_000_000
"""How much later than expected the news may be."""
AT_ONCE: Final = 0


@dataclass(frozen=True, slots=True)
class Need:
    """A destination that would not be reached in time if the first copy failed and was only then sent again."""

    destination: str
    hop: str
    """The neighbour that the first copy goes to."""
    arrives_ns: int
    """When the first copy should be there."""
    deadline_ns: int
    """When it must be."""


@dataclass(frozen=True, slots=True)
class Post:
    """A guard's: until when it waits; `AT_ONCE`: not at all."""

    guard: str
    destination: str
    release_ns: int


def post_at(need: Need, guard: str, *, comes_ns: int, onward_ns: float) -> Post | None:
    """What a guard could do that is told at `comes_ns` and is `onward_ns` from the destination; None: nothing in time."""
    latest = need.deadline_ns - round(onward_ns)
    if comes_ns > latest:
        return None
    overdue = need.arrives_ns + round(onward_ns) + SLACK_NS
    return Post(guard, need.destination, max(overdue, comes_ns) if overdue <= latest else AT_ONCE)


def choose_guards(
    needs: Sequence[Need], candidates: Callable[[Need], Iterable[Post]], sent_to: Iterable[str], count: int
) -> list[Post]:
    """Up to `count` guards for each need.

    Best are those who can wait, and of these those who are sent a copy anyway; then those who can guard most at once.
    """
    free = dict.fromkeys(sent_to)
    chosen: list[Post] = []
    possible = {need.destination: {post.guard: post for post in candidates(need)} for need in needs}
    for _ in range(count):
        left = {need.destination for need in needs}
        for waits in (True, False):
            while left:
                best = _best(possible, left, free, waits=waits)
                if best is None:
                    break
                free[best] = None
                for destination in sorted(left):
                    post = possible[destination].get(best)
                    if post is not None and (post.release_ns != AT_ONCE) == waits:
                        chosen.append(possible[destination].pop(best))
                        left.discard(destination)
    return chosen


def _best(
    possible: Mapping[str, Mapping[str, Post]], left: Iterable[str], free: Mapping[str, None], *, waits: bool
) -> str | None:
    """Who can guard most of what is left; those who are sent a copy anyway first."""
    counts: dict[str, int] = {}
    for destination in sorted(left):
        for guard, post in possible[destination].items():
            if (post.release_ns != AT_ONCE) == waits:
                counts[guard] = counts.get(guard, 0) + 1
    return max(counts, key=lambda guard: (guard in free, counts[guard]), default=None)
