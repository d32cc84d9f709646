"""Predictions of a world beside runs of it: every subscriber's share of events on time."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidings.analysis import PredictOptions, predict
from tidings.checking import audit
from tidings.scenario import World
from tidings.simulation import simulate
from tidings.studies.content_setting import Setting, law_of, world_of
from tidings.studies.figure import Curve, Finding
from tidings.studies.intervals import mean_interval
from tidings.studies.study_run import StudyRun

Floats = NDArray[np.float64]

TABLES: Final = ("publications", "deliveries", "interests", "deadlines", "drops")
MODELS: Final = ("M/M/1", "G/G/1", "distribution")
"""The thesis's first model, its second, and ours."""
SKEWS: Final = (0.5, 0.8, 1.0, 1.25, 2.0)
"""How badly publishers are known (thesis, 3.4.1.3); 1 is exactly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunJob:
    """One run of one setting."""

    setting: Setting
    run: int


@dataclass(frozen=True, eq=False, slots=True)
class Compared:
    """One setting: subscribers in the order of the world, those left out to whom nothing was published."""

    runs: Floats
    """Reliability by run (rows) and subscriber; NaN where a run published nothing for somebody."""
    predicted: Mapping[str, Floats]
    """By model."""

    @property
    def simulated(self) -> Floats:
        """Means over the runs."""
        found: Floats = np.nanmean(self.runs, axis=0)
        return found

    def errors(self, model: str) -> Floats:
        """Predicted less simulated."""
        return self.predicted[model] - self.simulated

    def inside(self, model: str) -> tuple[int, int]:
        """How many predictions lie in the 95 % interval of their subscriber's runs, of how many."""
        hits = 0
        for number, values in enumerate(self.runs.T):
            _, low, high = mean_interval(values[np.isfinite(values)])
            hits += bool(low <= self.predicted[model][number] <= high)
        return hits, self.runs.shape[1]


def simulated(job: RunJob) -> list[float]:
    """Each subscriber's share on time in one run; NaN where it wanted nothing."""
    return measured(replace(world_of(job.setting), seed=job.run))


def measured(world: World) -> list[float]:
    """The same of any world."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "run"
        simulate(world, out=folder, tables=TABLES)
        report = audit(folder)
    found = (report.subscribers[one.id].reliability for one in world.subscribers)
    return [float("nan") if share is None else share for share in found]


def predictions(world: World) -> dict[str, Floats]:
    """By each model, and for publishers that are badly known."""
    skewed = {
        name_of(model, skew): predicted(world, PredictOptions(mode=mode, skew=skew))
        for model, mode in (("G/G/1", "mean"), ("distribution", "distribution"))
        for skew in SKEWS
    }
    plain = {"M/M/1": predicted(poisson(world), PredictOptions(mode="mean"))}
    return plain | {model: skewed[name_of(model, 1.0)] for model in MODELS[1:]} | skewed


def name_of(model: str, skew: float) -> str:
    """Of a model's predictions with this knowledge."""
    return f"{model}, α = {skew:g}"


def predicted(world: World, options: PredictOptions) -> Floats:
    """Each subscriber's reliability."""
    return np.array([one.reliability for one in predict(world, options).subscribers.values()])


def poisson(world: World) -> World:
    """As the thesis's M/M/1 model sees a world: all intervals and services exponential, of the same means."""
    return replace(
        world,
        publishers=tuple(
            replace(one, every=law_of("exponential", one.every.mean)) if one.every is not None else one
            for one in world.publishers
        ),
        brokers=tuple(
            replace(one, service=replace(one.service, law=law_of("exponential", one.service.law.mean)))
            if one.service is not None
            else one
            for one in world.brokers
        ),
    )


def compared(run: StudyRun, settings: Sequence[Setting], runs: int) -> list[Compared]:
    """Each setting run so many times, all of them spread over the processes."""
    jobs = [RunJob(setting=setting, run=number) for setting in settings for number in range(1, runs + 1)]
    results = run.map(simulated, jobs)
    found = []
    for place, setting in enumerate(settings):
        shares = np.array(results[place * runs : (place + 1) * runs])
        found.append(among_those_who_wanted(shares, predictions(world_of(setting))))
    return found


def among_those_who_wanted(shares: Floats, models: Mapping[str, Floats]) -> Compared:
    """Without subscribers to whom nothing was published in any run."""
    wanted = np.isfinite(shares).any(axis=0)
    return Compared(shares[:, wanted], {model: values[wanted] for model, values in models.items()})


def joined(parts: Sequence[Compared]) -> Compared:
    """The subscribers of several worlds as those of one."""
    models = {model: np.concatenate([one.predicted[model] for one in parts]) for model in parts[0].predicted}
    return Compared(np.concatenate([one.runs for one in parts], axis=1), models)


def error_findings(name: str, found: Compared, model: str, *, paper: bool = False) -> tuple[Finding, ...]:
    """Mean and worst error in points, and how many predictions the runs' own scatter explains."""
    size = 100 * np.abs(found.errors(model))
    hits, trials = found.inside(model)
    return (
        Finding(f"{name}, {model}: mean error, points", "below 5" if paper else None, float(size.mean())),
        Finding(f"{name}, {model}: worst subscriber, points", "below 10" if paper else None, float(size.max())),
        Finding(f"{name}, {model}: share inside the runs' 95 % interval", None, hits / trials),
    )


def error_curve(name: str, errors: Floats) -> Curve:
    """Distribution of absolute errors in points."""
    size = np.sort(100 * np.abs(errors))
    return Curve(name, tuple(size.tolist()), tuple(((np.arange(size.size) + 1) / size.size).tolist()), "steps")
