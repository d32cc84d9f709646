"""The last message of each topic that was published to be kept, found by pattern without looking at all of them."""

from collections.abc import Iterator
from typing import Final

from tidings.vocabulary.event import Event

_LEAF: Final = ""
"""Key of a node's own event; levels are stored with a slash in front, so that none is empty."""


class Retained:
    """Retained messages as a tree of levels."""

    __slots__ = ("_root", "count", "payload_bytes")

    def __init__(self) -> None:
        self._root: dict[str, object] = {}
        self.count = 0
        self.payload_bytes = 0

    def put(self, event: Event) -> None:
        """Keep `event` as the one of its topic, or forget the topic when its payload is empty."""
        path = [(self._root, _LEAF)]
        for level in _levels(event.topic):
            node = path[-1][0].setdefault(level, {})
            assert isinstance(node, dict)
            path.append((node, level))
        node = path[-1][0]
        old = node.pop(_LEAF, None)
        if isinstance(old, Event):
            self.count -= 1
            self.payload_bytes -= _size(old)
        if event.payload:
            node[_LEAF] = event
            self.count += 1
            self.payload_bytes += _size(event)
        else:
            _prune(path)

    def get(self, topic: str) -> Event | None:
        """The message of a topic."""
        return next(self._below(self._root, _levels(topic), 0), None)

    def matching(self, pattern: str, now: int) -> Iterator[Event]:
        """The messages of all topics that `pattern` stands for, but for those whose lifetime is over."""
        return (event for event in self._below(self._root, _levels(pattern), 0) if not event.expired(now))

    def everything(self) -> Iterator[Event]:
        """Every message, in no particular but always the same order."""
        return _events(self._root)

    def _below(self, node: dict[str, object], levels: list[str], place: int) -> Iterator[Event]:
        if place == len(levels):
            event = node.get(_LEAF)
            if isinstance(event, Event):
                yield event
            return
        level = levels[place]
        if level == "/#":
            yield from _events(node, own=place == 0)
        elif level == "/+":
            for name, child in node.items():
                if isinstance(child, dict) and not (place == 0 and name.startswith("/$")):
                    yield from self._below(child, levels, place + 1)
        elif isinstance(child := node.get(level), dict):
            yield from self._below(child, levels, place + 1)


def _levels(topic: str) -> list[str]:
    return [f"/{level}" for level in topic.split("/")]


def _events(node: dict[str, object], *, own: bool = False) -> Iterator[Event]:
    """All below a node; `own`: but for the topics with $, which no wildcard of the first level reaches."""
    for name, child in node.items():
        if isinstance(child, Event):
            yield child
        elif isinstance(child, dict) and not (own and name.startswith("/$")):
            yield from _events(child)


def _prune(path: list[tuple[dict[str, object], str]]) -> None:
    """Take away nodes that hold nothing any more."""
    for (node, level), (parent, _) in zip(reversed(path), [*reversed(path[:-1])], strict=False):
        if node or not level:
            return
        del parent[level]


def _size(event: Event) -> int:
    return len(event.payload) + len(event.carried)
