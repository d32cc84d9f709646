"""`tidings new`: a scenario to start from."""

import contextlib
from pathlib import Path
from typing import Annotated, Final

import typer

from tidings.cli.console import note, print_json, print_text
from tidings.errors import InputError, WorldError

EXAMPLE: Final = "tidings new line --out line.toml"


def new(
    name: Annotated[str | None, typer.Argument(help="The template; without it they are listed.")] = None,
    out: Annotated[Path | None, typer.Option(help="File to write; without it the scenario is printed.")] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List the templates.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Write a scenario from a template."""
    from tidings.scenario import template_names, template_text

    if list_all or name is None:
        names = template_names()
        print_json({"templates": names}) if as_json else print_text("".join(f"{one}\n" for one in names))
        return
    text = template_text(name)
    if out is not None:
        _write(out, text)
        note(f"{out} written; next: tidings check {out}")
    if as_json:
        print_json({"template": name, "file": None if out is None else str(out), "scenario": text})
    elif out is None:
        print_text(text)


def _write(out: Path, text: str) -> None:
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InputError(f"{out}: exists already; choose another name or remove it") from None
    except OSError as error:
        with contextlib.suppress(OSError):
            out.unlink(missing_ok=True)  # nothing half-written is left behind
        raise WorldError(f"{out}: cannot be written: {error.strerror}") from error
