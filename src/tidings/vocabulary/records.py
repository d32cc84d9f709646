"""The log tables: what `simulate` and `run` write and every audit reads.

One Arrow schema per table, in `TABLES`; what each column means, in `MEANINGS`. Instants are integer nanoseconds from the
start of the run. Names (clients, brokers, topics, filters, kinds, reasons) are strings behind a dictionary.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec
import pyarrow as pa

NAME_TYPE: Final = pa.dictionary(pa.int32(), pa.string())
ATTRIBUTES_TYPE: Final = pa.map_(pa.string(), pa.string())

NULL_NS: Final = -(2**63)
"""Stands for null in arrays of integers that are on their way into a nullable column."""

NULL_NAME: Final = -1
"""Stands for null in arrays of name codes."""


class Column(msgspec.Struct, frozen=True):
    """One column of a table: Arrow type, whether it may be null, and one line of meaning."""

    name: str
    type: pa.DataType
    nullable: bool
    meaning: str


def _integer(name: str, meaning: str, *, null: bool = False) -> Column:
    return Column(name, pa.int64(), null, meaning)


def _name(name: str, meaning: str, *, null: bool = False) -> Column:
    return Column(name, NAME_TYPE, null, meaning)


COLUMNS: Final[Mapping[str, tuple[Column, ...]]] = MappingProxyType(
    {
        "publications": (
            _integer("event", "identity of the event: index of the publisher × 2⁴⁰ + number"),
            _name("publisher", "client that published it"),
            _integer("incarnation", "which start of the publisher's process, from 0"),
            _name("topic", "concrete topic"),
            _integer("number", "per publisher, from 0, over all topics"),
            _integer("published_ns", "when the application handed it in"),
            _integer("acknowledged_ns", "when the publisher learned that it was taken; null: never", null=True),
            _integer("expires_ns", "last instant at which it may be shown; null: never expires", null=True),
            Column("attributes", ATTRIBUTES_TYPE, False, "name to value, values written as filter literals"),
            _integer("payload_bytes", "size of the payload"),
        ),
        "deliveries": (
            _integer("event", "identity of the event"),
            _name("subscriber", "client whose application was shown the event"),
            _integer("incarnation", "which start of the subscriber's process, from 0"),
            _integer("position", "0, 1, 2 … in the order shown to this subscriber"),
            _integer("arrived_ns", "first arrival at the endpoint"),
            _integer("delivered_ns", "when the application was shown it, after any latch"),
            Column("out_of_order", pa.bool_(), False, "handed over with the tag that the order is not kept"),
            _integer("version", "version of the deployment's topics and stages; 0 without an order"),
        ),
        "interests": (
            _name("subscriber", "client that wants something"),
            _name("filter", "what it wants, as filter text"),
            _name("broker", "broker that it asked; null: none was in range", null=True),
            _integer("requested_ns", "when the application asked"),
            _integer("effective_ns", "when every reachable broker had confirmed it; null: never", null=True),
            _integer("until_ns", "when the application took it back; null: to the end", null=True),
        ),
        "deadlines": (
            _name("subscriber", "client that needs its events in time"),
            _name("publisher", "whose events; null: every one's that has no row of its own", null=True),
            _integer("deadline_ns", "longest delay from published to shown that is on time"),
        ),
        "transmissions": (
            _integer("event", "identity of the event; null: the copy carries none", null=True),
            _name("sender", "broker that sent the copy"),
            _name("receiver", "broker that it was sent to"),
            _integer("attempt", "0 for the first transmission, then 1, 2 …"),
            _name("kind", "event, ack, subscription, control …"),
            _integer("sent_ns", "when it left the sender"),
            _name("outcome", "what became of it: arrived, lost …"),
        ),
        "drops": (
            _integer("event", "identity of the event"),
            _name("component", "who gave it up"),
            _name("subscriber", "for whom; null: everyone behind the component", null=True),
            _integer("dropped_ns", "when"),
            _name("reason", "expired, queue, gone …"),
        ),
        "outages": (
            _name("component", "broker, link or stage"),
            _name("kind", "what sort of component"),
            _integer("down_ns", "first instant down"),
            _integer("up_ns", "first instant up again; null: down to the end", null=True),
        ),
        "processes": (
            _name("name", "process"),
            _integer("incarnation", "which start of it, from 0"),
            _name("kind", "broker, publisher, subscriber, stage …"),
            _integer("started_ns", "when it came up"),
            _integer("ended_ns", "when it ended; null: it lived to the end", null=True),
            _name("how", "exit, crash, kill …; null: it lived to the end", null=True),
        ),
        "timestamps": (
            _integer("event", "identity of the event"),
            _name("topic", "topic whose stage stamped it"),
            _integer("number", "number of the event within the topic and version"),
            _integer("version", "version of the deployment's topics and stages"),
            _integer("term", "term of the stage's ownership of the topic"),
            _integer("requested_ns", "when the stage was asked"),
            _integer("stamped_ns", "when the timestamp was complete; null: never", null=True),
            _integer("stages", "stages that the request passed"),
            _integer("entries", "topic-number pairs in the complete timestamp"),
            _integer("bytes", "size of the timestamp as it travels"),
            _integer("wan_hops", "hops between sites that the request and its answer made"),
        ),
    }
)

TABLES: Final[Mapping[str, pa.Schema]] = MappingProxyType(
    {
        table: pa.schema([pa.field(one.name, one.type, one.nullable) for one in columns])
        for table, columns in COLUMNS.items()
    }
)

MEANINGS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {table: MappingProxyType({one.name: one.meaning for one in columns}) for table, columns in COLUMNS.items()}
)
