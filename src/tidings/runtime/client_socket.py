"""One client's socket: bytes to the driver, bytes from it, and nothing of what they mean.

Backpressure works by itself: what the driver has not taken yet is in the socket, whose sender stops. Who reads too slowly is
cut off when more waits for it than it may, and not before it has had some seconds.
"""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol, cast

from tidings.runtime.pace import Pace

PATIENCE_S: Final = 5.0
"""How long more than the limit may wait to be written."""
WAITING_BYTES_MAX: Final = 64 << 20
"""More never waits: patience is for those who catch up."""


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
        self,
        driver: Driver,
        *,
        waiting_bytes_max: int,
        principal: Callable[[asyncio.Transport], str | None],
        rate: float = 1e6,
    ) -> None:
        """`principal`: who it is, where that needs no asking; `rate`: events a second that it may publish."""
        self._driver, self._waiting_bytes_max, self._principal_of = driver, waiting_bytes_max, principal
        self._pace = Pace(rate, asyncio.get_running_loop().time())
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
            if self._behind is not None and self.transport.get_write_buffer_size() > WAITING_BYTES_MAX:
                self.transport.abort()

    @property
    def address(self) -> str:
        """Where the client is."""
        found = self.transport.get_extra_info("peername")
        return str(found[0]) if isinstance(found, tuple) else ""

    def slow_down(self, published: int) -> None:
        """Read nothing for a while from a client that publishes faster than it may: `published` events in all, so far."""
        loop = asyncio.get_running_loop()
        wait_s = self._pace.wait_s(published, loop.time())
        if wait_s and self.is_open:
            self.transport.pause_reading()
            loop.call_later(wait_s, self._read_on)

    def _read_on(self) -> None:
        if self.is_open:
            self.transport.resume_reading()

    def close(self) -> None:
        """End the connection when everything is written, or when that takes too long."""
        if self.is_open:
            self.transport.close()
            asyncio.get_running_loop().call_later(PATIENCE_S, self.transport.abort)

    def _forgive(self) -> None:
        if self._behind is not None:
            self._behind.cancel()
            self._behind = None
