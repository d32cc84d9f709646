"""`tidings check`: what a scenario says, before anything runs."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tidings.cli.console import note, print_json, print_text
from tidings.errors import InputError, NotImplementedYet

if TYPE_CHECKING:
    from tidings.scenario.world import World

EXAMPLE: Final = "tidings check line.toml --expand --out line-expanded"
RUNNING_VERBS: Final = ("predict", "simulate")
"""The verbs that may refuse a scenario which is otherwise right."""


def check(
    scenario: Annotated[Path, typer.Argument(help="A scenario file.")],
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of the scenario's seed.")] = None,
    expand_it: Annotated[
        bool, typer.Option("--expand", help="Write the scenario as drawn: every entry by name.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="With --expand: folder to write; without it, printed.")] = None,
    allow_files: Annotated[bool, typer.Option("--allow-files", help="Let the scenario name files anywhere.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Read a scenario, draw its world, and say what is in it and which verbs do not take it yet."""
    from tidings.logs import StagedFolder
    from tidings.scenario import expand, load_scenario, write_world

    if out is not None and not expand_it:
        raise InputError("--out: says where --expand writes; give both or none")
    world = expand(load_scenario(scenario, allow_files=allow_files), seed=seed)
    if expand_it and out is None:
        print_text(_expanded(world))
        return
    if out is not None:
        with StagedFolder(out) as folder:
            write_world(world, folder.stage)
            folder.appear()
        note(f"{out} written")
    for remark in world.notes:
        note(remark)
    summary = summarise(world)
    print_json(summary) if as_json else print_text(_sentences(summary))


def summarise(world: "World") -> dict[str, Any]:
    """What `check --json` prints: the name, the seed, how many of each, and which verbs refuse it and why."""
    return {
        "name": world.name,
        "seed": world.seed,
        "runs": world.runs,
        "brokers": len(world.brokers),
        "links": len(world.links),
        "publishers": len(world.publishers),
        "subscribers": len(world.subscribers),
        "topics": len(world.topics),
        "trees": len(world.trees),
        "refused": {verb: reason for verb in RUNNING_VERBS if (reason := _refusal(world, verb)) is not None},
    }


def _refusal(world: "World", verb: str) -> str | None:
    from tidings.scenario import refuse

    try:
        refuse(world, verb)
    except NotImplementedYet as error:
        return str(error)
    return None


def _expanded(world: "World") -> str:
    from tidings.scenario import write_world

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "world"
        write_world(world, folder)
        beside = sorted(path.name for path in folder.iterdir() if path.name != "scenario.toml")
        if beside:
            raise InputError(f"--expand: its long lists need files beside it ({', '.join(beside)}); give --out FOLDER")
        return (folder / "scenario.toml").read_text("utf-8")


def _sentences(summary: dict[str, Any]) -> str:
    counts = ("brokers", "links", "publishers", "subscribers", "topics", "trees")
    lines = [f"{summary['name']}: seed {summary['seed']}, runs {summary['runs']}"]
    lines += [f"  {count:<12}{summary[count]:>8,}" for count in counts]
    lines += [f"  {verb} refuses it: {reason}" for verb, reason in summary["refused"].items()]
    return "\n".join(lines) + "\n"
