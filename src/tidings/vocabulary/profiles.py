"""The table of publisher profiles: what `tidings profile` writes, and a scenario names as `profile = "…"`.

One row for each publisher. A profile stands for a record without being it: how often it publishes and how unevenly, what
its events say and how often each.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import pyarrow as pa

from tidings.vocabulary.records import ATTRIBUTES_TYPE

CONTENT_TYPE: Final = pa.struct(
    {"topic": pa.string(), "attributes": ATTRIBUTES_TYPE, "payload_bytes": pa.int64(), "weight": pa.float64()}
)
INDEX_TYPE: Final = pa.struct({"window_ns": pa.float64(), "index": pa.float64()})

PROFILE_SCHEMA: Final = pa.schema(
    [
        pa.field("publisher", pa.string(), nullable=False),
        pa.field("events", pa.int64(), nullable=False),
        pa.field("span_ns", pa.int64(), nullable=False),
        pa.field("rate", pa.float64(), nullable=False),
        pa.field("scv", pa.float64()),
        pa.field("interval_ns", pa.list_(pa.float64()), nullable=False),
        pa.field("dispersion", pa.list_(INDEX_TYPE), nullable=False),
        pa.field("contents", pa.list_(CONTENT_TYPE), nullable=False),
        pa.field("lifetime_ns", pa.int64()),
    ]
)
PROFILE_MEANINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "publisher": "its name",
        "events": "how many were recorded",
        "span_ns": "length of the record",
        "rate": "events per second",
        "scv": "burstiness z²: squared coefficient of variation of the intervals; null below three events",
        "interval_ns": "intervals between events, ascending: means of parts of the record with equal numbers of intervals",
        "dispersion": "variance over mean of the events counted in windows of each length",
        "contents": "topic, attributes and size of events, with weights that sum to 1; a sample where there are many",
        "lifetime_ns": "median time for which its events are of use; null: for ever",
    }
)
"""What each column holds."""
