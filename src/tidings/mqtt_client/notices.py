"""What a client is told, and what it wants."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec

from tidings.errors import TidingsError
from tidings.mqtt_client.publication import Publication
from tidings.vocabulary.event import Event


class Connected(msgspec.Struct, frozen=True, gc=False):
    """There is a connection to a broker, and nothing was said yet."""


class BytesArrived(msgspec.Struct, frozen=True, gc=False):
    """Bytes of the connection, in the order read."""

    data: bytes


class Disconnected(msgspec.Struct, frozen=True, gc=False):
    """The connection is gone, whoever has ended it."""


class PublicationsRequested(msgspec.Struct, frozen=True, gc=False):
    """The application wants these published; answers name the ticket."""

    publications: Sequence[Publication]
    ticket: int


class SubscriptionRequested(msgspec.Struct, frozen=True, gc=False):
    """The application wants what the topic filter and the content filter both want, under a number of its own."""

    number: int
    pattern: str
    content: str = ""
    qos: int = 1
    retained: bool = True
    """What was retained before is wanted too."""


class SubscriptionEnded(msgspec.Struct, frozen=True, gc=False):
    """The application wants no more of it."""

    number: int


class Settled(msgspec.Struct, frozen=True, gc=False):
    """The application is done with so many events of a delivery."""

    delivery: "Delivery"
    count: int


class Congested(msgspec.Struct, frozen=True, gc=False):
    """More waits to be written than should, or no longer."""

    is_so: bool


class CloseRequested(msgspec.Struct, frozen=True, gc=False):
    """The application is done. A session that is `over` ends; any other is kept for as long as was asked for."""

    over: bool = True


Notice: TypeAlias = (
    Connected
    | BytesArrived
    | Disconnected
    | PublicationsRequested
    | SubscriptionRequested
    | SubscriptionEnded
    | Settled
    | Congested
    | CloseRequested
)


class Delivery:
    """What the broker has sent in one packet, or in one go without acknowledgement, as far as the application has to do with it."""

    __slots__ = ("digest", "events", "open", "packet_id", "qos", "size")

    def __init__(self, qos: int = 0, packet_id: int = 0, digest: int = 0) -> None:
        self.qos, self.packet_id, self.digest = qos, packet_id, digest
        self.open = 0
        """Events that were shown and are not settled; an event counts once for each subscription."""
        self.events = 0
        self.size = 0


class Show(msgspec.Struct, frozen=True, gc=False):
    """Show these to a subscription, in this order, and tell when they are settled."""

    number: int
    events: list[Event]
    delivery: Delivery


class Answer(msgspec.Struct, frozen=True, gc=False):
    """So many publications of a ticket are over: taken by the broker, or not."""

    ticket: int
    count: int
    refusal: TidingsError | None = None


class Granted(msgspec.Struct, frozen=True, gc=False):
    """The broker has answered a subscription; `remarks` are the user properties of its answer."""

    number: int
    qos: int
    refusal: TidingsError | None = None
    remarks: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class ClientEffects:
    """One batch of wishes, in the order in which they are done."""

    write: list[bytes] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    granted: list[Granted] = field(default_factory=list)
    show: list[Show] = field(default_factory=list)
    close: bool = False
    """End the connection when all is written."""
    failed: TidingsError | None = None
    """Nothing more will come of this client: no other connection would help."""
