"""`tidings`: gathers the verbs and turns what goes wrong into one line and an exit code."""

import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Annotated, Final

import typer

from tidings.cli import (
    admit,
    audit,
    bench,
    broker,
    check,
    check_config,
    demo,
    explain,
    market,
    new,
    place,
    plan,
    predict,
    profile,
    pub,
    simulate,
    study,
    sub,
    sweep,
    user,
)
from tidings.cli.console import DONE, UNUSABLE, complain, print_text
from tidings.errors import TidingsError
from tidings.version import __version__

VERBS: Final[Mapping[str, tuple[Callable[..., None], str]]] = {
    "new": (new.new, new.EXAMPLE),
    "check": (check.check, check.EXAMPLE),
    "market": (market.market, market.EXAMPLE),
    "profile": (profile.profile, profile.EXAMPLE),
    "predict": (predict.predict, predict.EXAMPLE),
    "admit": (admit.admit, admit.EXAMPLE),
    "place": (place.place, place.EXAMPLE),
    "plan": (plan.plan, plan.EXAMPLE),
    "simulate": (simulate.simulate, simulate.EXAMPLE),
    "audit": (audit.audit, audit.EXAMPLE),
    "explain": (explain.explain, explain.EXAMPLE),
    "sweep": (sweep.sweep, sweep.EXAMPLE),
    "study": (study.study, study.EXAMPLE),
    "demo": (demo.demo, demo.EXAMPLE),
    "broker": (broker.broker, broker.EXAMPLE),
    "check-config": (check_config.check_config, check_config.EXAMPLE),
    "user": (user.user, user.EXAMPLE),
    "pub": (pub.pub, pub.EXAMPLE),
    "sub": (sub.sub, sub.EXAMPLE),
    "bench": (bench.bench, bench.EXAMPLE),
}
"""Every verb: its function, and an example that its help shows."""

app = typer.Typer(
    name="tidings",
    help="Publish/subscribe in order and on time: one scenario file, predicted, simulated, audited.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _verb, (_function, _example) in VERBS.items():
    app.command(_verb, epilog=f"Example: {_example}")(_function)


def _show_version(wanted: bool) -> None:
    if wanted:
        print_text(f"tidings {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Publish/subscribe in order and on time: one scenario file, predicted, simulated, audited."""


def run(arguments: Sequence[str]) -> int:
    """Run one verb; gives the exit code."""
    return run_guarded(lambda: app(list(arguments), prog_name="tidings"))


def run_guarded(verb: Callable[[], object]) -> int:
    """The exit code of `verb`. Errors of the input and the world become one line; our own bugs stay tracebacks."""
    try:
        verb()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else UNUSABLE
    except (TidingsError, OSError) as error:
        complain(error)
        return UNUSABLE
    return DONE


def _end(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)


def main() -> None:
    """The console script. Being terminated, or losing the terminal, cleans up as being interrupted does."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup
            signal.signal(number, _end)
    sys.exit(run(sys.argv[1:]))
