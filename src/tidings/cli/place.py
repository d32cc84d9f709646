"""`tidings place`: which broker serves each subscriber best."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tidings.cli.console import ROWS_MAX, print_json, print_text

if TYPE_CHECKING:
    from tidings.analysis.placing import Home

EXAMPLE: Final = "tidings place load.toml --only s7"


def place(
    scenario: Annotated[Path, typer.Argument(help="A scenario file.")],
    only: Annotated[str | None, typer.Option(help="Only this subscriber.")] = None,
    among: Annotated[str | None, typer.Option(help="Brokers to choose from, as a,b; all unless said.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of the scenario's seed.")] = None,
    allow_files: Annotated[bool, typer.Option("--allow-files", help="Let the scenario name files anywhere.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Find the broker that serves each subscriber best, all others staying where they are."""
    from tidings.analysis.placing import place as place_world
    from tidings.scenario import expand, load_scenario

    world = expand(load_scenario(scenario, allow_files=allow_files), seed=seed)
    names = () if among is None else tuple(name.strip() for name in among.split(","))
    found = place_world(world, only=only, among=names)
    if as_json:
        print_json({"subscribers": {name: one.to_json() for name, one in found.items()}})
    else:
        print_homes(world.name, found)


def print_homes(title: str, found: "dict[str, Home]") -> None:
    """For people: how many would be better off elsewhere, those who gain most first, each with the reason."""
    moving = {name: one for name, one in found.items() if one.best != one.home}
    gain = sum(one.gain for one in moving.values()) / len(moving) if moving else 0.0
    print_text(
        f"{title}: {len(moving):,} of {len(found):,} subscribers would get {gain:.4f} more elsewhere, in the mean\n"
    )
    for name, one in sorted((moving or found).items(), key=lambda item: -item[1].gain)[:ROWS_MAX]:
        print_text(f"{name}: {one.reason}\n")
    if len(moving) > ROWS_MAX:
        print_text(f"… and {len(moving) - ROWS_MAX:,} more; --json has all\n")
