"""Which filters hold, against the brute-force evaluation."""

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from tidings.checking.evaluate import wants
from tidings.pipeline.holding import held, holding
from tidings.vocabulary.filter_parser import parse_filter
from tidings.vocabulary.records import ATTRIBUTES_TYPE
from tidings.vocabulary.value import parse_literal

TEXTS = [
    "true",
    'topic == "a"',
    "x > 1",
    'not x > 1 and topic != "b"',
    "exists(y) or x in (1, 2.0)",
    'y startswith "q"',
]
contents = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c/d"]),
        st.dictionaries(st.sampled_from(["x", "y"]), st.sampled_from(["1", "2.5", '"q1"', "true"]), max_size=2),
    ),
    min_size=1,
    max_size=12,
)


def tables(rows):
    """Events and filters as Arrow tables."""
    attributes = pa.array([list(row[1].items()) for row in rows], ATTRIBUTES_TYPE)
    events = pa.table({"event": list(range(len(rows))), "topic": [row[0] for row in rows], "attributes": attributes})
    return events, pa.table({"filter": list(range(len(TEXTS))), "text": TEXTS})


def by_hand(rows):
    """All pairs that hold."""
    wishes = [parse_filter(text) for text in TEXTS]
    literals = [(topic, {name: parse_literal(text) for name, text in row.items()}) for topic, row in rows]
    return {(e, f) for e, row in enumerate(literals) for f, wish in enumerate(wishes) if wants(wish, *row)}


def pairs(table):
    """As a set; nothing may come twice."""
    found = list(zip(*(table.column(name).to_pylist() for name in ("event", "filter")), strict=True))
    assert len(set(found)) == len(found)
    return set(found)


@given(contents)
@settings(max_examples=30)
def test_one_call_gives_all_pairs(rows):
    """Whatever attributes events have."""
    assert pairs(held(*tables(rows))) == by_hand(rows)


def test_pieces_give_the_same(spark):
    """Spread over several calls, with events and filters from tables."""
    rows = [(topic, {"x": text}) for topic in ("a", "b") for text in ("1", "2.5", "true", '"q"')] * 50
    events, filters = tables(rows)
    schema = "event bigint, topic string, attributes map<string,string>"
    frame = spark.createDataFrame(
        [(row["event"], row["topic"], dict(row["attributes"])) for row in events.to_pylist()], schema
    )
    texts = spark.createDataFrame([tuple(row.values()) for row in filters.to_pylist()], "filter bigint, text string")
    assert pairs(holding(frame, texts).toArrow()) == by_hand(rows)
    assert holding(frame, texts.limit(0)).count() == 0
    assert holding(frame.limit(0), texts).count() == 0
