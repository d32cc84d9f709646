"""Fig. 3.8 and 3.9: a day of trading predicted from the day before, and from itself, and run.

The thesis's trace is not to be had: a made market has as many stocks and trades, and recorded trades are used as well where
they are there. Subscribers are drawn as in its Table 3.4. What it leaves open: stocks are wanted by how much they are traded,
bounds of prices lie within a tenth of the first day's mean, bounds of volumes among the first day's. A service takes 10 ms,
or 100 ms: 1 ms for each of 2,000 subscriptions would leave next to no event on time.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tidings.analysis.predicting import Ground, PredictOptions, Predictor
from tidings.market.trading_day import DAY_NS, Trades
from tidings.scenario import World
from tidings.scenario.world import NamedFile
from tidings.studies.content_runs import (
    Compared,
    Floats,
    among_those_who_wanted,
    error_curve,
    error_findings,
    measured,
)
from tidings.studies.content_setting import world_from
from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.study_run import StudyRun
from tidings.studies.two_days import Day, made_days, recorded_days
from tidings.vocabulary.records import ATTRIBUTES_TYPE
from tidings.vocabulary.streams import Streams

KINDS: Final = (0.2, 0.35, 0.35, 0.05, 0.05)
"""Table 3.4: all of a stock; up to a price; from a price; from a volume; from a volume, any stock."""
SERVICES_MS: Final[tuple[int, ...]] = (10, 100)
_TOP: Final = """
tidings = 1
name = "trading"
seed = {seed}
duration = "{seconds}s"
[overlay]
generate = "tree"
brokers = 20
link = {{ delay = {{ dist = "uniform", low = "20ms", high = "120ms" }}, loss = 0.001 }}
service = {{ dist = "exponential", mean = "{service_ms}ms" }}
[reliability]
expired = "carry"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketJob:
    """A day that is predicted from the day before and from itself, and run so many times."""

    seed: int
    subscribers: int
    stocks: int | None
    """Of a made market; None: those that were recorded."""
    runs: int
    service_ms: int = 100
    seconds: int = 23_400
    """From the opening; that many are a whole day."""


def predicted_and_run(job: MarketJob) -> Compared:
    """By kind of knowledge and model."""
    days = _days(job)
    with tempfile.TemporaryDirectory() as made:
        first, second = (market_world(Path(made), number, days, job) for number in (1, 2))
        models = by_knowledge("perfect", second) | by_knowledge("historical", first)
        shares = np.array([measured(replace(second, seed=run)) for run in range(1, job.runs + 1)])
    return among_those_who_wanted(shares, models)


def by_knowledge(known: str, world: World) -> dict[str, Floats]:
    """By both models; the traces, which are large, are read once."""
    ground = Ground(world, PredictOptions())
    found = {}
    for model, mode in (("G/G/1", "mean"), ("distribution", "distribution")):
        audience = Predictor(world, PredictOptions(mode=mode), ground=ground).audience
        found[f"{known}, {model}"] = np.array([audience.reliability(one) for one in world.subscribers])
    return found


def _days(job: MarketJob) -> tuple[Day, Day]:
    days = recorded_days() if job.stocks is None else made_days(job.seed, job.stocks)
    assert days is not None, "asked for only where they are there"
    return days


def market_world(folder: Path, number: int, days: tuple[Day, Day], job: MarketJob) -> World:
    """Publishers replay the day of this number; who wants what, and where everybody is, is the same on both."""
    names = list(days[0])
    publishers = "".join(
        f'[[publisher]]\nid = "{name}"\ntrace = "{name}-1.parquet"\nlifetime = "1s"\n' for name in names
    )
    for name in names:
        for day in dict.fromkeys((1, number)):
            write_trace(days[day - 1][name], name, folder / f"{name}-{day}.parquet")
    world = world_from(
        _TOP.format(seed=job.seed, service_ms=job.service_ms, seconds=job.seconds)
        + publishers
        + _subscribers(days[0], job),
        folder,
    )
    traced = (
        replace(one, trace=NamedFile(name=f"{one.id}-{number}", path=folder / f"{one.id}-{number}.parquet"))
        for one in world.publishers
    )
    return replace(world, publishers=tuple(traced))


def write_trace(trades: Trades, name: str, path: Path) -> None:
    """As a publisher replays it."""
    attributes = [
        [("price", repr(price)), ("volume", str(size))]
        for price, size in zip(trades.price.tolist(), trades.size.tolist(), strict=True)
    ]
    columns = {
        "published_ns": pa.array(trades.at_ns, pa.int64()),
        "topic": pa.array([name] * len(attributes), pa.string()),
        "attributes": pa.array(attributes, ATTRIBUTES_TYPE),
        "payload_bytes": pa.array([64] * len(attributes), pa.int64()),
    }
    pq.write_table(pa.table(columns), path)


def _subscribers(day: Day, job: MarketJob) -> str:
    draw = Streams(job.seed)("content subscriptions")
    names = list(day)
    traded = np.array([len(day[name].at_ns) for name in names], np.float64)
    sizes = np.concatenate([day[name].size for name in names])
    entries = []
    for number in range(job.subscribers):
        name = names[int(draw.choice(len(names), p=traded / traded.sum()))]
        price = round(float(day[name].price.mean() * draw.uniform(0.9, 1.1)), 2)
        own, any_size = int(draw.choice(day[name].size)), int(draw.choice(sizes))
        text = (
            f'topic == "{name}"',
            f'topic == "{name}" and price <= {price}',
            f'topic == "{name}" and price >= {price}',
            f'topic == "{name}" and volume >= {own}',
            f"volume >= {any_size}",
        )[int(draw.choice(len(KINDS), p=KINDS))]
        entries.append(f"[[subscriber]]\nid = \"s{number}\"\nfilter = '{text}'\n")
    return "".join(entries)


def market(run: StudyRun) -> list[Figure]:
    """Fig. 3.8, and Fig. 3.9 for a made market; both for recorded trades where they are there."""
    made = MarketJob(seed=run.seed, stocks=100, subscribers=run.sized(quick=300, full=2_000), runs=_runs(run))
    days, services = {"made": made}, {"made": SERVICES_MS}
    if recorded_days() is not None:
        seconds = run.sized(quick=5_400, full=23_400)
        days["recorded"] = replace(made, stocks=None, subscribers=60, runs=run.sized(quick=2, full=3), seconds=seconds)
        services["recorded"] = run.sized(quick=SERVICES_MS[:1], full=SERVICES_MS)
    jobs = {
        f"{name}-{service_ms}ms": replace(job, service_ms=service_ms)
        for name, job in days.items()
        for service_ms in services[name]
    }
    found = run.map(predicted_and_run, list(jobs.values()))
    figures = [locality(name, *_days(job)) for name, job in days.items()]
    return figures + [_accuracy(name, one) for name, one in zip(jobs, found, strict=True)]


def _runs(run: StudyRun) -> int:
    return run.sized(quick=2, full=5)


def locality(name: str, first: Day, second: Day) -> Figure:
    """How much a stock's rate, price and volume change from one day to the next."""
    rates = [np.array([len(day[stock].at_ns) / DAY_NS * 1e9 for stock in first]) for day in (first, second)]
    changes = {
        what: _changes(
            [_values(first[stock], what) for stock in first], [_values(second[stock], what) for stock in first]
        )
        for what in ("price", "volume")
    }
    several = len(first) > 2
    correlation = float(np.corrcoef(np.log(rates[0]), np.log(rates[1]))[0, 1]) if several else None
    findings = (
        Finding("stocks", None, len(first)),
        Finding("correlation of the logarithms of rates", None, correlation),
        Finding(
            "share of stocks whose mean volume changes by 100 % at most", 0.8, float((changes["volume"] <= 1).mean())
        ),
        Finding("median change of the mean price, %", None, float(100 * np.median(changes["price"]))),
        Finding("volume changes more than price", "yes", "yes" if _more(changes["volume"], changes["price"]) else "no"),
    )
    plots = (
        Plot(
            title="(a) rates",
            x="first day, events/s",
            y="second day, events/s",
            curves=(Curve("stocks", tuple(rates[0].tolist()), tuple(rates[1].tolist()), "points"),),
            x_log=True,
            y_log=True,
        ),
        Plot(
            title="(b) changes of means",
            x="change, points",
            y="share of stocks",
            curves=tuple(error_curve(what, one) for what, one in changes.items()),
        ),
    )
    return Figure(name=f"fig3.8-{name}", title=f"two days of trading, {name}", findings=findings, plots=plots)


def _values(trades: Trades, what: str) -> Floats:
    return trades.price if what == "price" else trades.size.astype(np.float64)


def _changes(first: Sequence[Floats], second: Sequence[Floats]) -> Floats:
    means = np.array([[float(values.mean()) for values in day] for day in (first, second)])
    found: Floats = np.abs(means[1] - means[0]) / means[0]
    return found


def _more(one: Floats, other: Floats) -> bool:
    return bool(np.median(one) > np.median(other))


def _accuracy(name: str, found: Compared) -> Figure:
    models = list(found.predicted)
    findings = [finding for model in models for finding in error_findings("second day", found, model)]
    for model in ("G/G/1", "distribution"):
        apart = found.predicted[f"historical, {model}"] - found.predicted[f"perfect, {model}"]
        sizes = [float(np.abs(found.errors(f"{known}, {model}")).mean()) for known in ("historical", "perfect")]
        findings.append(
            Finding(f"{model}: historical from perfect, mean, points", None, float(100 * np.abs(apart).mean()))
        )
        findings.append(
            Finding(f"{model}: mean error that history adds, points", "slight", 100 * (sizes[0] - sizes[1]))
        )
    findings.append(Finding("mean reliability, simulated", None, float(found.simulated.mean())))
    points = [
        Plot(
            title=model,
            x="predicted",
            y="simulated",
            curves=(
                Curve("subscribers", tuple(found.predicted[model].tolist()), tuple(found.simulated.tolist()), "points"),
            ),
        )
        for model in models
    ]
    cdf = Plot(
        title="(c) errors",
        x="absolute error, points",
        y="share of subscribers",
        curves=tuple(error_curve(model, found.errors(model)) for model in models),
    )
    title = f"the second day predicted, {name}"
    return Figure(name=f"fig3.9-{name}", title=title, findings=tuple(findings), plots=(*points, cdf))
