"""Logs of any size with faults in them, for tests and benchmarks: random ones, and ones whose faults are counted."""

from dataclasses import dataclass

import numpy as np

from tidings.logs import LogFolder
from tidings.vocabulary.records import NULL_NAME, NULL_NS
from tidings.vocabulary.streams import Streams

SECOND = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class Made:
    """How large, and how bad: shares of showings."""

    seed: int = 1
    publishers: int = 5
    events: int = 400
    subscribers: int = 12
    reacting: int = 0
    """Publishers that subscribe, too."""
    received: float = 0.9
    """Share of the wanted events that come."""
    jitter_ns: int = 2_000_000
    """Events are a millisecond apart: jitter above it makes inversions."""
    bad: float = 0.01
    """Share of showings that are tagged, doubled, never published; of events that expire."""
    skewed: bool = False
    """The first publisher has half of all events."""


def random_logs(path, made):
    """A finished folder of random logs with every kind of fault; never shown before it was published."""
    draw = Streams(made.seed)("made logs")
    names = [*(f"p{one}" for one in range(made.publishers)), *(f"s{one}" for one in range(made.subscribers)), "b"]
    events = _events(made, draw)
    shown = _shown(made, draw, events)
    with LogFolder.create(path, names=names) as folder:
        folder.write_text("scenario.toml", "tidings = 1\n")
        topics = np.array([folder.code(f"t{one}") for one in range(3)])
        folder.write("publications", {**events, "topic": topics[events["topic"]]})
        folder.write("deliveries", shown)
        folder.write("interests", _interests(made, draw, folder))
        folder.write("deadlines", _deadlines(made, draw))
        folder.write("drops", _drops(made, draw, events, folder))
        folder.finish({"verb": "made"})
    return path


def _events(made, draw):
    weights = np.ones(made.publishers)
    weights[0] = made.publishers - 1 if made.skewed else 1
    publisher = np.sort(draw.choice(made.publishers, made.events, p=weights / weights.sum()))
    first = np.searchsorted(publisher, publisher)
    number = np.arange(made.events) - first
    at = np.concatenate(
        [
            np.sort(draw.integers(0, made.events * 1_000_000, n))
            for n in np.bincount(publisher, minlength=made.publishers)
        ]
    )
    order = np.argsort(at, kind="stable")
    lives = draw.random(made.events) < 0.9
    attributes = [{"x": str(one)} for one in draw.integers(0, 10, made.events)]
    columns = {
        "event": (publisher << 40) + number,
        "publisher": publisher,
        "incarnation": (number > 50).astype(np.int64),
        "topic": draw.integers(0, 3, made.events),
        "number": number,
        "published_ns": at,
        "acknowledged_ns": np.where(draw.random(made.events) < 0.8, at + 1_000_000, NULL_NS),
        "expires_ns": np.where(lives, NULL_NS, at + 9_000_000),
        "payload_bytes": np.full(made.events, 100),
    }
    return {**{name: values[order] for name, values in columns.items()}, "attributes": attributes}


def _shown(made, draw, events):
    listeners = [*range(made.reacting), *range(made.publishers, made.publishers + made.subscribers)]
    subscriber, event, delivered = [], [], []
    for client in listeners:
        taken = np.flatnonzero(draw.random(made.events) < made.received)
        taken = np.concatenate([taken, draw.choice(taken, int(len(taken) * made.bad) + 1)])
        delay = draw.integers(1_000_000, 8_000_000) + draw.integers(0, made.jitter_ns + 1, len(taken))
        at = events["published_ns"][taken] + delay
        order = np.argsort(at, kind="stable")
        subscriber.append(np.full(len(taken), client))
        event.append(taken[order])
        delivered.append(at[order])
    subscriber, event, delivered = (np.concatenate(one) for one in (subscriber, event, delivered))
    position = np.arange(len(event)) - np.searchsorted(subscriber, subscriber)
    ids = events["event"][event]
    unknown = draw.random(len(event)) < made.bad / 5
    order = np.argsort(delivered, kind="stable")
    columns = {
        "event": np.where(unknown, (77 << 40) + event, ids),
        "subscriber": subscriber,
        "incarnation": (position > 200).astype(np.int64),
        "position": position,
        "arrived_ns": delivered,
        "delivered_ns": delivered,
        "out_of_order": draw.random(len(event)) < made.bad,
        "version": np.zeros(len(event), np.int64),
    }
    return {name: values[order] for name, values in columns.items()}


def _interests(made, draw, folder):
    texts = ["true", 'topic == "t1"', "x > 4", 'not x > 4 and topic in ("t0", "t2")']
    codes = np.array([folder.code(text) for text in texts])
    everyone = np.concatenate([np.arange(made.reacting), made.publishers + np.arange(made.subscribers)])
    later = draw.choice(everyone, max(len(everyone) // 3, 1))
    end = made.events * 1_000_000
    asked = draw.integers(0, end, len(later))
    until = asked + draw.integers(0, end, len(later))
    zeros = np.zeros(len(everyone), np.int64)
    return {
        "subscriber": np.concatenate([everyone, later]),
        "filter": codes[np.concatenate([everyone % 4, draw.integers(0, 4, len(later))])],
        "broker": np.full(len(everyone) + len(later), NULL_NAME),
        "requested_ns": np.concatenate([zeros, asked]),
        "effective_ns": np.concatenate([zeros, np.where(draw.random(len(later)) < 0.8, asked + 5_000_000, NULL_NS)]),
        "until_ns": np.concatenate([zeros + NULL_NS, np.where(draw.random(len(later)) < 0.8, until, NULL_NS)]),
    }


def _deadlines(made, draw):
    clients = made.publishers + np.arange(made.subscribers)
    single = draw.choice(clients, len(clients))
    return {
        "subscriber": np.concatenate([clients[::2], single]),
        "publisher": np.concatenate(
            [np.full(len(clients[::2]), NULL_NAME), draw.integers(0, made.publishers, len(clients))]
        ),
        "deadline_ns": draw.integers(2_000_000, 12_000_000, len(clients[::2]) + len(clients)),
    }


def _drops(made, draw, events, folder):
    count = int(made.events * made.bad) + 5
    names = [folder.code("expired"), folder.code("queue")]
    clients = draw.integers(made.publishers, made.publishers + made.subscribers, count)
    return {
        "event": draw.choice(events["event"], count),
        "component": np.full(count, folder.code("b")),
        "subscriber": np.where(draw.random(count) < 0.5, clients, NULL_NAME),
        "dropped_ns": np.sort(draw.integers(0, made.events * 1_000_000, count)),
        "reason": draw.choice(names, count),
    }
