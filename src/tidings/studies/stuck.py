"""How often the published sequencer of total order gets stuck, and what the tree that never does costs and saves.

No paper has this. Requests climb over random channels that keep their order and differ a hundredfold in speed; an event
that is never shown to somebody who wants it is stuck.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from tidings.ordering import Stage, plan_sequencing
from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.intervals import finding_of_mean, finding_of_share, share_interval
from tidings.studies.published_sequencer import published_stages
from tidings.studies.random_channels import Outcome, RandomRun, run_at_random
from tidings.studies.study_run import StudyRun
from tidings.vocabulary.streams import Streams

Interests = dict[str, tuple[str, ...]]
Routing = Literal["published", "tree, a stage each", "tree, 3 stages"]

SMALLEST: Final[Interests] = {
    "a": ("t1", "t3", "t4"),
    "b": ("t1", "t3", "t4"),
    "c": ("t2", "t4"),
    "d": ("t2", "t4"),
}
"""The smallest shape on which requests can overtake each other between two managers."""
ROUTINGS: Final[tuple[Routing, ...]] = ("published", "tree, a stage each", "tree, 3 stages")
JOBS: Final = 16


@dataclass(frozen=True, slots=True)
class Shape:
    """How interests are drawn: the smallest shape, or `topics` topics of which each subscriber has 1 to `most`."""

    name: str
    k: int
    topics: int = 0
    subscribers: int = 8
    most: int = 4

    def interests(self, draw: np.random.Generator) -> Interests:
        """Those of one run."""
        if not self.topics:
            return SMALLEST
        names = [f"t{number:02}" for number in range(1, self.topics + 1)]
        return {
            f"s{number}": tuple(sorted(draw.choice(names, draw.integers(1, self.most + 1), replace=False).tolist()))
            for number in range(self.subscribers)
        }


SHAPES: Final = (
    Shape("smallest", 2),
    Shape("6 topics, pairs", 2, 6),
    Shape("6 topics, one shared", 1, 6),
    Shape("12 topics, pairs", 2, 12, 24),
    Shape("12 topics, one shared", 1, 12, 24),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StuckJob:
    """Some runs of one shape."""

    shape: Shape
    seed: int
    runs: range


@dataclass(frozen=True, slots=True)
class Tally:
    """One run under one routing."""

    stuck: bool
    events_stuck: int
    conflicts: int
    hops: float
    """Stages that a request visits, on average."""
    wait: float
    """From publication to the finished timestamp, on average."""


def tallies(job: StuckJob) -> list[dict[Routing, Tally]]:
    """The runs, each under every routing: the same interests, other channels."""
    streams, found = Streams(job.seed), []
    for number in job.runs:
        interests = job.shape.interests(streams(f"stuck {job.shape.name} {number}"))
        found.append(
            {
                routing: _tally(_run(interests, job.shape.k, routing, streams(f"stuck {job.shape.name} {number} runs")))
                for routing in ROUTINGS
            }
        )
    return found


def figures(run: StudyRun) -> Iterator[Figure]:
    """How often, for every shape; and what it costs."""
    runs = run.sized(quick=60, full=5_000)
    by_shape = {shape: _all_runs(run, shape, runs) for shape in SHAPES}
    yield _stuck(by_shape)
    yield _cost(by_shape)


def _all_runs(run: StudyRun, shape: Shape, runs: int) -> list[dict[Routing, Tally]]:
    parts = [range(runs * part // JOBS, runs * (part + 1) // JOBS) for part in range(JOBS)]
    jobs = [StuckJob(shape=shape, seed=run.seed, runs=part) for part in parts]
    return [tally for part in run.map(tallies, jobs) for tally in part]


def _run(interests: Interests, k: int, routing: Routing, draw: np.random.Generator) -> Outcome:
    topics = sorted({topic for wanted in interests.values() for topic in wanted})
    if routing == "published":
        stages = published_stages(interests, topics, k)
        return run_at_random(
            RandomRun(interests=interests, stages=stages, stage_of={topic: topic for topic in topics}), draw
        )
    each = {f"of {topic}": [topic] for topic in topics}
    if routing == "tree, 3 stages":
        plan = plan_sequencing(interests, k=k, stages=min(3, len(topics)), precedence="shallow")
    else:
        plan = plan_sequencing(interests, k=k, stages=each, precedence="identifier")
    return run_at_random(
        RandomRun(
            interests=interests,
            stages={stage.name: Stage(plan, stage.name) for stage in plan.stages},
            stage_of={topic: route.stage for topic, route in plan.routes.items()},
        ),
        draw,
    )


def _tally(outcome: Outcome) -> Tally:
    done = len(outcome.waits)
    return Tally(
        outcome.stuck > 0,
        outcome.stuck,
        outcome.conflicts(),
        outcome.steps.total() / done,
        sum(outcome.waits) / done,
    )


def _stuck(by_shape: dict[Shape, list[dict[Routing, Tally]]]) -> Figure:
    findings = []
    for shape, found in by_shape.items():
        for routing in ROUTINGS:
            hits = sum(one[routing].stuck for one in found)
            findings.append(finding_of_share(f"{shape.name}, {routing}: runs that get stuck", None, hits, len(found)))
        held = np.array([one["published"].events_stuck for one in found if one["published"].stuck])
        if len(held):
            findings.append(finding_of_mean(f"{shape.name}, published: showings lost in a stuck run", None, held))
    conflicts = sum(one[routing].conflicts for found in by_shape.values() for one in found for routing in ROUTINGS[1:])
    findings.append(Finding("pairs of subscribers that disagree, over all trees", None, conflicts))
    return Figure(
        name="stuck",
        title="runs of 30 events in which somebody waits for ever",
        findings=tuple(findings),
        plots=(_shares(by_shape),),
    )


def _shares(by_shape: dict[Shape, list[dict[Routing, Tally]]]) -> Plot:
    places = tuple(map(float, range(len(by_shape))))
    curves = []
    for routing in ROUTINGS:
        shares = [share_interval(sum(one[routing].stuck for one in found), len(found)) for found in by_shape.values()]
        lows, highs = tuple(low for _, low, _ in shares), tuple(high for _, _, high in shares)
        curves.append(Curve(routing, places, tuple(share for share, _, _ in shares), "bars", lows, highs))
    return Plot(
        title="runs that get stuck",
        x="interests",
        y="share of runs",
        categories=tuple(shape.name for shape in by_shape),
        curves=tuple(curves),
    )


def _cost(by_shape: dict[Shape, list[dict[Routing, Tally]]]) -> Figure:
    """Waits are compared run by run; channels are drawn anew for each routing, from the same speeds."""
    findings = []
    for shape, found in by_shape.items():
        for routing in ROUTINGS:
            hops = np.array([one[routing].hops for one in found])
            findings.append(finding_of_mean(f"{shape.name}, {routing}: stages that a request visits", None, hops))
        base = np.array([one["published"].wait for one in found])
        for routing in ROUTINGS[1:]:
            other = np.array([one[routing].wait for one in found])
            findings.append(
                finding_of_mean(f"{shape.name}, {routing}: wait for a timestamp less the published", None, other - base)
            )
    return Figure(
        name="cost",
        title="what the tree costs, and what planning saves",
        findings=tuple(findings),
    )
