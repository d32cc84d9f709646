"""What a broker counts, as Prometheus reads it. No label ever has a value that a client has chosen."""

import os
import resource
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tidings.mqtt.front import Front
from tidings.runtime.committer import Committer
from tidings.runtime.doorkeeper import Doorkeeper
from tidings.runtime.histogram import Histogram
from tidings.runtime.store import Store
from tidings.version import __version__

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_STATM: Final = Path("/proc/self/statm")


class Metric(NamedTuple):
    """One name with its values, by labels as they are written."""

    name: str
    kind: str
    help: str
    values: Mapping[str, float]


class Watched(NamedTuple):
    """The parts of a broker process that know something."""

    front: Front
    door: Doorkeeper
    committer: Committer | None
    store: Store | None
    connections: int


def exposition(watched: Watched) -> str:
    """Everything, in the text format of Prometheus."""
    lines = [line for metric in _metrics(watched) for line in _lines(metric)]
    if watched.committer is not None:
        lines += _histogram("tidings_store_sync_seconds", "Time that one sync took.", watched.committer.sync_seconds)
    return "\n".join(lines) + "\n"


def _metrics(watched: Watched) -> Iterator[Metric]:
    front, door = watched.front, watched.door
    house = front.house
    counts = house.counts
    yield _gauge("build_info", "The version.", {f'version="{__version__}"': 1})
    yield _counter(
        "events_published",
        "Events that clients published.",
        {'result="taken"': counts.published, 'result="refused"': counts.refused},
    )
    yield _counter("events_delivered", "Events times clients that wanted them.", {"": counts.delivered})
    given_up = {f'reason="{reason}"': count for reason, count in sorted(counts.given_up.items())}
    yield _counter("events_given_up", "Events times clients that were not shown them.", given_up)
    yield _counter(
        "connects",
        "Clients that said who they are.",
        {'result="taken"': counts.connects, 'result="refused"': counts.connects_refused},
    )
    yield _counter("sessions_taken_over", "Connections that another of the same client ended.", {"": counts.taken_over})
    yield _counter(
        "auth_failures",
        "Wrong names, passwords or tokens.",
        {'reason="wrong"': door.refused, 'reason="unheard"': door.unheard},
    )
    yield _gauge("connections", "Clients that are connected.", {"": watched.connections})
    yield _gauge("sessions", "Sessions, connected or not.", {"": len(front.sessions)})
    yield _gauge("publishers_waiting", "Events whose publishers wait.", {"": front.publishing.unanswered})
    yield _gauge("retained_messages", "Messages kept for later subscribers.", {"": house.retained.count})
    yield _gauge("retained_bytes", "Bytes of those, properties included.", {"": house.retained.payload_bytes})
    if watched.committer is not None and watched.store is not None:
        yield _counter("store_syncs", "Groups that were synced.", {"": watched.committer.syncs})
        yield _counter("store_records", "Records that were synced.", {"": watched.committer.synced_records})
        yield _gauge("store_bytes", "Size of the store.", {"": watched.store.size_bytes()})
        yield _gauge("store_free_bytes", "Room on its disk.", {"": watched.store.free_bytes()})
    yield from _process()


def _process() -> Iterator[Metric]:
    used = resource.getrusage(resource.RUSAGE_SELF)
    pages = int(_STATM.read_text("ascii").split()[1]) if _STATM.exists() else 0
    memory = {"": pages * os.sysconf("SC_PAGE_SIZE")}
    yield Metric("process_resident_memory_bytes", "gauge", "Memory of this process.", memory)
    yield Metric("process_cpu_seconds_total", "counter", "Time on processors.", {"": used.ru_utime + used.ru_stime})
    yield Metric("process_clock_seconds", "gauge", "The clock of this machine.", {"": time.time()})


def _counter(name: str, sentence: str, values: Mapping[str, float]) -> Metric:
    return Metric(f"tidings_{name}_total", "counter", sentence, values)


def _gauge(name: str, sentence: str, values: Mapping[str, float]) -> Metric:
    return Metric(f"tidings_{name}", "gauge", sentence, values)


def _lines(metric: Metric) -> Iterator[str]:
    yield f"# HELP {metric.name} {metric.help}"
    yield f"# TYPE {metric.name} {metric.kind}"
    for labels, value in metric.values.items():
        yield f"{metric.name}{{{labels}}} {value}" if labels else f"{metric.name} {value}"


def _histogram(name: str, sentence: str, one: Histogram) -> Iterable[str]:
    yield f"# HELP {name} {sentence}"
    yield f"# TYPE {name} histogram"
    for bound, count in one.cumulated():
        yield f'{name}_bucket{{le="{bound}"}} {count}'
    yield f"{name}_sum {one.total:g}"
    yield f"{name}_count {one.count}"
