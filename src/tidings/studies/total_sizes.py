"""How large timestamps are (Fig. 7 and 8 of the paper), per topic and as publications weigh them, and what differences save."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.intervals import finding_of_mean
from tidings.studies.study_run import StudyRun
from tidings.studies.total_coding import Bytes, coded_bytes
from tidings.studies.total_setting import (
    READINGS,
    SHAPES,
    Reading,
    Shape,
    describe,
    overlaps,
    shares_of,
    site_world,
    subscribed,
)
from tidings.vocabulary.streams import Streams

MANY_CLIENTS: Final = 10_000
PRINTED: Final = {0.901: 17, 0.349: 46}
"""Mean entries with 10 topics for each client, by shape."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeJob:
    """One drawn set of interests at one place, as in Fig. 7."""

    shape: Shape
    reading: Reading
    topics_each: int
    seed: int
    draw: int


@dataclass(frozen=True, slots=True)
class Sizes:
    """Entries of a timestamp."""

    mean: float
    """Over topics."""
    deviation: float
    published: float
    """Mean over publications."""


def sizes(job: SizeJob) -> Sizes:
    """Draw the interests and count."""
    shares = shares_of(job.shape, job.reading)
    draw = Streams(job.seed)(f"total sizes {job.shape.printed} {job.reading} {job.topics_each} {job.draw}")
    entries = 1 + overlaps(subscribed(shares, MANY_CLIENTS, job.topics_each, draw)).sum(axis=0)
    return Sizes(float(entries.mean()), float(entries.std()), float((shares * entries).sum()))


@dataclass(frozen=True, slots=True, kw_only=True)
class CodingJob:
    """Events of one drawn world with five sites."""

    shape: Shape
    reading: Reading
    seed: int
    draw: int
    events: int


def coding(job: CodingJob) -> Bytes:
    """Draw the world, and write its timestamps."""
    draw = Streams(job.seed)(f"total coding {job.shape.printed} {job.reading} {job.draw}")
    world = site_world(job.shape, job.reading, 10, draw)
    return coded_bytes(world.overlaps(), world.publishes.sum(axis=0), job.events, draw)


def entries_figure(run: StudyRun) -> Figure:
    """Fig. 7 and 8."""
    each = run.sized(quick=(1, 10, 50, 200), full=(1, 2, 5, 10, 20, 50, 100, 200))
    kinds = [(shape, reading) for reading in READINGS for shape in SHAPES]
    draws = run.sized(quick=1, full=5)
    jobs = [
        SizeJob(shape=shape, reading=reading, topics_each=topics, seed=run.seed, draw=draw)
        for shape, reading in kinds
        for topics in each
        for draw in range(draws)
    ]
    found: dict[tuple[Shape, Reading, int], list[Sizes]] = {}
    for job, result in zip(jobs, run.map(sizes, jobs), strict=True):
        found.setdefault((job.shape, job.reading, job.topics_each), []).append(result)
    findings, means, deviations = [], [], []
    for shape, reading in kinds:
        at_ten, name = found[shape, reading, 10], describe(shape, reading)
        printed = PRINTED[shape.printed]
        findings += [
            finding_of_mean(f"{name}: entries, mean over topics", printed, [one.mean for one in at_ten]),
            finding_of_mean(f"{name}: entries, deviation over topics", None, [one.deviation for one in at_ten]),
            finding_of_mean(f"{name}: entries, mean over publications", None, [one.published for one in at_ten]),
            finding_of_mean(
                f"{name}: entries, one topic for each client", 1, [one.mean for one in found[shape, reading, 1]]
            ),
        ]
        totals = tuple(float(MANY_CLIENTS * topics) for topics in each)
        rows = [found[shape, reading, topics] for topics in each]
        means.append(Curve(name, totals, tuple(float(np.mean([one.mean for one in row])) for row in rows)))
        deviations.append(Curve(name, totals, tuple(float(np.mean([one.deviation for one in row])) for row in rows)))
    return Figure(
        name="fig7",
        title="entries of a timestamp, 10,000 clients of 10 out of 1,000 topics (Fig. 7 and 8)",
        findings=tuple(findings),
        plots=(_plot("mean", tuple(means)), _plot("deviation", tuple(deviations))),
    )


def _plot(what: str, curves: tuple[Curve, ...]) -> Plot:
    return Plot(
        title=f"entries, {what} over topics", x="subscribed topics, all clients", y="entries", curves=curves, x_log=True
    )


def coding_figure(run: StudyRun) -> Figure:
    """Not in the paper: bytes, whole and as differences."""
    draws, events = run.sized(quick=(1, 10_000), full=(5, 200_000))
    findings: list[Finding] = []
    for reading in READINGS:
        for shape in SHAPES:
            jobs = [
                CodingJob(shape=shape, reading=reading, seed=run.seed, draw=draw, events=events)
                for draw in range(draws)
            ]
            found, name = run.map(coding, jobs), describe(shape, reading)
            findings += [
                finding_of_mean(f"{name}: entries of an event", None, [one.entries for one in found]),
                finding_of_mean(f"{name}: bytes, whole", None, [one.whole for one in found]),
                finding_of_mean(f"{name}: bytes, as differences", None, [one.coded for one in found]),
                finding_of_mean(f"{name}: share saved", None, [1 - one.coded / one.whole for one in found]),
            ]
    return Figure(
        name="bytes",
        title="bytes of timestamps per event; 1,000 clients of 10 out of 1,000 topics at five sites",
        findings=tuple(findings),
    )
