"""Fig. 3.10: how many subscribers get what they require, by way of admission; four brokers, eight publishers, ten subscribers.

The thesis does not say what subscribers require: here between 0.5 and 1, drawn. Its optimum comes from looking at sets one by one.
"""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np

from tidings.analysis import admit
from tidings.analysis.best_set import best_set
from tidings.analysis.priorities import PRIORITIES
from tidings.analysis.trials import Trials
from tidings.scenario import World
from tidings.studies.content_setting import Setting, world_of
from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.intervals import finding_of_mean, finding_of_share
from tidings.studies.study_run import StudyRun
from tidings.vocabulary.streams import Streams

SERVICES_MS: Final = (4.0, 8.0, 12.0, 16.0, 20.0)
"""For each subscription: loads from light to heavy."""
OPTIMUM, NOBODY_REFUSED, BEST = "optimum", "no control", "best"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionJob:
    """One draw at one load."""

    seed: int
    service_ms: float


def small_world(job: AdmissionJob) -> World:
    """The thesis's setting for admission."""
    world = world_of(Setting(seed=job.seed, service_ms=job.service_ms, brokers=4, subscribers=10))
    demands = Streams(job.seed)("content requires").uniform(0.5, 1.0, len(world.subscribers)).tolist()
    asking = (replace(one, requires=share) for one, share in zip(world.subscribers, demands, strict=True))
    return replace(world, subscribers=tuple(asking))


def satisfied(job: AdmissionJob) -> dict[str, int]:
    """By way: how many are in and get what they require; and the same without control."""
    world = small_world(job)
    found = admit(world)
    # From nothing known: the search by itself, with no help of the priorities.
    alone = best_set(Trials(world), (), predictions_max=1_000)
    return {
        NOBODY_REFUSED: found.uncontrolled,
        **found.heuristics,
        BEST: len(found.admitted),
        "search alone": len(alone.members),
        OPTIMUM: optimum(world),
    }


def optimum(world: World) -> int:
    """The highest utility of any set of subscribers (thesis, 3.3.1.2), by looking at each that can be higher still.

    A set's utility is not above its size, so the largest come first. Nothing else is taken for granted here.
    """
    trials, best = Trials(world), 0
    for size in range(len(world.subscribers), 0, -1):
        if size <= best:
            break
        for members in combinations(trials.by_id, size):
            best = max(best, size - len(trials.of(members).unserved))
    return best


def admission(run: StudyRun) -> Figure:
    """The share of satisfied subscribers by load, and how often each way is as good as the optimum."""
    draws = run.sized(quick=2, full=40)
    jobs = [AdmissionJob(seed=run.seed + number, service_ms=load) for load in SERVICES_MS for number in range(draws)]
    found = run.map(satisfied, jobs)
    ways = list(found[0])
    findings: list[Finding] = []
    for place, load in enumerate(SERVICES_MS):
        here = found[place * draws : (place + 1) * draws]
        findings += [
            finding_of_mean(f"{load:g} ms: satisfied, {way}", None, [one[way] / 10 for one in here]) for way in ways
        ]
    findings += [
        finding_of_share(
            f"draws in which {way} equals the optimum", None, sum(one[way] == one[OPTIMUM] for one in found), len(found)
        )
        for way in (*PRIORITIES, "search alone", BEST)
    ]
    below = sum(one[BEST] < max(one[name] for name in PRIORITIES) for one in found)
    findings.append(Finding("draws in which best is below one of the priorities", None, below))
    findings.append(Finding("no control is worst", "yes", "yes" if _worst(found) == NOBODY_REFUSED else "no"))
    heavy = found[-2 * draws :]
    first = max(PRIORITIES, key=lambda way: sum(one[way] for one in heavy))
    findings.append(Finding("best priority at high load", "low-req-first", first))
    curves = tuple(
        Curve(way, SERVICES_MS, tuple(_mean(found[place * draws : (place + 1) * draws], way) for place in range(5)))
        for way in ways
    )
    plot = Plot(title="satisfied subscribers", x="service per subscription, ms", y="share", curves=curves)
    return Figure(name="fig3.10", title="ways of admission", findings=tuple(findings), plots=(plot,))


def _mean(found: list[dict[str, int]], way: str) -> float:
    return float(np.mean([one[way] / 10 for one in found]))


def _worst(found: list[dict[str, int]]) -> str:
    return min(found[0], key=lambda way: sum(one[way] for one in found))
