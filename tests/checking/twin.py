"""Every check once more, in plain Python over rows: quadratic and worse, and short enough to be obviously right."""

import itertools
from collections import Counter, defaultdict

from checking.histories import FILTERS, pairs_of

FOREVER = 2**63 - 1


def by_event(rows):
    """Published rows by identity."""
    return {row["event"]: row for row in rows["publications"]}


def clients(rows):
    """Everyone who wanted or was shown something."""
    return {row["subscriber"] for table in ("interests", "deliveries") for row in rows[table]}


def showings(rows, subscriber):
    """All that a subscriber was shown, in order."""
    mine = [row for row in rows["deliveries"] if row["subscriber"] == subscriber]
    return sorted(mine, key=lambda row: (row["incarnation"], row["position"]))


def ordered(rows, subscriber):
    """The events that order is judged by: untagged, each once."""
    return list(dict.fromkeys(row["event"] for row in showings(rows, subscriber) if not row["out_of_order"]))


def everyone_ordered(rows):
    """The orders of all subscribers."""
    return {subscriber: ordered(rows, subscriber) for subscriber in sorted(clients(rows))}


def fifo(rows, *, within_topic=False):
    """Inversions by subscriber, and the chances of all."""
    published = by_event(rows)
    inversions, chances = Counter(), 0
    for subscriber, order in everyone_ordered(rows).items():
        before = defaultdict(list)
        for row in [published[event] for event in order if event in published]:
            topic = row["topic"] if within_topic else None
            seen = before[row["publisher"], row["incarnation"], topic]
            chances += bool(seen)
            inversions[subscriber] += any(number > row["number"] for number in seen)
            seen.append(row["number"])
    return +inversions, chances


def conflicts(rows):
    """Pairs that are shown in both orders."""
    orders = everyone_ordered(rows).values()
    forward = {pair for order in orders for pair in pairs_of(order)}
    return len({frozenset(pair) for pair in forward if pair[::-1] in forward})


def cycles(rows):
    """Sets of more than one event that can all be reached from each other."""
    followers = defaultdict(set)
    for order in everyone_ordered(rows).values():
        for one, other in itertools.pairwise(order):
            followers[one].add(other)
    reach = {event: reachable(event, followers) for event in list(followers)}
    sets = {
        frozenset(other for other in reach[event] if event in reach.get(other, ()))
        for event in reach
        if event in reach[event]
    }
    return len(sets)


def reachable(start, followers):
    """Everything behind `start`, which is among it when it stands on a cycle."""
    found, waiting = set(), [start]
    while waiting:
        for follower in followers.get(waiting.pop(), ()):
            if follower not in found:
                found.add(follower)
                waiting.append(follower)
    return found


def causal(rows):
    """Pairs of an effect and its cause that a subscriber was shown in this order."""
    published = by_event(rows)
    direct = {
        event: {
            other
            for other, earlier in published.items()
            if earlier["publisher"] == row["publisher"]
            and (earlier["published_ns"], earlier["number"]) < (row["published_ns"], row["number"])
        }
        | {
            told["event"]
            for told in rows["deliveries"]
            if told["subscriber"] == row["publisher"]
            and told["delivered_ns"] < row["published_ns"]
            and told["event"] in published
        }
        for event, row in published.items()
    }
    causes = {event: reachable(event, direct) for event in published}
    return sum(
        later in causes.get(earlier, ())
        for order in everyone_ordered(rows).values()
        for earlier, later in pairs_of(order)
    )


def wanted(rows, subscriber, *, staying=False):
    """Published rows that the subscriber is owed; `staying`: by interests that were never taken back."""
    return [
        row
        for row in rows["publications"]
        if any(
            FILTERS[wish["filter"]](content(row))
            and wish["effective_ns"] is not None
            and wish["effective_ns"]
            <= row["published_ns"]
            < (FOREVER if wish["until_ns"] is None else wish["until_ns"])
            for wish in rows["interests"]
            if wish["subscriber"] == subscriber and not (staying and wish["until_ns"] is not None)
        )
    ]


def content(row):
    """What filters see."""
    return {"topic": row["topic"], "x": int(row["attributes"][0][1]) if row["attributes"] else None}


def outcome(rows, subscriber):
    """The counts of one subscriber."""
    counts = Counter()
    first = {}
    for row in showings(rows, subscriber):
        first.setdefault(row["event"], row["delivered_ns"])
    for row in wanted(rows, subscriber):
        counts["wanted"] += 1
        kind = fate(rows, subscriber, row, first.get(row["event"]))
        counts[kind] += 1
        stays = row in wanted(rows, subscriber, staying=True)
        counts["acknowledged_lost"] += kind == "lost" and stays and row["acknowledged_ns"] is not None
    counts["duplicates"] = len(showings(rows, subscriber)) - len(first)
    counts["unexpected"] = sum(not allowed(rows, row) for row in showings(rows, subscriber))
    return +counts


def fate(rows, subscriber, row, shown_ns):
    """Which of the four a wanted event is."""
    if shown_ns is None:
        given_up = any(
            one["event"] == row["event"] and one["reason"] == "expired" and one["subscriber"] in (None, subscriber)
            for one in rows["drops"]
        )
        return "expired" if given_up else "lost"
    mine = [one for one in rows["deadlines"] if one["subscriber"] == subscriber]
    own = [one["deadline_ns"] for one in mine if one["publisher"] == row["publisher"]]
    general = [one["deadline_ns"] for one in mine if one["publisher"] is None]
    deadline = min(own or general or [FOREVER])
    lifetime = FOREVER if row["expires_ns"] is None else row["expires_ns"] - row["published_ns"]
    return "on_time" if shown_ns - row["published_ns"] <= min(lifetime, deadline) else "late"


def allowed(rows, showing):
    """Whether a subscriber could rightly be shown this."""
    row = by_event(rows).get(showing["event"])
    if row is None or (row["expires_ns"] is not None and showing["delivered_ns"] > row["expires_ns"]):
        return False
    return any(
        FILTERS[wish["filter"]](content(row))
        and wish["requested_ns"] <= showing["delivered_ns"]
        and (wish["until_ns"] is None or row["published_ns"] < wish["until_ns"])
        for wish in rows["interests"]
        if wish["subscriber"] == showing["subscriber"]
    )
