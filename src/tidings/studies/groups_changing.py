"""What the paper on groups leaves for later: members that come and go all the time.

Two questions. Does order survive, with atoms that retire when everybody has been shown the end of a group, and with atoms
that retire when the end has passed, as published? And what becomes of the ways, when the tree is only ever changed and never planned anew?
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from tidings.errors import InputError
from tidings.ordering.atoms import atoms_of
from tidings.ordering.colocation import by_home
from tidings.ordering.group_directory import GroupDirectory
from tidings.ordering.group_member import GroupMember
from tidings.ordering.group_messages import End, StepOut
from tidings.ordering.node_tree import atom_tree
from tidings.studies.changing_groups import ChangingRun, Parts, run_changing
from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.groups_setting import HOSTS, ranked_groups
from tidings.studies.intervals import finding_of_mean, finding_of_share
from tidings.studies.published_retirement import PublishedRetirement
from tidings.studies.study_run import StudyRun
from tidings.vocabulary.streams import Streams

RETIREMENTS: Final[Mapping[str, Parts]] = {
    "ours": Parts(),
    "atoms retire as published": Parts(sequencer=PublishedRetirement),
    "atoms retire and members show as published": Parts(
        sequencer=PublishedRetirement, member=partial(GroupMember, exact=True)
    ),
}
GROUPS: Final = 32
LOOKS: Final = 10
"""How often the ways are measured while members come and go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderJob:
    """Some worlds of messages and changes."""

    seed: int
    k: int
    runs: range


@dataclass(frozen=True, slots=True)
class Kept:
    """One world under one retirement."""

    waits: bool
    """Somebody waits for ever, or has never been shown what it was to be shown."""
    disagrees: bool
    changes: int
    heirs: int
    let_in: int


def orders_kept(job: OrderJob) -> list[list[Kept]]:
    """By retirement and run: the same members, other networks."""
    return [[_kept(job, number, parts) for number in job.runs] for parts in RETIREMENTS.values()]


def _kept(job: OrderJob, number: int, parts: Parts) -> Kept:
    draw = Streams(job.seed)(f"groups changing {job.k} {number}")
    found = run_changing(ChangingRun(k=job.k), draw, parts)
    happened = found.happened
    return Kept(
        bool(found.lives.stuck or found.missing or found.unopened),
        bool(found.lives.conflicts() or (job.k == 1 and (found.lives.has_cycle() or found.seen.inversions()))),
        sum(happened[kind] for kind in ("ended", "left", "let in", "begun", "succeeded", "planned anew")),
        happened["succeeded"],
        happened["let in"],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WaysJob:
    """Groups whose members are replaced one by one."""

    seed: int
    draw: int
    k: int
    changes: int
    every: int = 0
    """Changes between one new plan and the next; 0: never."""


@dataclass(frozen=True, slots=True)
class Ways:
    """After some changes: nodes that a message visits, plain mean over groups."""

    changes: int
    kept: float
    """In the tree as it has become."""
    planned: float
    """In one that is planned for the same members by home."""


def ways_kept(job: WaysJob) -> list[Ways]:
    """From the start on, `LOOKS` times."""
    draw = Streams(job.seed)(f"groups ways {job.k} {job.draw}")
    members = ranked_groups("whole", GROUPS, draw)
    directory = GroupDirectory(members.interests(), k=job.k)
    settle(directory)
    found = [_ways(directory, members.names, job.k, 0)]
    for change in range(1, job.changes + 1):
        group = int(draw.integers(GROUPS))
        _replace(directory, f"g{group}", len(members.groups[group]), draw)
        if job.every and change % job.every == 0:
            directory.plan_anew()
            settle(directory)
        if change % (job.changes // LOOKS) == 0:
            found.append(_ways(directory, members.names, job.k, change))
    return found


def settle(directory: GroupDirectory) -> None:
    """As if all orders and messages arrived at once: members see ends, nodes go."""
    while orders := directory.drain():
        for node, order in orders:
            if isinstance(order, End):
                for member in directory.members(order.group):
                    directory.depart(member, order.group)
            elif isinstance(order, StepOut):
                directory.gone(node)


def _replace(directory: GroupDirectory, name: str, size: int, draw: np.random.Generator) -> None:
    """Somebody leaves the group when it has its size; else somebody joins it."""
    members = _members(directory, name)
    if len(members) >= size:
        directory.leave(members[int(draw.integers(len(members)))], name)
    else:
        free = [host for host in (f"h{number}" for number in range(HOSTS)) if host not in members]
        directory.join(free[int(draw.integers(len(free)))], name)
    settle(directory)


def _members(directory: GroupDirectory, name: str) -> list[str]:
    try:
        return directory.members(directory.group(name))
    except InputError:
        return []


def _ways(directory: GroupDirectory, names: Sequence[str], k: int, changes: int) -> Ways:
    """Of the groups that there are."""
    interests: dict[str, list[str]] = {}
    for name in names:
        for member in _members(directory, name):
            interests.setdefault(member, []).append(name)
    atoms = atoms_of(interests, k=k)
    anew = atom_tree(atoms, by_home(atoms)).ways.values()
    kept = [len(directory.way(directory.group(name))) for name in atoms.groups]
    return Ways(changes, float(np.mean(kept)), float(np.mean([len(way) for way in anew])))


def changing_figures(run: StudyRun) -> list[Figure]:
    """Not in the paper."""
    return [_order_figure(run), _ways_figure(run)]


def _order_figure(run: StudyRun) -> Figure:
    runs, parts = run.sized(quick=(40, 4), full=(5_000, 50))
    findings: list[Finding] = []
    for k in (2, 1):
        jobs = [
            OrderJob(seed=run.seed, k=k, runs=range(runs * part // parts, runs * (part + 1) // parts))
            for part in range(parts)
        ]
        found = run.map(orders_kept, jobs)
        by_retirement = {name: [one for part in found for one in part[place]] for place, name in enumerate(RETIREMENTS)}
        for name, rows in by_retirement.items():
            findings += [
                finding_of_share(
                    f"k = {k}, {name}: runs in which somebody waits for ever", None, *_hits(rows, "waits")
                ),
                finding_of_share(f"k = {k}, {name}: runs in which two disagree", None, *_hits(rows, "disagrees")),
            ]
        kept = by_retirement[next(iter(RETIREMENTS))]
        joins = sum(one.heirs + one.let_in for one in kept)
        findings += [
            Finding(f"k = {k}: changes, all runs", None, sum(one.changes for one in kept)),
            finding_of_share(f"k = {k}: joins that make a new group", None, sum(one.heirs for one in kept), joins),
        ]
    return Figure(
        name="changing",
        title="members, groups and nodes that come and go, over a network that loses, repeats and reorders",
        findings=tuple(findings),
    )


def _hits(rows: Sequence[Kept], what: str) -> tuple[int, int]:
    return sum(getattr(one, what) for one in rows), len(rows)


def _ways_figure(run: StudyRun) -> Figure:
    draws, changes = run.sized(quick=(3, 300), full=(20, 2_000))
    findings, curves = [], []
    for k in (2, 1):
        for every in (0, 30):
            jobs = [
                WaysJob(seed=run.seed, draw=draw, k=k, changes=changes + every // 2, every=every)
                for draw in range(draws)
            ]
            rows = list(zip(*run.map(ways_kept, jobs), strict=True))
            about = f"k = {k}, " + (f"planned anew every {every} changes" if every else "only ever changed")
            x = tuple(float(row[0].changes) for row in rows)
            curves.append(Curve(about, x, tuple(float(np.mean([one.kept for one in row])) for row in rows)))
            what = f"{about}: nodes that a message visits after {x[-1]:.0f} changes"
            findings.append(finding_of_mean(what, None, [one.kept for one in rows[-1]]))
            if not every:
                curves.append(
                    Curve(f"k = {k}, by home", x, tuple(float(np.mean([one.planned for one in row])) for row in rows))
                )
                findings.append(
                    finding_of_mean(f"k = {k}: the same in a tree by home", None, [one.planned for one in rows[-1]])
                )
    plot = Plot(
        title=f"nodes that a message visits, mean over {GROUPS} groups", x="changes", y="nodes", curves=tuple(curves)
    )
    return Figure(
        name="ways",
        title="ways in trees that are changed, beside planned ones",
        findings=tuple(findings),
        plots=(plot,),
    )
