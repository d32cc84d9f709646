"""The arrays that the compiled path works on: one record for each broker, directed link, event and thing under way.

Python owns them, the kernel reads and writes them. Records are passed as they are, without counting references.
"""

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Records: TypeAlias = NDArray[Any]
"""An array of one of the record types below."""

# ---- why the kernel came back
REACHED: Final = 0
"""Nothing is left before the bound."""
NEED_PLAN: Final = 1
"""For the thing that is about to happen."""
NEED_DRAWS: Final = 2
"""A link or a broker has used up its random numbers."""
NEED_EVENTS: Final = 3
"""The last event of the arrays has been published."""
NEED_ROOM: Final = 4
"""The heap or a buffer is nearly full."""

# ---- what became of a copy, why an event was given up, or that clients want it
ARRIVED: Final = 0
LOST: Final = 1
DOWN: Final = 2
EXPIRED: Final = 3
CRASH: Final = 4
WANTED: Final = 5
OUTCOMES: Final = ("arrived", "lost", "down", "expired", "crash")

KINDS: Final = ("event", "subscription", "control")
"""What a copy over a link is."""

NO_PLAN: Final = -1
CLIENT: Final = -1
"""The sender of an event that comes from its publisher."""
ON_ITS_WAY: Final = -1
"""The incarnation of a thing that no broker has taken in yet."""


def _record(**fields: str) -> "np.dtype[np.void]":
    return np.dtype([*fields.items()], align=True)


COUNTERS: Final = _record(
    under_way="i8",  # entries in the heap
    sequence="i8",  # shared with the agenda: what is entered first happens first, of two at one instant
    next="i8",  # the next event to be published, counted over the run
    next_sequence="i8",
    base="i8",  # the event in the first row of the events
    end="i8",  # one behind the event in the last row
    things_max="i8",  # with more under way, or more rows of a kind, there may be no room for what one step makes
    rows_max="i8",
    subscriptions="i8",
    drop_expired="i8",
    drained="i8",  # True: some random numbers are used up
    sent="i8",  # rows in the buffers
    noted="i8",
    taken="i8",
)
THING: Final = _record(ns="i8", sequence="i8", event="i8", broker="i4", sender="i4", life="i4")
"""An entry of the heap: an event that arrives at a broker, or that one has served; `life`: the incarnation that took it in."""
BROKER: Final = _record(up="i4", life="i4", free_ns="i8", serves="i4", per_subscription="i4", drawn="i8", visits="i8")
"""`drawn`: service times used up; `visits`: events that it was asked about since the last plan."""
LINK: Final = _record(
    receiver="i4",
    down="i4",
    delays="i4",
    lossy="i4",
    fifo="i8",
    drawn="i8",  # delays used up
    loss_in="i8",  # packets until the next one that is lost
    loss_gap="i8",  # the number after that; 0: to be drawn
    last_ns="i8",
    leaves_ns="i8",
    ns_per_byte="f8",  # 0: bandwidth is unlimited
)
EVENT: Final = _record(published_ns="i8", expires_ns="i8", bytes="i8", origin="i4", content="i4")
PLAN: Final = _record(links="i8", links_end="i8", clients="i8", clients_end="i8")
"""Spans of the directed links to send to, and of the clients to be shown the event."""
SENT: Final = _record(event="i8", ns="i8", link="i4", outcome="i2", kind="i2")
"""`kind`: a place in `KINDS`; only the first has an event."""
NOTED: Final = _record(event="i8", ns="i8", where="i8", plan="i4", what="i4")
"""`where`: a broker, or -1 - a directed link; `what`: `WANTED`, by the clients of the plan, or why it was given up."""
TAKEN: Final = _record(event="i8", ns="i8")
"""An event that its first broker took in, or lost (`NULL_NS`)."""


class State(NamedTuple):
    """All of it."""

    counters: Any
    """One record."""
    thing: Any
    """One record: what happens, or is about to."""
    heap: Records
    brokers: Records
    services: NDArray[np.float64]
    """By broker, a block of service times."""
    links: Records
    delays: NDArray[np.int64]
    """By directed link, a block of delays."""
    events: Records
    """From the event `base` on."""
    plan_of: NDArray[np.int32]
    """By content and broker."""
    plans: Records
    plan_links: NDArray[np.int32]
    sent: Records
    noted: Records
    taken: Records
