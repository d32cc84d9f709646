"""Small shapes of interests, drawn from a seed or by hypothesis."""

import numpy as np
from hypothesis import strategies as st

SMALLEST = {"a": ("t1", "t3", "t4"), "b": ("t1", "t3", "t4"), "c": ("t2", "t4"), "d": ("t2", "t4")}
"""The smallest shape on which the published routing waits in circles (two subscribers of each set, k = 2)."""


def random_interests(seed, *, topics=6, subscribers=8, most=4):
    """`subscribers` with 1 to `most` of `topics` topics."""
    rng = np.random.default_rng(10**6 + seed)
    names = [f"t{number}" for number in range(1, topics + 1)]
    return {
        f"s{number}": tuple(sorted(rng.choice(names, rng.integers(1, most + 1), replace=False).tolist()))
        for number in range(subscribers)
    }


def random_stages(seed, topics, most=5):
    """The topics dealt into up to `most` stages."""
    rng = np.random.default_rng(5 * 10**6 + seed)
    dealt = {}
    for topic in topics:
        dealt.setdefault(f"g{rng.integers(most)}", []).append(topic)
    return dealt


def interests(topics_max=7, subscribers_max=8):
    """Strategy: a few subscribers with a few topics each."""
    topics = st.integers(1, topics_max).map("t{}".format)
    wanted = st.lists(topics, min_size=1, max_size=5, unique=True).map(tuple)
    return st.lists(wanted, min_size=1, max_size=subscribers_max).map(
        lambda sets: {f"s{number}": topics for number, topics in enumerate(sets)}
    )


def graphs(vertices_max=7):
    """Strategy: sets of neighbours as bits."""

    def joined(size):
        pairs = [(one, other) for one in range(size) for other in range(one)]
        return st.lists(st.sampled_from(pairs) if pairs else st.nothing(), unique=True, max_size=len(pairs)).map(
            lambda edges: from_edges(size, edges)
        )

    return st.integers(1, vertices_max).flatmap(joined)


def from_edges(size, edges):
    """Sets of neighbours as bits, from pairs of positions."""
    masks = [0] * size
    for one, other in edges:
        masks[one] |= 1 << other
        masks[other] |= 1 << one
    return masks
