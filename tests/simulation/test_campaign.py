"""Many seeds of small worlds under everything that may go wrong: judged by every check, and twice the same.

The same once more for worlds whose brokers keep what they acknowledge. Two processes with hash seeds of their own each run all seeds. Each judges half of them, by the compiled path where that is
possible, and runs the other half by the plain one; the tables of both must be equal byte by byte. `TIDINGS_SEEDS` asks for more than 200; a seed that ever failed stays in `regressions.txt` for good.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from simulation.campaign import BOTH, BYPASSING, COMMAND, KEEPING, ROAMING, case_of, judged
from tidings.simulation.episodes import schedule
from tidings.simulation.faults import LINK_FAULTS, SHAPES, FaultCounters
from tidings.vocabulary.streams import Streams

ROOT = Path(__file__).resolve().parents[2]
SEEDS = range(1, 1 + max(200, int(os.environ.get("TIDINGS_SEEDS", "0"))))
REGRESSIONS = [
    (int(seed), reason.strip())
    for seed, _, reason in (
        line.partition(" ")
        for line in (ROOT / "tests" / "simulation" / "regressions.txt").read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    )
]
FAULT_CELLS = [
    *((kind, "link") for kind in (*LINK_FAULTS, "flap")),
    *((kind, "broker") for kind in (*SHAPES, "crash", "pause")),
]
KEEPING_SEEDS = range(KEEPING + 1, KEEPING + 1 + max(160, int(os.environ.get("TIDINGS_SEEDS", "0"))))
OFTEN = len(SEEDS) // 10
"""A campaign that met a kind of fault less often has shown little about it."""
DISK_CELLS = [
    (kind, "broker")
    for kind in (
        *("power_cut", "lost_write", "reordered_writes", "torn_write", "slow_sync"),
        *("write_error", "sync_error", "disk_full"),
    )
]
KEEPING_SIGHTINGS = (
    *("calm", "healed", "rough", "buffering", "drop", "carry", "several trees", "clients on links"),
    *("on_time", "late", "expired", "lost", "down", "crash", "never acknowledged", "gone"),
    *("joined later", "left", "never effective"),
)
BYPASSING_SIGHTINGS = (
    *("calm", "healed", "rough", "drop", "carry", "several trees", "led aside"),
    *("on_time", "late", "expired", "lost", "down", "crash", "never acknowledged", "joined later", "left"),
)
ROAMING_SEEDS = range(ROAMING + 1, ROAMING + 1 + max(16, int(os.environ.get("TIDINGS_SEEDS", "0"))))
ROAMING_CELLS = [
    *((kind, "broker") for kind in ("crash", "pause", "power_cut", "torn_write")),
    *((kind, "link") for kind in ("drop", "duplicate", "reorder", "flap")),
]
ROAMING_SIGHTINGS = (
    *("calm", "healed", "rough", "buffering", "bypass+buffering", "on_time", "late", "expired", "down", "crash"),
    *("repaired by its home", "nowhere to be found", "not there any more", "out of turn", "roaming publishers"),
    *("crashes under a guest", "joined later", "left"),
)
SIGHTINGS = (
    *("calm", "healed", "rough", "none", "periodic", "drop", "carry", "several trees", "clients on links", "compiled"),
    *("on_time", "late", "expired", "lost", "down", "crash", "never acknowledged"),
    *("joined later", "left", "never effective", "order could be judged"),
)
"""Without having come across all of these, a campaign has shown less than it says."""


def replay(seed):
    """What to type to see a seed again."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return f"seed {seed}, commit {commit.stdout.strip() or 'unknown'}: {COMMAND} {seed}"


def test_a_campaign():
    """No check fails for any seed, every table is the same in both processes, and every kind of trouble came about."""
    halves = both_halves(SEEDS)
    complaints = [*broken_checks(halves), *differing_tables(halves, SEEDS), *what_never_happened(halves)]
    assert not complaints, "\n".join(complaints)


def test_a_campaign_of_brokers_that_keep():
    """The same where nothing acknowledged may be lost, on disks that fill up, fail, and lose and tear what was not synced."""
    halves = both_halves(KEEPING_SEEDS)
    troubles = what_never_happened(halves, FAULT_CELLS, KEEPING_SIGHTINGS)
    disks = what_never_happened(halves, DISK_CELLS, (), at_least=3)
    complaints = [*broken_checks(halves), *differing_tables(halves, KEEPING_SEEDS), *troubles, *disks]
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize("first", [BYPASSING, BOTH])
def test_a_campaign_around_failures(first):
    """The same where events are led around what has failed, kept or not."""
    seeds = range(first + 1, first + 1 + max(48, int(os.environ.get("TIDINGS_SEEDS", "0"))))
    halves = both_halves(seeds)
    troubles = what_never_happened(halves, FAULT_CELLS, BYPASSING_SIGHTINGS, at_least=2)
    complaints = [*broken_checks(halves), *differing_tables(halves, seeds), *troubles]
    assert not complaints, "\n".join(complaints)


def test_a_campaign_of_clients_that_roam():
    """The same where nothing acknowledged may be lost though clients go from broker to broker, in the middle of all that."""
    halves = both_halves(ROAMING_SEEDS)
    troubles = what_never_happened(halves, ROAMING_CELLS, ROAMING_SIGHTINGS, at_least=1)
    complaints = [*broken_checks(halves), *differing_tables(halves, ROAMING_SEEDS), *troubles]
    assert not complaints, "\n".join(complaints)


def both_halves(seeds):
    """What the two processes say, each of all seeds; they run side by side."""
    command = [sys.executable, "-m", "simulation.campaign", str(seeds.start), str(seeds.stop)]
    path = os.pathsep.join(str(ROOT / name) for name in ("src", "tests"))
    children = [
        subprocess.Popen(
            [*command, str(parity)],
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": str(11 + parity)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for parity in (0, 1)
    ]
    said = [child.communicate()[0] for child in children]
    assert [child.returncode for child in children] == [0, 0], "a process of the campaign ended early"
    return [json.loads(text) for text in said]


def broken_checks(halves):
    """A paragraph for each seed that broke a promise."""
    for half in halves:
        for seed, sentences in half["broken"].items():
            yield "\n  ".join([replay(seed), *sentences])


def differing_tables(halves, seeds):
    """A line for each seed whose tables depend on the process."""
    one, other = (half["digests"] for half in halves)
    assert list(one) == list(other) == [str(seed) for seed in seeds]
    for seed, tables in one.items():
        names = sorted(name for name in {**tables, **other[seed]} if tables.get(name) != other[seed].get(name))
        if names:
            yield f"{replay(seed)}: not the same twice: {', '.join(names)}"


def what_never_happened(halves, cells=FAULT_CELLS, sightings=SIGHTINGS, at_least=OFTEN):
    """A line for each kind of fault that struck too rarely, and for each situation that never came about."""
    counters = FaultCounters()
    for half in halves:
        for kind, role, count in half["faults"]:
            counters.add(kind, role, count)
    for kind, role in counters.missing(cells, at_least=at_least):
        yield f"fault {kind} of a {role} struck {counters.count(kind, role)} times"
    for name in sightings:
        if not any(half["sightings"].get(name) for half in halves):
            yield f"never seen: {name}"


def test_complaints_can_be_made():
    """A broken check, a table that differs and a fault that never struck are each named."""
    tables = {str(seed): {"drops": "1", "deliveries": "2"} for seed in SEEDS}
    other = {**tables, "7": {"drops": "1", "deliveries": "3"}}
    half = {"digests": tables, "broken": {"9": ["no_duplicates: 1 duplicates"]}, "faults": [], "sightings": {"calm": 1}}
    halves = [half, {**half, "digests": other, "broken": {}}]
    assert [COMMAND + " 9" in line and "no_duplicates" in line for line in broken_checks(halves)] == [True]
    assert [line.endswith("7: not the same twice: deliveries") for line in differing_tables(halves, SEEDS)] == [True]
    assert len(list(what_never_happened(halves))) == len(FAULT_CELLS) + len(SIGHTINGS) - 1


@pytest.mark.parametrize(("seed", "reason"), REGRESSIONS)
def test_seeds_that_once_failed(tmp_path, seed, reason):
    """They hold for good."""
    assert judged(case_of(seed), tmp_path / "run").broken == [], f"{replay(seed)} ({reason})"


def test_a_seed_is_a_case_for_good():
    """The same world and the same faults whenever it is drawn; others for other seeds."""
    assert case_of(5) == case_of(5)
    assert len({case_of(seed).faults.to_json() for seed in range(2, 40, 4)}) > 5


def test_healed_worlds_heal_in_time():
    """All that a campaign does to them, and all that their scenario says, is over after half the time."""
    for seed in range(1, 80, 4):
        case = case_of(seed)
        half = case.world.duration_ns // 2
        episodes = schedule(
            case.faults,
            brokers=[one.id for one in case.world.brokers],
            links=[link.between for link in case.world.links],
            duration_ns=half,
            generator=Streams(case.world.seed)("faults episodes"),
        )
        assert case.temper == "healed"
        assert all(one.end_ns <= half for one in episodes)
        assert all(one.at_ns + one.lasting_ns <= half for one in case.world.crashes)
