"""`tidings.connect`: one door for programs with an event loop and for those without."""

from types import TracebackType
from typing import Any

from tidings.client.blocking import BlockingClient
from tidings.client.live_client import LiveClient
from tidings.client.settings import read_settings


class Connecting:
    """A client to be: `async with` makes one for the running event loop, `with` one that needs none."""

    def __init__(self, urls: tuple[str, ...], said: dict[str, Any]) -> None:
        self._places, self._settings = read_settings(urls, said)
        self._live: LiveClient | None = None
        self._blocking: BlockingClient | None = None

    async def __aenter__(self) -> LiveClient:
        self._live = LiveClient(self._places, self._settings)
        return await self._live.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._live is not None
        await self._live.__aexit__(kind, error, trace)

    def __enter__(self) -> BlockingClient:
        self._blocking = BlockingClient(self._places, self._settings)
        return self._blocking.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._blocking is not None
        self._blocking.close(drained=error is None)


def connect(*urls: str, **settings: Any) -> Connecting:
    """A client of a broker: `async with tidings.connect("mqtt://localhost") as client`, or the same with `with`.

    Of several URLs the first that answers is used, and another when that one is gone. `settings` are the fields of
    `tidings.client.settings.Settings`.
    """
    return Connecting(urls, settings)
