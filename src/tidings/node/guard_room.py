"""Events that a broker guards: kept until their destination says that it has them, or until it is time to send them (`dcrd+`)."""

import heapq
from collections.abc import Iterable

from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Guard


class GuardRoom:
    """One broker's."""

    __slots__ = ("_count", "_posts", "_timers")

    def __init__(self) -> None:
        self._posts: dict[tuple[int, str], tuple[Event, Guard, tuple[str, ...]]] = {}
        self._timers: list[tuple[int, int, tuple[int, str]]] = []
        self._count = 0

    def __len__(self) -> int:
        return len(self._posts)

    @property
    def deadline(self) -> int | None:
        """When the next one must be sent."""
        while self._timers and self._timers[0][2] not in self._posts:
            heapq.heappop(self._timers)
        return self._timers[0][0] if self._timers else None

    def take(self, event: Event, guards: Iterable[Guard], path: tuple[str, ...]) -> None:
        """Stand by; whoever does so already goes on as before."""
        for guard in guards:
            key = (event.id, guard.destination)
            if key not in self._posts:
                self._posts[key] = (event, guard, path)
                self._count += 1
                heapq.heappush(self._timers, (guard.release_ns, self._count, key))

    def reached(self, event_id: int, destination: str) -> None:
        """The event is where it belongs, or on its way through here."""
        self._posts.pop((event_id, destination), None)

    def due(self, now: int) -> list[tuple[Event, Guard, tuple[str, ...]]]:
        """What must be sent: nobody has said that it is there. Each with the walk by which it came."""
        found = []
        while self._timers and self._timers[0][0] <= now:
            key = heapq.heappop(self._timers)[2]
            post = self._posts.pop(key, None)
            if post is not None:
                found.append(post)
        return found
