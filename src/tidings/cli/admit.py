"""`tidings admit`: which subscribers to admit, and whom to refuse, with reasons."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tidings.cli.console import PROMISE_BROKEN, ROWS_MAX, print_json, print_text
from tidings.errors import InputError

if TYPE_CHECKING:
    from tidings.analysis.admission import Admission
    from tidings.analysis.door import Decision
    from tidings.scenario import World

EXAMPLE: Final = "tidings admit load.toml --way online"


def admit(
    scenario: Annotated[Path, typer.Argument(help="A scenario file.")],
    way: Annotated[
        str,
        typer.Option(help="best, or by one priority: random, hi-req-first, low-req-first, overlap-first, online."),
    ] = "best",
    ask: Annotated[str | None, typer.Option(help="Only this subscriber: may it join, with all others in?")] = None,
    requires: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="What those subscribers require that say nothing.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of the scenario's seed.")] = None,
    allow_files: Annotated[bool, typer.Option("--allow-files", help="Let the scenario name files anywhere.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Admit as many subscribers as can all get what they require. Exit code 1 when somebody is refused."""
    from tidings.analysis.admission import admit as admit_world
    from tidings.analysis.admission import requiring
    from tidings.scenario import expand, load_scenario

    world = expand(load_scenario(scenario, allow_files=allow_files), seed=seed)
    world = world if requires is None else requiring(world, requires)
    if ask is not None:
        decision = _asked(world, ask)
        if as_json:
            print_json({"subscriber": ask, **decision.to_json()})
        else:
            print_text(_line(ask, decision))
        refused = not decision.admitted
    else:
        found = admit_world(world, way)
        if as_json:
            print_json(found.to_json())
        else:
            print_admission(world, found)
        refused = bool(found.refused)
    if refused:
        raise typer.Exit(PROMISE_BROKEN)


def _asked(world: "World", name: str) -> "Decision":
    from tidings.analysis.door import Door

    newcomer = next((one for one in world.subscribers if one.id == name), None)
    if newcomer is None:
        raise InputError(f"--ask: {world.file} has no subscriber {name!r}; `tidings check --expand` lists them")
    return Door(replace(world, subscribers=tuple(one for one in world.subscribers if one is not newcomer))).ask(
        newcomer
    )


def print_admission(world: "World", found: "Admission") -> None:
    """For people: how many are in, how that compares, and each refusal with its reason."""
    total = len(found.decisions)
    print_text(f"{world.name}: {len(found.admitted):,} of {total:,} subscribers admitted{_proof(found)}\n")
    if total and all(one.requires is None for one in found.decisions.values()):
        print_text("no subscriber requires anything, so nobody is refused; --requires 0.9 would ask so much for each\n")
    tried = ", ".join(f"{name} {count:,}" for name, count in found.heuristics.items())
    print_text(f"in by priority: {tried}; satisfied if all were in: {found.uncontrolled:,}\n")
    for name in found.overloaded:
        print_text(f"OVERLOADED: {name}\n")
    for name in found.refused[:ROWS_MAX]:
        print_text(_line(name, found.decisions[name]))
    if len(found.refused) > ROWS_MAX:
        print_text(f"… and {len(found.refused) - ROWS_MAX:,} more refused; --json has all\n")


def _proof(found: "Admission") -> str:
    return ", and no more can be" if found.proven else ""


def _line(name: str, decision: "Decision") -> str:
    return f"{'admitted' if decision.admitted else 'REFUSED'}: {name} {_verb(name, decision)}{decision.reason}\n"


def _verb(name: str, decision: "Decision") -> str:
    """A refusal because of others speaks of them first."""
    return "" if decision.admitted or name in decision.falling else "must wait: "
