"""Templates: each is a good scenario, and what a person gets first must work."""

import pytest

from scenario_texts import scenario_of
from tidings.errors import InputError
from tidings.scenario import expand, refuse, template_names, template_text


def test_names_are_sorted():
    """As they are shown."""
    assert template_names() == ("line", "load", "market")


@pytest.mark.parametrize("name", template_names())
def test_every_template_is_good(tmp_path, name):
    """It loads, expands, and can be simulated."""
    world = expand(scenario_of(tmp_path, template_text(name)))
    assert world.name == name
    assert world.subscribers
    refuse(world, "simulate")


def test_unknown_templates_name_the_nearest():
    """Or all."""
    with pytest.raises(InputError, match='did you mean "market"'):
        template_text("markt")
    with pytest.raises(InputError, match="known are line, load, market"):
        template_text("../world")
