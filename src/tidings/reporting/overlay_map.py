"""The overlay as a picture: brokers that are near each other in milliseconds are near each other on paper."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from tidings.logs import Folder
from tidings.scenario import World

BROKERS_MAX: Final = 400
"""Larger overlays are a black blot; none is drawn."""
NAMED_MAX: Final = 40
WIDTH: Final = 400
HEIGHT: Final = 320
_MARGIN: Final = 36
Points: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class OverlayMap:
    """Where each broker is drawn, and what is shown of it."""

    brokers: Sequence[str]
    at: Points
    """A point for each, within 0 … 1."""
    links: Sequence[tuple[int, int]]
    subscribers: Sequence[int]
    """How many each broker serves."""
    down: Sequence[float]
    """Share of the time that each was down, in the logs."""
    links_down: Sequence[float]


def overlay_map(world: World, folder: Folder, *, brokers_max: int = BROKERS_MAX) -> OverlayMap | None:
    """The overlay of a world, with what became of it in a run; None where it is too large."""
    names = [broker.id for broker in world.brokers]
    if not 0 < len(names) <= brokers_max:
        return None
    places = {name: place for place, name in enumerate(names)}
    links = [(places[link.between[0]], places[link.between[1]]) for link in world.links]
    delays = [max(link.law.mean_delay_ns, 1.0) for link in world.links]
    served = Counter(one.broker for one in world.subscribers)
    down = downtimes(folder, world.duration_ns)
    ends = [(f"{a}-{b}", f"{b}-{a}") for a, b in (link.between for link in world.links)]
    return OverlayMap(
        brokers=names,
        at=laid_out(len(names), links, delays),
        links=links,
        subscribers=[served[name] for name in names],
        down=[down.get(name, 0.0) for name in names],
        links_down=[down.get(one, down.get(other, 0.0)) for one, other in ends],
    )


def downtimes(folder: Folder, duration_ns: int) -> Mapping[str, float]:
    """By component: the share of the run that it was down."""
    found: Counter[str] = Counter()
    for row in folder.table("outages", ["component", "down_ns", "up_ns"]).to_pylist():
        up_ns = duration_ns if row["up_ns"] is None else min(row["up_ns"], duration_ns)
        found[row["component"]] += max(up_ns - row["down_ns"], 0)
    return {name: total / duration_ns for name, total in found.items()}


def laid_out(brokers: int, links: Sequence[tuple[int, int]], lengths: Sequence[float]) -> Points:
    """Classical scaling of the shortest ways: the plane in which distances come closest to delays."""
    ends = np.array(links, np.int64).reshape(-1, 2)
    graph = csr_array((np.array(lengths, np.float64), (ends[:, 0], ends[:, 1])), shape=(brokers, brokers))
    ways = shortest_path(graph, directed=False)
    reached = np.isfinite(ways)
    # Parts that nothing joins are drawn apart, a longest way from each other.
    ways = np.where(reached, ways, 1.5 * ways[reached].max(initial=1.0))
    squares = ways**2
    centred = -(squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean()) / 2
    values, vectors = np.linalg.eigh(centred)
    plane = vectors[:, -2:][:, ::-1] * np.sqrt(np.maximum(values[-2:][::-1], 0.0))
    if plane.shape[1] < 2:
        plane = np.zeros((brokers, 2))
    # An eigenvector points either way; the first broker's side decides.
    plane *= np.where(plane[np.abs(plane).argmax(0), [0, 1]] < 0, -1.0, 1.0)
    span = np.ptp(plane, axis=0)
    middle = (plane.max(0) + plane.min(0)) / 2
    placed: Points = np.where(span > 0, (plane - middle) / np.where(span > 0, span, 1.0) + 0.5, 0.5)
    return placed


def svg_of_map(found: OverlayMap) -> str:
    """The picture: links under brokers, larger where more subscribers are, redder where more time was spent down."""
    x = _MARGIN + found.at[:, 0] * (WIDTH - 2 * _MARGIN)
    y = _MARGIN + found.at[:, 1] * (HEIGHT - 2 * _MARGIN)
    parts = [
        (
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' role='img' "
            "font-family='system-ui, sans-serif' font-size='10'><title>the overlay</title>"
        )
    ]
    for (one, other), down in zip(found.links, found.links_down, strict=True):
        parts.append(
            f"<path d='M{x[one]:.1f} {y[one]:.1f}L{x[other]:.1f} {y[other]:.1f}' stroke='{_colour(down)}' "
            f"stroke-width='1.5' stroke-opacity='0.6'/>"
        )
    most = max(max(found.subscribers, default=0), 1)
    for place, name in enumerate(found.brokers):
        radius = 4 + 8 * (found.subscribers[place] / most) ** 0.5
        told = f"{name}: {found.subscribers[place]:,} subscribers, down {found.down[place]:.2%} of the time"
        parts.append(
            f"<circle cx='{x[place]:.1f}' cy='{y[place]:.1f}' r='{radius:.1f}' fill='{_colour(found.down[place])}' "
            f"stroke='white'><title>{escape(told)}</title></circle>"
        )
        if len(found.brokers) <= NAMED_MAX:
            parts.append(
                f"<text x='{x[place]:.1f}' y='{y[place] - radius - 3:.1f}' text-anchor='middle'>{escape(name)}</text>"
            )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _colour(down: float) -> str:
    """From blue to red: 5 % of the time down is as red as it gets."""
    share = min(down / 0.05, 1.0)
    blue, red = (0x00, 0x72, 0xB2), (0xD5, 0x1E, 0x00)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(blue, red, strict=True))
