"""What the demonstration's subscribers want, chosen from what was recorded on the day before."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tidings.demo.cities import CITIES
from tidings.vocabulary.streams import Streams

DEADLINES_MS: Final = (150, 250, 500)
LEVELS: Final = (0.25, 0.5, 0.75)
"""Where prices are cut: shares of the events of the day before that lie below."""
TOGETHER_MAX: Final = 5
"""Publishers that one subscriber follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """One subscriber."""

    id: str
    broker: str
    filter: str
    deadline_ms: int


def wishes(profiles: Sequence[Mapping[str, Any]], count: int, seed: int) -> list[Wish]:
    """`count` subscribers of the publishers in a table of profiles; busy ones have more of them.

    Every third follows one publisher above a price, the others several publishers whole.
    """
    draw = Streams(seed)("the demonstration's wishes")
    rates = np.sqrt([one["rate"] for one in profiles])
    shares = rates / rates.sum()
    parts = told_apart(profiles)
    found = []
    for number in range(count):
        if number % 3 == 0:
            one = int(draw.choice(len(profiles), p=shares))
            level = _level(profiles[one], LEVELS[int(draw.integers(len(LEVELS)))])
            text = parts[one] if level is None else f"{parts[one]} and {level}"
        else:
            size = min(int(draw.integers(1, TOGETHER_MAX + 1)), len(profiles))
            chosen = sorted(draw.choice(len(profiles), size, replace=False, p=shares).tolist())
            text = " or ".join(f"({parts[one]})" if size > 1 else parts[one] for one in chosen)
        broker = CITIES[int(draw.integers(len(CITIES)))]
        deadline = DEADLINES_MS[int(draw.integers(len(DEADLINES_MS)))]
        found.append(Wish(id=f"desk{number}", broker=broker, filter=text, deadline_ms=deadline))
    return found


def told_apart(profiles: Sequence[Mapping[str, Any]]) -> list[str]:
    """For each publisher a filter that holds for its events, and, where topics are shared, for no other's."""
    topics = [_constant(one, "topic") for one in profiles]
    shared = Counter(topics)
    return [_part(one, topic, shared=shared[topic] > 1) for one, topic in zip(profiles, topics, strict=True)]


def _part(profile: Mapping[str, Any], topic: str | None, *, shared: bool) -> str:
    if topic is None:
        names = sorted({one["topic"] for one in profile["contents"]})
        return f"topic in ({', '.join(_quoted(name) for name in names)})"
    if not shared:
        return f"topic == {_quoted(topic)}"
    attributes = [dict(one["attributes"]) for one in profile["contents"]]
    for name in sorted(attributes[0]):
        values = {one.get(name) for one in attributes}
        if len(values) == 1 and attributes[0][name].startswith('"'):
            return f"topic == {_quoted(topic)} and {name} == {attributes[0][name]}"
    return f"topic == {_quoted(topic)}"


def _constant(profile: Mapping[str, Any], key: str) -> str | None:
    values = {one[key] for one in profile["contents"]}
    return values.pop() if len(values) == 1 else None


def _level(profile: Mapping[str, Any], share: float) -> str | None:
    """`price >= x` with `share` of the recorded events below; None where events have no price."""
    known = [(dict(one["attributes"]).get("price"), one["weight"]) for one in profile["contents"]]
    prices = sorted((float(price), weight) for price, weight in known if price is not None)
    if not prices:
        return None
    upto = np.cumsum([weight for _, weight in prices])
    at = int(np.searchsorted(upto, share * upto[-1]))
    return f"price >= {prices[min(at, len(prices) - 1)][0]!r}"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
