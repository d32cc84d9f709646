"""The socket to a broker: bytes in both directions, and whether more can be written now."""

import asyncio
from typing import Final, Protocol, cast

WRITE_BUFFER_BYTES: Final = 1 << 20
PATIENCE_S: Final = 2.0
"""How long goodbye may take to be written."""


class Listener(Protocol):
    """Who is told."""

    def arrived(self, data: bytes) -> None:
        """Bytes came in."""

    def congested(self, *, is_so: bool) -> None:
        """More waits to be written than should, or no longer."""

    def ended(self) -> None:
        """The connection is gone."""


class BrokerSocket(asyncio.Protocol):
    """One connection."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._transport: asyncio.Transport
        self.gone = asyncio.Event()
        self._reads = True

    # ---- asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is there, its encryption agreed."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=WRITE_BUFFER_BYTES)

    def data_received(self, data: bytes) -> None:
        """Bytes, as many as one read gave."""
        self._listener.arrived(data)

    def pause_writing(self) -> None:
        """The broker does not read as fast as we write."""
        self._listener.congested(is_so=True)

    def resume_writing(self) -> None:
        """It has caught up."""
        self._listener.congested(is_so=False)

    def connection_lost(self, _problem: Exception | None) -> None:
        """Nothing comes or goes any more."""
        self._listener.ended()
        self.gone.set()

    # ---- the driver's side

    def write(self, data: bytes) -> None:
        """Send bytes; nothing happens when the connection is gone."""
        if not self._transport.is_closing():
            self._transport.write(data)

    def read(self, *, wanted: bool) -> None:
        """Take what arrives, or leave it in the socket, whose sender then stops."""
        if wanted != self._reads and not self._transport.is_closing():
            self._reads = wanted
            self._transport.resume_reading() if wanted else self._transport.pause_reading()

    def close(self) -> None:
        """End the connection when everything is written, or when that takes too long."""
        self._transport.close()
        asyncio.get_running_loop().call_later(PATIENCE_S, self._transport.abort)
