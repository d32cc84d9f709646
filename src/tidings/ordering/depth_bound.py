"""How deep every elimination tree of a graph must be, whatever the order.

The least depth is the graph's treedepth, which is hard to compute. Two bounds from below are cheap: it exceeds the
treewidth, and so the least degree of whatever the graph can be contracted to; and a path of n stages needs
⌈log₂(n + 1)⌉. A clique of n stages needs n, which the first bound gives.
"""

from collections.abc import Sequence

from tidings.ordering.elimination import members


def depth_bound(neighbours: Sequence[int]) -> int:
    """A lower bound on the depth of every elimination tree; `neighbours` are sets of positions as bits."""
    return max(_by_contraction(neighbours), _by_path(neighbours)) if neighbours else 0


def _by_contraction(neighbours: Sequence[int]) -> int:
    """Contract the stage of least degree into the neighbour with which it shares fewest, over and over; the greatest
    least degree.

    Contraction never raises the treewidth, and no graph has a treewidth below its least degree.
    """
    masks = list(neighbours)
    degrees = {place: mask.bit_count() for place, mask in enumerate(masks)}
    greatest = 0
    while degrees:
        least = min(degrees, key=degrees.__getitem__)
        greatest = max(greatest, degrees.pop(least))
        around = list(members(masks[least]))
        if not around:
            continue
        into = min(around, key=lambda place: (masks[place] & masks[least]).bit_count())
        for other in around:
            masks[other] = (masks[other] ^ (1 << least)) | (1 << into)
        masks[into] = (masks[into] | masks[least]) & ~(1 << into)
        for other in around:
            if other != into:
                degrees[other] = masks[other].bit_count()
        degrees[into] = masks[into].bit_count()
    return greatest + 1


def _by_path(neighbours: Sequence[int]) -> int:
    """From the longest way down a depth-first search of each component, begun where the degree is least."""
    unseen = (1 << len(neighbours)) - 1
    longest = 0
    for start in sorted(range(len(neighbours)), key=lambda place: neighbours[place].bit_count()):
        if not unseen >> start & 1:
            continue
        path = [start]
        unseen ^= 1 << start
        while path:
            longest = max(longest, len(path))
            ahead = neighbours[path[-1]] & unseen
            if ahead:
                following = (ahead & -ahead).bit_length() - 1
                unseen ^= 1 << following
                path.append(following)
            else:
                path.pop()
    return longest.bit_length()
