"""Plans, stages, bytes and windows together: everything is shown, once, in orders that agree; and what breaks without."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordering.shapes import interests, random_interests, random_stages
from tidings.errors import PeerError
from tidings.ordering import (
    ClimbTo,
    OrderedWindow,
    Stage,
    TimestampReader,
    TimestampWriter,
    overlap_graph,
    plan_sequencing,
)
from tidings.studies.random_channels import RandomRun, run_at_random
from tidings.vocabulary.streams import Streams


def stages_of(plan):
    """All stages of a plan."""
    return {stage.name: Stage(plan, stage.name) for stage in plan.stages}


def run(wanted, stages, plan, seed, **options):
    """One run with these stages."""
    homes = {topic: route.stage for topic, route in plan.routes.items()}
    what = RandomRun(interests=wanted, stages=stages, stage_of=homes, **options)
    return run_at_random(what, Streams(seed)("run"))


def run_plan(wanted, plan, seed, **options):
    """One run of a plan."""
    return run(wanted, stages_of(plan), plan, seed, **options)


@given(
    interests(),
    st.integers(1, 2),
    st.sampled_from(["identifier", "shallow", "by-site"]),
    st.one_of(st.integers(1, 4), st.just("automatic"), st.integers(100, 199)),
    st.integers(0, 999),
)
@settings(max_examples=60)
def test_everyone_is_shown_everything_in_orders_that_agree(wanted, k, precedence, stages, seed):
    """Any shape, partition and precedence: all events of a subscriber's topics, once; no conflict; k = 1: no cycle."""
    topics = overlap_graph(wanted).topics
    dealt = random_stages(stages, topics) if isinstance(stages, int) and stages >= 100 else stages
    weights = np.random.default_rng(seed).integers(1, 9, (len(topics), 3)).tolist()
    popularity = {topic: dict(zip("xyz", row, strict=True)) for topic, row in zip(topics, weights, strict=True)}
    plan = plan_sequencing(wanted, k=k, precedence=precedence, stages=dealt, popularity=popularity)
    outcome = run_plan(wanted, plan, seed, events=25, answers=0.1)
    assert outcome.stuck == outcome.conflicts() == 0
    assert all(len(set(order)) == len(order) for order in outcome.shown.values())
    assert k == 2 or not (outcome.has_cycle() or outcome.inversions())
    for one, first in wanted.items():
        for other, second in wanted.items():
            if set(first) <= set(second):
                assert set(outcome.shown[one]) <= set(outcome.shown[other])


def test_one_stage_shows_events_as_they_were_numbered():
    """The dumb twin of any tree: one sequencer's own order, as far as each subscriber wants it."""
    wanted = random_interests(5)
    plan = plan_sequencing(wanted, k=1, stages=1)
    stage, rng = stages_of(plan)["stage0"], np.random.default_rng(5)
    topics = [list(plan.routes)[place] for place in rng.integers(0, len(plan.routes), 60)]
    stamps = [stage.request(topic, event).timestamp for event, topic in enumerate(topics)]
    for own in wanted.values():
        window, shown = OrderedWindow(own), []
        for event in rng.permutation(60).tolist():
            if topics[event] in own:
                shown += window.receive(stamps[event], event)
        assert shown == [event for event in range(60) if topics[event] in own]


def completed(plan, count, seed):
    """Timestamps by topic, requests climbing one at a time."""
    stages, rng, found = stages_of(plan), np.random.default_rng(seed), defaultdict(list)
    topics = list(plan.routes)
    for event in range(count):
        topic = topics[rng.integers(len(topics))]
        answer = stages[plan.routes[topic].stage].request(topic, event)
        while isinstance(answer, ClimbTo):
            answer = stages[answer.stage].climb(answer.request)
        found[topic].append(answer.timestamp)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_timestamps_survive_being_written(seed):
    """Every topic's, read one after the other, are the same; a difference is never longer than the whole."""
    plan = plan_sequencing(random_interests(seed, topics=12, subscribers=15), k=1, stages=4)
    topics = list(plan.routes)
    code = {topic: place for place, topic in enumerate(topics)}
    whole = written = 0
    for topic, stamps in completed(plan, 600, seed).items():
        writer = TimestampWriter([code[member] for member in plan.routes[topic].group])
        reader = TimestampReader(topic, topics)
        for stamp in stamps:
            data = writer.write(stamp)
            assert reader.read(data) == stamp
            written += len(data)
            whole += len(writer.whole(stamp))
    assert written < whole


def skipping(plan):
    """The same stages, but requests go only to those of their own group: what the published routing does."""
    routes = {}
    for topic, route in plan.routes.items():
        in_group = {plan.routes[member].stage for member in route.group}
        routes[topic] = replace(route, path=tuple(stage for stage in route.path if stage in in_group))
    return replace(plan, routes=routes)


def test_stages_that_skip_others_get_stuck():
    """With several topics a stage, too: some of 150 runs; the same plans with every ancestor on the way in none."""
    stuck = 0
    for seed in range(150):
        wanted = random_interests(seed, topics=10, subscribers=10, most=5)
        dealt = random_stages(seed, overlap_graph(wanted).topics)
        plan = plan_sequencing(wanted, stages=dealt, precedence="identifier")
        assert run_plan(wanted, plan, seed, events=40).stuck == 0
        stuck += run_plan(wanted, skipping(plan), seed, events=40).stuck > 0
    assert stuck > 5


class Forgetful(Stage):
    """A planted bug: says of all topics but the request's own that there was nothing yet."""

    def _forwarded(self, step, event, numbers):
        answer = super()._forwarded(step, event, numbers)
        stamp = answer.request.numbers if isinstance(answer, ClimbTo) else answer.timestamp.numbers
        stamp.flags.writeable = True
        stamp[[place for place in range(len(stamp)) if place != step.layout.own]] = 0
        return answer


def test_numbers_that_are_not_filled_in_are_noticed():
    """Events that should have waited are shown, or others wait for ever."""
    wrong = 0
    for seed in range(30):
        wanted = random_interests(seed)
        plan = plan_sequencing(wanted, k=1, stages=3)
        stages = {stage.name: Forgetful(plan, stage.name) for stage in plan.stages}
        outcome = run(wanted, stages, plan, seed)
        wrong += bool(outcome.stuck or outcome.has_cycle() or outcome.conflicts())
    assert wrong > 25


def test_channels_that_do_not_keep_order_are_noticed():
    """The stage above refuses, whichever of a topic's requests come out of order."""
    plan = plan_sequencing({"a": ("t1", "t2")}, k=1, stages=2, precedence="identifier")
    low, high = Stage(plan, "stage1"), Stage(plan, "stage0")
    first, second = (low.request("t2", event).request for event in (1, 2))
    with pytest.raises(PeerError, match="lost, repeated or reordered"):
        high.climb(second)
    high.climb(first)


def test_a_later_plan_goes_on_from_the_numbers_of_the_one_before():
    """All stages are told the last numbers, a subscriber too; nothing of the first plan is needed."""
    before, after = {"a": ("t1", "t2")}, {"a": ("t1", "t2"), "b": ("t2", "t3")}
    last = {topic: len(stamps) for topic, stamps in completed(plan_sequencing(before, k=1), 20, 1).items()}
    plan = plan_sequencing(after, k=1, stages=3, precedence="identifier")
    stages = {stage.name: Stage(plan, stage.name, last) for stage in plan.stages}
    window = OrderedWindow(("t1", "t2"), last)
    first = stages["stage0"].request("t1", 1).timestamp
    climbing = stages["stage1"].request("t2", 2)
    second = stages["stage0"].climb(climbing.request).timestamp
    assert first.pairs() == {"t1": last["t1"] + 1, "t2": last["t2"]}
    assert window.receive(second, "second") == []
    assert window.receive(first, "first") == ["first", "second"]
