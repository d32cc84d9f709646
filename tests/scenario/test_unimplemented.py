"""What verbs do not do yet is refused by name, never ignored."""

import pytest

from scenario_texts import CONTRACT, SMALL, scenario_of, world_of
from tidings.errors import NotImplementedYet
from tidings.scenario import expand, load_scenario, refuse

MOVING = """tidings = 1
duration = "1s"
[map]
size = [9, 9]
range = 5
points = [[1, 1]]
"""
WALK = "[[subscriber]]\nfilter='true'\nmobility = { model = 'random-waypoint', speed = '1m/s' }\n"
PUBLISHING = "[[publisher]]\nid='c'\ntopic='t'\nevery='1s'\n"
CRASH = "[[crash]]\ncomponent='stage:t'\nat='1s'\nlasting='1s'\n[ordering]\nguarantee='total'"
UNRELIABLE = "[ordering]\nguarantee = 'groups'\nmode = 'unreliable'\nwait = '1s'"
ORDERED = "[ordering]\nguarantee = 'total'"

REFUSED = [
    (
        SMALL + "[routing]\nscheme = 'dcrd'\n[reliability]\nmechanism = 'buffering'",
        "reliability.mechanism",
        "buffering",
    ),
    (SMALL + UNRELIABLE, "ordering.mode", "unreliable"),
    (SMALL + "[routing]\nscheme = 'dcrd'\n" + ORDERED, "ordering.guarantee", "total"),
    (
        MOVING + WALK.replace("true", 'topic == "t"') + PUBLISHING.replace("'c'", "'d'") + ORDERED,
        "subscriber.mobility",
        "random-waypoint",
    ),
    (MOVING + WALK + "[routing]\nscheme = 'dcrd'", "subscriber.mobility", "random-waypoint"),
]


@pytest.mark.parametrize(("text", "key", "value"), REFUSED)
def test_refusals_name_key_value_and_what_is_there(tmp_path, text, key, value):
    """In the words of the file."""
    with pytest.raises(NotImplementedYet, match="which does") as caught:
        refuse(world_of(tmp_path, text), "simulate")
    assert (caught.value.key, caught.value.value) == (key, value)
    assert caught.value.file == str(tmp_path / "small.toml")


@pytest.mark.parametrize(
    "more",
    [
        "",
        "[reliability]\nmechanism = 'periodic'",
        "[reliability]\nmechanism = 'buffering'",
        "[reliability]\nmechanism = 'bypass'",
        "[reliability]\nmechanism = 'bypass+buffering'",
        "[[crash]]\ncomponent='a'\nat='1s'\nlasting='1s'",
        "link = { loss = 0.25 }\n[reliability]\nmechanism = 'buffering'",
        "[routing]\nack = 'one-way'",
        "[routing]\nscheme = 'multipath'",
        "[routing]\nscheme = 'oracle'",
        "[routing]\nscheme = 'dcrd+'\nguards = 3",
        "[routing]\nscheme = 'dcrd'\ntransmissions = 2",
        "[ordering]\nguarantee = 'fifo'\nlatch = 'constant'\nhold = '5ms'",
        "[ordering]\nguarantee = 'causal'",
        "[ordering]\nguarantee = 'groups'",
        CRASH,
    ],
)
def test_what_is_done_passes(tmp_path, more):
    """Keys of other schemes have no effect, and are no reason to refuse."""
    refuse(expand(scenario_of(tmp_path, SMALL + more)), "simulate")


@pytest.mark.parametrize("handoff", ["none", "reactive", "proactive"])
def test_roaming_is_simulated(tmp_path, handoff):
    """With every kind of hand-off, along trees."""
    refuse(world_of(tmp_path, MOVING + WALK + f"[mobility]\nhandoff = '{handoff}'"), "simulate")


@pytest.mark.parametrize("mechanism", ["none", "periodic", "buffering", "bypass", "bypass+buffering"])
def test_roaming_goes_with_every_mechanism(tmp_path, mechanism):
    """Also where those who roam publish."""
    roaming = MOVING + WALK + "id='c'\n" + PUBLISHING
    refuse(world_of(tmp_path, f"{roaming}[reliability]\nmechanism = '{mechanism}'"), "simulate")


def test_load_is_simulated():
    """The contract's first file."""
    refuse(expand(load_scenario(CONTRACT / "load.toml")), "simulate")


def test_other_verbs_have_lists_of_their_own(tmp_path):
    """What one verb lacks is no reason for another to refuse."""
    refuse(world_of(tmp_path, SMALL + "[ordering]\nguarantee = 'total'"), "check")
