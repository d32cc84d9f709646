"""Worlds, saved: loading and expanding gives them again, wherever they were written, whatever the seed."""

import dataclasses
import tomllib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scenario_texts import CONTRACT, CONTRACT_FILES, PUBLISHER, SMALL, TOP, scenario_of, world_of
from tidings.errors import InputError, WorldError
from tidings.scenario import expand, load_scenario, write_world
from tidings.scenario.world import OutageLaw
from tidings.vocabulary.distribution import Constant, Exponential

RICH = """
tidings = 1
duration = "1h"
runs = 3
overlay = { generate = "random", brokers = 8, degree = 3, availability = 0.9, period = "100s", near = { loss = 0.01 }, link = { delay = { dist = "gamma", mean = "10ms", scv = 0.3 }, loss = 0.01, duplication = 0.02, fifo = true, bandwidth = "3kbit/s", up = { dist = "uniform", low = "1s", high = "9s" }, down = "1s" }, service = { dist = "exponential", mean = "1ms", per = "subscription" } }
[[broker]]
id = "b1"
site = "Ærø \\"q\\" \\\\"
[[link]]
between = ["b0", "extra"]
delay = { dist = "normal", mean = "10ms", sd = "1ms", per = "link" }
outages = [["1s", "2s"], ["3s", "4s"]]
[[broker]]
id = "extra"
[topics]
count = 30
popularity = { dist = "power", exponent = 0.5 }
[[publisher]]
count = 5
every = { dist = "hyperexponential", mean = "1s", scv = 4 }
attributes = { a = { choice = [1, "x", true, 2.5] }, b = { dist = "zipf", values = 5, exponent = 0.5 }, c = "k" }
payload = { dist = "uniform", low = 1, high = 9 }
[[publisher]]
id = "q"
topics = ["own", "t1"]
every = "1s"
lifetime = "5s"
link = { delay = { dist = "exponential", mean = "1ms" } }
[[subscriber]]
count = 9
topics = 4
filter = 'a == $a and not b < $b'
vary = { a = [1, "x", true, 2.5], b = { dist = "normal", mean = 3, sd = 1 } }
deadline = "2.5x shortest"
deadlines = { q = "1s" }
joins = { dist = "uniform", low = "0s", high = "10min" }
stays = { dist = "exponential", mean = "10min" }
requires = 0.5
[[subscriber]]
id = "e"
each = "broker and topic"
share = 0.1
filter = 'topic == $topic and a != "it''s"'
[[crash]]
component = "b3"
at = "1min"
lasting = "1s"
[faults]
links = { probability = 0.1, every = "2s", lasting = "1s" }
""".replace("''s", "s")


def saved(world, folder):
    """The scenario that the world was written as."""
    write_world(world, folder)
    return load_scenario(folder / "scenario.toml")


@pytest.mark.parametrize("name", CONTRACT_FILES)
@pytest.mark.parametrize("seed", [None, 7, 2**63 - 1])
def test_a_written_world_expands_to_itself(tmp_path, name, seed):
    """The contract's files, with their own seed and with others; the seed is stored inside."""
    world = expand(load_scenario(CONTRACT / f"{name}.toml"), seed=seed)
    again = expand(saved(world, tmp_path / "out"))
    assert again == world
    assert again.seed == (1 if seed is None else seed)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**63 - 1))
def test_the_law_holds_for_rich_worlds(tmp_path, seed):
    """Every kind of key at once, and any seed."""
    world = world_of(tmp_path, RICH, seed=seed)
    assert expand(saved(world, tmp_path / "out")) == world


@pytest.mark.parametrize("name", CONTRACT_FILES)
def test_another_seed_changes_only_what_happens_at_run_time(tmp_path, name):
    """Once everything is explicit, nothing is left to draw."""
    world = expand(load_scenario(CONTRACT / f"{name}.toml"))
    assert expand(saved(world, tmp_path), seed=99) == dataclasses.replace(world, seed=99)


def test_writing_twice_gives_the_same_bytes(tmp_path):
    """And writing what was read, too."""
    world = world_of(tmp_path, RICH)
    again = expand(saved(world, tmp_path / "one"))
    write_world(again, tmp_path / "two")
    assert (tmp_path / "one/scenario.toml").read_bytes() == (tmp_path / "two/scenario.toml").read_bytes()


def test_long_lists_go_to_files_beside(tmp_path):
    """More than a thousand; the TOML names them."""
    text = (CONTRACT / "load.toml").read_text().replace("count    = 100\n", "count    = 1001\n")
    world = world_of(tmp_path, text)
    assert expand(saved(world, tmp_path / "out")) == world
    document = tomllib.loads((tmp_path / "out/scenario.toml").read_text())
    assert document["subscriber"] == "scenario-subscriber.parquet"
    assert isinstance(document["publisher"], list)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "scenario-subscriber.parquet",
        "scenario.toml",
    ]
    thousand = world_of(tmp_path, text.replace("1001", "1000"))
    write_world(thousand, tmp_path / "short")
    assert len(tomllib.loads((tmp_path / "short/scenario.toml").read_text())["subscriber"]) == 1000


def test_long_lists_inside_entries_go_to_files_too(tmp_path):
    """A tree with many topics, a subscriber with many deadlines."""
    many = PUBLISHER.replace('topic = "t"', 'topic = "t"\nper = "publisher"\ncount = 1001')
    text = SMALL.replace(PUBLISHER, many).replace("'topic == \"t\"'", "'true'") + 'deadline = "3x shortest"'
    world = world_of(tmp_path, text)
    assert len(world.subscribers[0].deadlines) == 1001
    assert expand(saved(world, tmp_path / "out")) == world
    document = tomllib.loads((tmp_path / "out/scenario.toml").read_text())
    assert document["tree"] == "scenario-tree.parquet"
    assert document["subscriber"] == "scenario-subscriber.parquet"


def test_long_lists_of_points_go_to_a_file(tmp_path):
    """The map names it."""
    points = ", ".join(f"[{x}, 1]" for x in range(1001))
    overlay = "[overlay]\ngenerate = 'line'\n"
    world = world_of(tmp_path, TOP + overlay + f"[map]\nsize = [9999, 9]\nrange = 1\npoints = [{points}]")
    assert expand(saved(world, tmp_path / "out")) == world
    document = tomllib.loads((tmp_path / "out/scenario.toml").read_text())
    assert document["map"]["points"] == "scenario-points.parquet"


FILES = SMALL.replace('every = "1s"', 'every = { dist = "empirical", file = "sub/gaps.txt" }').replace(
    'between = ["a", "b"]', 'between = ["a", "b"]\ndelay = { dist = "empirical", file = "delays.parquet" }'
)
TRACED = '[[publisher]]\nid = "r"\nbroker = "a"\ntrace = "../day.parquet"\n'


def measured_files(folder):
    """A folder with two files of measurements, and a trace beside the folder."""
    (folder / "sub").mkdir(parents=True)
    (folder / "sub/gaps.txt").write_text("1s\n0.3s\n")
    pq.write_table(pa.table({"x": [1e6, 2.5e6]}), folder / "delays.parquet")
    columns = {"published_ns": [1], "topic": ["x"], "attributes": [None], "payload_bytes": [0]}
    pq.write_table(pa.table(columns), folder.parent / "day.parquet")


def test_files_come_along(tmp_path):
    """Measurements and traces; what lay elsewhere lies beside from then on, and saving in place harms nothing."""
    folder = tmp_path / "in"
    measured_files(folder)
    world = expand(scenario_of(folder, FILES + TRACED, allow_files=True))
    again = expand(saved(world, tmp_path / "out"))
    assert again == world
    assert again.publishers[1].trace.path.parent == tmp_path / "out"
    assert expand(saved(again, tmp_path / "out")) == world


def test_two_files_of_one_name_cannot_be_saved(tmp_path):
    """Rather than one of them silently taking the other's place."""
    folder = tmp_path / "in"
    measured_files(folder)
    world = expand(scenario_of(folder, FILES))
    other = dataclasses.replace(
        world.publishers[0],
        every=dataclasses.replace(world.publishers[0].every, values=world.publishers[0].every.values * 2),
        id="x",
    )
    with pytest.raises(InputError, match=r"both called sub/gaps\.txt"):
        write_world(dataclasses.replace(world, publishers=(*world.publishers, other)), tmp_path / "out")
    twin = dataclasses.replace(world.publishers[0], id="x")
    both = dataclasses.replace(world, publishers=(*world.publishers, twin))
    assert expand(saved(both, tmp_path / "out")) == both


def test_recorded_positions_come_along(tmp_path):
    """With the handoff's latency."""
    (tmp_path / "walk.csv").write_text("time_ns,x,y\n")
    (tmp_path / "late.txt").write_text("1s\n2s\n")
    text = (
        TOP
        + """
    [map]
    size = [9, 9]
    range = 5
    points = [[1, 1]]
    [[subscriber]]
    filter = "true"
    mobility = { model = "recorded", file = "walk.csv" }
    [[subscriber]]
    id = "w"
    filter = "true"
    mobility = { model = "random-waypoint", speed = "10m/s", pause = { dist = "empirical", file = "late.txt" } }
    [mobility]
    handoff = "proactive"
    latency = { dist = "empirical", file = "late.txt" }
    """
    )
    world = world_of(tmp_path, text)
    assert expand(saved(world, tmp_path / "out")) == world
    assert (tmp_path / "out/walk.csv").exists()


def test_empirical_outages_come_along(tmp_path):
    """Of brokers and links."""
    (tmp_path / "up.txt").write_text("1s\n2s\n")
    law = 'up = { dist = "empirical", file = "up.txt" }\ndown = "1s"'
    world = world_of(
        tmp_path, SMALL.replace('id = "b"', f'id = "b"\n{law}').replace('["a", "b"]', f'["a", "b"]\n{law}')
    )
    assert isinstance(world.links[0].outages, OutageLaw)
    assert expand(saved(world, tmp_path / "out")) == world


def test_worlds_that_no_scenario_can_say(tmp_path):
    """Half a nanosecond."""
    world = world_of(tmp_path, SMALL)
    odd = dataclasses.replace(world, publishers=(dataclasses.replace(world.publishers[0], every=Exponential(0.5)),))
    with pytest.raises(InputError, match="below a nanosecond"):
        write_world(odd, tmp_path / "out")


def test_folders_that_cannot_be_written(tmp_path):
    """A file stands in the way."""
    (tmp_path / "out").write_text("")
    with pytest.raises(WorldError, match="cannot be written"):
        write_world(world_of(tmp_path, SMALL), tmp_path / "out")


def test_what_is_written_can_be_read_by_people(tmp_path):
    """Units, names, one key a line."""
    write_world(world_of(tmp_path, SMALL), tmp_path / "out")
    text = (tmp_path / "out/scenario.toml").read_text()
    assert 'duration = "10s"\n' in text
    assert 'every = "1s"\n' in text
    assert '[routing]\nscheme = "tree"\n' in text
    assert world_of(tmp_path, SMALL).publishers[0].every == Constant(1e9)
