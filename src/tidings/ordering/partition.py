"""Which topics share a stage. A stage is one sequential process, so inside it order costs nothing.

Three ways: a number of equal blocks of consecutive identifiers (the published deployment), one stage for each site, and
`automatic`: what does not overlap gets stages of its own, what overlaps inside one site becomes one stage there, and
where sites are tied together the topics that tie them may gather at one of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from tidings.errors import InputError
from tidings.ordering.hub import split_above, split_below
from tidings.ordering.natural_order import natural_key
from tidings.ordering.overlap import OverlapGraph
from tidings.ordering.traffic import Traffic

_Split: TypeAlias = Callable[[OverlapGraph, Sequence[int], Traffic], dict[int, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class PlannedStage:
    """A stage, where it is, and the topics that it puts numbers on, in the order of their identifiers."""

    name: str
    site: str
    topics: tuple[str, ...]


def in_blocks(overlap: OverlapGraph, traffic: Traffic, count: int) -> tuple[PlannedStage, ...]:
    """`count` stages with equally many topics, the larger first; fewer when there are fewer topics.

    Each is at the site that publishes most on its topics. Raises InputError for a count below 1.
    """
    if count < 1:
        raise InputError(f"stages = {count}: there must be at least one stage")
    topics = range(len(overlap.topics))
    small, larger = divmod(len(topics), count)
    starts = [block * small + min(block, larger) for block in range(count + 1)]
    blocks = [topics[start:end] for start, end in pairwise(starts) if end > start]
    return tuple(
        _stage(f"stage{number}", overlap, traffic.sites[traffic.heaviest(block)], block)
        for number, block in enumerate(blocks)
    )


def by_home(overlap: OverlapGraph, traffic: Traffic) -> tuple[PlannedStage, ...]:
    """One stage for each site, named after it, with the topics on which that site publishes most.

    Raises InputError where sites are not told apart.
    """
    if "" in traffic.sites:
        raise InputError('stages = "by-site" needs sites: say for each topic how often each site publishes on it')
    topics_of: dict[int, list[int]] = {}
    for topic, home in enumerate(traffic.homes):
        topics_of.setdefault(home, []).append(topic)
    return tuple(
        _stage(traffic.sites[site], overlap, traffic.sites[site], topics_of[site]) for site in sorted(topics_of)
    )


def automatic(overlap: OverlapGraph, traffic: Traffic) -> list[tuple[PlannedStage, ...]]:
    """Candidates, of which the plan takes the one that suits its precedence best.

    In each, what does not overlap has stages of its own, and topics that overlap with none share one stage for each
    site. Where a component spans sites, its topics are at home, or at home but for those that tie sites together, which
    are at one site: see `hub`. Where it does not, there is one candidate, with one stage for each component.
    """
    splits = (split_above, split_below, _at_home)
    found = {_split(overlap, traffic, split): None for split in splits}
    return list(found)


def as_given(
    overlap: OverlapGraph, traffic: Traffic, topics_of: Mapping[str, Sequence[str]]
) -> tuple[PlannedStage, ...]:
    """The operator's own partition; each stage at the site that publishes most on its topics.

    Raises InputError unless every topic is in one stage, once, and no stage is empty.
    """
    stage_of: dict[str, str] = {}
    for stage, topics in topics_of.items():
        if not topics:
            raise InputError(f"stage {stage} has no topics; leave it out")
        for topic in topics:
            if topic not in overlap.index:
                raise InputError(
                    f"stage {stage} has topic {topic}, which is not among the {len(overlap.topics)} topics"
                )
            if topic in stage_of:
                raise InputError(f"topic {topic} is in stage {stage_of[topic]} and in stage {stage}; one is right")
            stage_of[topic] = stage
    for topic in overlap.topics:
        if topic not in stage_of:
            raise InputError(f"topic {topic} is in no stage; every topic needs one")
    planned = []
    for stage in sorted(topics_of, key=natural_key):
        indices = sorted(overlap.index[topic] for topic in topics_of[stage])
        planned.append(_stage(stage, overlap, traffic.sites[traffic.heaviest(indices)], indices))
    return tuple(planned)


def _split(overlap: OverlapGraph, traffic: Traffic, split: _Split) -> tuple[PlannedStage, ...]:
    """Every component split among sites; each stage is named after its first topic."""
    homes = traffic.homes
    parts: list[tuple[int, Sequence[int]]] = []
    lone: dict[int, list[int]] = {}
    for component in overlap.components():
        if len(component) == 1:
            lone.setdefault(homes[component[0]], []).append(component[0])
        else:
            parts += split(overlap, component, traffic).items()
    parts += lone.items()
    parts.sort(key=lambda part: part[1][0])
    return tuple(_stage(overlap.topics[part[0]], overlap, traffic.sites[site], part) for site, part in parts)


def _at_home(_overlap: OverlapGraph, component: Sequence[int], traffic: Traffic) -> dict[int, tuple[int, ...]]:
    homes = traffic.homes
    parts: dict[int, list[int]] = {}
    for topic in component:
        parts.setdefault(homes[topic], []).append(topic)
    return {site: tuple(topics) for site, topics in parts.items()}


def _stage(name: str, overlap: OverlapGraph, site: str, topics: Sequence[int]) -> PlannedStage:
    return PlannedStage(name, site, tuple(overlap.topics[topic] for topic in topics))
