"""What can be said when connecting, and what becomes of it: places to try, and options of the machine for each."""

import os
import ssl
from pathlib import Path
from typing import Any, Final

import msgspec

from tidings.client.places import Place, read_place
from tidings.errors import InputError, WorldError
from tidings.mqtt_client.options import ClientOptions, Secret
from tidings.runtime.clock import read_clocks
from tidings.vocabulary.instant import SECOND, parse_duration
from tidings.wire.mqtt_packets import Will

_SECONDS_MAX: Final = 0xFFFF_FFFE
_KEEP_ALIVE_S_MAX: Final = 0xFFFF
_RECEIVE_MAXIMUM: Final = 0xFFFF


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `tidings.connect` takes beside URLs; durations as texts (`"30s"`)."""

    client_id: str | None = None
    """A name of its own makes the session last: it is taken up where an earlier process left it, and kept when this one
    ends. Without it a name is made up, and nothing outlives the program."""
    session: str = "5min"
    """How long the broker keeps the session while there is no connection."""
    user: str | None = None
    """Who we are; instead of the user in the URL."""
    password: Secret | None = None
    """A text will do: it is hidden at once."""
    token: Secret | None = None
    """Instead of a password."""
    ca: Path | str | None = None
    """PEM file with the authorities that are believed; the system's otherwise."""
    certificate: Path | str | None = None
    """PEM file with our own certificate, for brokers that ask for one."""
    key: Path | str | None = None
    """PEM file with its key, where that is not in the same file."""
    keep_alive: str = "30s"
    patience: str = "10s"
    """How long to try for the first connection, and to wait for acknowledgements when the program ends."""
    receive_maximum: int = 1_024
    """Packets with events that may be under way to us, or with the application."""
    carriers: bool = True
    """Rows of events in one packet, with brokers that know them."""
    will: Will | None = None
    """What the broker publishes when we are gone without a word."""

    @property
    def lasts(self) -> bool:
        """Whether the session outlives the program."""
        return self.client_id is not None

    @property
    def patience_s(self) -> float:
        """As asyncio counts."""
        return _duration("patience", self.patience) / SECOND


def read_settings(urls: tuple[str, ...], said: dict[str, Any]) -> tuple[tuple[Place, ...], Settings]:
    """Places and settings, checked; InputError names what is wrong."""
    unknown = sorted(set(said) - set(Settings.__struct_fields__))
    if unknown:
        raise InputError(
            f"connect: there is no setting {unknown[0]!r}; there are {', '.join(Settings.__struct_fields__)}"
        )
    if not urls:
        raise InputError('connect: name a broker, as in "mqtt://localhost"')
    settings = Settings(**{**said, **_hidden(said)})
    if settings.password is not None and settings.token is not None:
        raise InputError("connect: a password and a token are two; give one of them")
    places = tuple(_with_credentials(read_place(url), settings) for url in urls)
    machine_options(places[0], settings)
    return places, settings


def _hidden(said: dict[str, Any]) -> dict[str, Secret]:
    """Passwords and tokens, as values that do not show."""
    words = {name: said[name] for name in ("password", "token") if said.get(name) is not None}
    return {name: word if isinstance(word, Secret) else Secret(word.encode()) for name, word in words.items()}


def machine_options(place: Place, settings: Settings) -> ClientOptions:
    """What the machine is told about itself at a place."""
    client_id = settings.client_id or f"tidings-{os.urandom(8).hex()}"
    keep_alive_s = _duration("keep_alive", settings.keep_alive) // SECOND
    session_s = _duration("session", settings.session) // SECOND
    if keep_alive_s > _KEEP_ALIVE_S_MAX:
        raise InputError(f"keep_alive = {settings.keep_alive}: at most {_KEEP_ALIVE_S_MAX} seconds")
    if not 1 <= settings.receive_maximum <= _RECEIVE_MAXIMUM:
        raise InputError(f"receive_maximum = {settings.receive_maximum}: 1 to {_RECEIVE_MAXIMUM}")
    return ClientOptions(
        client_id=client_id,
        clean_start=not settings.lasts,
        session_expiry_s=min(session_s, _SECONDS_MAX),
        keep_alive_s=keep_alive_s,
        user_name=place.user,
        password=place.password,
        will=settings.will,
        carriers=settings.carriers,
        clock=read_clocks().boot,
        receive_maximum=settings.receive_maximum,
    )


def tls_context(settings: Settings) -> ssl.SSLContext:
    """TLS 1.2 or newer, the broker's certificate and name checked; WorldError when a file cannot be used."""
    try:
        context = ssl.create_default_context(cafile=None if settings.ca is None else str(settings.ca))
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if settings.certificate is not None:
            context.load_cert_chain(str(settings.certificate), None if settings.key is None else str(settings.key))
    except (OSError, ssl.SSLError) as problem:
        files = [str(one) for one in (settings.ca, settings.certificate, settings.key) if one is not None]
        raise WorldError(f"{', '.join(files)}: not usable for TLS ({problem.strerror or problem})") from None
    return context


def _with_credentials(place: Place, settings: Settings) -> Place:
    """What was said beside the URL goes before what is in it."""
    word = settings.token if settings.password is None else settings.password
    user = place.user if settings.user is None else settings.user
    return msgspec.structs.replace(place, user=user, password=word or place.password)


def _duration(name: str, text: str) -> int:
    try:
        return parse_duration(text)
    except ValueError as problem:
        raise InputError(f"{name} = {text!r}: {problem}") from None
