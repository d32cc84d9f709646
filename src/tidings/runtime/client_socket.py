"""One client's socket: bytes to the driver, bytes from it, and nothing of what they mean.

Backpressure works by itself: what the driver has not taken yet is in the socket, whose sender stops. Who reads too slowly is
cut off when more waits for it than it may, and not before it has had some seconds.
"""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol, cast

PATIENCE_S: Final = 5.0
"""How long more than the limit may wait to be written."""


class Driver(Protocol):
    """What a socket tells."""

    def opened(self, socket: "ClientSocket") -> None:
        """A client has connected."""

    def arrived(self, socket: "ClientSocket", data: bytes) -> None:
        """Bytes came in."""

    def ended(self, socket: "ClientSocket") -> None:
        """The connection is gone."""


class ClientSocket(asyncio.Protocol):
    """One connection."""

    def __init__(
        self, driver: Driver, *, waiting_bytes_max: int, principal: Callable[[asyncio.Transport], str | None]
    ) -> None:
        """`principal`: who it is, where that needs no asking."""
        self._driver, self._waiting_bytes_max, self._principal_of = driver, waiting_bytes_max, principal
        self.number = -1
        """Given by the driver."""
        self.principal: str | None = None
        self.transport: asyncio.Transport
        self.is_open = False
        self._behind: asyncio.TimerHandle | None = None

    # ---- asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is there, its encryption agreed."""
        self.transport = cast(asyncio.Transport, transport)
        self.transport.set_write_buffer_limits(high=self._waiting_bytes_max)
        self.principal = self._principal_of(self.transport)
        self.is_open = True
        self._driver.opened(self)

    def data_received(self, data: bytes) -> None:
        """Bytes, as many as one read gave."""
        self._driver.arrived(self, data)

    def connection_lost(self, _problem: Exception | None) -> None:
        """Nothing comes or goes any more."""
        self.is_open = False
        self._forgive()
        self._driver.ended(self)

    def pause_writing(self) -> None:
        """More waits to be written than may: the client has some seconds to catch up."""
        if self._behind is None:
            self._behind = asyncio.get_running_loop().call_later(PATIENCE_S, self.transport.abort)

    def resume_writing(self) -> None:
        """It has caught up."""
        self._forgive()

    # ---- the driver's side

    def write(self, data: bytes) -> None:
        """Send bytes; nothing happens when the connection is gone."""
        if self.is_open:
            self.transport.write(data)

    def close(self) -> None:
        """End the connection when everything is written, or when that takes too long."""
        if self.is_open:
            self.transport.close()
            asyncio.get_running_loop().call_later(PATIENCE_S, self.transport.abort)

    def _forgive(self) -> None:
        if self._behind is not None:
            self._behind.cancel()
            self._behind = None
