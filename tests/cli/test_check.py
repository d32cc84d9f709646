"""`tidings check`: what a scenario says, before anything runs."""

import tomllib

import pytest

from cli.command import LINE, document, refused, tidings, written


@pytest.fixture
def place(tmp_path):
    """A folder with a scenario in it."""
    (tmp_path / "line.toml").write_text(LINE, "utf-8")
    return tmp_path


def test_it_counts_what_is_in_it(place):
    """For people one count per line."""
    ended = tidings("check", "line.toml", folder=place)
    assert ended.returncode == 0
    words = [line.split() for line in ended.stdout.splitlines()]
    assert ["brokers", "2"] in words
    assert ["subscribers", "1"] in words
    assert written(place) == ["line.toml"]


def test_json_is_one_document(place):
    """The same counts for programs; nobody refuses this scenario."""
    found = document(tidings("check", "line.toml", "--json", folder=place))
    assert found == {
        "name": "two brokers",
        "seed": 3,
        "runs": 1,
        "brokers": 2,
        "links": 1,
        "publishers": 1,
        "subscribers": 1,
        "topics": 1,
        "trees": 1,
        "refused": {},
    }


def test_it_says_who_refuses_and_why(place):
    """A scenario may be right and still too much for a verb; check itself is done then."""
    (place / "total.toml").write_text(
        LINE + '\n[ordering]\nguarantee = "total"\nmode = "unreliable"\nwait = "1s"\n', "utf-8"
    )
    ended = tidings("check", "total.toml", folder=place)
    assert ended.returncode == 0
    assert "simulate refuses it: total.toml: ordering.mode" in ended.stdout
    assert "mode" in document(tidings("check", "total.toml", "--json", folder=place))["refused"]["simulate"]


def test_the_expanded_scenario_is_a_scenario(place):
    """Printed, it gives the same world again."""
    ended = tidings("check", "line.toml", "--expand", folder=place)
    assert tomllib.loads(ended.stdout)["name"] == "two brokers"
    (place / "again.toml").write_text(ended.stdout, "utf-8")
    again = tidings("check", "again.toml", "--expand", folder=place)
    assert again.stdout == ended.stdout


def test_the_expanded_scenario_goes_to_a_folder(place):
    """With --out; what is said on standard output stays the summary."""
    ended = tidings("check", "line.toml", "--expand", "--out", "world", "--json", folder=place)
    assert document(ended)["brokers"] == 2
    printed = tidings("check", "line.toml", "--expand", folder=place).stdout
    assert (place / "world" / "scenario.toml").read_text("utf-8") == printed


def test_another_seed_is_another_world(place):
    """The same that `simulate --seed` draws, written down."""
    (place / "random.toml").write_text(LINE.replace('broker = "b"', ""), "utf-8")
    drawn = {
        seed: tidings("check", "random.toml", "--seed", seed, "--expand", folder=place).stdout for seed in range(6)
    }
    assert {tomllib.loads(text)["seed"] for text in drawn.values()} == set(range(6))
    assert {tomllib.loads(text)["subscriber"][0]["broker"] for text in drawn.values()} == {"a", "b"}
    assert tidings("simulate", "random.toml", "--seed", 4, "--out", "logs", folder=place).returncode == 0
    assert (place / "logs" / "scenario.toml").read_text("utf-8") == drawn[4]


def test_long_lists_need_a_folder(place):
    """More than a thousand entries go to files beside it, so they cannot be printed."""
    many = LINE.replace('id     = "s"', 'id     = "s"\ncount  = 1500')
    (place / "many.toml").write_text(many, "utf-8")
    assert "--out" in refused(tidings("check", "many.toml", "--expand", folder=place))
    assert tidings("check", "many.toml", "--expand", "--out", "world", folder=place).returncode == 0
    found = document(tidings("check", "world/scenario.toml", "--json", folder=place))
    assert found["subscribers"] == 1500


def test_out_without_expand_is_bad_input(place):
    """It would be ignored otherwise."""
    assert "--expand" in refused(tidings("check", "line.toml", "--out", "world", folder=place))
    assert written(place) == ["line.toml"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('name     = "two brokers"', 'nmae = "two brokers"', "nmae"),
        ('between = ["a", "b"]', 'between = ["a", "c"]', "c"),
        ('delay   = "10ms"', 'delay   = "10 parsecs"', "link[0].delay"),
        ("tidings  = 1", "tidings  = 2", "tidings"),
        ('duration = "20s"', "duration = [", "line"),
        ("topic == ", "topic = ", "filter"),
    ],
)
def test_bad_scenarios_are_bad_input(old, new, says, place):
    """One clear message that names what is wrong, and the file."""
    assert old in LINE
    (place / "line.toml").write_text(LINE.replace(old, new), "utf-8")
    said = refused(tidings("check", "line.toml", "--json", folder=place))
    assert said.startswith("tidings: line.toml")
    assert says in said


def test_a_missing_file_is_bad_input(tmp_path):
    """The message names it."""
    assert "nowhere.toml" in refused(tidings("check", "nowhere.toml", folder=tmp_path))


def test_what_was_not_taken_as_it_stood_is_said(tmp_path):
    """A map whose doubled link and unlocated broker were left out: on standard error, not among the results."""
    (tmp_path / "net.graphml").write_text(DOUBTFUL_MAP, "utf-8")
    (tmp_path / "net.toml").write_text(
        'tidings = 1\nduration = "1s"\n[overlay]\nfile = "net.graphml"\nunlocated = "drop"\n', "utf-8"
    )
    ended = tidings("check", "net.toml", "--json", folder=tmp_path)
    assert document(ended)["brokers"] == 2
    assert "Nowhere" in ended.stderr


DOUBTFUL_MAP = """<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="label" attr.type="string" for="node" id="n"/>
  <key attr.name="Longitude" attr.type="double" for="node" id="x"/>
  <key attr.name="Latitude" attr.type="double" for="node" id="y"/>
  <graph edgedefault="undirected">
    <node id="0"><data key="n">Here</data><data key="x">0</data><data key="y">50</data></node>
    <node id="1"><data key="n">There</data><data key="x">1</data><data key="y">50</data></node>
    <node id="2"><data key="n">Nowhere</data></node>
    <edge source="0" target="1"/>
    <edge source="1" target="2"/>
  </graph>
</graphml>
"""
