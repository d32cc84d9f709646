"""`tidings sub`: prints the events of topics, as they come."""

import asyncio
import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tidings.cli.console import UNUSABLE, note, print_text
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
from tidings.vocabulary.instant import SECOND, parse_duration

if TYPE_CHECKING:
    from tidings.client import Subscription
    from tidings.vocabulary.event import Event

EXAMPLE: Final = "tidings sub 'quotes/+' --where 'price > 10' --count 3 --json"
_INTERRUPTED: Final = 130


def sub(
    topics: Annotated[list[str], typer.Argument(help="What to print; + stands for one level, # for all below.")],
    url: UrlOption = None,
    where: Annotated[str, typer.Option(help='A filter over attributes: price > 10 and symbol == "IBM".')] = "",
    count: Annotated[int | None, typer.Option("--count", "-c", min=1, help="End after so many events.")] = None,
    lasting: Annotated[str | None, typer.Option("--for", help="End after so long: 5s, 1h.")] = None,
    retained: Annotated[bool, typer.Option("--retained/--no-retained", help="Begin with what was kept.")] = True,
    qos: QosOption = 1,
    client_id: ClientIdOption = None,
    session: SessionOption = "1h",
    ca: CaOption = None,
    certificate: CertificateOption = None,
    key: KeyOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document a line.")] = False,
) -> None:
    """Print events until interrupted. Exit code 2 when --for has passed and --count was not reached."""
    from tidings.client import connect

    settings = reach(client_id=client_id, session=session, ca=ca, certificate=certificate, key=key)
    limit_s = None if lasting is None else _seconds(lasting)
    printer = _Printer(count, as_json=as_json)

    async def run() -> None:
        async with connect(*(url or [URL]), **settings) as client:
            subscriptions = [client.subscribe(one, where=where, qos=qos, retained=retained) for one in topics]
            for one in subscriptions:
                await one.ready()
            note(f"subscribed at {client.broker}")
            try:
                async with asyncio.timeout(limit_s):
                    await printer.print_all(subscriptions)
            except TimeoutError:
                pass

    try:
        asyncio.run(run())
    except KeyboardInterrupt:
        raise typer.Exit(_INTERRUPTED) from None
    if count is not None and printer.printed < count:
        note(f"tidings: {printer.printed} of {count} events came within {lasting}")
        raise typer.Exit(UNUSABLE)


class _Printer:
    """Prints so many events and no more, whichever subscription they are of."""

    def __init__(self, count: int | None, *, as_json: bool) -> None:
        self._count, self._as_json = count, as_json
        self.printed = 0

    async def print_all(self, subscriptions: Sequence["Subscription"]) -> None:
        """Returns when the count is reached, or the client ends."""
        tasks = [asyncio.create_task(self._follow(one)) for one in subscriptions]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _follow(self, subscription: "Subscription") -> None:
        while batch := await subscription.next_batch():
            some = batch if self._count is None else batch[: self._count - self.printed]
            self.printed += len(some)
            print_text("".join(map(self._line, some)))
            if self.printed == self._count:
                return

    def _line(self, event: "Event") -> str:
        return _document(event) if self._as_json else _words(event)


def _words(event: "Event") -> str:
    """Topic and payload on one line that no terminal takes for anything else."""
    text = f"{event.topic} {event.payload.decode('utf-8', 'backslashreplace')}"
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text) + "\n"


def _document(event: "Event") -> str:
    import msgspec

    from tidings.mqtt.publication import is_kept, quality

    document: dict[str, Any] = {"topic": event.topic}
    try:
        document["payload"] = event.payload.decode()
    except UnicodeDecodeError:
        document["payload_base64"] = base64.b64encode(event.payload).decode()
    document |= {"attributes": dict(event.attributes), "qos": quality(event), "retained": is_kept(event)}
    if event.publisher:
        document |= {"publisher": event.publisher, "event": str(event.id)}
    return msgspec.json.encode(document).decode() + "\n"


def _seconds(text: str) -> float:
    try:
        return parse_duration(text) / SECOND
    except ValueError as problem:
        raise InputError(f"--for {text!r}: {problem}") from None
