"""`tidings broker`: a broker for MQTT clients, until a signal ends it."""

import datetime as dt
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import msgspec
import typer

from tidings.cli.console import note
from tidings.errors import InputError

if TYPE_CHECKING:
    from tidings.runtime.broker_process import ProcessOptions
    from tidings.runtime.config import Settings

EXAMPLE: Final = "tidings broker --data var"
PORT: Final = 1883

Say: TypeAlias = Callable[[str], None]


def broker(
    config: Annotated[Path | None, typer.Argument(help="A config file; without one, for this machine alone.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="Without a config: of 127.0.0.1; 1883 unless told.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Without a config: folder of what is not to be lost.")] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Let others connect without TLS or without saying who they are.")
    ] = False,
) -> None:
    """Serve MQTT 5 and 3.1.1 clients until SIGTERM. Without a config: those of this machine, who have all rights."""
    import asyncio

    from tidings.runtime.broker_process import BrokerProcess
    from tidings.runtime.furnishing import configured_options

    say: Say = _say
    if config is None:
        options = _lone(port, data)
    else:
        settings = _settings(config, port, data, insecure=insecure)
        say = partial(_say_in_json, settings.config.name) if settings.config.log == "json" else _say
        options = configured_options(settings, insecure=insecure)
    if insecure:
        say("--insecure: others may be able to connect, and to read what travels")
    if options.opening.data is None:
        say("no data folder: what clients are acknowledged ends with this process")

    async def live() -> None:
        await BrokerProcess(options, say).run()

    asyncio.run(live())


def _lone(port: int | None, data: Path | None) -> "ProcessOptions":
    from tidings.runtime.furnishing import lone_options

    _say("no config: clients of this machine have all rights, and nobody else can connect")
    return lone_options(PORT if port is None else port, data)


def _settings(config: Path, port: int | None, data: Path | None, *, insecure: bool) -> "Settings":
    from tidings.runtime.config import load_config

    for name, value in (("--port", port), ("--data", data)):
        if value is not None:
            raise InputError(f"{name}: {config} says it; give one or the other")
    return load_config(config, insecure=insecure)


def _say(sentence: str) -> None:
    note(f"tidings broker: {sentence}")


def _say_in_json(name: str, sentence: str) -> None:
    now = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
    note(msgspec.json.encode({"time": now, "broker": name, "said": sentence}).decode())
