"""Tables that a scenario names in place of lists: publishers that replay, brokers that fail, links with delays, clients."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final

from tidings.vocabulary.filter_parser import VALUES_MAX

Row = Mapping[str, Any]
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]")
_NEVER: Final = 1e-9
"""Below so small a share of its time a component counts as never down."""


def file_name(prefix: str, name: str) -> str:
    """A file for something of this name; what no file may be called gets a digest."""
    plain = _UNSAFE.sub("_", name)[:80]
    digest = "" if plain == name else "-" + blake2b(name.encode(), digest_size=4).hexdigest()
    return f"{prefix}-{plain}{digest}.parquet"


def publisher_entries(names: Iterable[str]) -> Iterator[dict[str, object]]:
    """Everyone replays what was recorded of them."""
    for name in names:
        yield {"id": name, "trace": file_name("trace", name)}


def broker_entries(components: Iterable[Row]) -> Iterator[dict[str, object]]:
    """Each component as a broker that fails as often and for as long."""
    for row in components:
        entry: dict[str, object] = {"id": row["component"]}
        if row["failures"] and row["mtbf_ns"] > 0 and row["mttr_ns"] > _NEVER * row["mtbf_ns"]:
            entry["up"] = _gamma(row["mtbf_ns"], row["up_scv"])
            entry["down"] = _gamma(row["mttr_ns"], row["down_scv"])
        yield entry


def link_entries(links: Iterable[Row]) -> Iterator[dict[str, object]]:
    """Each pair as a link whose packets take as long, and are lost as often."""
    for row in links:
        entry: dict[str, object] = {"between": [row["one"], row["other"]]}
        if row["delay_ns"] is not None and row["delay_ns"] >= 1:
            entry["delay"] = _gamma(row["delay_ns"], (row["deviation_ns"] / row["delay_ns"]) ** 2)
        if row["delivery"] < 1:
            entry["loss"] = 1 - row["delivery"]
        yield entry


def subscriber_entries(interests: Iterable[tuple[str, Sequence[str]]]) -> Iterator[dict[str, object]]:
    """Each subject wants the topics that it was interested in."""
    for subject, topics in interests:
        yield {"id": subject, "topics": sorted(topics)[:VALUES_MAX]}


def walker_entries(subjects: Iterable[str]) -> Iterator[dict[str, object]]:
    """Each subject wants everything, and moves as recorded."""
    for subject in subjects:
        yield {"id": subject, "filter": "true", "mobility": {"model": "recorded", "file": file_name("walk", subject)}}


def _gamma(mean_ns: float, scv: float | None) -> object:
    """A law with this mean and this unevenness; exponential where nobody knows."""
    mean = f"{max(round(mean_ns), 1)}ns"
    if scv is None:
        return {"dist": "exponential", "mean": mean}
    return {"dist": "gamma", "mean": mean, "scv": float(f"{scv:.6g}")} if scv > 1e-6 else mean
