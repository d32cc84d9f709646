"""All contenders along one axis: delivery, punctuality and traffic, each as a plot, and as numbers where the paper has some."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidings.studies.dcrd_setting import Contender, Outcome, Setting, outcome_of
from tidings.studies.figure import Curve, Figure, Finding, Plot, Value
from tidings.studies.intervals import finding_of_mean, mean_interval
from tidings.studies.study_run import StudyRun

MEASURES: Final[Mapping[str, Callable[[Outcome], float]]] = {
    "delivered": lambda one: one.delivery,
    "on time": lambda one: one.punctuality,
    "packets": lambda one: one.traffic,
}
NAMES: Final = {"delivered": "share delivered", "on time": "share on time", "packets": "packets for each subscriber"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """One figure's axis, and who is compared."""

    name: str
    title: str
    axis: str
    points: tuple[float, ...]
    at: Callable[[Setting, float], Setting]
    """The setting at a point."""
    contenders: tuple[Contender, ...]
    shown: tuple[float, ...]
    """Points whose numbers are findings."""
    said: Mapping[tuple[str, float, Contender], Value]
    """By measure, point and contender, what the paper says."""
    x_log: bool = False


@dataclass(frozen=True, slots=True)
class Swept:
    """Outcomes by point and contender, one for each topology, in the order of their seeds."""

    sweep: Sweep
    outcomes: Mapping[tuple[float, Contender], Sequence[Outcome]]

    def values(self, measure: str, point: float, contender: Contender) -> list[float]:
        """One for each topology."""
        return [MEASURES[measure](one) for one in self.outcomes[point, contender]]

    def ratio(self, what: str, paper: Value, point: float, one: Contender, other: Contender) -> Finding:
        """Packets of one for each packet of another, topology by topology."""
        pairs = zip(self.values("packets", point, one), self.values("packets", point, other), strict=True)
        return finding_of_mean(what, paper, [mine / yours for mine, yours in pairs])

    def gap(self, what: str, paper: Value, point: float, one: Contender, other: Contender) -> Finding:
        """By how much more of one is on time than of another, topology by topology."""
        pairs = zip(self.values("on time", point, one), self.values("on time", point, other), strict=True)
        return finding_of_mean(what, paper, [mine - yours for mine, yours in pairs])

    def figure(self, more: Sequence[Finding] = ()) -> Figure:
        """The sweep as a figure, with some more findings."""
        sweep = self.sweep
        findings = [
            finding_of_mean(
                f"{measure}, {sweep.axis} {point:g}, {contender.name}",
                sweep.said.get((measure, point, contender)),
                self.values(measure, point, contender),
            )
            for point in sweep.shown
            for measure in MEASURES
            for contender in sweep.contenders
        ]
        plots = tuple(self._plot(measure) for measure in MEASURES)
        return Figure(name=sweep.name, title=sweep.title, findings=(*findings, *more), plots=plots)

    def _plot(self, measure: str) -> Plot:
        sweep, curves = self.sweep, []
        for contender in sweep.contenders:
            found = [mean_interval(self.values(measure, point, contender)) for point in sweep.points]
            mean, low, high = (tuple(one) for one in zip(*found, strict=True))
            curves.append(Curve(contender.name, sweep.points, mean, "line", low, high))
        return Plot(title=NAMES[measure], x=sweep.axis, y=NAMES[measure], curves=tuple(curves), x_log=sweep.x_log)


def sweep(run: StudyRun, given: Sweep, base: Setting, topologies: int) -> Swept:
    """Run every contender at every point on as many topologies; the same for all of them."""
    keys = [(point, contender) for point in given.points for contender in given.contenders]
    jobs = [
        replace(given.at(base, point), protocol=contender, seed=run.seed + number)
        for point, contender in keys
        for number in range(topologies)
    ]
    found = run.map(outcome_of, jobs)
    return Swept(
        given,
        {key: found[place * topologies : (place + 1) * topologies] for place, key in enumerate(keys)},
    )
