"""How many events a second find their filters, beside what else could be used for it.

`python benchmarks/matching.py [--quick] [--full] [--json FILE]`. One thread. Everything is measured in one run, from
event objects to keys (encoding included), the peers from ready arrays or rows, which favours them; each figure is the
best of a few rounds. Every answer is compared with ours before it is timed. Ratios within a run count, not the figures.
"""

import argparse
import json
import platform
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tidings.matching import BitsetMatcher, LinearMatcher
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import Among, And, Between, Compare, Filter, Matches, Not, Or, StartsWith
from tidings.vocabulary.streams import Streams

AXES = ("a", "b", "c", "d", "e")
MATCHING = 0.00084
EVENTS = 16_384


class Workload(NamedTuple):
    """Filters and events; five-range workloads also as arrays, for the peers."""

    name: str
    wishes: list[Filter]
    events: list[Event]
    lows: NDArray[np.float64] | None = None
    highs: NDArray[np.float64] | None = None
    points: NDArray[np.float64] | None = None


def five_ranges(count: int, *, skewed: bool = False) -> Workload:
    """Five ranges a filter; an event matches about 0.07 % of them when they are spread evenly."""
    random = Streams(1)(f"five ranges {count} {skewed}")
    widths = MATCHING ** (1 / 5) * np.exp(random.normal(0, 0.25, (count, 5)))
    centres = random.random((count, 5))
    points = random.random((EVENTS, 5))
    if skewed:  # Most filters and most events lie near one corner, and filters are narrower there.
        widths, centres, points = widths * centres**1.5, centres**3, points**3
    lows, highs = np.maximum(centres - widths / 2, 0), np.minimum(centres + widths / 2, 1)
    wishes: list[Filter] = [
        And(tuple(Between(axis, low, high) for axis, low, high in zip(AXES, *bounds, strict=True)))
        for bounds in zip(lows.tolist(), highs.tolist(), strict=True)
    ]
    events = [_event("t", dict(zip(AXES, point, strict=True))) for point in points.tolist()]
    return Workload("five ranges, skewed" if skewed else "five ranges", wishes, events, lows, highs, points)


def equalities(count: int) -> Workload:
    """A topic, a symbol out of many (Zipf) or three of them, and a side."""
    random = Streams(1)(f"equalities {count}")
    wishes: list[Filter] = []
    for symbol, topic, kind in zip(
        (random.zipf(1.3, (count, 3)) % 5_000).tolist(),
        random.integers(0, 20, count).tolist(),
        random.random(count).tolist(),
        strict=True,
    ):
        names = tuple(f"S{number}" for number in symbol)
        wanted: Filter = Compare("symbol", "==", names[0]) if kind < 0.7 else Among("symbol", names)
        side = Compare("buy", "==", kind < 0.35)
        wishes.append(And((Compare("topic", "==", f"t{topic}"), wanted, side)))
    events = [
        _event(f"t{topic}", {"symbol": f"S{symbol}", "buy": bool(buy), "price": 1.5})
        for topic, symbol, buy in zip(
            random.integers(0, 20, EVENTS), random.zipf(1.3, EVENTS) % 5_000, random.integers(0, 2, EVENTS), strict=True
        )
    ]
    return Workload("equalities", wishes, events)


def mixed(count: int) -> Workload:
    """All kinds of comparisons, `or`, `not`, prefixes, wildcards, missing attributes."""
    random = Streams(1)(f"mixed {count}")
    wishes = [_mixed_wish(random) for _ in range(count)]
    events = []
    for _ in range(EVENTS):
        attributes: dict[str, Any] = {"price": float(random.gamma(2, 50)), "volume": int(random.integers(1, 10_000))}
        attributes["symbol"] = f"{'ABCDEFGH'[int(random.integers(8))]}{int(random.zipf(1.5)) % 500}"
        if random.random() < 0.3:
            attributes["urgent"] = bool(random.random() < 0.5)
        events.append(_event(f"site{int(random.integers(30))}/quote/{int(random.integers(10))}", attributes))
    return Workload("mixed", wishes, events)


def _mixed_wish(random: np.random.Generator) -> Filter:
    low = float(random.gamma(2, 50))
    price = Between("price", low, low + float(random.exponential(10)))
    letter = "ABCDEFGH"[int(random.integers(8))]
    symbol = Compare("symbol", "==", f"{letter}{int(random.zipf(1.5)) % 500}")
    topic = Compare("topic", "==", f"site{int(random.integers(30))}/quote/{int(random.integers(10))}")
    volume = Compare("volume", ">", int(random.integers(1, 10_000)))
    kinds: list[Filter] = [
        And((topic, price)),
        And((symbol, price)),
        And((Matches("topic", f"site{int(random.integers(30))}/#"), price, volume)),
        And((Matches("topic", f"+/quote/{int(random.integers(10))}"), symbol)),
        And((StartsWith("symbol", f"{letter}{int(random.integers(1, 10))}"), volume, price)),
        Or((And((symbol, volume)), And((topic, Compare("urgent", "==", True), price)))),
        And((symbol, Not(volume))),
        And((topic, symbol, Not(Compare("urgent", "==", False)))),
    ]
    return kinds[int(random.integers(len(kinds)))]


def _event(topic: str, attributes: dict[str, Any]) -> Event:
    return Event(id=0, publisher="p", topic=topic, published_ns=0, attributes=attributes)


def seconds(action: Callable[[], object], rounds: int = 3) -> float:
    """The shortest of a few runs."""
    spans = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        spans.append(time.perf_counter() - start)
    return min(spans)


def ours(workload: Workload) -> tuple[dict[str, float], BitsetMatcher]:
    """Inserts, matches, matches of single events, and then removals of half of a second matcher's filters."""
    count = len(workload.wishes)
    items = list(enumerate(workload.wishes))
    first = workload.events[:1]

    def filled() -> BitsetMatcher:
        matcher = BitsetMatcher()
        matcher.add_many(items)
        matcher.match(first)
        return matcher

    matcher = filled()  # Compiles.
    rates = {"inserts": count / seconds(filled)}
    rates["events"] = EVENTS / seconds(lambda: matcher.match(workload.events))
    rates["single events"] = 2_000 / seconds(lambda: [matcher.match([event]) for event in workload.events[:2_000]])
    table = matcher._table  # noqa: SLF001 - the share of encoding is of interest here only
    if table is not None:
        encode = table.encoder.encode
        span = seconds(lambda: [encode(workload.events[at : at + 4096]) for at in range(0, EVENTS, 4096)])
        rates["events, encoded before"] = 1 / (1 / rates["events"] - span / EVENTS)
    other = filled()
    start = time.perf_counter()
    for key in range(0, count, 2):
        other.remove(key)
    other.match(first)
    rates["removes"] = (count + 1) // 2 / (time.perf_counter() - start)
    return rates, matcher


def linear(workload: Workload) -> Callable[[int], list[int]]:
    """The plain twin."""
    matcher = LinearMatcher()
    matcher.add_many(enumerate(workload.wishes))
    return lambda at: matcher.match(workload.events[at : at + 1])[0].tolist()


def numpy_scan(workload: Workload) -> Callable[[int], list[int]]:
    """Compares all bounds, attribute by attribute."""
    assert workload.lows is not None
    assert workload.highs is not None
    assert workload.points is not None
    lows, highs = np.ascontiguousarray(workload.lows.T), np.ascontiguousarray(workload.highs.T)
    points = workload.points

    def match(at: int) -> list[int]:
        hits = np.ones(lows.shape[1], np.bool_)
        for axis, value in enumerate(points[at]):
            hits &= (lows[axis] <= value) & (value <= highs[axis])
        found: list[int] = np.flatnonzero(hits).tolist()
        return found

    return match


def rtree(workload: Workload) -> Callable[[int], list[int]]:
    """SQLite's R*Tree in memory; it keeps 32-bit floats rounded outwards, so its answers may hold a little more."""
    assert workload.lows is not None
    assert workload.highs is not None
    assert workload.points is not None
    database = sqlite3.connect(":memory:")
    columns = ", ".join(f"low_{axis}, high_{axis}" for axis in AXES)
    database.execute(f"CREATE VIRTUAL TABLE boxes USING rtree(key, {columns})")
    rows = np.stack([workload.lows, workload.highs], axis=2).reshape(len(workload.wishes), 10)
    marks = ", ".join("?" * 11)
    database.executemany(f"INSERT INTO boxes VALUES ({marks})", ((key, *row) for key, row in enumerate(rows.tolist())))  # noqa: S608 - names of columns only
    where = " AND ".join(f"low_{axis} <= ?{number} AND high_{axis} >= ?{number}" for number, axis in enumerate(AXES, 1))
    query = f"SELECT key FROM boxes WHERE {where}"  # noqa: S608 - no input from outside
    points = workload.points.tolist()
    return lambda at: sorted(key for (key,) in database.execute(query, points[at]))


def duckdb_rate(workload: Workload, expected: list[list[int]]) -> float | None:
    """DuckDB joins some events with all filters, in one query; None when it is not installed."""
    try:
        import duckdb  # noqa: PLC0415 - an optional peer
        import pyarrow as pa  # noqa: PLC0415 - needed for this peer only
    except ImportError:
        return None
    assert workload.lows is not None
    assert workload.highs is not None
    assert workload.points is not None
    connection = duckdb.connect()
    connection.execute("SET threads TO 1")
    bounds = {f"low_{axis}": workload.lows[:, number] for number, axis in enumerate(AXES)}
    bounds |= {f"high_{axis}": workload.highs[:, number] for number, axis in enumerate(AXES)}
    count = len(expected)
    points = {axis: workload.points[:count, number] for number, axis in enumerate(AXES)}
    connection.register("all_boxes", pa.table({"key": np.arange(len(workload.wishes)), **bounds}))
    connection.register("all_events", pa.table({"event": np.arange(count), **points}))
    connection.execute("CREATE TABLE boxes AS SELECT * FROM all_boxes; CREATE TABLE events AS SELECT * FROM all_events")
    where = " AND ".join(f"{axis} BETWEEN low_{axis} AND high_{axis}" for axis in AXES)
    query = f"SELECT event, key FROM events, boxes WHERE {where} ORDER BY event, key"  # noqa: S608 - no outside input
    start = time.perf_counter()
    pairs = connection.execute(query).fetchall()
    span = time.perf_counter() - start
    if pairs != [(event, key) for event, keys in enumerate(expected) for key in keys]:
        sys.exit("DuckDB and BitsetMatcher differ")
    return count / span


def peer_rate(name: str, match: Callable[[int], list[int]], expected: list[list[int]], budget: float) -> float:
    """Events a second within about `budget` seconds, after the first answers were compared."""
    for at, keys in enumerate(expected):
        found = match(at)
        right = set(found) >= set(keys) and len(found) <= len(keys) + 2 if name == "SQLite R*Tree" else found == keys
        if not right:
            sys.exit(f"{name} and BitsetMatcher differ at event {at}")
    done, start = 0, time.perf_counter()
    while (span := time.perf_counter() - start) < budget and done < EVENTS:
        match(done)
        done += 1
    return done / span


def peers(workload: Workload, matcher: BitsetMatcher, budget: float) -> Iterator[tuple[str, float]]:
    """Rates of all that can be used for this workload."""
    answers = [keys.tolist() for keys in matcher.match(workload.events[:20])]
    if len(workload.wishes) <= 10_000:
        yield "plain twin", peer_rate("plain twin", linear(workload), answers[:5], budget)
    if workload.lows is None:
        return
    for name, make in (("NumPy scan", numpy_scan), ("SQLite R*Tree", rtree)):
        yield name, peer_rate(name, make(workload), answers, budget)
    joined = duckdb_rate(workload, [keys.tolist() for keys in matcher.match(workload.events[:500])])
    if joined is not None:
        yield "DuckDB join", joined


def measure(workload: Workload, budget: float) -> dict[str, Any]:
    """One row of the table."""
    rates, matcher = ours(workload)
    matched = float(np.mean([keys.size for keys in matcher.match(workload.events)])) / len(workload.wishes)
    others = dict(peers(workload, matcher, budget))
    return {
        "workload": workload.name,
        "filters": len(workload.wishes),
        "matched": matched,
        "per second": rates,
        "peers, events per second": others,
        "times as fast": {name: rates["events"] / rate for name, rate in others.items()},
    }


def shown(row: dict[str, Any]) -> Iterator[str]:
    """A row as text."""
    rates = row["per second"]
    yield f"{row['workload']}, {row['filters']:,} filters, {row['matched']:.3%} match"
    yield "  " + ", ".join(f"{rate:,.0f} {name}/s" for name, rate in rates.items())
    for name, rate in row["peers, events per second"].items():
        yield f"  {row['times as fast'][name]:,.1f} × {name} ({rate:,.0f} events/s)"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="10,000 filters only")
    parser.add_argument("--full", action="store_true", help="1,000,000 filters as well")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    makers: list[Callable[[], Workload]] = [lambda: five_ranges(10_000)]
    if not options.quick:
        makers += [lambda: five_ranges(100_000)]
    if options.full:
        makers += [lambda: five_ranges(1_000_000)]
    size = 10_000 if options.quick else 100_000
    makers += [lambda: five_ranges(size, skewed=True), lambda: equalities(size), lambda: mixed(size)]
    machine = f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}, one thread"
    print(machine)
    rows = []
    for make in makers:
        rows.append(measure(make(), 0.3 if options.quick else 1.0))
        print("\n".join(shown(rows[-1])), flush=True)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine, "rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
