"""What a driver tells the front, and what the front wants of it, beside the vocabulary of all machines."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec

from tidings.vocabulary.machine import DropEvent, Notice, SendFrame


class ConnectionOpened(msgspec.Struct, frozen=True, gc=False):
    """A client has connected; numbers are never used again."""

    connection: int
    principal: str | None = None
    """Who it is, where that needs no asking: by its certificate, or because everybody on this machine is trusted."""


class BytesArrived(msgspec.Struct, frozen=True, gc=False):
    """Bytes of a connection, in the order read."""

    connection: int
    data: bytes


class ConnectionEnded(msgspec.Struct, frozen=True, gc=False):
    """A connection is gone, whoever has ended it."""

    connection: int


class Judged(msgspec.Struct, frozen=True, gc=False):
    """Answer to `Judge`: who it is; None: nobody that we know."""

    connection: int
    principal: str | None


class RecordsRead(msgspec.Struct, frozen=True, gc=False):
    """Answer to `ReadRecords`: what was looked for, and what of it is still there, with the shift of its instants."""

    session: int
    numbers: Sequence[int]
    found: Sequence[tuple[int, bytes, int]]


class RightsChanged(msgspec.Struct, frozen=True, gc=False):
    """Rights, or who has them, are others than before."""


class DrainBegun(msgspec.Struct, frozen=True, gc=False):
    """The process is to end: clients are told, and nobody new is taken."""


FrontNotice: TypeAlias = (
    Notice | ConnectionOpened | BytesArrived | ConnectionEnded | Judged | RecordsRead | RightsChanged | DrainBegun
)


class Judge(msgspec.Struct, frozen=True, gc=False):
    """Say who this is; until then nothing more is read from the connection."""

    connection: int
    user_name: str | None
    password: bytes | None


class ReadRecords(msgspec.Struct, frozen=True, gc=False):
    """Read these data records for a session, after this turn's are on disk."""

    session: int
    numbers: Sequence[int]


@dataclass(slots=True)
class FrontEffects:
    """One batch of wishes, in the order in which the driver applies its fields."""

    at_once: list[tuple[int, list[bytes]]] = field(default_factory=list)
    """Bytes for connections that depend on no record."""
    records: list[bytes] = field(default_factory=list)
    """To be appended and synced before anything below."""
    claims: list[int] = field(default_factory=list)
    """How often each of them is claimed."""
    released: list[int] = field(default_factory=list)
    """Records on which one claim ends."""
    after: list[tuple[int, list[bytes]]] = field(default_factory=list)
    """Bytes for connections."""
    send: list[SendFrame] = field(default_factory=list)
    """Frames for neighbours."""
    read: list[ReadRecords] = field(default_factory=list)
    close: list[int] = field(default_factory=list)
    """Connections to be ended, when all bytes for them are written."""
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Neighbours that have broken the rules, and how: their connections are to be ended."""
    judge: list[Judge] = field(default_factory=list)
    report: list[DropEvent] = field(default_factory=list)
    """For the logs; nothing depends on it."""
