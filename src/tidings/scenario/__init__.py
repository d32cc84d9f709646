"""The scenario room: reads a scenario file, checks it, and draws one definite world from it.

`load_scenario` parses and validates, `expand` draws with named streams, `write_world` saves a world as a scenario in
which nothing is left to draw. `refuse` is the one place that knows what verbs do not do yet.
"""

from tidings.scenario.document import Scenario
from tidings.scenario.expansion import expand
from tidings.scenario.loading import load_scenario
from tidings.scenario.templates import template_names, template_text
from tidings.scenario.unimplemented import refuse
from tidings.scenario.world import World
from tidings.scenario.writing import write_world

__all__ = [
    "Scenario",
    "World",
    "expand",
    "load_scenario",
    "refuse",
    "template_names",
    "template_text",
    "write_world",
]
