"""The sequencer as published: a request goes straight to the next higher member of its topic's own sequencing group.

For comparison only, since it can wait in circles for ever. One stage per topic; the stages speak as
`tidings.ordering.stage.Stage` does. No scenario can choose it.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from tidings.ordering import ClimbTo, Complete, Layout, Request, Timestamp, overlap_graph


def published_stages(
    interests: Mapping[str, Collection[str]], topics: Sequence[str], k: int = 2
) -> dict[str, "PublishedStage"]:
    """The stages, by topic, the first topic highest."""
    graph = overlap_graph(interests, topics=topics, k=k)
    groups = {topic: graph.group(topic) for topic in graph.topics}
    return {topic: PublishedStage(topic, groups, graph.index) for topic in graph.topics}


class PublishedStage:
    """One topic's manager: its own counter, and what it knows of lower topics."""

    def __init__(self, topic: str, groups: Mapping[str, tuple[str, ...]], rank: Mapping[str, int]) -> None:
        self.topic, self.groups, self.rank = topic, groups, rank
        self.numbers = dict.fromkeys(groups, 0)

    def request(self, topic: str, event: int) -> ClimbTo | Complete:
        """Number an event of the manager's own topic."""
        assert topic == self.topic, f"{topic} is not managed here"
        self.numbers[topic] += 1
        group = self.groups[topic]
        below = [self.numbers[one] if self.rank[one] >= self.rank[topic] else 0 for one in group]
        return self._forward(Request(event, topic, self.numbers[topic], np.array(below, np.int64)))

    def climb(self, request: Request) -> ClimbTo | Complete:
        """Learn from a request what lower managers have numbered, and fill in the own number."""
        group = self.groups[request.topic]
        for place, member in enumerate(group):
            if self.rank[member] > self.rank[self.topic]:
                self.numbers[member] = max(self.numbers[member], int(request.numbers[place]))
        request.numbers[group.index(self.topic)] = self.numbers[self.topic]
        return self._forward(request)

    def _forward(self, request: Request) -> ClimbTo | Complete:
        group = self.groups[request.topic]
        above = [one for one in group if self.rank[one] < self.rank[self.topic]]
        if above:
            return ClimbTo(above[-1], request)
        return Complete(request.event, Timestamp(Layout(request.topic, group), request.numbers))
