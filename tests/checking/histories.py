"""Small histories for the tests of checks: rows with defaults, tables from rows, and random ones."""

import itertools

import pyarrow as pa
from hypothesis import strategies as st

from tidings.checking.history import read_history
from tidings.vocabulary.event import event_id
from tidings.vocabulary.records import TABLES

CLIENTS = ("a", "b", "c", "d")
TOPICS = ("t", "u")
FILTERS = {
    "true": lambda _row: True,
    'topic == "t"': lambda row: row["topic"] == "t",
    "x > 1": lambda row: row["x"] is not None and row["x"] > 1,
    'not x > 1 and topic == "u"': lambda row: not (row["x"] is not None and row["x"] > 1) and row["topic"] == "u",
}
"""Filter texts, each with what it means, said once more in Python."""


def publication(event, publisher="p", **other):
    """A row of `publications`; `x` is the value of its one attribute, None for none."""
    x = other.pop("x", None)
    return {
        "event": event,
        "publisher": publisher,
        "incarnation": 0,
        "topic": "t",
        "number": event,
        "published_ns": event,
        "acknowledged_ns": None,
        "expires_ns": None,
        "attributes": [] if x is None else [("x", str(x))],
        "payload_bytes": 0,
        **other,
    }


def shown(subscriber, *events, at=1_000, **other):
    """Rows of `deliveries`: these events, in this order, one each nanosecond."""
    return [
        {
            "event": event,
            "subscriber": subscriber,
            "incarnation": 0,
            "position": position,
            "arrived_ns": at,
            "delivered_ns": at + position,
            "out_of_order": False,
            "version": 0,
            **other,
        }
        for position, event in enumerate(events)
    ]


def interest(subscriber, **other):
    """A row of `interests`: everything, always."""
    return {
        "subscriber": subscriber,
        "filter": "true",
        "broker": "b",
        "requested_ns": 0,
        "effective_ns": 0,
        "until_ns": None,
        **other,
    }


def drop(event, subscriber=None, reason="expired"):
    """A row of `drops`."""
    return {"event": event, "component": "b", "subscriber": subscriber, "dropped_ns": 5, "reason": reason}


def tables(**rows):
    """Arrow tables from rows, by name; the others are empty."""
    return {
        name: pa.Table.from_pylist(
            [{key: value for key, value in row.items() if key in schema.names} for row in rows.get(name, [])],
            schema=schema,
        )
        for name, schema in TABLES.items()
    }


def history_of(**rows):
    """A history from rows."""
    made = tables(**rows)
    return read_history(lambda name, columns: made[name].select(columns))


def showings_only(*sequences, **rows):
    """A history in which s0, s1 … are shown these events in these orders, and nothing else is known."""
    deliveries = [row for index, events in enumerate(sequences) for row in shown(f"s{index}", *events)]
    return history_of(deliveries=deliveries, **rows)


sequences = st.lists(st.permutations(range(6)).flatmap(lambda order: st.integers(0, 6).map(lambda n: order[:n])))
"""What several subscribers were shown of six events."""

instants = st.integers(0, 12)
maybe = st.none() | instants


@st.composite
def rows_of_runs(draw):
    """Rows of all tables of a small run: clients that publish and listen, with every fault that logs can show."""
    return {
        "publications": (published := draw(_publications())),
        "deliveries": draw(_deliveries(published)),
        "interests": draw(st.lists(_interests(), max_size=5)),
        "deadlines": draw(st.lists(_deadlines(), max_size=4)),
        "drops": draw(st.lists(_drops(published), max_size=4)) if published else [],
    }


@st.composite
def _publications(draw):
    rows = []
    for index, client in enumerate(CLIENTS[:3]):
        times = sorted(draw(st.lists(instants, max_size=4)))
        restart = draw(st.integers(0, 4))
        for number, at in enumerate(times):
            lifetime = draw(maybe)
            rows.append(
                publication(
                    event_id(index, number),
                    client,
                    incarnation=int(number >= restart),
                    number=number,
                    topic=draw(st.sampled_from(TOPICS)),
                    published_ns=at,
                    acknowledged_ns=draw(maybe),
                    expires_ns=None if lifetime is None else at + lifetime,
                    x=draw(st.none() | st.integers(0, 3)),
                )
            )
    return rows


@st.composite
def _deliveries(draw, published):
    rows = []
    never_published = publication(event_id(9, 9), published_ns=0)
    for client in CLIENTS:
        taken = draw(st.lists(st.sampled_from([*published, *published, never_published]), max_size=6))
        times = [(row["published_ns"] + draw(instants), row["event"]) for row in taken]
        if draw(st.booleans()):
            times.sort()
        begun = draw(st.integers(0, 6))
        for position, (at, event) in enumerate(times):
            tagged = draw(st.integers(0, 4)) == 0
            place = {"position": position, "incarnation": int(position >= begun)}
            rows += shown(client, event, at=at, out_of_order=tagged)
            rows[-1].update(place)
    return draw(st.permutations(rows))


@st.composite
def _interests(draw):
    requested = draw(instants)
    effective, until = draw(maybe), draw(maybe)
    return interest(
        draw(st.sampled_from(CLIENTS)),
        filter=draw(st.sampled_from(sorted(FILTERS))),
        requested_ns=requested,
        effective_ns=None if effective is None else requested + effective,
        until_ns=None if until is None else requested + until,
    )


def _deadlines():
    return st.builds(
        lambda subscriber, publisher, deadline: {
            "subscriber": subscriber,
            "publisher": publisher,
            "deadline_ns": deadline,
        },
        st.sampled_from(CLIENTS),
        st.none() | st.sampled_from(CLIENTS),
        instants,
    )


def _drops(published):
    return st.builds(
        drop,
        st.sampled_from([row["event"] for row in published] + [event_id(77, 7)]),
        st.none() | st.sampled_from(CLIENTS),
        st.sampled_from(["expired", "queue"]),
    )


def pairs_of(items):
    """All pairs, the first before the second."""
    return itertools.combinations(items, 2)
