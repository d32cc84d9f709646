"""Where brokers are: URLs, without their secrets as soon as they are read."""

from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

import msgspec

from tidings.errors import InputError
from tidings.mqtt_client.options import Secret

_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}
_FORM: Final = "write mqtt://host:port, or mqtts://host:port for TLS"


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """One broker's address, and who we are there."""

    host: str
    port: int
    tls: bool
    user: str | None = None
    password: Secret | None = None

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'mqtts' if self.tls else 'mqtt'}://{host}:{self.port}"


def read_place(url: str) -> Place:
    """The place that a URL names; InputError, without the URL's user and password, for one that names none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise InputError(f"a broker's URL does not parse: {_FORM}") from None
    shown = f"{parts.scheme}://{parts.hostname or ''}"
    if parts.scheme not in _PORTS:
        raise InputError(f"{shown!r}: {_FORM}")
    if not parts.hostname:
        raise InputError(f"{shown!r}: names no host; {_FORM}")
    if parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise InputError(f"{shown!r}: nothing follows the port; topics are named when publishing and subscribing")
    if port == 0:
        raise InputError(f"{shown!r}: there is no port 0")
    return Place(
        host=parts.hostname,
        port=_PORTS[parts.scheme] if port is None else port,
        tls=parts.scheme == "mqtts",
        user=None if parts.username is None else unquote(parts.username),
        password=_password(parts),
    )


def _password(parts: SplitResult) -> Secret | None:
    return None if parts.password is None else Secret(unquote(parts.password).encode())
