"""What order costs in the setting of the paper on total order (1,000 topics, 10 for each client), whatever runs there.

Figures of plans, not of runs: depth beside its lower bound, entries of timestamps, messages between sites, load. The
paper's deployment (topics by identifier, 200 to a server) is planned on the elimination tree, too, since its own routing
can wait in circles. Its shapes are read in two ways: as shares (0.5 % and 40 % of the topics draw 80 %), and as exponents.
Bytes come from publishing in one stage: each timestamp whole, and as written.

    python benchmarks/sequencing_tree.py [--quick] [--json]
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tidings.ordering.plan import Precedence, SequencingPlan, Stages, plan_sequencing
from tidings.ordering.stage import Complete, Stage
from tidings.ordering.timestamp_coding import TimestampWriter
from tidings.vocabulary.distribution import Power
from tidings.vocabulary.streams import Streams

SITES = 5
PER_CLIENT = 10

Figures = dict[str, float | int | str]


@dataclass(frozen=True)
class Setting:
    """One reading of the paper."""

    name: str
    exponent: float
    topics: int
    clients: int

    @property
    def popularity(self) -> NDArray[np.float64]:
        """The share of each rank."""
        weights = Power(self.exponent).weights(self.topics)
        return np.asarray(weights / weights.sum(), np.float64)

    def interests(self, *, rotated: bool) -> dict[str, list[str]]:
        """Topics drawn by popularity; `rotated`: each site has favourites of its own, a fifth of the topics further on."""
        draw, popularity = Streams(1)(f"interests {self.name} {self.clients}"), self.popularity
        drawn = {}
        for client in range(self.clients):
            ranks = draw.choice(self.topics, PER_CLIENT, replace=False, p=popularity)
            shift = client % SITES * (self.topics // SITES) if rotated else 0
            drawn[f"c{client}"] = [f"t{(rank + shift) % self.topics + 1}" for rank in ranks.tolist()]
        return drawn

    def publications(self, *, rotated: bool) -> dict[str, dict[str, float]]:
        """By topic and site, with the same favourites."""
        popularity, shift = self.popularity, self.topics // SITES if rotated else 0
        return {
            f"t{topic + 1}": {
                f"site{site}": float(popularity[(topic - site * shift) % self.topics]) for site in range(SITES)
            }
            for topic in range(self.topics)
        }


def exponent_of(share: float, topics: int) -> float:
    """The exponent at which the most popular `share` of the topics draws 80 %."""
    low, high = 0.0, 8.0
    for _ in range(60):
        middle = (low + high) / 2
        weights = Power(middle).weights(topics)
        enough = weights[: max(1, round(share * topics))].sum() >= 0.8 * weights.sum()
        low, high = (low, middle) if enough else (middle, high)
    return high


def settings(*, quick: bool) -> Iterator[Setting]:
    """Both readings of both shapes, with 10,000 clients (5.3) and with 1,000 (5.1)."""
    topics = 200 if quick else 1_000
    for clients in (topics,) if quick else (10_000, 1_000):
        for shape, share in ((0.349, 0.4), (0.901, 0.005)):
            yield Setting(f"{shape} as {share:.1%} of topics draw 80 %", exponent_of(share, topics), topics, clients)
            yield Setting(f"{shape} as exponent", shape, topics, clients)


def one_topic_a_stage(setting: Setting) -> Iterator[Figures]:
    """The paper's 5.3: one popularity everywhere, a manager for each topic."""
    interests, popularity = setting.interests(rotated=False), setting.publications(rotated=False)
    topics = list(popularity)
    precedences: tuple[Precedence, ...] = ("identifier", "shallow")
    for precedence in precedences:
        began = time.perf_counter()
        plan = plan_sequencing(
            interests,
            topics=topics,
            precedence=precedence,
            stages={topic: [topic] for topic in topics},
            popularity={topic: {"": sum(shares.values())} for topic, shares in popularity.items()},
        )
        yield {"plan": f"a stage each, {precedence}", **figures(plan), "seconds": round(time.perf_counter() - began, 2)}


def deployments(setting: Setting) -> Iterator[Figures]:
    """The paper's 5.1: five sites with favourites of their own; its servers, and ours."""
    interests, popularity = setting.interests(rotated=True), setting.publications(rotated=True)
    tried: tuple[tuple[Stages, Precedence, str], ...] = (
        (SITES, "identifier", "the paper's: 5 blocks by identifier"),
        ("by-site", "shallow", "by-site, shallow"),
        ("by-site", "by-site", "by-site, by-site"),
        ("automatic", "shallow", "automatic, shallow"),
        ("automatic", "by-site", "automatic, by-site"),
    )
    for stages, precedence, name in tried:
        began = time.perf_counter()
        plan = plan_sequencing(
            interests, topics=list(popularity), precedence=precedence, stages=stages, popularity=popularity
        )
        yield {"plan": name, **figures(plan), "seconds": round(time.perf_counter() - began, 2)}


def figures(plan: SequencingPlan) -> Figures:
    """A plan's report, without the load of each stage."""
    report = plan.report
    return {
        "stages": len(plan.stages),
        "depth": report.depth,
        "depth_bound": report.depth_bound,
        "path_mean": round(report.path_mean, 3),
        "path_max": report.path_max,
        "entries_mean": round(report.entries_mean, 1),
        "entries_published": round(report.entries_published, 1),
        "crossings": round(report.crossings, 3),
        "crossings_bound": round(report.crossings_bound, 3),
        "own_max": round(max(load.own for load in report.load.values()), 3),
        "handled_max": round(max(load.handled for load in report.load.values()), 3),
    }


def bytes_of(setting: Setting, events: int) -> Figures:
    """Mean bytes of a timestamp over `events` events drawn by popularity, all topics in one stage."""
    interests, names = setting.interests(rotated=False), [f"t{topic + 1}" for topic in range(setting.topics)]
    plan = plan_sequencing(interests, topics=names, stages={"one": names})
    stage, code = Stage(plan, "one"), {topic: place for place, topic in enumerate(plan.routes)}
    writers = {topic: TimestampWriter([code[member] for member in route.group]) for topic, route in plan.routes.items()}
    drawn = Streams(1)("publications").choice(setting.topics, events, p=setting.popularity).tolist()
    whole = written = entries = 0
    spent = 0.0
    for event, rank in enumerate(drawn):
        began = time.perf_counter()
        done = stage.request(names[rank], event)
        spent += time.perf_counter() - began
        if isinstance(done, Complete):
            writer = writers[names[rank]]
            entries += len(done.timestamp.numbers)
            whole += len(writer.whole(done.timestamp))
            written += len(writer.write(done.timestamp))
    return {
        "events": events,
        "entries": round(entries / events, 1),
        "bytes_whole": round(whole / events, 1),
        "bytes_written": round(written / events, 1),
        "request_us": round(1e6 * spent / events, 2),
    }


def main() -> None:
    """Prints a table, or with --json one document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="200 topics and clients: shows that it works, no more")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    options = parser.parse_args()
    measured = []
    for setting in settings(quick=options.quick):
        print(f"{setting.name}, {setting.clients} clients", file=sys.stderr)
        plans = [*one_topic_a_stage(setting), *deployments(setting)]
        measured.append((setting, plans, bytes_of(setting, 2_000 if options.quick else 50_000)))
    if options.json:
        print(json.dumps([as_json(*one) for one in measured], indent=2))
        return
    for setting, plans, timestamps in measured:
        print(
            f"\nshape {setting.name} (exponent {setting.exponent:.3f}), {setting.topics} topics, {setting.clients} clients"
        )
        for row in (*plans, {"timestamps": "", **timestamps}):
            print("  " + "  ".join(f"{key} {value}" for key, value in row.items()))


def as_json(setting: Setting, plans: list[Figures], timestamps: Figures) -> dict[str, object]:
    """One setting of the document."""
    return {
        "setting": setting.name,
        "exponent": round(setting.exponent, 3),
        "topics": setting.topics,
        "clients": setting.clients,
        "plans": plans,
        "timestamps": timestamps,
    }


if __name__ == "__main__":
    main()
