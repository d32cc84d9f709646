"""Mean waits as the thesis computes them (3.2.3): burstiness of flows by QNA's operators, then Eq. 3.20.

Kept for comparison with `broker_waits`, which keeps more of a stream than one number.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from tidings.analysis.flows import Flow, Traffic
from tidings.analysis.stations import Station, general_wait
from tidings.analysis.traffic import Stream, departure_scv, split, superposed

ROUNDS: Final = 200
_CLOSE: Final = 1e-10


def thesis_waits(stations: Mapping[str, Station], flows: Sequence[Flow], traffic: Traffic) -> dict[str, float]:
    """By broker. The linear equations 3.17 to 3.19 are solved by repeating them until nothing changes."""
    own = _published(flows, traffic)
    over = _arriving(flows, traffic)
    scvs = dict.fromkeys(stations, 1.0)
    for _ in range(ROUNDS):
        before = dict(scvs)
        for name, station in stations.items():
            streams = list(own.get(name, ()))
            for parent, rate in over.get(name, {}).items():
                out = departure_scv(stations[parent].load, before[parent], stations[parent].service_scv)
                total = stations[parent].rate
                streams.append(split(Stream(total, out), min(rate / total, 1.0)) if total > 0 else Stream(rate))
            scvs[name] = superposed(streams).scv if station.rate > 0 else 1.0
        if max((abs(scvs[name] - before[name]) for name in scvs), default=0.0) < _CLOSE:
            break
    return {name: general_wait(station, scvs[name]) for name, station in stations.items()}


def _published(flows: Sequence[Flow], traffic: Traffic) -> dict[str, list[Stream]]:
    """What publishers send to each broker, thinned by their own links (Eq. 3.16)."""
    arriving: dict[int, float] = {}
    for flow, rates in zip(flows, traffic.by_flow, strict=True):
        arriving[id(flow.source)] = arriving.get(id(flow.source), 0.0) + rates[flow.tree.root]
    found: dict[str, list[Stream]] = {}
    for source in {id(flow.source): flow.source for flow in flows}.values():
        kept = arriving[id(source)] / source.rate if source.rate > 0 else 0.0
        found.setdefault(source.broker, []).append(split(Stream(source.rate, source.scv), kept))
    return found


def _arriving(flows: Sequence[Flow], traffic: Traffic) -> dict[str, dict[str, float]]:
    """By broker and the neighbour that it comes from: events that arrive."""
    found: dict[str, dict[str, float]] = {}
    for flow, rates in zip(flows, traffic.by_flow, strict=True):
        for parent, child in flow.edges():
            by_parent = found.setdefault(child, {})
            by_parent[parent] = by_parent.get(parent, 0.0) + rates[child]
    return found
