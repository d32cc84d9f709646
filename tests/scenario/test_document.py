"""The file as a whole: rules between its parts."""

import pytest

from scenario_texts import BROKERS, PUBLISHER, SMALL, SUBSCRIBER, TOP, scenario_of
from tidings.errors import ScenarioError
from tidings.scenario.parquet_lists import write_entries

MAP = "[map]\nsize = [9, 9]\nrange = 5\npoints = [[1, 1], [8, 8]]\n"


def test_a_small_scenario_is_read(tmp_path):
    """With its defaults."""
    scenario = scenario_of(tmp_path, SMALL)
    assert (scenario.seed, scenario.runs, scenario.name, scenario.duration) == (1, 1, None, 10**10)
    assert [one.id for one in scenario.broker] == ["a", "b"]
    assert scenario.path == tmp_path / "small.toml"
    assert scenario.place("link", 2).key == "link[2]"
    assert scenario.place("seed").key == "seed"


BAD = [
    ("duration = '1s'", "tidings", "is missing"),
    ("tidings = 2\nduration = '1s'", "tidings", "must be 1"),
    ("tidings = true\nduration = '1s'", "tidings", "must be 1"),
    ("tidings = 1", "duration", "is missing"),
    ("tidings = 1\nduration = '0s'", "duration", "longer than nothing"),
    (TOP + "runs = 0" + BROKERS, "runs", "from 1"),
    (TOP + "seed = -1" + BROKERS, "seed", "from 0"),
    (TOP + "seed = 9223372036854775808" + BROKERS, "seed", "to 9223372036854775807"),
    (TOP + "sede = 1" + BROKERS, "sede", 'did you mean "seed"?'),
    (TOP, "overlay", "is missing"),
    (TOP + "[overlay]\nservice = '1ms'", "overlay", "is missing"),
    (TOP + "[overlay]\ngenerate = 'line'", "overlay.brokers", "is missing"),
    (TOP + "broker = 3", "broker", "under [[broker]]"),
    (TOP + "[publisher]\nid = 'x'", "publisher", "under [[publisher]]"),
    (TOP + BROKERS + "[[broker]]\nid = 'a'", "broker", "is listed twice"),
    (SMALL + "[topics]\ncount = 2\n[[topic]]\nname = 'x'", "topic", "not both"),
    (SMALL + "[[topic]]\nname = 'x'\n[[topic]]\nname = 'x'", "topic", "is listed twice"),
    (SMALL + "[[tree]]\nname = 'x'\nlinks = []\n[[tree]]\nname = 'x'\nlinks = []", "tree", "is listed twice"),
    (SMALL + "[mobility]\nhandoff = 'reactive'", "mobility", "add [map]"),
    (SMALL + "mobility = { model = 'random-waypoint', speed = '1m/s' }", "subscriber[0].mobility", "add [map]"),
    (SMALL + "[routing]\nscheme = 'dcrd'\n[reliability]\nmechanism = 'bypass'", "reliability.mechanism", '"buffering"'),
    (SMALL + "[routing]\nscheme = 'oracle'\n[reliability]\nmechanism = 'buffering'", "reliability.mechanism", '"none"'),
    (TOP + BROKERS + PUBLISHER + "count = 600000" + PUBLISHER + "count = 600000", "publisher", "lower a count"),
    (TOP + BROKERS + SUBSCRIBER + "count = 600000" + SUBSCRIBER + "count = 600000", "subscriber", "lower a count"),
]


@pytest.mark.parametrize(("text", "key", "remedy"), BAD)
def test_parts_that_do_not_fit_are_refused(tmp_path, text, key, remedy):
    """The key that has to change, and what would be right."""
    with pytest.raises(ScenarioError) as caught:
        scenario_of(tmp_path, text)
    assert caught.value.key == key
    assert remedy in caught.value.remedy
    assert caught.value.file == str(tmp_path / "small.toml")


def test_every_combination_of_scheme_and_mechanism_is_decided(tmp_path):
    """5 + 3 × 1 + 2 × 2 + 1 of 35 go together."""
    good = 0
    for scheme in ("tree", "r-tree", "d-tree", "multipath", "dcrd", "dcrd+", "oracle"):
        for mechanism in ("none", "periodic", "buffering", "bypass", "bypass+buffering"):
            text = SMALL + f"[routing]\nscheme = '{scheme}'\n[reliability]\nmechanism = '{mechanism}'"
            try:
                scenario_of(tmp_path, text)
            except ScenarioError:
                continue
            good += 1
    assert good == 13


def test_a_list_can_be_a_parquet_file(tmp_path):
    """Complaints then name that file."""
    write_entries(tmp_path / "brokers.parquet", [{"id": "a"}, {"id": "b", "site": "x"}])
    text = TOP + "broker = 'brokers.parquet'"
    assert [one.site for one in scenario_of(tmp_path, text).broker] == [None, "x"]
    write_entries(tmp_path / "brokers.parquet", [{"id": "a"}, {"id": "b", "stie": "x"}])
    with pytest.raises(ScenarioError) as caught:
        scenario_of(tmp_path, text)
    assert caught.value.file == str(tmp_path / "brokers.parquet")
    assert caught.value.key == "broker[1].stie"


def test_a_map_alone_has_brokers(tmp_path):
    """Its points; then subscribers may move."""
    mobile = SUBSCRIBER.replace('broker = "b"', "mobility = { model = 'random-waypoint', speed = '1m/s' }")
    scenario = scenario_of(tmp_path, TOP + MAP + mobile + "[mobility]\nhandoff = 'reactive'")
    assert scenario.map is not None
    assert scenario.mobility is not None


def test_the_map_says_how_many_brokers_an_overlay_has(tmp_path):
    """A point for each."""
    assert scenario_of(tmp_path, TOP + MAP + "[overlay]\ngenerate = 'line'").overlay.needs_brokers
