"""Topics, and how they are drawn: by popularity, which each site has in an order of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidings.scenario.document import Scenario
from tidings.scenario.source import Place
from tidings.scenario.world import Publisher, Topic
from tidings.vocabulary.distribution import Power
from tidings.vocabulary.streams import Streams

NOWHERE: Final = ""
"""The key of popularities at brokers without a site."""


@dataclass(frozen=True, slots=True)
class Popularity:
    """The topics that can be drawn, and their weights at each site."""

    names: tuple[str, ...]
    weights: Mapping[str, NDArray[np.float64]]

    def pick(self, place: Place, site: str | None, count: int, generator: np.random.Generator) -> tuple[str, ...]:
        """Draw `count` different topics, one after the other, by the weights of those left; in their own order."""
        weights = self.weights.get(site or NOWHERE)
        possible = 0 if weights is None else int(np.count_nonzero(weights))
        if weights is None or count > possible:
            remedy = f"only {possible} topics can be drawn here; give [topics] with a count of at least {count}"
            raise place.wrong(count, remedy)
        # Smallest of exponential clocks: the same law as drawing one by one without replacement.
        with np.errstate(divide="ignore"):
            clocks = generator.exponential(1.0, len(weights)) / weights
        chosen = np.sort(np.argpartition(clocks, count - 1)[:count])
        return tuple(self.names[index] for index in chosen.tolist())


def expand_popularity(scenario: Scenario, places: Sequence[str], streams: Streams) -> Popularity:
    """The topics that the scenario lists or counts, none where it does neither, with weights at each of `places`."""
    if scenario.topics is not None:
        names = tuple(f"{scenario.topics.id}{index}" for index in range(scenario.topics.count))
        weights = (scenario.topics.popularity or Power(0.0)).weights(len(names))
        return Popularity(names, {site: _favourites(weights, site, streams) for site in places})
    names = tuple(one.name for one in scenario.topic)
    for index, one in enumerate(scenario.topic):
        for site in one.popularity:
            if site not in places:
                where = scenario.place("topic", index).child("popularity").child(site)
                raise where.wrong(one.popularity[site], f"no broker is at this site; the sites are {', '.join(places)}")
    if not names or not any(one.popularity for one in scenario.topic):
        return Popularity(names, {})
    weights_by_site = {
        site: np.array([one.popularity.get(site, 0.0) for one in scenario.topic], dtype=np.float64) for site in places
    }
    return Popularity(names, weights_by_site)


def world_topics(popularity: Popularity, publishers: Sequence[Publisher]) -> tuple[Topic, ...]:
    """Those that can be drawn, then those that publishers name, each once."""
    columns = {site: weights.tolist() for site, weights in popularity.weights.items()}
    topics = {
        name: Topic(name=name, popularity={site: column[index] for site, column in columns.items() if column[index]})
        for index, name in enumerate(popularity.names)
    }
    for publisher in publishers:
        for name in publisher.topics:
            if name not in topics:
                topics[name] = Topic(name=name)
    return tuple(topics.values())


def _favourites(weights: NDArray[np.float64], site: str, streams: Streams) -> NDArray[np.float64]:
    """Where there are sites, each ranks the topics in an order of its own; else `t0` is the first."""
    if site == NOWHERE:
        return weights
    ranks = streams(f"favourites of {site}").permutation(len(weights))
    own = np.empty_like(weights)
    own[ranks] = weights
    return own
