"""Sentences: what is said is so, and every outcome is explained."""

import json
from dataclasses import replace

import pytest

from explaining.worlds import CRASH, FIFO, rows, simulated
from tidings.explaining.story import Story, story_of
from tidings.explaining.words import about, clock, document, explained, span


@pytest.fixture(scope="module")
def crashed(tmp_path_factory):
    """A run in which the middle broker fails for a while, and the first link loses packets."""
    folder, world = simulated(tmp_path_factory.mktemp("words"), CRASH)
    return [story_of(folder, row["event"]) for row in rows(folder, "publications")], world


def told(crashed, outcome):
    """The sentences of all events with this outcome for the far subscriber, each with its story."""
    stories, world = crashed
    for story in stories:
        for fate in story.fates:
            if (fate.subscriber, fate.outcome) == ("s", outcome):
                yield story, "; ".join(explained(story, world, fate))


def test_the_event_itself(crashed):
    """Who, where, when, how long of use."""
    story = crashed[0][0]
    said = "; ".join(about(story))
    assert "number 0 of p on reading" in said
    assert clock(story.publication["published_ns"]) in said
    assert "of use for 5 s" in said


def test_what_came_in_time(crashed):
    """Both hops and both times."""
    _, said = next(told(crashed, "on_time"))
    assert "a sent it to b" in said
    assert "b sent it to c" in said
    assert "30 ms with link, work and wait" in said
    assert "shown after" in said
    assert "late" not in said


def test_what_was_late(crashed):
    """By how much, and that nothing held it."""
    for _, said in told(crashed, "late"):
        assert "late by" in said
        assert "it came too late already" in said


def test_what_was_lost(crashed):
    """On the link, or at the broker that was down and from when to when."""
    reasons = {"lost": 0, "down": 0, "forgotten": 0}
    for story, said in told(crashed, "lost"):
        if not story.drops:
            # The broker that came back has forgotten who wants what, and nobody renews it here.
            reasons["forgotten"] += 1
            assert "b did not send it on to c: it knew of no interest there; b was down from 20.000000 s" in said
            continue
        row = story.drops[-1]
        reasons[row["reason"]] += 1
        assert row["reason"] in said
        assert clock(row["dropped_ns"]) in said
        if row["component"] == "b":
            assert "b was down from 20.000000 s to 25.000000 s" in said
    assert min(reasons.values()) > 0


def test_what_was_held(tmp_path):
    """For which events, and for how long."""
    folder, world = simulated(tmp_path, FIFO)
    shown = [row for row in rows(folder, "deliveries", subscriber="s") if row["delivered_ns"] > row["arrived_ns"]]
    assert shown
    sentences = []
    for row in shown[:200]:
        story = story_of(folder, row["event"])
        (fate,) = [fate for fate in story.fates if fate.subscriber == "s"]
        said = "; ".join(explained(story, world, fate))
        assert f"held back for {span(row['delivered_ns'] - row['arrived_ns'])}" in said
        sentences.append(said)
    assert any("which came later" in said for said in sentences)


def changed(crashed, **other):
    """A lost event's story with something changed, and what is said of it."""
    story, _ = next(told(crashed, "lost"))
    story = replace(story, **other)
    (fate,) = [fate for fate in story.fates if fate.subscriber == "s"]
    return explained(story, crashed[1], fate)[-1]


def test_what_the_logs_do_not_say(crashed):
    """Neither a copy nor a drop: nobody knew of the interest, or nobody kept a list."""
    silent = {"drops": [], "copies": []}
    assert "knew of no interest" in changed(crashed, **silent)
    assert "kept no list" in changed(crashed, **silent, logged=frozenset())
    early = {"component": "a", "kind": "broker", "down_ns": -2, "up_ns": None}
    assert "a was down from" in changed(crashed, **silent, outages=[early])


def test_given_up_for_one(crashed):
    """The component that says so."""
    drop = {"event": 1, "component": "c", "subscriber": "s", "dropped_ns": 7, "reason": "queue"}
    assert changed(crashed, drops=[drop]) == f"c gave it up at {clock(7)}: queue"


def test_oddities_are_said(crashed):
    """Duplicates, tags, and what nobody asked for."""
    story = crashed[0][0]
    fate = next(one for one in story.fates if one.subscriber == "near")
    odd = replace(fate, repeats=2, unexpected=True, showing={**fate.showing, "out_of_order": True})
    said = "; ".join(explained(story, crashed[1], odd))
    for words in ("2 more times", "nothing allowed", "order is not kept"):
        assert words in said
    gone = replace(fate, showing=None, broker=None, outcome="lost")
    assert "in range of no broker" in explained(story, crashed[1], gone)[-1]


def test_stamps_are_said(crashed):
    """Under an order across topics."""
    stamp = {"number": 4, "topic": "t", "stages": 2, "requested_ns": 1_000, "stamped_ns": 3_000_000}
    story: Story = replace(crashed[0][0], stamps=[stamp, {**stamp, "stamped_ns": None}])
    assert "order: number 4 of t, 2 stages, stamped in 2.999 ms" in about(story)
    assert "never stamped" in about(story)[-1]


def test_the_document_is_json(crashed):
    """Identities as texts, since programs read large numbers wrongly."""
    stories, world = crashed
    found = document(stories[0], world)
    assert json.loads(json.dumps(found)) == found
    assert found["event"] == str(stories[0].publication["event"])
    assert found["subscribers"]["near"]["outcome"] == "on_time"
    assert [hop["receiver"] for hop in found["subscribers"]["s"]["hops"]] in (["b", "c"], ["b"], [])


@pytest.mark.parametrize(
    ("ns", "said"), [(0, "0 ns"), (999, "999 ns"), (1_500, "1.5 us"), (34_200_000, "34.2 ms"), (5 * 10**9, "5 s")]
)
def test_durations_in_units_that_suit(ns, said):
    """Four digits."""
    assert span(ns) == said
