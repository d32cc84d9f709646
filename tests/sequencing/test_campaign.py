"""Many seeds of everything going wrong: what is promised holds, and the same checker sees each rule that is left out."""

from collections import Counter

import pytest

from sequencing.campaign import Trial, tried
from sequencing.planted import PLANTED
from tidings.sequencing import Retention
from tidings.simulation.black_box import BoxLaw
from tidings.vocabulary.instant import MILLISECOND, SECOND

SOME = 20
"""Seeds of a campaign for each that `TIDINGS_SEEDS` asks for."""


def failures(seeds, trial):
    """Seeds on which something went wrong that never may, and what all of them went through."""
    counts, failed = Counter(), []
    for seed in range(SOME * len(seeds)):
        result = tried(seed, trial)
        counts += result.counts
        if not result.is_clean:
            failed.append((seed, result.failure))
    return failed, counts


def test_total_order_survives(seeds):
    """No two subscribers disagree, nothing comes twice, everything owed is shown; stages crash, stand still, are replaced."""
    failed, counts = failures(seeds, Trial())
    assert failed == []
    assert min(counts[kind] for kind in ("crash", "pause", "replace")) > 0
    assert counts["terms"] > SOME


def test_causal_order_survives(seeds):
    """Also no cycle through any number of subscribers, and no effect before its cause."""
    assert failures(seeds, Trial(k=1, program_order=True))[0] == []


def test_what_expires_is_nobodys_hole(seeds):
    """Events live for less than a slow copy takes: those that are left stand in one order, and nobody waits for the others."""
    trial = Trial(law=BoxLaw(loss=0.2, repeat=0.1), lifetime_ns=300 * MILLISECOND)
    assert failures(seeds[:1], trial)[0] == []


def test_what_is_gone_is_counted_and_skipped():
    """A stage that keeps next to nothing says so; subscribers go on, and what they show is in order."""
    retention = Retention(lasting_ns=SECOND // 2)
    results = [tried(seed, law=BoxLaw(loss=0.3), retention=retention) for seed in range(10)]
    assert sum(result.lost for result in results) > 0
    assert all(result.outcome.conflicts() == result.outcome.stuck == result.duplicates == 0 for result in results)


@pytest.mark.parametrize("what", PLANTED)
def test_every_rule_is_needed(what):
    """Without it, the checker finds something on one of a few seeds."""
    assert any(not tried(seed, PLANTED[what]).is_clean for seed in range(12))


def test_the_checker_is_not_angry_with_the_harshest_of_these_worlds():
    """What the planted bugs are tried in does no harm to the protocol itself."""
    for trial in PLANTED.values():
        sound = Trial(law=trial.law, k=trial.k, program_order=trial.program_order, lifetime_ns=trial.lifetime_ns)
        assert tried(1, sound).is_clean
