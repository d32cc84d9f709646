"""The config of a broker: one TOML file, every key known, every value checked, nothing read from the environment.

A key that nobody knows, a value that cannot be, a secret that others can read: each is one line that names file and key.
"""

import ipaddress
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from tidings.errors import InputError
from tidings.mqtt.limits import Limits
from tidings.mqtt.rights import NO_RIGHTS, Rights
from tidings.runtime.accounts import Account, check_name, read_accounts
from tidings.vocabulary.instant import SECOND, parse_duration

VERSION: Final = 1
ANONYMOUS: Final = "anonymous"
"""Stands in rights for whoever comes without a name."""
Port = Annotated[int, msgspec.Meta(ge=0, le=65_535)]
Positive = Annotated[int, msgspec.Meta(gt=0)]
Text = Annotated[str, msgspec.Meta(min_length=1)]


class Listener(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where clients connect."""

    address: Text = "127.0.0.1"
    port: Port = 1883
    tls: bool = False

    @property
    def is_loopback(self) -> bool:
        """True when only this machine can connect."""
        return ipaddress.ip_address(self.address).is_loopback


class Tls(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Files of the broker's certificate and key, and of whose clients' certificates are believed."""

    certificate: Text
    key: Text
    client_ca: str = ""


class Health(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where `/livez`, `/readyz` and `/metrics` are."""

    address: Text = "127.0.0.1"
    port: Port

    @property
    def is_loopback(self) -> bool:
        """True when only this machine can ask."""
        return ipaddress.ip_address(self.address).is_loopback


class Right(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What some principals may do; several rights of one principal add up, and what is denied is denied."""

    who: tuple[Text, ...]
    publish: tuple[str, ...] = ()
    subscribe: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


class Keep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long and how much is kept on disk for sessions that are away."""

    time: str = "7d"
    bytes: Positive = 10 << 30


class LimitsTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bounds; see `tidings.mqtt.limits.Limits`, times in text."""

    connections: Positive = 1_024
    payload_bytes: Annotated[int, msgspec.Meta(gt=0, le=1 << 20)] = 1 << 20
    subscriptions: Positive = 1_000
    sessions: Positive = 100_000
    in_flight: Annotated[int, msgspec.Meta(gt=0, le=65_535)] = 1_024
    receive: Annotated[int, msgspec.Meta(gt=0, le=65_535)] = 1_024
    waiting_bytes: Positive = 16 << 20
    waiting_events: Positive = 4 << 20
    retained: Positive = 65_536
    retained_bytes: Positive = 64 << 20
    session_expiry: str = "7d"
    connect: str = "5s"
    keep_alive: str = "3600s"
    publish_rate: Annotated[float, msgspec.Meta(gt=0)] = 1e6


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file."""

    tidings: int
    name: Text = "broker"
    data: str = ""
    """Folder, beside the file or from the root; empty: nothing is kept."""
    json: bool = False
    """Payloads that are JSON objects are attributes, too, whether their publishers ask for it or not."""
    users: str = ""
    """File of `tidings user`."""
    listener: tuple[Listener, ...] = (Listener(),)
    tls: Tls | None = None
    health: Health | None = None
    log: Literal["text", "json"] = "text"
    """What is said on standard error: sentences, or one JSON document a line."""
    right: tuple[Right, ...] = ()
    keep: Keep = Keep()
    limits: LimitsTable = LimitsTable()


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """A config that was checked, its files read."""

    file: Path
    config: Config
    limits: Limits
    keep_ns: int
    accounts: dict[str, Account]
    rights: dict[str, Rights]

    def path(self, name: str) -> Path:
        """A file that the config names."""
        return self.file.parent / name

    @property
    def anonymous(self) -> str | None:
        """Who comes without a name; None: nobody may."""
        return ANONYMOUS if ANONYMOUS in self.rights else None


def load_config(file: Path, *, insecure: bool = False) -> Settings:
    """Read and check a config and the files that it names; InputError says in one line what is wrong and where."""
    try:
        document = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise InputError(f"{file}: {problem}") from None
    except OSError as problem:
        raise InputError(f"{file}: {problem.strerror}") from None
    config = _convert(file, document)
    if config.tidings != VERSION:
        raise InputError(f"{file}: tidings = {config.tidings}: this version reads {VERSION}")
    _check_listeners(file, config, insecure=insecure)
    _check_health(file, config.health, insecure=insecure)
    accounts = read_accounts(file.parent / config.users) if config.users else {}
    return Settings(
        file=file,
        config=config,
        limits=_limits(file, config.limits),
        keep_ns=_duration(file, "keep.time", config.keep.time),
        accounts=accounts,
        rights=_rights(file, config, accounts),
    )


def _convert(file: Path, document: dict[str, Any]) -> Config:
    try:
        return msgspec.convert(document, Config, strict=True)
    except msgspec.ValidationError as problem:
        sentence, _, place = str(problem).partition(" - at ")
        where = place.strip("`").removeprefix("$").removeprefix(".")
        unknown = re.search(r"contains unknown field `(.*)`", sentence)
        if unknown:
            key = f"{where}.{unknown[1]}" if where else unknown[1]
            raise InputError(f"{file}: {key}: there is no such key; docs/reference/broker.md has all of them") from None
        missing = re.search(r"missing required field `(.*)`", sentence)
        if missing:
            raise InputError(f"{file}: {f'{where}.' if where else ''}{missing[1]}: must be given") from None
        raise InputError(f"{file}: {where}: {sentence[:1].lower()}{sentence[1:]}") from None


def _check_listeners(file: Path, config: Config, *, insecure: bool) -> None:
    if not config.listener:
        raise InputError(f"{file}: listener: one at least")
    for place, one in enumerate(config.listener):
        key = f"{file}: listener[{place}]"
        try:
            is_loopback = one.is_loopback
        except ValueError:
            raise InputError(f"{key}.address = {one.address!r}: must be an address, such as 127.0.0.1 or ::") from None
        if one.tls and config.tls is None:
            raise InputError(f"{key}.tls = true: needs [tls] with certificate and key")
        if is_loopback or insecure:
            continue
        if not one.tls:
            raise InputError(
                f"{key}.address = {one.address!r}: others can connect: give it tls = true, or start with --insecure"
            )
        if not config.users and not (config.tls and config.tls.client_ca):
            raise InputError(
                f"{key}.address = {one.address!r}: others can connect: name users or tls.client_ca, or start with --insecure"
            )
        if any(ANONYMOUS in right.who for right in config.right):
            raise InputError(
                f"{key}.address = {one.address!r}: others can connect: no right for {ANONYMOUS}, or start with --insecure"
            )


def _check_health(file: Path, health: Health | None, *, insecure: bool) -> None:
    if health is None:
        return
    try:
        allowed = health.is_loopback or insecure
    except ValueError:
        raise InputError(
            f"{file}: health.address = {health.address!r}: must be an address, such as 127.0.0.1"
        ) from None
    if not allowed:
        raise InputError(
            f"{file}: health.address = {health.address!r}: others can ask: use loopback, or start with --insecure"
        )


def _rights(file: Path, config: Config, accounts: dict[str, Account]) -> dict[str, Rights]:
    """By principal; who is not there may do nothing."""
    rights: dict[str, Rights] = {}
    by_certificate = config.tls is not None and bool(config.tls.client_ca)
    for place, one in enumerate(config.right):
        for name in one.who:
            try:
                check_name(name)
                old = rights.get(name, NO_RIGHTS)
                rights[name] = Rights(
                    publish=old.publish + one.publish,
                    subscribe=old.subscribe + one.subscribe,
                    deny=old.deny + one.deny,
                )
            except (InputError, ValueError) as problem:
                raise InputError(f"{file}: right[{place}]: {problem}") from None
            if name not in accounts and name != ANONYMOUS and not by_certificate:
                raise InputError(f"{file}: right[{place}].who = {name!r}: is not among the users; tidings user adds it")
    return rights


def _limits(file: Path, table: LimitsTable) -> Limits:
    return Limits(
        payload_bytes_max=table.payload_bytes,
        subscriptions_max=table.subscriptions,
        sessions_max=table.sessions,
        in_flight_max=table.in_flight,
        receive_max=table.receive,
        waiting_bytes_max=table.waiting_bytes,
        waiting_events_max=table.waiting_events,
        retained_max=table.retained,
        retained_bytes_max=table.retained_bytes,
        session_expiry_ns_max=_duration(file, "limits.session_expiry", table.session_expiry),
        connect_ns_max=_duration(file, "limits.connect", table.connect),
        keep_alive_s_max=max(1, _duration(file, "limits.keep_alive", table.keep_alive) // SECOND),
        publish_rate=table.publish_rate,
    )


def _duration(file: Path, key: str, text: str) -> int:
    try:
        found = parse_duration(text)
    except ValueError as problem:
        raise InputError(f"{file}: {key} = {text!r}: {problem}") from None
    if found <= 0:
        raise InputError(f"{file}: {key} = {text!r}: must be more than 0")
    return found
