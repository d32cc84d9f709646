"""The toy world itself: what it reports of orders, cycles, causes, and that everything ends."""

from collections import Counter

import pytest

from tidings.ordering import Stage, plan_sequencing
from tidings.studies.random_channels import Outcome, RandomRun, run_at_random
from tidings.vocabulary.streams import Streams

INTERESTS = {"a": ("t1", "t2"), "b": ("t1", "t2"), "c": ("t2", "t3")}


def outcome(shown, causes=()):
    """A run of which only the showings matter."""
    return Outcome(shown, 0, dict(causes), Counter())


def one_run(seed, stages=1, **options):
    """A run over a plan with so many stages."""
    plan = plan_sequencing(INTERESTS, stages=stages)
    homes = {topic: route.stage for topic, route in plan.routes.items()}
    machines = {stage.name: Stage(plan, stage.name) for stage in plan.stages}
    return run_at_random(
        RandomRun(interests=INTERESTS, stages=machines, stage_of=homes, **options), Streams(seed)("run")
    )


def test_conflicts_are_pairs_that_disagree():
    """On what both were shown, and on nothing else."""
    assert outcome({"a": [1, 2, 3], "b": [3, 4]}).conflicts() == 0
    assert outcome({"a": [1, 2], "b": [2, 1], "c": [2]}).conflicts() == 1


def test_cycles_may_run_through_three():
    """No two of them disagree."""
    round_three = outcome({"a": [1, 2], "b": [2, 3], "c": [3, 1]})
    assert round_three.conflicts() == 0
    assert round_three.has_cycle()
    assert not outcome({"a": [1, 2], "b": [2, 3]}).has_cycle()


def test_an_effect_before_its_cause_is_seen_from_afar():
    """Event 2 answers 1, which answers 0: who is shown 2 before 0 was shown an effect before its cause."""
    causes = {0: set(), 1: {0}, 2: {1}}
    assert outcome({"a": [0, 1, 2]}, causes).inversions() == 0
    assert outcome({"a": [2, 0]}, causes).inversions() == 1


@pytest.mark.parametrize("seed", range(3))
def test_everybody_is_shown_everything(seed):
    """Whatever the channels do: as many as were published, once each."""
    found = one_run(seed, stages=3)
    assert found.stuck == 0
    assert len(found.causes) == len(found.waits) == 30
    assert all(len(order) == len(set(order)) for order in found.shown.values())
    assert found.shown["a"]
    assert sorted(found.shown["a"]) == sorted(found.shown["b"])


def test_answers_are_events_with_causes():
    """What their publisher had been shown."""
    found = one_run(1, answers=0.3)
    answers = [event for event, causes in found.causes.items() if causes]
    assert answers
    assert len(found.causes) == 30 + len(answers)
    assert all(cause < answer for answer in answers for cause in found.causes[answer])


def test_one_stage_needs_no_time_and_a_chain_does():
    """Waits are from publication to the finished timestamp."""
    assert max(one_run(1, stages=1).waits) == 0
    assert max(one_run(1, stages=3).waits) > 0
    assert one_run(1, stages=1).steps.total() == 30


def test_same_draws_same_run():
    """The generator decides everything."""
    assert one_run(5, stages=3).shown == one_run(5, stages=3).shown != one_run(6, stages=3).shown
