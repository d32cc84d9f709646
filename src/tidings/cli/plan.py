"""`tidings plan`: how far a network goes, what hurts it most, what one more link is worth."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tidings.cli.console import print_json, print_text

if TYPE_CHECKING:
    from tidings.analysis.limits import Limit
    from tidings.analysis.planning import Plan

EXAMPLE: Final = "tidings plan load.toml --requires 0.5"
_SHOWN: Final = 3


def plan(
    scenario: Annotated[Path, typer.Argument(help="A scenario file.")],
    requires: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="What those subscribers require that say nothing.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of the scenario's seed.")] = None,
    allow_files: Annotated[bool, typer.Option("--allow-files", help="Let the scenario name files anywhere.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Say how much more load it takes, how slow brokers may be, what hurts most when it fails, and where a link helps."""
    from tidings.analysis.admission import requiring
    from tidings.analysis.planning import plan as plan_world
    from tidings.scenario import expand, load_scenario

    world = expand(load_scenario(scenario, allow_files=allow_files), seed=seed)
    found = plan_world(world if requires is None else requiring(world, requires))
    if as_json:
        print_json(found.to_json())
    else:
        print_plan(world.name, found)


def print_plan(title: str, found: "Plan") -> None:
    """For people: one paragraph for each question."""
    print_text(f"{title}: reliability {found.mean:.4f} in the mean; {found.state}\n")
    print_text(f"largest load: {_limit(found.load, 'times as many events')}\n")
    print_text(f"slowest brokers: {_limit(found.service, 'times the time for each event')}\n")
    for fragile in found.fragile[:_SHOWN]:
        print_text(f"fragile: {fragile.component}, works {fragile.availability:.4f} of the time; {fragile.reason}\n")
    for link in found.links[:_SHOWN]:
        print_text(f"one more link: {link.gain:+.4f}; {link.reason}\n")
    if not found.links:
        print_text("one more link: every broker is linked to every other, or there is no link to copy\n")


def _limit(one: "Limit", what: str) -> str:
    return one.reason if one.factor is None else f"{one.factor:.3f} {what}; {one.reason}"
