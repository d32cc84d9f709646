"""The tables of few rows, written when a run is over."""

from collections.abc import Mapping

from tidings.scenario.world import World
from tidings.simulation.members import Interest
from tidings.simulation.recorder import Recorder
from tidings.simulation.troubles import Troubles
from tidings.vocabulary.instant import FOREVER


def write_few(recorder: Recorder, world: World, interests: Mapping[str, Interest], troubles: Troubles) -> None:
    """Interests, deadlines, outages and processes."""
    _write_interests(recorder, interests)
    _write_deadlines(recorder, world)
    outages = [(one.component, one.kind, one.down_ns, one.up_ns) for one in troubles.outages]
    recorder.rows("outages", outages, ("component", "kind", "down_ns", "up_ns"))
    _write_processes(recorder, world, interests, troubles)


def _write_interests(recorder: Recorder, interests: Mapping[str, Interest]) -> None:
    rows = [
        (
            one.subscriber.id,
            one.subscriber.filter,
            one.broker,
            one.requested_ns,
            one.effective_ns,
            one.until_ns,
        )
        for one in sorted(interests.values(), key=lambda one: one.requested_ns)
    ]
    columns = ("subscriber", "filter", "broker", "requested_ns", "effective_ns", "until_ns")
    recorder.rows("interests", rows, columns)


def _write_deadlines(recorder: Recorder, world: World) -> None:
    rows: list[tuple[str, str | None, int]] = []
    for one in world.subscribers:
        if one.deadline_ns < FOREVER:
            rows.append((one.id, None, one.deadline_ns))
        rows += [(one.id, publisher, deadline) for publisher, deadline in one.deadlines.items()]
    recorder.rows("deadlines", rows, ("subscriber", "publisher", "deadline_ns"))


def _write_processes(recorder: Recorder, world: World, interests: Mapping[str, Interest], troubles: Troubles) -> None:
    rows: list[tuple[str, int, str, int, int | None, str | None]] = []
    for broker in world.brokers:
        for incarnation, (start, end) in enumerate(troubles.lives(broker.id)):
            rows.append((broker.id, incarnation, "broker", start, end, None if end is None else "crash"))
    for stage in troubles.stages:
        for incarnation, (start, end) in enumerate(troubles.lives(stage)):
            rows.append((stage, incarnation, "stage", start, end, None if end is None else "crash"))
    rows += [(one.id, 0, "publisher", 0, None, None) for one in world.publishers]
    for name, interest in interests.items():
        how = None if interest.until_ns is None else "exit"
        rows.append((name, 0, "subscriber", interest.requested_ns, interest.until_ns, how))
    rows.sort(key=lambda row: (row[3], row[2], row[0], row[1]))
    recorder.rows("processes", rows, ("name", "incarnation", "kind", "started_ns", "ended_ns", "how"))
