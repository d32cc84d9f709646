"""How many nodes sequence, how loaded they are, how many atoms are on a way (Fig. 5 to 8 of the paper)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.groups_setting import (
    HOSTS,
    SHARINGS,
    Membership,
    Reading,
    Sharing,
    occupied_groups,
    ranked_groups,
    shared_nodes,
    tree_of,
)
from tidings.studies.intervals import finding_of_mean
from tidings.studies.study_run import StudyRun
from tidings.vocabulary.streams import Streams

GROUPS: Final = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64)
TREED: Final = (8, 16, 32, 64)
"""Numbers of groups whose trees are looked at."""
OCCUPANCIES: Final = tuple(step / 20 for step in range(21))
OCCUPIED_GROUPS: Final = 32
COMPARED: Final[tuple[Sharing, ...]] = SHARINGS[:2]
"""In every membership."""
TREED_TOO: Final[tuple[Sharing, ...]] = SHARINGS[:3]
"""Where trees are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountJob:
    """Some draws of memberships of one kind."""

    seed: int
    draws: range
    reading: Reading = "whole"
    groups: int = OCCUPIED_GROUPS
    occupancy: float | None = None
    """None: groups by rank, in the reading."""
    trees: bool = False

    def membership(self, draw: int) -> Membership:
        """One of them."""
        if self.occupancy is not None:
            generator = Streams(self.seed)(f"groups occupied {self.occupancy} {draw}")
            return occupied_groups(self.occupancy, self.groups, generator)
        return ranked_groups(
            self.reading, self.groups, Streams(self.seed)(f"groups {self.reading} {self.groups} {draw}")
        )


@dataclass(frozen=True, slots=True)
class Sharers:
    """One way to share nodes, for one membership."""

    nodes: int
    associated: tuple[float, ...]
    """By node: groups with an atom there, of all."""
    forwarded: tuple[float, ...]
    """By node: groups whose messages pass, of all; nothing where no tree was wanted."""


@dataclass(frozen=True, slots=True)
class Counted:
    """One membership."""

    atoms: tuple[int, ...]
    """By group: numbers that its messages collect."""
    causal_atoms: tuple[int, ...]
    """The same with k = 1; nothing where no tree was wanted."""
    overlaps: int
    sharers: tuple[Sharers, ...]
    """By way of sharing, in the order of `COMPARED`, or of `TREED_TOO`."""


def counts(job: CountJob) -> list[Counted]:
    """One after the other."""
    return [_counted(job, draw) for draw in job.draws]


def _counted(job: CountJob, draw: int) -> Counted:
    members = job.membership(draw)
    atoms = members.atoms()
    sharers = []
    for sharing in TREED_TOO if job.trees else COMPARED:
        nodes = shared_nodes(sharing, atoms, _nodes_stream(job, draw))
        named = [{group for place in node for group in atoms.atoms[place].groups} for node in nodes]
        forwarded: tuple[float, ...] = ()
        if job.trees:
            tree = tree_of(sharing, atoms, _nodes_stream(job, draw))
            forwarded = tuple(len(tree.passing(node)) / job.groups for node in range(tree.sequencing))
        sharers.append(Sharers(len(nodes), tuple(len(one) / job.groups for one in named), forwarded))
    causal = members.atoms(k=1) if job.trees else None
    return Counted(
        tuple(len(atoms.of(group)) for group in atoms.groups),
        tuple(len(causal.of(group)) for group in causal.groups) if causal else (),
        len(atoms.atoms),
        tuple(sharers),
    )


def _nodes_stream(job: CountJob, draw: int) -> np.random.Generator:
    return Streams(job.seed)(f"groups nodes {job.reading} {job.groups} {job.occupancy} {draw}")


def counting_figures(run: StudyRun) -> list[Figure]:
    """Fig. 5 to 8."""
    draws = run.sized(quick=20, full=100)
    few = run.sized(quick=5, full=50)
    kinds = [CountJob(seed=run.seed, draws=range(draws), groups=groups) for groups in GROUPS]
    kinds += [CountJob(seed=run.seed, draws=range(draws), groups=groups, reading="shares") for groups in GROUPS]
    kinds += [CountJob(seed=run.seed, draws=range(draws), occupancy=occupancy) for occupancy in OCCUPANCIES]
    treed = [
        CountJob(seed=run.seed, draws=range(draw, draw + 1), groups=groups, trees=True)
        for groups in TREED
        for draw in range(few)
    ]
    found = run.map(counts, [*kinds, *treed])
    by_groups = dict(zip(GROUPS, found, strict=False))
    by_shares = dict(zip(GROUPS, found[len(GROUPS) :], strict=False))
    by_occupancy = dict(zip(OCCUPANCIES, found[2 * len(GROUPS) :], strict=False))
    trees: dict[int, list[Counted]] = {}
    for job, result in zip(treed, found[len(kinds) :], strict=True):
        trees.setdefault(job.groups, []).extend(result)
    return [_fig5(by_groups, by_shares), _fig6(by_groups, trees), _fig7(by_groups, trees), _fig8(by_occupancy)]


def _fig5(whole: Mapping[int, Sequence[Counted]], shares: Mapping[int, Sequence[Counted]]) -> Figure:
    findings, curves = [], []
    for reading, found in (("sizes n/r", whole), ("sizes n/(r H)", shares)):
        for column, sharing in enumerate(COMPARED):
            numbers = {groups: [one.sharers[column].nodes for one in draws] for groups, draws in found.items()}
            for groups in (8, 32, 64):
                what = f"{reading}, {groups} groups, {sharing}: sequencing nodes"
                findings.append(finding_of_mean(what, None, numbers[groups]))
            if reading == "sizes n/r":
                early, late = _slope(numbers, 8, 32), _slope(numbers, 32, 64)
                findings += [
                    Finding(f"{sharing}: nodes for each group more, from 8 to 32 groups", None, early),
                    Finding(f"{sharing}: the same from 32 to 64", "less", late),
                ]
            curves.append(_ranges(f"{sharing}, {reading}", numbers))
    plot = Plot(
        title="sequencing nodes, mean and 10 % to 90 % of the draws", x="groups", y="nodes", curves=tuple(curves)
    )
    return Figure(name="fig5", title=f"sequencing nodes for {HOSTS} members", findings=tuple(findings), plots=(plot,))


def _fig6(found: Mapping[int, Sequence[Counted]], trees: Mapping[int, Sequence[Counted]]) -> Figure:
    findings, plots = [], []
    for column, sharing in enumerate(TREED_TOO):
        counted = found if sharing in COMPARED else trees
        for groups, draws in trees.items():
            paper = "about 0.2" if column == 0 and groups >= 32 else None
            rows = [one.sharers[column] for one in draws]
            name = f"{groups} groups, {sharing}"
            findings += [
                finding_of_mean(f"{name}: mean stress, groups with atoms", paper, _means(counted[groups], column)),
                finding_of_mean(
                    f"{name}: mean stress, all that pass", paper, [float(np.mean(one.forwarded)) for one in rows]
                ),
                finding_of_mean(f"{name}: largest, all that pass", None, [max(one.forwarded) for one in rows]),
            ]
        stressed = {groups: [one.sharers[column].associated for one in draws] for groups, draws in counted.items()}
        curves = [
            Curve(f"{what}, groups with atoms", *_curve_of(stressed, measure))
            for what, measure in (("mean", np.mean), ("90 %", _ninety), ("largest", np.max))
        ]
        passed = {groups: [one.sharers[column].forwarded for one in draws] for groups, draws in trees.items()}
        curves.append(Curve("mean, all that pass", *_curve_of(passed, np.mean)))
        plots.append(Plot(title=f"stress, {sharing}", x="groups", y="share of the groups", curves=tuple(curves)))
    return Figure(
        name="fig6",
        title="stress: groups of a sequencing node, of all",
        findings=tuple(findings),
        plots=tuple(plots),
    )


def _means(draws: Sequence[Counted], column: int) -> list[float]:
    return [float(np.mean(one.sharers[column].associated)) for one in draws]


def _fig7(found: Mapping[int, Sequence[Counted]], trees: Mapping[int, Sequence[Counted]]) -> Figure:
    findings, curves = [], []
    for groups in TREED:
        shares = np.sort([count / HOSTS for one in found[groups] for count in one.atoms])
        most = [max(one.atoms) / HOSTS for one in found[groups]]
        causal = [max(one.causal_atoms) / HOSTS for one in trees[groups]]
        findings += [
            finding_of_mean(f"{groups} groups: most atoms on a way, of all members", "< 0.5", most),
            finding_of_mean(f"{groups} groups: the same with k = 1 (causal)", None, causal),
        ]
        some = shares[:: max(1, len(shares) // 400)]
        below = np.linspace(0, 1, len(some))
        curves.append(Curve(f"{groups} groups", tuple(some.tolist()), tuple(below.tolist()), "steps"))
    plot = Plot(title="atoms on a way, of all members", x="atoms / members", y="share below", curves=tuple(curves))
    return Figure(
        name="fig7", title="atoms that number a message, of all members", findings=tuple(findings), plots=(plot,)
    )


def _fig8(found: Mapping[float, Sequence[Counted]]) -> Figure:
    findings, curves = [], []
    for column, sharing in enumerate(COMPARED):
        means = {share: float(np.mean([one.sharers[column].nodes for one in draws])) for share, draws in found.items()}
        paper = column == 0
        most = max(means, key=means.__getitem__)
        findings += [
            Finding(f"{sharing}: occupancy with most nodes", "about 0.2" if paper else None, most),
            Finding(f"{sharing}: nodes there", None, means[most]),
            Finding(f"{sharing}: nodes at occupancy 0.95", 1 if paper else None, means[0.95]),
            Finding(f"{sharing}: nodes at occupancy 1", 1 if paper else None, means[1.0]),
        ]
        curves.append(Curve(f"nodes, {sharing}", tuple(means), tuple(means.values())))
    overlaps = {share: float(np.mean([one.overlaps for one in draws])) for share, draws in found.items()}
    plots = tuple(
        Plot(title=f"{what} by occupancy, {OCCUPIED_GROUPS} groups", x="occupancy", y=what, curves=tuple(part))
        for what, part in (
            ("sequencing nodes", curves),
            ("double overlaps", [Curve("overlaps", tuple(overlaps), tuple(overlaps.values()))]),
        )
    )
    return Figure(name="fig8", title="varied occupancy", findings=tuple(findings), plots=plots)


def _slope(numbers: Mapping[int, Sequence[int]], one: int, other: int) -> float:
    return float(np.mean(numbers[other]) - np.mean(numbers[one])) / (other - one)


def _ranges(name: str, numbers: Mapping[int, Sequence[int]]) -> Curve:
    rows = list(numbers.values())
    return Curve(
        name,
        tuple(map(float, numbers)),
        tuple(float(np.mean(row)) for row in rows),
        "line",
        tuple(float(np.quantile(row, 0.1)) for row in rows),
        tuple(float(np.quantile(row, 0.9)) for row in rows),
    )


def _curve_of(
    stressed: Mapping[int, Sequence[Sequence[float]]], measure: Callable[[Sequence[float]], float]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The measure over the nodes of a draw, averaged over draws that have nodes."""
    points = {
        groups: float(np.mean([float(measure(nodes)) for nodes in draws if nodes]))
        for groups, draws in stressed.items()
        if any(draws)
    }
    return tuple(map(float, points)), tuple(points.values())


def _ninety(values: Sequence[float]) -> float:
    return float(np.quantile(values, 0.9))
