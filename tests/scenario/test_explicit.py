"""A world as entries: every field of the world has its key."""

from pathlib import Path

import pytest

from scenario_texts import CONTRACT, CONTRACT_FILES, SMALL, world_of
from tidings.scenario import expand, load_scenario
from tidings.scenario.explicit import explicit_scenario
from tidings.vocabulary.distribution import Constant, Exponential


@pytest.mark.parametrize("name", CONTRACT_FILES)
def test_the_explicit_scenario_expands_to_the_same_world(name):
    """Without the detour over a file."""
    world = expand(load_scenario(CONTRACT / f"{name}.toml"))
    assert expand(explicit_scenario(world, CONTRACT / f"{name}.toml")) == world


def test_nothing_is_generated_any_more():
    """No shape, no counted topics, no copies, no variation."""
    scenario = explicit_scenario(expand(load_scenario(CONTRACT / "load.toml")), Path("x.toml"))
    assert (scenario.overlay, scenario.topics) == (None, None)
    assert all(entry.count is None for entry in (*scenario.publisher, *scenario.subscriber))
    assert all(entry.broker is not None and not entry.vary for entry in scenario.subscriber)
    assert all(isinstance(entry.delay.law, Constant) for entry in scenario.link)


def test_topics_are_said_where_the_filter_does_not(tmp_path):
    """Else they follow from it."""
    plain = explicit_scenario(world_of(tmp_path, SMALL), Path("x.toml"))
    assert plain.subscriber[0].topics is None
    wider = SMALL.replace('topic = "t"', 'topics = ["t", "u"]') + 'topics = ["t", "u"]'
    assert explicit_scenario(world_of(tmp_path, wider), Path("x.toml")).subscriber[0].topics == ("t", "u")


def test_outages_are_laws(tmp_path):
    """Availability and period are gone."""
    text = SMALL.replace('id = "b"', 'id = "b"\navailability = 0.5\nperiod = "2s"')
    broker = explicit_scenario(world_of(tmp_path, text), Path("x.toml")).broker[1]
    assert (broker.availability, broker.period) == (None, None)
    assert (broker.up, broker.down) == (Exponential(1e9), Exponential(1e9))
