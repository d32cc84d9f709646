"""`tidings profile`: recorded traffic, failures, delays and movements become tables that scenarios name."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tidings.cli.console import note, print_json, print_text, stages
from tidings.errors import InputError

if TYPE_CHECKING:
    from tidings.profiling.recorded_events import Hours

EXAMPLE: Final = "tidings profile day1 --from 09:30 --until 16:00 --out profile"


def profile(
    traces: Annotated[list[Path], typer.Argument(help="Files or folders of records, or of runs.")],
    out: Annotated[Path, typer.Option(help="Folder to write, new or empty.")],
    mapping: Annotated[Path | None, typer.Option(help="TOML file that says which column is what.")] = None,
    layout: Annotated[str | None, typer.Option(help="A layout by name, where files are not called as usual.")] = None,
    begin: Annotated[str | None, typer.Option("--from", help="Time of day at which each day's record begins.")] = None,
    end: Annotated[str | None, typer.Option("--until", help="Time of day at which it ends.")] = None,
    reach: Annotated[float, typer.Option(help="How far an access point is heard, in metres.", min=0.0)] = 100.0,
    master: Annotated[str | None, typer.Option(help="Run on this Spark master, such as spark://HOST:7077.")] = None,
    remote: Annotated[str | None, typer.Option(help="Run on this Spark Connect server, such as sc://HOST.")] = None,
    memory: Annotated[str | None, typer.Option(help="For an embedded Spark, such as 8g.")] = None,
    work: Annotated[
        Path | None, typer.Option(help="Keep Spark's stages here: a profile that was killed goes on when run again.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Turn records into tables that a scenario names: traces, profiles, links, brokers that fail, walks."""
    from tidings.pipeline.place import Where, check_spark

    check_spark()
    from tidings.logs.staging import StagedFolder
    from tidings.pipeline.session import start
    from tidings.profiling.mapping import read_mapping
    from tidings.profiling.profiling import ProfileOptions, records_of
    from tidings.profiling.profiling import profile as profile_records

    options = ProfileOptions(
        mapping=None if mapping is None else read_mapping(mapping),
        layout=layout,
        hours=hours(begin, end),
        reach_m=reach,
        work=work,
    )
    records = records_of(traces, options)
    with StagedFolder(out) as staged, stages("profile", quiet=quiet) as show:
        spark = start(Where(master=master, remote=remote, memory=memory))
        document = profile_records(spark, records, staged, options, show)
    if as_json:
        print_json(document)
        return
    counts = [f"{count:,} {name}" for name, count in document.items() if isinstance(count, int) and count]
    print_text(f"{out}: {', '.join(counts)}\n")
    print_text("".join(f"  {name}  {rows:,} rows\n" for name, rows in list(document["files"].items())[:20]))
    for sentence in document["notes"]:
        note(sentence)


def hours(begin: str | None, end: str | None) -> "Hours | None":
    """The part of each day between two times of day, such as 09:30; None for all of it."""
    from tidings.profiling.recorded_events import DAY_NS, Hours

    if begin is None and end is None:
        return None
    return Hours(
        0 if begin is None else _time_of_day("--from", begin), DAY_NS if end is None else _time_of_day("--until", end)
    )


def _time_of_day(option: str, text: str) -> int:
    """Nanoseconds since midnight."""
    parts = text.split(":")
    if len(parts) in (2, 3) and all(part.isdecimal() and len(part) == 2 for part in parts):
        hours, minutes, seconds = (*map(int, parts), 0)[:3]
        if hours <= 24 and minutes < 60 and seconds < 60:
            return ((hours * 60 + minutes) * 60 + seconds) * 10**9
    raise InputError(f"{option} {text}: give a time of day, as in 09:30")
