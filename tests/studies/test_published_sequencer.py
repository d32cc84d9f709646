"""The published sequencer: right as long as nothing overtakes, and by hand into the circle."""

from tidings.ordering import ClimbTo, Complete
from tidings.studies.published_sequencer import published_stages
from tidings.studies.stuck import SMALLEST

TOPICS = ("t1", "t2", "t3", "t4")


def climb(stages, topic, event):
    """A request all the way, alone; its timestamp and the managers visited."""
    visited, answer = [topic], stages[topic].request(topic, event)
    while isinstance(answer, ClimbTo):
        visited.append(answer.stage)
        answer = stages[answer.stage].climb(answer.request)
    assert isinstance(answer, Complete)
    return answer.timestamp.pairs(), visited


def test_requests_skip_who_is_not_in_their_group():
    """From t3 straight to t1: t2 is none of its business."""
    stages = published_stages(SMALLEST, TOPICS)
    assert climb(stages, "t3", 0) == ({"t1": 0, "t3": 1, "t4": 0}, ["t3", "t1"])
    assert climb(stages, "t4", 1) == ({"t1": 0, "t2": 0, "t3": 1, "t4": 1}, ["t4", "t3", "t2", "t1"])
    assert climb(stages, "t1", 2) == ({"t1": 1, "t3": 1, "t4": 1}, ["t1"])


def test_a_topic_alone_needs_nobody():
    """Its timestamps are its own numbers."""
    stages = published_stages({"a": ("t1",), "b": ("t2",)}, ("t1", "t2"))
    assert [climb(stages, "t1", event) for event in range(2)] == [({"t1": 1}, ["t1"]), ({"t1": 2}, ["t1"])]


def test_no_scenario_can_choose_it():
    """It is no value of any key of the scenario."""
    from pathlib import Path

    from tidings.scenario import reference

    assert "published" not in reference.__doc__
    text = (Path(reference.__file__).parent / "promise_tables.py").read_text("utf-8")
    assert "published" not in text.replace("publisher", "")
