"""Where words go. Standard output carries results only; progress, notes and errors go to standard error.

Exit codes: 0 done; 1 done, and what was promised does not hold; 2 bad input or environment, nothing written.
"""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

import msgspec
import typer

DONE: Final = 0
PROMISE_BROKEN: Final = 1
UNUSABLE: Final = 2

ROWS_MAX: Final = 20
"""Rows of a table that a person is shown; `--json` has all of them."""
_PLAIN_WIDTH: Final = 160

Progress: TypeAlias = Callable[..., None]
"""Called with what is done and what there is to do, as often as the caller likes; and with a text, where that changes."""

StageProgress: TypeAlias = Callable[[str, int, int], None]
"""Called with the stage that begins, how many are done, and how many there are."""


def print_text(text: str) -> None:
    """Write a result as it is. A reader that went away ends the verb, without words and with exit code 2."""
    try:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(UNUSABLE) from None


def print_json(document: object) -> None:
    """Write `document` as the one JSON document of this verb."""
    print_text(msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n")


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *, rows_max: int = ROWS_MAX
) -> None:
    """Write a title and a table, the first column to the left, numbers to the right; says how many rows it leaves out."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for position, column in enumerate(columns):
        table.add_column(Text(column), justify="right" if position else "left", overflow="fold")
    for row in rows[:rows_max]:
        table.add_row(*(Text(_cell(value)) for value in row))
    screen = Console(width=None if sys.stdout.isatty() else _PLAIN_WIDTH)
    with screen.capture() as written:
        screen.print(table)
    print_text("\n".join([title, *(line.rstrip() for line in written.get().splitlines())]) + "\n")
    if len(rows) > rows_max:
        print_text(f"… and {len(rows) - rows_max} more; --json has all\n")


def note(text: str) -> None:
    """Say something that is not a result."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def complain(error: BaseException) -> None:
    """Say in one line what went wrong and what would be right."""
    note(f"tidings: {error}")


@contextlib.contextmanager
def progress(what: str, *, quiet: bool) -> Iterator[Progress | None]:
    """A bar on standard error while the block runs; None where nobody watches."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    parts = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Bar(*parts, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total, now=what: bar.update(task, completed=done, total=total, description=now)


@contextlib.contextmanager
def stages(what: str, *, quiet: bool) -> Iterator[StageProgress | None]:
    """The same for work in named stages: the bar says which one runs."""
    with progress(what, quiet=quiet) as show:
        yield None if show is None else lambda stage, done, total: show(done, total, f"{what}: {stage}")


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
