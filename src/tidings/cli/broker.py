"""`tidings broker`: a broker for MQTT clients, until a signal ends it."""

from pathlib import Path
from typing import Annotated, Final

import typer

from tidings.cli.console import note

EXAMPLE: Final = "tidings broker --data var"
PORT: Final = 1883
NAME: Final = "broker"


def broker(
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Of 127.0.0.1; 0: any that is free.")] = PORT,
    data: Annotated[
        Path | None, typer.Option(help="Folder of what is not to be lost; without it nothing is kept.")
    ] = None,
) -> None:
    """Serve MQTT 5 and 3.1.1 clients of this machine, who have all rights. SIGTERM drains it and ends it."""
    import asyncio

    from tidings.mqtt.limits import Limits
    from tidings.mqtt.rights import ALL_RIGHTS
    from tidings.runtime.broker_process import BrokerProcess, ProcessOptions, lone_broker
    from tidings.runtime.opening import Opening

    opening = Opening(
        name=NAME, data=data, rights_of=lambda _principal: ALL_RIGHTS, new_broker=lone_broker(NAME), limits=Limits()
    )
    _say("no config: clients of this machine have all rights, and nobody else can connect")
    if data is None:
        _say("no --data: what clients are acknowledged ends with this process")

    async def live() -> None:
        await BrokerProcess(ProcessOptions(opening=opening, port=port), _say).run()

    asyncio.run(live())


def _say(sentence: str) -> None:
    note(f"tidings broker: {sentence}")
