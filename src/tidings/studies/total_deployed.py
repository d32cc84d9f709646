"""The published deployment beside planned ones: the way of requests, load, bandwidth (Fig. 11, 12), latency and throughput
(Fig. 9, 10, 13, 14).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.intervals import finding_of_mean
from tidings.studies.study_run import StudyRun
from tidings.studies.total_queues import PEAK_RATE, Served, serve, step_seconds
from tidings.studies.total_routes import Deployment, deployments, published
from tidings.studies.total_setting import READINGS, SHAPES, SITES, Reading, Shape, SiteWorld, describe, site_world
from tidings.vocabulary.streams import Streams

RATES: Final = (1_000.0, 2_500.0, 5_000.0, 7_500.0, 10_000.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldJob:
    """One drawn world with five sites, at some rates."""

    shape: Shape
    reading: Reading
    topics_each: int
    rates: tuple[float, ...]
    seconds: float
    seed: int
    draw: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployed:
    """One deployment of one world."""

    name: str
    steps: float
    depth: int
    depth_bound: int | None
    crossings: float
    crossings_bound: float | None
    busiest: float
    """The largest share of all steps that one server does."""
    outgoing: tuple[float, ...]
    served: tuple[Served, ...]
    """By rate."""


@dataclass(frozen=True, slots=True)
class Found:
    """One world."""

    entries: float
    """Of a timestamp, per publication."""
    fan_out: float
    """Subscribers of an event, per publication."""
    deployed: tuple[Deployed, ...]


def deployed(job: WorldJob) -> Found:
    """Draw the world and look at every deployment."""
    streams = Streams(job.seed)
    world = _world(job.shape, job, streams)
    entries = 1 + world.overlaps().sum(axis=0)
    step = _step(job, streams)
    weights = world.publishes.sum(axis=0)
    rows = []
    for one in deployments(world):
        draw = streams(f"total served {job.shape.printed} {job.reading} {job.topics_each} {job.draw} {one.name}")
        rows.append(_row(one, world, entries, [_serve(one, world, job, rate, step, draw) for rate in job.rates]))
    return Found(float((weights * entries).sum()), float((weights * world.has.sum(axis=0)).sum()), tuple(rows))


def _world(shape: Shape, job: WorldJob, streams: Streams, topics_each: int | None = None) -> SiteWorld:
    each = topics_each or job.topics_each
    return site_world(shape, job.reading, each, streams(f"total {shape.printed} {job.reading} {each} {job.draw}"))


def _step(job: WorldJob, streams: Streams) -> float:
    """From the world in which the paper's throughput peaks."""
    world = _world(SHAPES[0], job, streams, topics_each=10)
    return step_seconds(published(world), world.publishes)


def _serve(
    one: Deployment, world: SiteWorld, job: WorldJob, rate: float, step: float, draw: np.random.Generator
) -> Served:
    return serve(one, world.publishes, rate=rate, seconds=job.seconds, step=step, draw=draw)


def _row(one: Deployment, world: SiteWorld, entries: np.ndarray, served: Sequence[Served]) -> Deployed:
    load = one.load(world.publishes)
    return Deployed(
        name=one.name,
        steps=one.steps(world.publishes),
        depth=one.depth,
        depth_bound=one.depth_bound,
        crossings=one.crossings(world.publishes),
        crossings_bound=one.crossings_bound,
        busiest=max(load) / sum(load),
        outgoing=tuple(one.outgoing(world.publishes, entries)),
        served=tuple(served),
    )


Worlds: TypeAlias = dict[tuple[Shape, Reading], list[Found]]
Sized: TypeAlias = dict[tuple[Shape, Reading, int], list[Found]]


def look(run: StudyRun) -> tuple[Worlds, Sized]:
    """All worlds: 10 topics for each client at all rates, and more topics at the rate of the peak."""
    draws, seconds = run.sized(quick=(3, 1.0), full=(10, 10.0))
    each = run.sized(quick=(50,), full=(20, 50, 100, 200))
    jobs = [
        WorldJob(
            shape=shape, reading=reading, topics_each=topics, rates=rates, seconds=seconds, seed=run.seed, draw=draw
        )
        for reading in READINGS
        for shape in SHAPES
        for topics, rates in ((10, RATES), *((topics, (PEAK_RATE,)) for topics in each))
        for draw in range(draws)
    ]
    worlds: Worlds = {}
    sized: Sized = {}
    for job, found in zip(jobs, run.map(deployed, jobs), strict=True):
        if job.topics_each == 10:
            worlds.setdefault((job.shape, job.reading), []).append(found)
        else:
            sized.setdefault((job.shape, job.reading, job.topics_each), []).append(found)
    return worlds, sized


def ways_figure(worlds: Worlds) -> Figure:
    """Not in the paper: depth and messages between sites, beside what nobody can avoid."""
    findings: list[Finding] = []
    for (shape, reading), found in worlds.items():
        name = describe(shape, reading)
        findings += [
            finding_of_mean(f"{name}: entries of a timestamp, per publication", None, [one.entries for one in found]),
            finding_of_mean(f"{name}: subscribers of an event", None, [one.fan_out for one in found]),
            finding_of_mean(
                f"{name}: deliveries a second at {PEAK_RATE:.0f} events a second",
                None,
                [PEAK_RATE * one.fan_out for one in found],
            ),
        ]
        for place, first in enumerate(found[0].deployed):
            rows = [one.deployed[place] for one in found]
            findings += _ways(f"{name}, {first.name}", rows)
        bounds = [one.deployed[-1].crossings_bound or 0.0 for one in found]
        findings.append(finding_of_mean(f"{name}: messages between sites, no plan needs fewer than", None, bounds))
    return Figure(
        name="ways",
        title="ways of timestamp requests: managers or stages visited, and messages between sites",
        findings=tuple(findings),
    )


def _ways(name: str, rows: Sequence[Deployed]) -> list[Finding]:
    found = [
        finding_of_mean(f"{name}: depth", None, [one.depth for one in rows]),
        finding_of_mean(f"{name}: managers or stages that a request visits", None, [one.steps for one in rows]),
        finding_of_mean(f"{name}: messages between sites per event", None, [one.crossings for one in rows]),
        finding_of_mean(f"{name}: share of the work of the busiest server", None, [one.busiest for one in rows]),
    ]
    bounds = [one.depth_bound for one in rows if one.depth_bound is not None]
    if bounds:
        found.insert(1, finding_of_mean(f"{name}: depth, no order of its stages needs less than", None, bounds))
    return found


def bandwidth_figure(worlds: Worlds) -> Figure:
    """Fig. 11 and 12."""
    findings, curves = [], []
    papers = {"geographic": ("0", "0", "negligible", "> 0", "> 0"), "spray-and-diffuse": ("0", *["higher"] * 4)}
    servers = tuple(map(float, range(SITES)))
    for (shape, reading), found in worlds.items():
        name = describe(shape, reading)
        shares = [[one.deployed[0].outgoing[server] for one in found] for server in range(SITES)]
        for server, values in enumerate(shares):
            what = f"{name}: bytes that server {server + 1} sends to others, of those it handles"
            findings.append(finding_of_mean(what, papers[shape.about][server], values))
        curves.append(Curve(name, servers, tuple(float(np.mean(values)) for values in shares), "bars"))
    plot = Plot(
        title="bytes sent to other servers, of those handled; the published deployment",
        x="server",
        y="share",
        curves=tuple(curves),
        categories=tuple(str(server + 1) for server in range(SITES)),
    )
    return Figure(name="fig11", title="outgoing bandwidth (Fig. 11 and 12)", findings=tuple(findings), plots=(plot,))


def rates_figure(worlds: Worlds) -> Figure:
    """Fig. 9 and 10."""
    findings = []
    for (shape, reading), found in worlds.items():
        for place, first in enumerate(found[0].deployed):
            name = f"{describe(shape, reading)}, {first.name}"
            paper = place == 0
            peaks = [one.deployed[place].served[RATES.index(PEAK_RATE)] for one in found]
            findings += [
                finding_of_mean(f"{name}: seconds at 5,000 a second", "< 0.3" if paper else None, _latencies(peaks)),
                finding_of_mean(f"{name}: timestamps a second at 5,000", _printed(shape, paper=paper), _rates(peaks)),
            ]
    curves = {what: _curves(worlds, get) for what, get in (("seconds", _latencies), ("timestamps a second", _rates))}
    plots = tuple(
        Plot(title=f"{what} by rate", x="requests a second", y=what, curves=curves[what], y_log=what == "seconds")
        for what in curves
    )
    return Figure(
        name="fig9", title="latency and throughput by rate (Fig. 9 and 10)", findings=tuple(findings), plots=plots
    )


def sizes_figure(worlds: Worlds, sized: Sized) -> Figure:
    """Fig. 13 and 14."""
    peak = RATES.index(PEAK_RATE)
    findings, latency, throughput = [], [], []
    for (shape, reading), found in worlds.items():
        more = {topics: rows for (one, kind, topics), rows in sized.items() if (one, kind) == (shape, reading)}
        for place, first in enumerate(found[0].deployed):
            name = f"{describe(shape, reading)}, {first.name}"
            by_topics = {10: [one.deployed[place].served[peak] for one in found]}
            by_topics |= {topics: [one.deployed[place].served[0] for one in rows] for topics, rows in more.items()}
            most = max(by_topics)
            findings += [
                finding_of_mean(
                    f"{name}: seconds, {most} topics each",
                    "as with 10" if place == 0 else None,
                    _latencies(by_topics[most]),
                ),
                finding_of_mean(
                    f"{name}: timestamps a second, {most} topics each",
                    "as with 10" if place == 0 else None,
                    _rates(by_topics[most]),
                ),
            ]
            x = tuple(map(float, by_topics))
            latency.append(Curve(name, x, tuple(float(np.mean(_latencies(rows))) for rows in by_topics.values())))
            throughput.append(Curve(name, x, tuple(float(np.mean(_rates(rows))) for rows in by_topics.values())))
    plots = tuple(
        Plot(
            title=f"{what} by topics", x="topics of each client", y=what, curves=tuple(curves), y_log=what == "seconds"
        )
        for what, curves in (("seconds", latency), ("timestamps a second", throughput))
    )
    title = "latency and throughput at 5,000 a second, by topics of each client (Fig. 13 and 14)"
    return Figure(name="fig13", title=title, findings=tuple(findings), plots=plots)


def _printed(shape: Shape, *, paper: bool) -> str | None:
    return "> 4000" if paper and shape.about == "geographic" else None


def _curves(worlds: Worlds, get: Callable[[Sequence[Served]], list[float]]) -> tuple[Curve, ...]:
    curves = []
    for (shape, reading), found in worlds.items():
        for place, first in enumerate(found[0].deployed):
            rows = [get(one.deployed[place].served) for one in found]
            name = f"{describe(shape, reading)}, {first.name}"
            curves.append(Curve(name, RATES, tuple(np.mean(rows, axis=0).tolist())))
    return tuple(curves)


def _latencies(served: Sequence[Served]) -> list[float]:
    return [one.latency for one in served]


def _rates(served: Sequence[Served]) -> list[float]:
    return [one.throughput for one in served]
