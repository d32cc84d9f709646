"""The campaign's worlds and faults for schemes that address events to brokers: nothing twice, nothing unexpected, nobody stuck."""

import pytest

from simulation.campaign import case_of
from simulation.checks import (
    no_duplicates,
    nobody_owes_anything,
    nothing_unexpected,
    outcomes_add_up,
    positions_count_up,
)
from simulation.worlds import changed, run
from tidings.scenario.world import Reliability, Routing
from tidings.simulation.faults import FaultCounters
from tidings.vocabulary.instant import SECOND

CHECKS = (no_duplicates, nothing_unexpected, outcomes_add_up, positions_count_up, nobody_owes_anything)
SCHEMES = ("r-tree", "multipath", "oracle", "dcrd", "dcrd+")


def addressed(case, scheme):
    """The same world and faults under another scheme."""
    world = case.world
    reliability = Reliability(mechanism="none", expired=world.reliability.expired)
    routing = Routing(scheme=scheme, transmissions=1 + case.seed % 2, monitor_ns=2 * SECOND, guards=2)
    return changed(world, trees=(), routing=routing, reliability=reliability)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_swarm_of_faults(tmp_path, seeds, scheme):
    """Drops, duplicates, overtaking, pauses, partitions and crashes: judged by the audit, and the same twice."""
    struck = FaultCounters()
    for seed in seeds:
        case = case_of(seed + 1)
        world = addressed(case, scheme)
        found = run(world, tmp_path / f"run-{seed}", faults=case.faults)
        broken = [sentence for check in CHECKS for sentence in check(with_world(case, world), found)[:3]]
        assert not broken, f"seed {seed + 1} under {scheme}: {broken}"
        struck.merge(found.simulated.counters)
        if seed == seeds[0]:
            again = run(world, tmp_path / "again", faults=case.faults)
            assert again.digests() == found.digests()
    assert struck.rows()


@pytest.mark.parametrize("scheme", ["dcrd", "dcrd+"])
def test_calm_worlds_lose_nothing(tmp_path, seeds, scheme):
    """Where nothing fails, only lifetimes end, and deadlines that nobody can meet are said to be."""
    for seed in seeds:
        case = case_of(4 * (seed + 1))
        assert case.temper == "calm"
        found = run(addressed(case, scheme), tmp_path / f"run-{seed}")
        said = found.rows("drops", "event", "subscriber", "reason")
        missed = {(event, name) for event, name, reason in said if reason in ("deadline", "gone")}
        assert found.totals()["lost"] <= len(missed)


def with_world(case, world):
    """The case as the checks want it: with the world that was run."""
    return type(case)(case.seed, case.temper, world, case.faults)
