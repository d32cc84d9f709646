"""Small worlds drawn from seeds, with everything that may go wrong in them, run and judged.

A seed gives a world, fault options and a temper: *calm* worlds suffer nothing, *healed* ones suffer in their first half
only, *rough* ones all the time. Run this file to repeat a seed:

    PYTHONPATH=src:tests python -m simulation.campaign 17

Seeds from `KEEPING` on give worlds whose brokers keep what they acknowledge, on disks that lose what was not synced; those from
`BYPASSING` on worlds in which events are led around what has failed, and those from `BOTH` on worlds with both. From
`ROAMING` on, subscribers roam where brokers keep what they acknowledge, and some of them publish.
"""

import json
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from simulation.checks import CHECKS, sightings_of
from simulation.watching import Watched
from simulation.worlds import MS, make_world, run
from tidings.scenario.mobility_tables import MOBILITY
from tidings.scenario.source import Place, Source
from tidings.scenario.world import (
    Broker,
    Choice,
    Crash,
    Handoff,
    Link,
    LinkEpisodes,
    LinkLaw,
    Map,
    OutageLaw,
    Publisher,
    Reliability,
    Routing,
    Service,
    Subscriber,
    World,
)
from tidings.simulation.disk import DiskFaults
from tidings.simulation.faults import FaultCounters, Faults, LinkFaults, Spells, swarm
from tidings.vocabulary.distribution import Constant, Exponential, Gamma, Uniform
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.filter_text import format_filter
from tidings.vocabulary.instant import FOREVER, SECOND
from tidings.vocabulary.streams import Streams

KEEPING = 1_000_000
"""From this seed on, brokers keep what they acknowledge."""
BYPASSING = 2_000_000
"""From this seed on, events are led around what has failed."""
BOTH = 3_000_000
"""From this seed on, both."""
ROAMING = 4_000_000
"""From this seed on, brokers keep, or both, and clients roam."""
FAMILIES = {ROAMING: "buffering", BOTH: "bypass+buffering", BYPASSING: "bypass", KEEPING: "buffering", 0: None}
"""By first seed the mechanism, drawn where there is none."""
TEMPERS = ("calm", "healed", "rough", "rough")
VALUES = 5
"""Attribute x is one of 0, 1, …"""
COMMAND = "PYTHONPATH=src:tests python -m simulation.campaign"


@dataclass(frozen=True)
class Case:
    """What a seed stands for."""

    seed: int
    temper: str
    world: World
    faults: Faults


@dataclass(frozen=True)
class Verdict:
    """What became of a case."""

    digests: dict[str, str]
    broken: list[str]
    faults: list[tuple[str, str, int]]
    sightings: dict[str, int]


def case_of(seed: int) -> Case:
    """The case of a seed, the same for ever."""
    dice = Dice(Streams(seed)("campaign"))
    temper = TEMPERS[seed % len(TEMPERS)]
    drawing = _Drawing(dice, temper, seed)
    return Case(seed, temper, drawing.world(), _faults(seed, temper, is_plain=drawing.is_plain))


def _faults(seed: int, temper: str, *, is_plain: bool) -> Faults:
    if temper == "calm":
        return Faults()
    # A failure that nobody has time to detect is nothing to lead events around.
    faults = swarm(Streams(seed)("campaign faults"), scale_ns=(8 if seed >= BYPASSING else 1) * SECOND)
    if temper == "healed":
        faults = msgspec.structs.replace(faults, until=0.5)
    if mechanism_of(seed) in ("buffering", "bypass+buffering"):
        return msgspec.structs.replace(faults, disk=_harsh(faults.disk))
    return msgspec.structs.replace(faults, packets=LinkFaults(), pauses=Spells()) if is_plain else faults


def mechanism_of(seed: int) -> str | None:
    """The mechanism of a seed's world; None: drawn."""
    if seed >= ROAMING and seed % 3 == 0:
        return "bypass+buffering"
    return next(mechanism for first, mechanism in FAMILIES.items() if seed >= first)


def _harsh(disk: DiskFaults) -> DiskFaults:
    """Where the power is cut, syncs are slow, so that many a cut comes in the middle of one, and what may happen does."""
    if not disk.power_cut:
        return disk
    chances = {name: max(chance, 0.3) for name in ("tear", "reorder") if (chance := getattr(disk, name))}
    return msgspec.structs.replace(disk, sync_mean_ns=max(disk.sync_mean_ns, 20 * MS), **chances)


def judged(case: Case, folder: Path, kind: type[Watched] = Watched) -> Verdict:
    """Run a case into the new folder and put it to all checks; `kind` may be a world with a planted bug.

    By the compiled path where that can run it; `digests` goes by the plain one, and both must write the same.
    """
    found = run(case.world, folder, kind=kind, faults=case.faults, compiled=True)
    broken = [f"{check.__name__}: {sentence}" for check in CHECKS for sentence in check(case, found)[:3]]
    counters = found.simulated.counters.rows()
    return Verdict(found.digests(), broken, counters, dict(sightings_of(case, found)))


def digests(case: Case, folder: Path) -> dict[str, str]:
    """Run a case and give nothing but the hashes of its tables."""
    return run(case.world, folder, faults=case.faults, compiled=False).digests()


class Dice:
    """Draws of one generator."""

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    def chance(self, probability):
        """True with that probability."""
        return bool(self._generator.random() < probability)

    def number(self, low, high):
        """A whole number, both ends included."""
        return int(self._generator.integers(low, high + 1))

    def size(self, low, high):
        """A number of any magnitude between the two."""
        return low * (high / low) ** float(self._generator.random())

    def one(self, choices):
        """One of several."""
        return choices[int(self._generator.integers(len(choices)))]

    def some(self, choices):
        """At least one of several, in their order."""
        kept = [one for one in choices if self.chance(0.5)]
        return kept or [self.one(choices)]


class _Drawing:
    """A world in the making."""

    def __init__(self, dice: Dice, temper: str, seed: int) -> None:
        self._dice, self._temper, self._seed = dice, temper, seed
        self._duration = 24 * SECOND if temper == "healed" else 6 * SECOND
        self._roams = seed >= ROAMING
        self._patient = seed >= BYPASSING
        """Things fail for so long that it is noticed."""
        if self._patient:
            self._duration = (20 if self._roams and temper != "healed" else 36) * SECOND
        self._names = [f"b{number}" for number in range(dice.number(2, 6))]
        self._topics = [f"t{number}" for number in range(dice.number(1, 4))]
        self.is_plain = dice.chance(0.3)
        """Nothing in it that the compiled path leaves to the other."""
        self._fifo = dice.chance(0.5)
        if self._roams:
            self.is_plain = False
            self._fifo = dice.chance(0.8)
        self._has_client_links = not self.is_plain and dice.chance(0.4)
        self._delays_of_clients = dice.chance(0.7)
        self._publishers = [self._publisher(f"p{number}") for number in range(dice.number(1, 4))]
        self._twins: list[str] = []

    def world(self) -> World:
        dice, rough = self._dice, self._temper == "rough"
        mechanism = "periodic" if self._temper == "healed" or dice.chance(0.5) else "none"
        mechanism = mechanism_of(self._seed) or mechanism
        renew_ns = round(dice.size(0.3, 1.0) * SECOND)
        episodes = LinkEpisodes(probability=0.05, every_ns=SECOND, lasting_ns=SECOND // 2)
        return make_world(
            [self._broker(name) for name in self._names],
            links=[self._link(pair) for pair in self._pairs()],
            publishers=self._publishers,
            subscribers=[self._subscriber(f"s{number}") for number in range(dice.number(2, 8))],
            duration_ns=self._duration,
            seed=self._seed,
            routing=Routing(covering=dice.chance(0.8), merging=dice.chance(0.3)),
            reliability=Reliability(
                mechanism=mechanism, renew_ns=renew_ns, expired="carry" if dice.chance(0.3) else "drop"
            ),
            crashes=self._crashes(),
            episodes=episodes if rough and dice.chance(0.2) else None,
            **self._map(),
        )

    def _map(self):
        """Access points, one for each broker, that leave gaps between them; and what happens on the way."""
        if not self._roams:
            return {}
        dice = self._dice
        latency = None if dice.chance(0.3) else Uniform(0.0, dice.size(0.05, 1.0) * SECOND)
        points = tuple((float(dice.number(0, 500)), float(dice.number(0, 200))) for _ in self._names)
        handoff = Handoff(scheme=dice.one(["reactive", "proactive", "proactive"]), latency=latency)
        return {"map": Map(size=(500.0, 200.0), range=dice.size(80, 250), points=points), "handoff": handoff}

    def _pairs(self):
        """A random tree and, half the time, more links, so that topics have trees of their own."""
        dice, names = self._dice, self._names
        pairs = [(names[dice.number(0, place - 1)], names[place]) for place in range(1, len(names))]
        more = dice.chance(0.7)
        for place, one in enumerate(names):
            pairs += [
                (one, other) for other in names[place + 1 :] if more and dice.chance(0.4) and (one, other) not in pairs
            ]
        return pairs

    def _broker(self, name):
        dice = self._dice
        law = dice.one([Exponential, Constant])(dice.size(0.5, 20) * MS)
        service = Service(law=law, per_subscription=dice.chance(0.3)) if dice.chance(0.4) else None
        fails = self._temper == "rough" and dice.chance(0.1)
        outages = OutageLaw(up=Exponential(3.0 * SECOND), down=Exponential(0.3 * SECOND))
        return Broker(id=name, service=service, outages=outages if fails else None)

    def _delay(self):
        dice = self._dice
        mean = dice.size(0.5, 30) * MS
        law = dice.one([Constant, Exponential, lambda mean: Uniform(0.0, 2 * mean), lambda mean: Gamma(mean, 0.5)])
        return None if dice.chance(0.15) else law(mean)

    def _link(self, pair):
        dice, rough = self._dice, self._temper == "rough"
        loss, duplication = dice.size(0.001, 0.1), dice.size(0.001, 0.1)
        law = LinkLaw(
            delay=self._delay(),
            loss=loss if rough and dice.chance(0.4) else 0.0,
            duplication=duplication if dice.chance(0.2) and not self.is_plain else 0.0,
            fifo=self._fifo or dice.chance(0.3),
            bandwidth_bps=dice.size(1e6 if self._roams else 1e5, 1e7) if dice.chance(0.2) else None,
        )
        outages = OutageLaw(up=Exponential(2.0 * SECOND), down=Uniform(0.0, 0.4 * SECOND))
        recorded = ((SECOND, 2 * SECOND),) if self._temper != "calm" and dice.chance(0.1) else ()
        if self._patient and self._temper != "calm" and dice.chance(0.3):
            begins = dice.number(1, 8) * SECOND
            recorded = ((begins, begins + dice.number(5, 10) * SECOND),)
        fails = rough and dice.chance(0.1)
        return Link(between=pair, law=law, outages=outages if fails else None, recorded_outages=recorded)

    def _client_link(self):
        dice = self._dice
        if not self._has_client_links or dice.chance(0.6):
            return None
        delay = self._delay() if self._delays_of_clients else None
        loss = dice.size(0.01, 0.1) if self._temper == "rough" and dice.chance(0.3) else 0.0
        duplication = 0.1 if dice.chance(0.2) else 0.0
        return LinkLaw(delay=delay, loss=loss, duplication=duplication, fifo=True)

    def _publisher(self, name):
        dice = self._dice
        every = dice.one([Exponential, Constant])(dice.size(100, 500) * MS)
        return Publisher(
            id=name,
            broker=dice.one(self._names),
            topics=tuple(dice.some(self._topics)),
            every=every,
            lifetime_ns=round(dice.size(0.02, 2) * SECOND) if dice.chance(0.4) else FOREVER,
            payload=Uniform(0.0, 2_000.0) if dice.chance(0.5) else None,
            attributes={"x": Choice(values=tuple(range(VALUES)))},
            link=self._client_link(),
        )

    def _subscriber(self, name):
        dice = self._dice
        twin = dice.one(self._publishers)
        is_twin = dice.chance(0.4 if self._roams else 0.1) and twin.id not in self._twins
        self._twins += [twin.id] if is_twin else []
        joins = round(self._duration * dice.size(0.01, 0.6)) if dice.chance(0.3) else None
        leaves = (joins or 0) + round(self._duration * dice.size(0.1, 2)) if dice.chance(0.25) else None
        return Subscriber(
            id=twin.id if is_twin else name,
            broker=twin.broker if is_twin else dice.one(self._names),
            filter=format_filter(parsed(self._wish())),
            mobility=self._walk(),
            deadline_ns=round(dice.size(0.01, 1) * SECOND) if dice.chance(0.3) else FOREVER,
            joins_ns=joins,
            leaves_ns=leaves,
            link=twin.link if is_twin else self._client_link(),
        )

    def _walk(self):
        """At a pace at which many come and go several times; some stay where they are."""
        dice = self._dice
        if not self._roams or dice.chance(0.2):
            return None
        walk = {"model": "random-waypoint", "speed": f"{dice.size(10, 120):g}m/s", "pause": "0s"}
        return MOBILITY.read(walk, Place(Source("campaign"), "mobility"))

    def _wish(self):
        dice, some = self._dice, self._dice.number(0, VALUES - 1)
        topic = f'topic == "{dice.one(self._topics)}"'
        texts = [
            topic,
            topic,
            f"{topic} and x <= {some}",
            f"{topic} and x >= {some}",
            f"{topic} and not x == {some}",
            f"x == {some}",
            f"x between {some} and {some + 2}",
            f"topic in ({', '.join(repr(one) for one in dice.some(self._topics))})".replace("'", '"'),
            f"exists(x) and x in ({some}, {some + 1}) or {topic}",
        ]
        return dice.one(texts)

    def _crashes(self):
        """Crashes that the scenario names; all over in the first half."""
        dice = self._dice
        if self._temper == "calm" or not dice.chance(0.5):
            return ()
        return tuple(
            Crash(
                component=dice.one(self._names),
                at_ns=round(self._duration * dice.size(0.02, 0.3)),
                lasting_ns=round(self._duration * dice.size(0.1 if self._patient else 0.002, 0.15)),
            )
            for _ in range(dice.number(1, 3))
        )


def campaign(seeds: range, ours: int) -> dict[str, object]:
    """All seeds once: those of parity `ours` judged, the others run only; as plain values."""
    counters, sightings, hashes, broken = FaultCounters(), Counter(), {}, {}
    for seed in seeds:
        case = case_of(seed)
        with tempfile.TemporaryDirectory(prefix="tidings-") as place:
            if seed % 2 != ours:
                hashes[seed] = digests(case, Path(place) / "run")
                continue
            verdict = judged(case, Path(place) / "run")
        hashes[seed] = verdict.digests
        sightings.update(verdict.sightings)
        if verdict.broken:
            broken[seed] = verdict.broken
        for kind, role, count in verdict.faults:
            counters.add(kind, role, count)
    return {"digests": hashes, "broken": broken, "faults": counters.rows(), "sightings": sightings}


def main(words: list[str]) -> int:
    """`SEED` repeats a seed and says what is wrong; `FROM TO PARITY` runs a part of a campaign and prints JSON."""
    if len(words) == 3:
        low, high, ours = map(int, words)
        print(json.dumps(campaign(range(low, high), ours)))  # noqa: T201 - what a child process says
        return 0
    case = case_of(int(words[0]))
    with tempfile.TemporaryDirectory(prefix="tidings-") as place:
        verdict = judged(case, Path(place) / "run")
    sys.stderr.write(f"seed {case.seed}, {case.temper}: {case.faults.describe()}\n{case.world}\n")
    sys.stderr.write("".join(f"BROKEN {sentence}\n" for sentence in verdict.broken) or "nothing broken\n")
    return 1 if verdict.broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
