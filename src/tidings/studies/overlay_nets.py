"""Fig. 5.9 to 5.11: trees and graphs of ten brokers, and subscribers that choose their broker."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidings.analysis import predict
from tidings.scenario import World
from tidings.studies.content_runs import error_curve, measured
from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.intervals import finding_of_mean, mean_interval
from tidings.studies.overlay_setting import HIGH_END, LOW_END, MECHANISMS, Net, Quality, with_homes
from tidings.studies.study_run import StudyRun
from tidings.vocabulary.streams import Streams

Floats = NDArray[np.float64]

CANDIDATES: Final = (1, 2, 4, 6, 8)
ORDER_LOW: Final = ("bypass+buffering", "bypass", "buffering", "periodic")
"""From best to worst with low-end brokers, as the thesis found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NetJob:
    """One run of one net; `candidates`: subscribers choose their brokers, so many groups of them."""

    net: Net
    candidates: tuple[int, ...] = ()
    each: int = 0


@dataclass(frozen=True, slots=True)
class Both:
    """Every subscriber's reliability in one run, and as predicted; NaN where nothing was wanted."""

    simulated: Floats
    predicted: Floats

    @property
    def errors(self) -> Floats:
        """Predicted less simulated, of those who wanted something."""
        found = self.predicted - self.simulated
        return np.asarray(found[np.isfinite(found)], np.float64)


def both(job: NetJob) -> Both:
    """A run and its prediction."""
    world = job.net.world() if not job.candidates else choosing(job)
    shares = predict(world).subscribers
    return Both(np.array(measured(world)), np.array([shares[one.id].reliability for one in world.subscribers]))


def choosing(job: NetJob) -> World:
    """`each` subscribers for every number of candidates, drawn for each; each takes the best by prediction (thesis, 5.6)."""
    world = job.net.world()
    names = [one.id for one in world.brokers]
    probes = predict(with_homes(world, names)).subscribers
    worth = np.array([probes[f"s{number}"].reliability for number in range(len(names))])
    dice = Streams(job.net.seed)("study overlay candidates")
    homes = []
    for _ in range(job.each):
        order = dice.permutation(len(names))
        # The first so many of one order: who has more candidates has those of the others, too.
        homes += [names[max(order[:count].tolist(), key=lambda one: float(worth[one]))] for count in job.candidates]
    return with_homes(world, homes)


def tree_figure(run: StudyRun) -> Figure:
    """Fig. 5.9: low-end and high-end brokers in trees, with and without buffering."""
    return _nets(run, "fig5.9", "static random trees of 10 brokers", "tree", ("periodic", "buffering"))


def graph_figure(run: StudyRun) -> Figure:
    """Fig. 5.10: the four techniques on graphs."""
    return _nets(run, "fig5.10", "10 brokers, 4 links each", "graph", MECHANISMS)


def _nets(run: StudyRun, name: str, title: str, shape: str, mechanisms: Sequence[str]) -> Figure:
    kinds = [(quality, mechanism) for quality in (LOW_END, HIGH_END) for mechanism in mechanisms]
    runs = run.sized(quick=2, full=10)
    jobs = [NetJob(net=_net(run, shape, *kind, run.seed + number)) for kind in kinds for number in range(runs)]
    results = run.map(both, jobs)
    found = {kind: results[place * runs : (place + 1) * runs] for place, kind in enumerate(kinds)}
    findings: list[Finding] = []
    means: dict[tuple[str, str], float] = {}
    for (quality, mechanism), parts in found.items():
        shares = [float(np.nanmean(one.simulated)) for one in parts]
        errors = 100 * np.abs(np.concatenate([one.errors for one in parts]))
        means[quality.name, mechanism] = float(np.mean(shares))
        kind = f"{quality.name}, {mechanism}"
        findings += [
            finding_of_mean(f"{kind}: reliability", None, shares),
            Finding(f"{kind}: predicted", None, float(np.mean([one.predicted.mean() for one in parts]))),
            Finding(f"{kind}: mean error of a subscriber in one run, points", None, float(errors.mean())),
        ]
    findings += _orders(means, mechanisms)
    curves = tuple(
        error_curve(f"{quality.name}, {mechanism}", np.concatenate([one.errors for one in parts]))
        for (quality, mechanism), parts in found.items()
    )
    errors_plot = Plot(title="errors", x="absolute error, points", y="share of subscribers", curves=curves)
    return Figure(name=name, title=title, findings=tuple(findings), plots=(_ranked(found), errors_plot))


def _orders(means: dict[tuple[str, str], float], mechanisms: Sequence[str]) -> list[Finding]:
    """What the thesis says of who is better than whom."""

    def ranks(quality: Quality) -> str:
        return " > ".join(sorted(mechanisms, key=lambda one: -means[quality.name, one]))

    low = " > ".join(one for one in ORDER_LOW if one in mechanisms)
    high = "buffering, as good as bypass+buffering" if len(mechanisms) > 2 else "buffering > periodic"
    return [
        Finding("low-end, from best to worst", low, ranks(LOW_END)),
        Finding("high-end, from best to worst", high, ranks(HIGH_END)),
    ]


def _ranked(found: dict[tuple[Quality, str], list[Both]]) -> Plot:
    """Simulated over predicted, a point for each subscriber and run."""
    curves = [
        Curve(
            f"{quality.name}, {mechanism}",
            tuple(np.concatenate([one.predicted for one in parts]).tolist()),
            tuple(np.nan_to_num(np.concatenate([one.simulated for one in parts])).tolist()),
            "points",
        )
        for (quality, mechanism), parts in found.items()
    ]
    return Plot(title="subscribers", x="predicted", y="simulated in one run", curves=tuple(curves))


def home_figure(run: StudyRun) -> Figure:
    """Fig. 5.11: the more brokers a subscriber may choose from, the better."""
    runs, each = run.sized(quick=2, full=5), run.sized(quick=8, full=60)
    candidates = run.sized(quick=CANDIDATES, full=tuple(range(1, 9)))
    jobs = [
        NetJob(net=_net(run, "graph", LOW_END, mechanism, run.seed + number), candidates=candidates, each=each)
        for mechanism in MECHANISMS
        for number in range(runs)
    ]
    results = run.map(both, jobs)
    findings, curves = [], []
    for place, mechanism in enumerate(MECHANISMS):
        parts = results[place * runs : (place + 1) * runs]
        rows = []
        for column, count in enumerate(candidates):
            shares = [float(np.nanmean(one.simulated[column :: len(candidates)])) for one in parts]
            laws = [float(np.nanmean(one.predicted[column :: len(candidates)])) for one in parts]
            rows.append((*mean_interval(shares), float(np.mean(laws))))
            findings.append(finding_of_mean(f"{mechanism}, {count} candidates: reliability", None, shares))
            findings.append(Finding(f"{mechanism}, {count} candidates: predicted", None, rows[-1][3]))
        gain = 100 * (rows[-1][0] - rows[0][0])
        findings.append(
            Finding(f"{mechanism}: gain from one to {candidates[-1]} candidates, points", _said(mechanism), gain)
        )
        mean, low, high, law = (tuple(one) for one in zip(*rows, strict=True))
        x = tuple(float(count) for count in candidates)
        curves += [
            Curve(f"{mechanism}, simulated", x, mean, "ranges", low, high),
            Curve(f"{mechanism}, predicted", x, law),
        ]
    plot = Plot(title="choice of the home broker", x="candidates", y="reliability", curves=tuple(curves))
    return Figure(name="fig5.11", title="choice of the home broker", findings=tuple(findings), plots=(plot,))


def _said(mechanism: str) -> str:
    return "marginal" if mechanism.startswith("bypass") else "significant"


def _net(run: StudyRun, shape: str, quality: Quality, mechanism: str, seed: int) -> Net:
    net = Net(shape=shape, quality=quality, mechanism=mechanism, seed=seed)
    return net if run.full else replace(net, subscribers=60, days=3, every_s=3_600)
