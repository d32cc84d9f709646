"""`tidings explain`: why an event was late, lost or held back."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tidings.cli.console import print_json, print_text
from tidings.errors import InputError, TidingsError

if TYPE_CHECKING:
    from tidings.explaining.story import Fate, Story
    from tidings.logs import Folder
    from tidings.scenario import World

EXAMPLE: Final = "tidings explain p:7 logs --subscriber s"
SUBSCRIBERS_MAX: Final = 10
"""Subscribers that a person is told of; `--json` has all, `--subscriber` one."""
_BADNESS: Final = ("lost", "expired", "late", "not wanted", "on_time")


def explain(
    event: Annotated[str, typer.Argument(help="Its identity, or publisher:number.")],
    folder: Annotated[Path, typer.Argument(help="A folder that simulate or run wrote.")],
    subscriber: Annotated[
        str | None, typer.Option(help="Only this one; else those first for whom it went worst.")
    ] = None,
    run: Annotated[str | None, typer.Option(help="Of a folder of several runs: which, such as seed-1.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Say why an event was late, lost or held back: path, times, outages, from the logs alone."""
    from dataclasses import replace

    from tidings.explaining.story import event_of, story_of
    from tidings.explaining.words import document

    place = _run(folder, run)
    story = story_of(place, event_of(place, event))
    if subscriber is not None:
        chosen = [fate for fate in story.fates if fate.subscriber == subscriber]
        if not chosen:
            raise InputError(
                f"{subscriber}: neither wanted this event nor was shown it; interests.parquet says who wants what"
            )
        story = replace(story, fates=chosen)
    world = _world(place)
    if as_json:
        print_json(document(story, world))
    else:
        print_text("".join(_lines(story, world)))


def _run(folder: Path, name: str | None) -> "Folder":
    from tidings.logs import runs_of

    runs = runs_of(folder)
    if name is None and len(runs) == 1:
        return runs[0]
    for one in runs:
        if one.name == name:
            return one
    raise InputError(f"{folder}: holds the runs {', '.join(one.name for one in runs)}; say which with --run")


def _world(folder: "Folder") -> "World | None":
    """What the run was made of; without it the brokers' trees are not known, and less can be said."""
    from tidings.scenario import expand, load_scenario

    try:
        return expand(load_scenario(folder.path / "scenario.toml"))
    except TidingsError:
        return None


def _lines(story: "Story", world: "World | None") -> Iterable[str]:
    from tidings.explaining.words import about, explained

    yield from (f"{line}\n" for line in about(story))
    fates: list[Fate] = sorted(story.fates, key=lambda fate: (_BADNESS.index(fate.outcome), fate.subscriber))
    counts = [f"{sum(fate.outcome == one for fate in fates):,} {one.replace('_', ' ')}" for one in _BADNESS]
    yield f"{len(fates):,} subscribers: {', '.join(one for one in counts if not one.startswith('0 '))}\n"
    for fate in fates[:SUBSCRIBERS_MAX]:
        at = f" at {fate.broker}" if fate.broker else ""
        yield f"\n{fate.subscriber}{at}: {fate.outcome.replace('_', ' ')}\n"
        yield from (f"  {line}\n" for line in explained(story, world, fate))
    if len(fates) > SUBSCRIBERS_MAX:
        yield f"\n… and {len(fates) - SUBSCRIBERS_MAX:,} more; --json has all, --subscriber one\n"
