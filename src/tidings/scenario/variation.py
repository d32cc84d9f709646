"""Values that differ from copy to copy of an entry, and durations that are drawn for one client."""

from collections.abc import Sequence

from tidings.scenario.client_tables import SubscriberEntry
from tidings.scenario.world import Choice
from tidings.vocabulary.distribution import Constant, Distribution, Zipf
from tidings.vocabulary.instant import FOREVER
from tidings.vocabulary.streams import Streams
from tidings.vocabulary.value import Value


def values_of(entry: SubscriberEntry, copies: int, streams: Streams) -> dict[str, Sequence[Value]]:
    """A value for each copy, by the names of `vary`. More copies leave the values of the first ones as they are."""
    kind = "copies" if entry.count is not None else "it"
    return {
        name: _column(variation, copies, streams, f"vary {name} of {entry.id}, {kind}")
        for name, variation in entry.vary.items()
    }


def whole_ns(law: Distribution, streams: Streams, name: str) -> int:
    """A duration drawn from a stream of its own, below 292 years."""
    if isinstance(law, Constant):
        return int(law.value)
    return min(max(round(float(law.sample(streams(name), 1)[0])), 0), FOREVER - 1)


def _column(
    variation: tuple[Value, ...] | Choice | Distribution, copies: int, streams: Streams, name: str
) -> Sequence[Value]:
    if isinstance(variation, tuple):
        return [variation[index % len(variation)] for index in range(copies)]
    if isinstance(variation, Choice):
        picks = streams(name).integers(len(variation.values), size=copies).tolist()
        return [variation.values[pick] for pick in picks]
    drawn: list[float] = variation.sample(streams(name), copies).tolist()
    return [int(value) for value in drawn] if isinstance(variation, Zipf) else drawn
