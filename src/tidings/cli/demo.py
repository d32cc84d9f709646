"""`tidings demo`: day 1 of a market profiled, day 2 predicted, replayed with and without an order, judged, reported."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tidings.cli.console import note, print_json, print_text, progress, stages
from tidings.errors import InputError

if TYPE_CHECKING:
    from tidings.reporting.judged import Judged

EXAMPLE: Final = "tidings demo --out demo"
GUARANTEES: Final = ("fifo", "total", "causal")
_STEPS: Final = 5


def demo(
    out: Annotated[Path, typer.Option(help="Folder for everything, new or empty.")] = Path("demo"),
    trace: Annotated[
        list[Path] | None,
        typer.Option(help="Records of two days, files or folders; else a market is made. Repeatable."),
    ] = None,
    order: Annotated[str, typer.Option(help=f"What the second replay promises: {', '.join(GUARANTEES)}.")] = "fifo",
    subscribers: Annotated[int, typer.Option(min=1, max=10_000, help="How many want something.")] = 60,
    trades: Annotated[int, typer.Option(help="Trades on a day of the made market, roughly.")] = 15_000,
    begin: Annotated[str, typer.Option("--from", help="Time of day at which a day begins.")] = "09:30",
    end: Annotated[str, typer.Option("--until", help="Time of day at which it ends.")] = "16:00",
    seed: Annotated[int, typer.Option(min=0, help="Decides every draw.")] = 1,
    master: Annotated[str | None, typer.Option(help="Use this Spark master, such as spark://HOST:7077.")] = None,
    remote: Annotated[str | None, typer.Option(help="Use this Spark Connect server, such as sc://HOST.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Profile day 1 of a market on Spark, predict day 2, replay day 2 through failures with and without an order, judge."""
    from tidings.cli.profile import hours
    from tidings.logs.staging import StagedFolder
    from tidings.pipeline.place import Where, check_java, check_spark

    if order not in GUARANTEES:
        raise InputError(f"--order {order}: one of {', '.join(GUARANTEES)}")
    span = hours(begin, end)
    assert span is not None, "both ends have defaults"
    where = Where(master=master, remote=remote)
    check_spark()
    if not where.chosen:
        check_java()
    with StagedFolder(out) as staged:
        run = _Demo(staged.stage, where, seed=seed, order=order, quiet=quiet)
        first, second = run.days(trace, trades)
        run.profiles(first, second, span)
        run.scenarios(subscribers, span.length_ns // 10**9)
        run.predicts()
        run.replays()
        judged = run.judges()
        staged.appear()
    report = out / "report.html"
    from tidings.reporting.telling import telling

    told = telling(judged)
    if as_json:
        numbers = [{"what": one.what, "value": one.value, "meaning": one.meaning} for one in told]
        print_json({"folder": str(out), "report": str(report), "telling": numbers})
        return
    print_text("".join(f"  {one}\n" for one in told) + f"report: {report.resolve()}\n")


@dataclass(frozen=True, slots=True)
class Replay:
    """A scenario to simulate into a folder."""

    scenario: Path
    out: Path


def replay(job: Replay) -> tuple[int, int]:
    """Events and deliveries; in a process of its own."""
    from tidings.scenario import expand, load_scenario
    from tidings.simulation import simulate

    result = simulate(expand(load_scenario(job.scenario)), out=job.out, tables=TABLES)
    return result.events, result.deliveries


TABLES: Final = ("publications", "deliveries", "interests", "deadlines", "drops", "outages", "transmissions")
"""What is written of a replay."""


class _Demo:
    """One demonstration, step by step, all in one folder."""

    def __init__(self, place: Path, where: Any, *, seed: int, order: str, quiet: bool) -> None:
        self._place, self._where, self._seed, self._order, self._quiet = place, where, seed, order, quiet
        self._step = 0

    def days(self, trace: Sequence[Path] | None, trades: int) -> tuple[list[Path], list[Path]]:
        """Files of the two days."""
        from tidings.demo.days import two_days
        from tidings.profiling.files import files_of

        if trace:
            with self._telling(f"reading {', '.join(map(str, trace))}"):
                return two_days(files_of(list(trace)))
        from tidings.market.writing import MarketOptions, write_market

        with self._telling("making two days of a market"), progress("market", quiet=self._quiet) as show:
            options = MarketOptions(symbols=120, days=2, trades=trades, seed=self._seed)
            write_market(self._place / "market", options, show)
        return two_days(sorted((self._place / "market").glob("*.parquet")))

    def profiles(self, first: Sequence[Path], second: Sequence[Path], span: Any) -> None:
        """Both days: the first to predict from, the second to replay."""
        from tidings.logs.staging import StagedFolder
        from tidings.pipeline.session import start
        from tidings.profiling.profiling import ProfileOptions, profile, records_of

        options = ProfileOptions(hours=span)
        with self._telling(f"profiling both days on Spark ({self._where})"):
            for name, files in (("day1", first), ("day2", second)):
                with stages(f"profile of {name}", quiet=self._quiet) as show:
                    if show is not None:
                        show("starting Spark", 0, 1)
                    spark = start(self._where)
                    with StagedFolder(self._place / name) as staged:
                        profile(spark, records_of(files, options), staged, options, show)

    def scenarios(self, subscribers: int, seconds: int) -> None:
        """The same world three times: as expected from day 1, and as day 2 was, without and with an order."""
        import pyarrow.parquet as pq

        from tidings.demo.wishes import wishes
        from tidings.demo.worlds import scenario_text
        from tidings.profiling.scenario_lists import file_name

        known, then = (pq.read_table(self._place / day / "publishers.parquet").to_pylist() for day in ("day1", "day2"))
        both = [one for one in known if one["publisher"] in {other["publisher"] for other in then}]
        if not both:
            raise InputError("the demo: nobody publishes on both days; choose other files")
        wanted = wishes(both, subscribers, self._seed)
        expected = [{"id": one["publisher"], "profile": "day1/publishers.parquet"} for one in both]
        traces = [{"id": one["publisher"], "trace": f"day2/{file_name('trace', one['publisher'])}"} for one in both]
        for name, publishers, guarantee in (
            ("expected", expected, "none"),
            ("order-off", traces, "none"),
            ("order-on", traces, self._order),
        ):
            setting = {"seed": self._seed, "seconds": seconds, "guarantee": guarantee}
            text = scenario_text(f"day 2, {name}", publishers, wanted, setting)
            (self._place / f"{name}.toml").write_text(text, "utf-8")

    def predicts(self) -> None:
        """What each subscriber will get on day 2, from what was seen on day 1."""
        import pyarrow.parquet as pq

        from tidings.analysis import predict
        from tidings.scenario import expand, load_scenario

        with self._telling("predicting day 2 from day 1"), progress("predicting", quiet=self._quiet):
            found = predict(expand(load_scenario(self._place / "expected.toml")))
            pq.write_table(found.table(), self._place / "forecast.parquet")

    def replays(self) -> None:
        """Day 2 through the overlay with its failures, twice at the same time."""
        from tidings.processes import Workers

        jobs = [Replay(self._place / f"{name}.toml", self._place / name) for name in ("order-off", "order-on")]
        with (
            self._telling(f"replaying day 2 through failures, without an order and with {self._order}"),
            progress("replaying", quiet=self._quiet) as show,
            Workers(2) as workers,
        ):
            for done, (events, deliveries) in enumerate(workers.map(replay, jobs), 1):
                if show is not None:
                    show(done, 2)
                self._say(f"{jobs[done - 1].out.name}: {events:,} events, {deliveries:,} deliveries")

    def judges(self) -> "list[Judged]":
        """Both replays on Spark, from the logs alone, beside the prediction; and the page."""
        from dataclasses import replace

        from tidings.cli.judging import judged
        from tidings.logs import runs_of
        from tidings.pipeline.auditing import audit_runs
        from tidings.pipeline.session import start
        from tidings.reporting.files import write_report
        from tidings.reporting.forecasts import Forecast, read_forecast

        forecast = read_forecast(self._place / "forecast.parquet")
        forecast = replace(forecast, source="what was recorded on day 1")
        found = []
        with self._telling(f"judging both replays on Spark ({self._where}), and writing the report"):
            for name in ("order-off", "order-on"):
                folder = self._place / name
                with stages(f"audit of {name}", quiet=self._quiet) as show:
                    report = audit_runs(start(self._where), runs_of(folder), progress=show)
                predicted = forecast if name == "order-off" else Forecast(source="", refused=_UNORDERED)
                found.append(
                    replace(judged(folder, report, f"spark ({self._where})", predicted, drawn=True), name=name)
                )
            write_report(self._place / "report.html", "Day 2, predicted and replayed", found)
            write_report(self._place / "report.parquet", "", found)
        return found

    @contextmanager
    def _telling(self, what: str) -> Iterator[None]:
        self._step += 1
        begin = time.monotonic()
        self._say(f"{self._step} of {_STEPS}: {what}")
        yield
        self._say(f"  done in {time.monotonic() - begin:.1f} s")

    def _say(self, words: str) -> None:
        if not self._quiet:
            note(f"demo: {words}")


_UNORDERED: Final = "day 1's prediction is for delivery without an order"
