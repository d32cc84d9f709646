"""From what an operator says to what a process is told: without a config, or with one."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from tidings.matching import BitsetMatcher
from tidings.mqtt.front import Ahead, BrokerMachine
from tidings.mqtt.limits import Limits
from tidings.mqtt.rights import ALL_RIGHTS, NO_RIGHTS, Rights
from tidings.node import Broker, BrokerOptions
from tidings.routing import TableOptions
from tidings.runtime.broker_process import Entrance, ProcessOptions, Renewal
from tidings.runtime.config import Settings, load_config
from tidings.runtime.encryption import renew_certificate, server_context
from tidings.runtime.opening import Opening

LONE_NAME: Final = "broker"
EVERYBODY: Final = ""
"""The principal that all clients are where nobody is asked."""
_TREE: Final = "all"


def lone_options(port: int, data: Path | None) -> ProcessOptions:
    """Without a config: clients of this machine have all rights."""
    opening = Opening(
        name=LONE_NAME,
        data=data,
        rights_of=lambda _principal: ALL_RIGHTS,
        new_broker=lone_broker(LONE_NAME),
        limits=Limits(),
    )
    return ProcessOptions(opening=opening, entrances=(Entrance("127.0.0.1", port, trusted=EVERYBODY),))


def configured_options(settings: Settings, *, insecure: bool = False) -> ProcessOptions:
    """With a config; InputError when a certificate is not there or not right."""
    config, rights = settings.config, dict(settings.rights)
    context = None
    if config.tls is not None:
        client_ca = settings.path(config.tls.client_ca) if config.tls.client_ca else None
        context = server_context(settings.path(config.tls.certificate), settings.path(config.tls.key), client_ca)

    def rights_of(principal: str) -> Rights:
        return rights.get(principal, NO_RIGHTS)

    def renew() -> Renewal:
        new = load_config(settings.file, insecure=insecure)
        if context is not None and new.config.tls is not None:
            renew_certificate(context, new.path(new.config.tls.certificate), new.path(new.config.tls.key))
        rights.clear()
        rights.update(new.rights)
        return Renewal(new.accounts, new.anonymous)

    opening = Opening(
        name=config.name,
        data=settings.path(config.data) if config.data else None,
        rights_of=rights_of,
        new_broker=lone_broker(config.name),
        limits=settings.limits,
        json=config.json,
        keep_bytes_max=config.keep.bytes,
        keep_ns_max=settings.keep_ns,
    )
    return ProcessOptions(
        opening=opening,
        entrances=tuple(
            Entrance(one.address, one.port, context=context if one.tls else None) for one in config.listener
        ),
        accounts=settings.accounts,
        anonymous=settings.anonymous,
        connections_max=config.limits.connections,
        renew=renew,
        health=None if config.health is None else (config.health.address, config.health.port),
    )


def lone_broker(name: str) -> Callable[[Ahead], BrokerMachine]:
    """Makes the machine of a broker without neighbours."""

    def machine(ahead: Ahead) -> BrokerMachine:
        return Broker(
            BrokerOptions(
                name=name,
                neighbours={_TREE: ()},
                tree_of=lambda _topic: _TREE,
                table=TableOptions(new_matcher=BitsetMatcher, ahead=ahead),
                clients_kept=True,
            )
        )

    return machine
