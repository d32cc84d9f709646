"""Generated overlays: from a kind and its options to brokers and links.

Everything is drawn from the stream `overlay`, so that a seed and the options alone decide the form. What cannot be
is refused with a ValueError, whose sentence names the option and says what would be right.
"""

import difflib
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Final, TypeAlias

import numpy as np

from tidings.scenario.options import name_list, unknown_key, whole
from tidings.scenario.random_graph import random_regular, random_tree
from tidings.scenario.shape import BROKERS_MAX, MESH_MAX, Shape, shape_of
from tidings.scenario.transit_stub import TRANSIT_STUB_OPTIONS, transit_stub
from tidings.vocabulary.streams import Streams

__all__ = ["BROKERS_MAX", "KINDS", "MESH_MAX", "Shape", "generate"]

Options: TypeAlias = Mapping[str, object]
_Maker: TypeAlias = Callable[[Options, np.random.Generator], Shape]


def generate(kind: str, options: Options, streams: Streams) -> Shape:
    """The overlay of this kind; `options` are the scenario's values as they were read.

    Kinds and their options are in `KINDS`. Raises ValueError for what cannot be.
    """
    if kind not in KINDS:
        close = difflib.get_close_matches(kind, KINDS, n=1)
        hint = f'did you mean "{close[0]}"?' if close else f"there are {', '.join(KINDS)}"
        raise ValueError(f"no overlay is called {kind!r}; {hint}")
    for key in options:
        if key not in KINDS[kind]:
            raise unknown_key(kind, key, KINDS[kind])
    return _MAKERS[kind](options, streams("overlay"))


def _line(options: Options, _: np.random.Generator) -> Shape:
    count = _brokers(options)
    return shape_of(count, [(place, place + 1) for place in range(count - 1)])


def _star(options: Options, _: np.random.Generator) -> Shape:
    """`b0` is in the middle."""
    count = _brokers(options)
    return shape_of(count, [(0, place) for place in range(1, count)])


def _tree(options: Options, generator: np.random.Generator) -> Shape:
    """Drawn evenly from all labelled trees."""
    count = _brokers(options)
    return shape_of(count, random_tree(count, generator))


def _random(options: Options, generator: np.random.Generator) -> Shape:
    """Connected, every broker with exactly `degree` neighbours."""
    count = _brokers(options)
    degree = whole(options, "degree", 1, count)
    if degree >= count:
        raise ValueError(f"degree = {degree} with {count} brokers: a broker has at most {count - 1} neighbours")
    if degree == 1 and count > 2:
        raise ValueError(f"degree = 1 cannot join {count} brokers; at least 2 is needed")
    if count * degree % 2:
        raise ValueError(
            f"degree = {degree} with {count} brokers: brokers × degree counts every link twice and must be even; "
            f"take degree {degree - 1}, or {count + 1} brokers"
        )
    if count * degree > 2 * _LINKS_MAX:
        raise ValueError(f"degree = {degree} with {count} brokers makes more than {_LINKS_MAX} links; take fewer")
    return shape_of(count, random_regular(count, degree, generator))


def _full(options: Options, _: np.random.Generator) -> Shape:
    count = whole(options, "brokers", 1, MESH_MAX)
    return shape_of(count, list(combinations(range(count), 2)))


def _sites(options: Options, _: np.random.Generator) -> Shape:
    """One broker for each site, each linked with each."""
    given = options.get("sites")
    if isinstance(given, list | tuple):
        names = name_list("sites", given, MESH_MAX)
    else:
        names = tuple(f"site{place}" for place in range(whole(options, "sites", 1, MESH_MAX)))
    mesh = shape_of(len(names), list(combinations(range(len(names)), 2)))
    return Shape(brokers=mesh.brokers, links=mesh.links, sites=dict(zip(mesh.brokers, names, strict=True)))


def _brokers(options: Options) -> int:
    return whole(options, "brokers", 1, BROKERS_MAX)


_LINKS_MAX: Final = MESH_MAX * (MESH_MAX - 1) // 2

_MAKERS: Final[Mapping[str, _Maker]] = {
    "line": _line,
    "star": _star,
    "tree": _tree,
    "random": _random,
    "full": _full,
    "sites": _sites,
    "transit-stub": transit_stub,
}

KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "line": ("brokers",),
    "star": ("brokers",),
    "tree": ("brokers",),
    "random": ("brokers", "degree"),
    "full": ("brokers",),
    "sites": ("sites",),
    "transit-stub": ("brokers", "degree", *TRANSIT_STUB_OPTIONS),
}
"""The options of every kind."""
