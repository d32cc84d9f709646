"""Logs in perfect order but for faults whose number is known, each in a block of events of its own."""

import numpy as np

from tidings.logs import LogFolder
from tidings.vocabulary.records import NULL_NAME, NULL_NS

MS = 1_000_000


def planted(subscribers):
    """What every block holds, by the names of the report.

    An inversion of one publisher at one subscriber; two events of two publishers that one subscriber saw the other way
    round; two that half of the subscribers did: all of them conflicts and cycles. Then three events that close a cycle
    though no two subscribers disagree on a pair, since each saw but two of them: the others are lost.
    """
    return {
        "fifo_inversions": 1,
        "order_conflicts": 3,
        "order_cycles": 4,
        "causal_inversions": 1,
        "duplicates": 1,
        "unexpected": 1,
        "late": 1,
        "lost": 1 + 3 + 3 + 2 * (subscribers - 3),
        "expired": 1,
        "tagged": 1,
    }


BLOCK = 20
PUBLISHERS = 4
_DELAY = 10 * MS


def planted_logs(path, *, subscribers, blocks, calm=0):
    """`calm` blocks without faults come first. Every subscriber wants everything within 50 ms."""
    events = BLOCK * (blocks + calm // BLOCK)
    publisher = np.arange(events) % PUBLISHERS
    ids = (publisher << 40) + np.arange(events) // PUBLISHERS
    at = np.arange(events) * MS
    rows = [_order(subscriber, subscribers, events, blocks) for subscriber in range(subscribers)]
    shown = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
    order = np.argsort(shown["delivered_ns"], kind="stable")
    shown = {name: values[order] for name, values in shown.items()}
    unknown = shown["event"] < 0
    names = [*(f"p{one}" for one in range(PUBLISHERS)), *(f"s{one}" for one in range(subscribers))]
    with LogFolder.create(path, names=names) as folder:
        folder.write_text("scenario.toml", "tidings = 1\n")
        folder.write(
            "publications",
            {
                "event": ids,
                "publisher": publisher,
                "incarnation": np.zeros(events, np.int64),
                "topic": np.full(events, folder.code("t")),
                "number": np.arange(events) // PUBLISHERS,
                "published_ns": at,
                "acknowledged_ns": at + 1,
                "expires_ns": np.full(events, NULL_NS),
                "attributes": [{}] * events,
                "payload_bytes": np.zeros(events, np.int64),
            },
        )
        shown["event"] = np.where(unknown, (99 << 40) - shown["event"], ids[shown["event"]])
        folder.write(
            "deliveries", {**shown, "arrived_ns": shown["delivered_ns"], "subscriber": shown["subscriber"] + PUBLISHERS}
        )
        _write_wishes(folder, ids, subscribers, events, blocks)
        folder.finish({"verb": "planted"})
    return path


def _order(subscriber, subscribers, events, blocks):
    """What one subscriber is shown: positions of events, negative for one never published."""
    first = events - BLOCK * blocks
    order = list(range(first))
    tagged, late = set(), set()
    for block in range(blocks):
        base = first + BLOCK * block
        sequence = [base + one for one in range(BLOCK)]
        _plant(sequence, base, subscriber, subscribers)
        if subscriber == 0:
            late.add(base + 16)
            tagged.add(base + 17)
        order += sequence
    event = np.array(order)
    count = len(event)
    position = np.arange(count)
    delivered = np.maximum.accumulate(event) * MS + _DELAY
    delivered[np.isin(event, list(late))] += 45 * MS
    return {
        "event": event,
        "subscriber": np.full(count, subscriber),
        "incarnation": np.zeros(count, np.int64),
        "position": position,
        "delivered_ns": delivered,
        "out_of_order": np.isin(event, list(tagged)),
        "version": np.zeros(count, np.int64),
    }


def _plant(sequence, base, subscriber, subscribers):
    """Change the order of one block for one subscriber."""

    def swap(one, other):
        a, b = sequence.index(base + one), sequence.index(base + other)
        sequence[a], sequence[b] = sequence[b], sequence[a]

    if subscriber == 1:
        swap(0, 1)  # two publishers
    if subscriber % 2:
        swap(2, 3)  # half of the subscribers: one pair, two publishers
    if subscriber == 2:  # one publisher: 4 and 8, with nothing of the others between at this subscriber's place
        for skipped in (5, 6, 7):
            sequence.remove(base + skipped)
        swap(4, 8)
    _cycle(sequence, base, subscriber)
    if subscriber == 3:
        sequence.append(base + 18)  # a duplicate
        sequence.append(-1 - base)  # never published
    if subscriber == 4:
        sequence.remove(base + 15)  # lost
        sequence.remove(base + 14)  # expired


def _cycle(sequence, base, subscriber):
    """Events 9, 10, 11: three subscribers see two of them each, and the three orders close a circle."""
    shown = {0: (9, 10), 1: (10, 11), 2: (11, 9)}.get(subscriber, (9,))
    place = sequence.index(base + 9)
    for one in (9, 10, 11):
        sequence.remove(base + one)
    sequence[place:place] = [base + one for one in shown]


def _write_wishes(folder, ids, subscribers, events, blocks):
    clients = np.arange(subscribers) + PUBLISHERS
    zeros = np.zeros(subscribers, np.int64)
    folder.write(
        "interests",
        {
            "subscriber": clients,
            "filter": np.full(subscribers, folder.code("true")),
            "broker": np.full(subscribers, NULL_NAME),
            "requested_ns": zeros,
            "effective_ns": zeros,
            "until_ns": zeros + NULL_NS,
        },
    )
    folder.write(
        "deadlines",
        {"subscriber": clients, "publisher": np.full(subscribers, NULL_NAME), "deadline_ns": zeros + 50 * MS},
    )
    expired = ids[events - BLOCK * blocks + BLOCK * np.arange(blocks) + 14]
    folder.write(
        "drops",
        {
            "event": expired,
            "component": np.full(blocks, folder.code("b")),
            "subscriber": np.full(blocks, 4 + PUBLISHERS),
            "dropped_ns": np.arange(blocks),
            "reason": np.full(blocks, folder.code("expired")),
        },
    )
