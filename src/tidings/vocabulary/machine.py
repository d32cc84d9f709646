"""The contract of every protocol machine, and its vocabulary: notices in, effects out.

A machine does no I/O, reads no clock and draws no random number. It is told what happened and when (a *notice*, past
tense), and answers with what it wants done (*effects*, imperative). Time is integer nanoseconds.

The driver's recipe, the same in every world:

    feed     machine.receive(notice, now), or machine.expire(now) when the timer has rung
    drain    effects = machine.drain()
    apply    store, then send, then deliver, then show, then report (below)
    re-arm   one timer, at machine.deadline()

**The order of effects.** Nothing in `send`, `deliver` or `show` may happen before every record in `store` is on disk. Batches
are applied in the order drained: a batch without records must not overtake one that still waits for the disk. Within
`send` the order per destination is kept as far as the network keeps order.
"""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Frame


class Started(msgspec.Struct, frozen=True, gc=False):
    """The process came up, with the records that its disk still holds. `incarnation` grows with every start."""

    incarnation: int
    records: tuple[bytes, ...] = ()
    seen: tuple[int, ...] = ()
    """Events that had been taken for clients, and kept by whoever keeps their events for them."""


class FramesArrived(msgspec.Struct, frozen=True, gc=False):
    """A batch of frames from one neighbour or client, in the order read."""

    sender: str
    frames: Sequence[Frame]


class RecordsStored(msgspec.Struct, frozen=True, gc=False):
    """The first so many records that were drained and not yet told of are on disk, and their batches are applied."""

    count: int


class LogFilled(msgspec.Struct, frozen=True, gc=False):
    """The log is full of what no longer counts: the next batch says all again that must be on disk, in place of all earlier records."""


class ClientRemoved(msgspec.Struct, frozen=True, gc=False):
    """A client will not come back; it has taken back all its wishes, and another may get its number."""

    name: str


class ClientLost(msgspec.Struct, frozen=True, gc=False):
    """A client that acknowledges events cannot be reached."""

    name: str


class ClientReached(msgspec.Struct, frozen=True, gc=False):
    """A client that acknowledges events can be reached, perhaps elsewhere than before."""

    name: str


class NeighbourLost(msgspec.Struct, frozen=True, gc=False):
    """Nothing has been heard of a neighbour for so long that it counts as failed, or its link."""

    name: str


class NeighbourReturned(msgspec.Struct, frozen=True, gc=False):
    """A neighbour that had been lost was heard again."""

    name: str


class PublishRequested(msgspec.Struct, frozen=True, gc=False):
    """The application of a client wants `event` published."""

    event: Event


class SubscribeRequested(msgspec.Struct, frozen=True, gc=False):
    """The application of a client wants what `filter` holds for, under a number of its own."""

    number: int
    filter: str


class UnsubscribeRequested(msgspec.Struct, frozen=True, gc=False):
    """The application of a client no longer wants what it asked for under `number`."""

    number: int


class Attached(msgspec.Struct, frozen=True, gc=False):
    """A roaming client has come into reach of a broker, and frames can travel between the two."""

    broker: str


class Detached(msgspec.Struct, frozen=True, gc=False):
    """A roaming client is out of reach of the broker that it was attached to."""


Notice: TypeAlias = (
    Started
    | FramesArrived
    | RecordsStored
    | LogFilled
    | ClientRemoved
    | ClientLost
    | ClientReached
    | NeighbourLost
    | NeighbourReturned
    | PublishRequested
    | SubscribeRequested
    | UnsubscribeRequested
    | Attached
    | Detached
)


class StoreRecord(msgspec.Struct, frozen=True, gc=False):
    """Append `record` to the process's log and sync. `Started` brings back what was stored, in its order."""

    record: bytes


class SendFrame(msgspec.Struct, frozen=True, gc=False):
    """Send `frame` to the neighbour or client named `to`."""

    to: str
    frame: Frame


class DeliverEvent(msgspec.Struct, frozen=True, gc=False):
    """A broker hands `event` to many of its clients at once, by the numbers that it gave them (`Broker.clients`)."""

    event: Event
    clients: NDArray[np.int64]


class ShowEvent(msgspec.Struct, frozen=True, gc=False):
    """A client endpoint hands `event` to its application."""

    event: Event
    arrived_ns: int | None = None
    """When it came in, for an endpoint that held it; None: just now."""
    out_of_order: bool = False
    """Handed over with the tag that the order is not kept."""
    version: int = 0
    """Of the deployment's topics and stages; 0 without an order."""


class ShowAccepted(msgspec.Struct, frozen=True, gc=False):
    """A client endpoint tells its application that the event was taken."""

    event_id: int


class ShowSubscribed(msgspec.Struct, frozen=True, gc=False):
    """A client endpoint tells its application that a wish is known everywhere but behind `missing`."""

    number: int
    missing: tuple[str, ...]


class DropEvent(msgspec.Struct, frozen=True, gc=False):
    """The machine gives `event` up for `towards` (neighbours, clients; empty: for everyone behind it)."""

    event: Event
    reason: str
    towards: tuple[str, ...] = ()


class Effects:
    """One batch of wishes, in the order in which the driver applies its fields."""

    __slots__ = ("anew", "deliver", "report", "send", "show", "store")

    def __init__(self) -> None:
        self.store: list[StoreRecord] = []
        """First: append and sync all of these."""
        self.anew = False
        """The records of this batch take the place of all earlier ones, which are kept until these are on disk."""
        self.send: list[SendFrame] = []
        """Then, in this order."""
        self.deliver: list[DeliverEvent] = []
        """Then, in this order, as frames of kind `Deliver`."""
        self.show: list[ShowEvent | ShowAccepted | ShowSubscribed] = []
        """Then, in this order."""
        self.report: list[DropEvent] = []
        """Last, for the logs; nothing depends on it."""


class Machine(Protocol):
    """What every driver can run."""

    def receive(self, notice: Notice, now: int) -> None:
        """Take in what happened; `now` never runs backwards."""

    def expire(self, now: int) -> None:
        """Do what is due; harmless when nothing is."""

    def deadline(self) -> int | None:
        """The instant of the next `expire`, or None."""

    def drain(self) -> Effects:
        """What is wanted since the last call. The caller owns the batch."""
