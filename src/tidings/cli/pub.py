"""`tidings pub`: publishes one event, or every line of standard input."""

import sys
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final

import typer

from tidings.cli.console import note, print_json
from tidings.cli.reaching import (
    URL,
    CaOption,
    CertificateOption,
    ClientIdOption,
    KeyOption,
    QosOption,
    SessionOption,
    UrlOption,
    reach,
)
from tidings.errors import InputError
from tidings.vocabulary.instant import FOREVER, parse_duration
from tidings.vocabulary.value import Value, parse_literal

EXAMPLE: Final = "tidings pub quotes/IBM 10.5 --attribute price=10.5 --lifetime 5s"
_LINE_BYTES_MAX: Final = (1 << 20) + 2


def pub(
    topic: Annotated[str, typer.Argument(help="What it is about; no wildcards.")],
    message: Annotated[
        str | None, typer.Argument(help="The payload. Without it every line of standard input is an event.")
    ] = None,
    url: UrlOption = None,
    attribute: Annotated[
        list[str] | None, typer.Option("--attribute", "-a", help="name=value: 10.5, true, or text. As often as needed.")
    ] = None,
    lifetime: Annotated[str | None, typer.Option(help="Shown to nobody later than that: 200ms, 5s, 1h.")] = None,
    qos: QosOption = 1,
    retain: Annotated[bool, typer.Option("--retain", help="Keep it for those who subscribe later.")] = False,
    client_id: ClientIdOption = None,
    session: SessionOption = "1h",
    ca: CaOption = None,
    certificate: CertificateOption = None,
    key: KeyOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Publish; ends when the broker has acknowledged everything (with --qos 0: when everything is sent)."""
    from tidings.client import Publication, connect

    attributes, lifetime_ns = _attributes(attribute or []), _lifetime_ns(lifetime)
    payloads = _lines() if message is None else iter((message.encode(),))
    settings = reach(client_id=client_id, session=session, ca=ca, certificate=certificate, key=key)
    with connect(*(url or [URL]), **settings) as client:
        publications = (Publication(topic, one, attributes, lifetime_ns, qos, retain) for one in payloads)
        count = sum(map(client.publish_many, _rows(publications)))
        broker = client.broker
    print_json({"published": count, "broker": broker}) if as_json else note(f"{count} published to {broker}")


def _attributes(texts: Iterable[str]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise InputError(f"--attribute {text!r}: write name=value")
        try:
            found[name] = parse_literal(value)
        except ValueError:
            found[name] = value
    return found


def _lifetime_ns(text: str | None) -> int:
    if text is None:
        return FOREVER
    try:
        return parse_duration(text)
    except ValueError as problem:
        raise InputError(f"--lifetime {text!r}: {problem}") from None


def _lines() -> Iterator[bytes]:
    """Lines without their ends, as they come."""
    while line := sys.stdin.buffer.readline(_LINE_BYTES_MAX):
        yield line.removesuffix(b"\n").removesuffix(b"\r")


def _rows(publications: Iterator[Any]) -> Iterator[list[Any]]:
    """What is there already goes together: nobody at a keyboard waits for a full row."""
    interactive = sys.stdin.isatty()
    row: list[Any] = []
    for one in publications:
        row.append(one)
        if interactive or len(row) == 1_024:
            yield row
            row = []
    if row:
        yield row
