"""Tables of profiles that several tests name."""

import pyarrow as pa
import pyarrow.parquet as pq

from tidings.vocabulary.profiles import PROFILE_SCHEMA

SECOND = 1e9
CONTENTS = (
    {"topic": "quote", "attributes": [("symbol", '"IBM"'), ("price", "181.5")], "payload_bytes": 100, "weight": 0.75},
    {"topic": "news", "attributes": [("urgent", "true")], "payload_bytes": 900, "weight": 0.25},
)
ROW = {
    "publisher": "ibm",
    "events": 40,
    "span_ns": 80 * 10**9,
    "rate": 0.5,
    "scv": 4.0,
    "interval_ns": [SECOND, SECOND, 4 * SECOND],
    "dispersion": [{"window_ns": SECOND, "index": 1.5}, {"window_ns": 100 * SECOND, "index": 6.0}],
    "contents": list(CONTENTS),
    "lifetime_ns": None,
}


def profile_table(path, *rows):
    """A table with these rows, each as `ROW` but for what it says."""
    pq.write_table(pa.Table.from_pylist([ROW | row for row in rows or ({},)], PROFILE_SCHEMA), path)
    return path
