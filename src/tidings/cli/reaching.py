"""How `pub`, `sub` and `bench` reach a broker: the options that they share, and what comes from the environment.

Passwords and tokens come from the environment or from a URL in the environment: what stands on a command line, everybody on the
machine can read.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

URL: Final = "mqtt://localhost"
"""Where a broker of this machine is found."""
PATIENCE: Final = "5s"
"""Whoever calls a verb wants to hear soon that there is no broker."""
_SECRETS: Final = {"user": "TIDINGS_USER", "password": "TIDINGS_PASSWORD", "token": "TIDINGS_TOKEN"}

UrlOption = Annotated[
    list[str] | None,
    typer.Option(
        "--url",
        "-u",
        envvar="TIDINGS_URL",
        help="mqtt://host:port or mqtts://host:port, mqtt://localhost by default; several: the first that answers. User and password, or a token, come from "
        "TIDINGS_USER, TIDINGS_PASSWORD, TIDINGS_TOKEN.",
    ),
]
QosOption = Annotated[int, typer.Option("--qos", "-q", min=0, max=2, help="0 at most once, 1 at least once, 2 once.")]
ClientIdOption = Annotated[
    str | None, typer.Option("--client-id", help="A name of its own: the session outlives the verb, for `--session`.")
]
SessionOption = Annotated[
    str, typer.Option("--session", help="With --client-id: how long the broker keeps the session.")
]
CaOption = Annotated[Path | None, typer.Option("--ca", help="PEM file: authorities to believe, not the system's.")]
CertificateOption = Annotated[Path | None, typer.Option("--certificate", help="PEM file: our certificate.")]
KeyOption = Annotated[Path | None, typer.Option("--key", help="PEM file: its key, if it is not in the same file.")]


def reach(environment: Mapping[str, str] = os.environ, **settings: Any) -> dict[str, Any]:
    """Settings for `tidings.connect`: what was given, and who we are by the environment."""
    said = {name: value for name, value in settings.items() if value is not None}
    return {"patience": PATIENCE, **said} | {
        name: environment[variable] for name, variable in _SECRETS.items() if environment.get(variable)
    }
