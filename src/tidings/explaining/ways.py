"""The way of an event to a broker: hop by hop as its copies went, and where it ended when it did not get there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tidings.explaining.story import Row, Story
from tidings.scenario import World


@dataclass(frozen=True, kw_only=True)
class Way:
    """Copies that arrived, one behind the other, and the broker that had the event last."""

    hops: Sequence[Row]
    last: str | None
    """None where nobody knows."""
    next: str | None = None
    """Where it should have gone from there; None when it got there, or where nobody knows."""


def way_to(story: Story, world: World | None, broker: str | None) -> Way:
    """How the event came to `broker`, or how far it came along its tree."""
    arrived: dict[str, Row] = {}
    for row in story.copies:
        if row["outcome"] == "arrived" and row["kind"] == "event":
            arrived.setdefault(row["receiver"], row)
    home = _home(story, world)
    hops = [] if broker is None else _back(arrived, broker)
    if broker is not None and (hops or broker == home):
        return Way(hops=hops, last=broker)
    path = _tree_path(story, world, home, broker)
    reached = [place for place, name in enumerate(path) if name in arrived or name == home]
    if not reached:
        return Way(hops=[], last=None)
    place = max(reached)
    following = path[place + 1] if place + 1 < len(path) else None
    return Way(hops=_back(arrived, path[place]), last=path[place], next=following)


def _back(arrived: Mapping[str, Row], broker: str) -> list[Row]:
    hops: list[Row] = []
    while broker in arrived and len(hops) <= len(arrived):
        hops.append(arrived[broker])
        broker = arrived[broker]["sender"]
    return hops[::-1]


def _home(story: Story, world: World | None) -> str | None:
    """The publisher's broker."""
    if world is not None:
        author = story.publication["publisher"]
        return next((one.broker for one in world.publishers if one.id == author), None)
    return next((row["sender"] for row in story.copies if row["kind"] == "event"), None)


def _tree_path(story: Story, world: World | None, home: str | None, broker: str | None) -> list[str]:
    """From broker to broker along the topic's tree; only the first one where there is no tree."""
    if world is None or home is None or broker is None:
        return [home] if home is not None else []
    topic = story.publication["topic"]
    tree = next((one for one in world.trees if topic in one.topics), None)
    neighbours: dict[str, list[str]] = {}
    for one, other in () if tree is None else tree.links:
        neighbours.setdefault(one, []).append(other)
        neighbours.setdefault(other, []).append(one)
    ways = {home: [home]}
    queue = [home]
    for name in queue:
        for other in neighbours.get(name, ()):
            if other not in ways:
                ways[other] = [*ways[name], other]
                queue.append(other)
    return ways.get(broker, [home])
