"""What order costs in time (Fig. 3 and 4 of the paper), and ways of placing sequencing nodes beside each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from tidings.ordering.placement import Delays, Journey, beside, settled
from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.groups_setting import HOSTS, Membership, Routers, Sharing, ranked_groups, tree_of
from tidings.studies.intervals import finding_of_mean
from tidings.studies.study_run import StudyRun
from tidings.vocabulary.streams import Streams

Placing = Literal["beside", "settled"]
Floats = NDArray[np.float64]

GROUPS: Final = (8, 16, 32, 64)
PRINTED: Final = {8: "<= 2.5", 64: "< 8"}
"""The largest stretch of any destination."""
PUBLISHED: Final[tuple[Sharing, Placing]] = ("as published", "beside")
OURS: Final[tuple[Sharing, Placing]] = ("by branch", "settled")
CHOICES: Final[tuple[tuple[Sharing, Placing], ...]] = (
    PUBLISHED,
    ("as published", "settled"),
    ("by home", "settled"),
    ("by branch", "beside"),
    OURS,
    ("one node", "settled"),
)
NEAR_MS, FAR_MS = 10.0, 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyJob:
    """One network with one drawn membership."""

    seed: int
    draw: int
    groups: int


@dataclass(frozen=True, slots=True)
class Latency:
    """What one choice of nodes and machines made of one membership."""

    stretch: Floats
    """By destination that hears of anybody: mean time over the sequencers to mean time without."""
    pair_stretch: Floats
    """By destination: the mean of the same ratio over pairs of sender and destination."""
    pairs: Floats
    """Rows of (unicast delay in ms, ratio), one for each pair of sender and destination with a group in common."""
    visits: float
    """Nodes that a message visits, as deliveries weigh them."""


def latencies(job: LatencyJob) -> list[Latency]:
    """By choice, on the same network and membership."""
    streams = Streams(job.seed)
    name = f"groups latency {job.groups} {job.draw}"
    routers = Routers(streams(f"{name} routers"))
    members = ranked_groups("whole", job.groups, streams(f"{name} members"))
    atoms, found = members.atoms(), []
    for sharing, placing in CHOICES:
        tree = tree_of(sharing, atoms, streams(f"{name} nodes"))
        journeys = routers.journeys(members, tree)
        if placing == "settled":
            at = settled(list(journeys.values()), routers.delays)
        else:
            at = beside(list(journeys.values()), routers.delays, streams(f"{name} machines"))
        found.append(measured(members, journeys, at, routers))
    return found


def measured(members: Membership, journeys: Mapping[str, Journey], at: Mapping[int, int], routers: Routers) -> Latency:
    """Every member sends one message to each of its groups, over the sequencers and straight."""
    unicast = routers.unicast()
    hosts = len(unicast)
    sequenced, direct, count = np.zeros((hosts, hosts)), np.zeros((hosts, hosts)), np.zeros((hosts, hosts))
    visits = 0
    for name, hosts_of in zip(members.names, members.groups, strict=True):
        if name not in journeys:
            continue
        journey, own = journeys[name], np.ix_(hosts_of, hosts_of)
        sequenced[own] += times(journey, at, routers.delays)
        direct[own] += unicast[own]
        count[own] += 1
        visits += len(journey.nodes) * len(hosts_of) * (len(hosts_of) - 1)
    np.fill_diagonal(count, 0)
    heard = count.sum(axis=0) > 0
    ratios = np.divide(sequenced, direct, out=np.zeros_like(direct), where=count > 0)
    weighted = (ratios * count).sum(axis=0)[heard] / count.sum(axis=0)[heard]
    off = np.where(count > 0, sequenced, 0).sum(axis=0)[heard] / np.where(count > 0, direct, 0).sum(axis=0)[heard]
    pairs = np.column_stack((unicast[count > 0] / 1e6, ratios[count > 0]))
    return Latency(off, weighted, pairs, visits / float(count.sum()))


def times(journey: Journey, at: Mapping[int, int], delays: Delays) -> Floats:
    """From each member (row) to each (column) over the group's nodes."""
    machines, members = [at[node] for node in journey.nodes], list(journey.members)
    inner = sum(float(delays(one)[other]) for one, other in pairwise(machines))
    entering, leaving = delays(machines[0])[members], delays(machines[-1])[members]
    found: Floats = entering[:, None] + inner + leaving[None, :]
    return found


def stretch_figures(run: StudyRun) -> list[Figure]:
    """Fig. 3, Fig. 4, and the choices side by side."""
    draws = run.sized(quick=8, full=50)
    jobs = [LatencyJob(seed=run.seed, draw=draw, groups=groups) for groups in GROUPS for draw in range(draws)]
    found: dict[int, list[list[Latency]]] = {groups: [] for groups in GROUPS}
    for job, result in zip(jobs, run.map(latencies, jobs), strict=True):
        found[job.groups].append(result)
    return [_fig3(found), _fig4(found[max(GROUPS)]), _choices(found)]


def _fig3(found: Mapping[int, Sequence[Sequence[Latency]]]) -> Figure:
    findings, curves = [], []
    for name, choice in (("published heuristics", PUBLISHED), ("ours", OURS)):
        column = CHOICES.index(choice)
        for groups, draws in found.items():
            rows = [one[column] for one in draws]
            findings += [
                finding_of_mean(
                    f"{groups} groups, {name}: largest stretch of a destination",
                    PRINTED.get(groups),
                    [float(one.stretch.max()) for one in rows],
                ),
                Finding(f"{groups} groups, {name}: the same, largest of all draws", None, _largest(rows)),
                finding_of_mean(
                    f"{groups} groups, {name}: mean stretch", None, [float(one.stretch.mean()) for one in rows]
                ),
                finding_of_mean(
                    f"{groups} groups, {name}: largest, as a mean of ratios of pairs",
                    None,
                    [float(one.pair_stretch.max()) for one in rows],
                ),
            ]
            ordered = np.sort(np.concatenate([one.stretch for one in rows]))[:: len(rows)]
            shares = np.linspace(0, 1, len(ordered))
            curves.append(Curve(f"{groups} groups, {name}", _floats(ordered), _floats(shares), "steps"))
    return Figure(
        name="fig3",
        title=f"latency stretch, {HOSTS} members on 10,000 routers",
        findings=tuple(findings),
        plots=tuple(
            Plot(title=f"stretch by destination, {name}", x="latency stretch", y="share below", curves=tuple(part))
            for name, part in (("published heuristics", curves[: len(found)]), ("ours", curves[len(found) :]))
        ),
    )


def _fig4(draws: Sequence[Sequence[Latency]]) -> Figure:
    findings, curves = [], []
    for name, choice in (("published heuristics", PUBLISHED), ("ours", OURS)):
        rows = [one[CHOICES.index(choice)].pairs for one in draws]
        near = [float(pairs[pairs[:, 0] < NEAR_MS, 1].mean()) for pairs in rows]
        far = [float(pairs[pairs[:, 0] > FAR_MS, 1].mean()) for pairs in rows]
        findings += [
            finding_of_mean(f"{name}: mean ratio of pairs less than {NEAR_MS:.0f} ms apart", "highest", near),
            finding_of_mean(f"{name}: mean ratio of pairs more than {FAR_MS:.0f} ms apart", None, far),
        ]
        some = rows[0][:: max(1, len(rows[0]) // 1_500)]
        curves.append(Curve(name, _floats(some[:, 0]), _floats(some[:, 1]), "points"))
    plot = Plot(
        title="relative delay penalty of pairs, 64 groups",
        x="unicast delay, ms",
        y="over sequencers / unicast",
        curves=tuple(curves),
        y_log=True,
    )
    return Figure(
        name="fig4", title="delay over sequencers to unicast delay, by pair", findings=tuple(findings), plots=(plot,)
    )


def _choices(found: Mapping[int, Sequence[Sequence[Latency]]]) -> Figure:
    """Not in the paper."""
    findings, curves = [], []
    for column, (sharing, placing) in enumerate(CHOICES):
        name = f"{sharing}, {placing}"
        worst = {groups: [float(one[column].stretch.max()) for one in draws] for groups, draws in found.items()}
        for groups, draws in found.items():
            visits = [one[column].visits for one in draws]
            findings += [
                finding_of_mean(f"{groups} groups: {name}: largest stretch", None, worst[groups]),
                finding_of_mean(f"{groups} groups: {name}: nodes that a message visits", None, visits),
            ]
        curves.append(Curve(name, _floats(found), tuple(float(np.mean(values)) for values in worst.values())))
    plot = Plot(
        title="largest stretch of a destination, mean over draws", x="groups", y="stretch", curves=tuple(curves)
    )
    return Figure(
        name="placement",
        title="ways to share nodes (as published, by home, one for all) and to place them (beside, settled)",
        findings=tuple(findings),
        plots=(plot,),
    )


def _largest(rows: Sequence[Latency]) -> float:
    return max(float(one.stretch.max()) for one in rows)


def _floats(values: "Floats | Mapping[int, object]") -> tuple[float, ...]:
    return tuple(map(float, values))
