"""`/livez`, `/readyz` and `/metrics` over HTTP/1.1: one request a connection, and no browser's page may ask.

A browser is a hostile client: whatever says where a page came from is refused, and so is a Host that is not this listener's
own address, which is how a foreign name that points at this machine gives itself away.
"""

import asyncio
import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, NamedTuple, cast

REQUEST_BYTES_MAX: Final = 8_192
PATIENCE_S: Final = 5.0
CONNECTIONS_MAX: Final = 32
_PLAIN: Final = "text/plain; charset=utf-8"
_FETCHED_BY_PAGES: Final = ("origin", "referer", "sec-fetch-site")


class Answer(NamedTuple):
    """What one page says."""

    status: HTTPStatus
    text: str
    content_type: str = _PLAIN


Pages = Mapping[str, Callable[[], Answer]]


def answer_to(request: bytes, pages: Pages, hosts: tuple[str, ...]) -> Answer:
    """The answer to a request, its headers whole."""
    try:
        first, *lines = request.decode("ascii").split("\r\n")
        method, target, version = first.split(" ")
        pairs = [line.split(":", 1) for line in lines if line]
        headers = {name.strip().lower(): value.strip() for name, value in pairs}
    except ValueError:
        return Answer(HTTPStatus.BAD_REQUEST, "no request\n")
    if not version.startswith("HTTP/1."):
        return Answer(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, "HTTP/1.1 is spoken here\n")
    if len(headers) < len(pairs) or headers.get("host") not in hosts:
        return Answer(HTTPStatus.MISDIRECTED_REQUEST, f"ask {hosts[0]} by that name\n")
    if any(name in headers for name in _FETCHED_BY_PAGES):
        return Answer(HTTPStatus.FORBIDDEN, "no page may ask\n")
    if method not in {"GET", "HEAD"}:
        return Answer(HTTPStatus.METHOD_NOT_ALLOWED, "GET and HEAD only\n")
    page = pages.get(target)
    if page is None:
        return Answer(HTTPStatus.NOT_FOUND, f"there are {', '.join(pages)}\n")
    found = page()
    return found if method == "GET" else found._replace(text="")


def hosts_of(address: str, port: int) -> tuple[str, ...]:
    """What a request may name as the host that it asks."""
    one = ipaddress.ip_address(address)
    names = [f"[{address}]" if ":" in address else address]
    if one.is_loopback:
        names.append("localhost")
    return tuple(f"{name}:{port}" for name in names)


@dataclass(slots=True)
class Counter:
    """How many connections there are."""

    open: int = 0


class HealthSocket(asyncio.Protocol):
    """One connection: one request, one answer, the end."""

    def __init__(self, pages: Pages, counter: Counter) -> None:
        self._pages, self._counter = pages, counter
        self._bytes = bytearray()
        self._transport: asyncio.Transport
        self._timer: asyncio.TimerHandle

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody has so long to ask, if there is room."""
        self._transport = cast(asyncio.Transport, transport)
        self._counter.open += 1
        self._timer = asyncio.get_running_loop().call_later(PATIENCE_S, self._transport.abort)
        if self._counter.open > CONNECTIONS_MAX:
            self._transport.abort()

    def connection_lost(self, _problem: Exception | None) -> None:
        """It is over."""
        self._counter.open -= 1
        self._timer.cancel()

    def data_received(self, data: bytes) -> None:
        """A piece of a request."""
        self._bytes += data
        head, end, _ = bytes(self._bytes).partition(b"\r\n\r\n")
        if end:
            address, port = self._transport.get_extra_info("sockname")[:2]
            self._say(answer_to(head, self._pages, hosts_of(address, port)))
        elif len(self._bytes) > REQUEST_BYTES_MAX:
            self._say(Answer(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "too many words\n"))

    def _say(self, answer: Answer) -> None:
        body = answer.text.encode()
        head = (
            f"HTTP/1.1 {answer.status.value} {answer.status.phrase}\r\nContent-Type: {answer.content_type}\r\n"
            f"Content-Length: {len(body)}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
            "Connection: close\r\n\r\n"
        )
        self._transport.write(head.encode("ascii") + body)
        self._transport.close()
