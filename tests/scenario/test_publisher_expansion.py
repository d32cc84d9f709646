"""Publishers, drawn."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scenario.profile_tables import profile_table
from scenario_texts import BROKERS, PUBLISHER, TOP, world_of
from tidings.errors import ScenarioError
from tidings.scenario import expand, load_scenario
from tidings.scenario.world import Choice, NamedFile
from tidings.scenario.writing import write_world
from tidings.vocabulary.distribution import Constant, Zipf
from tidings.vocabulary.instant import FOREVER

ENTRY = PUBLISHER.replace('topic = "t"\n', "")


def publishers_of(folder, text):
    """The publishers of a world with two brokers."""
    return world_of(folder, TOP + BROKERS + text).publishers


@pytest.mark.parametrize(
    ("keys", "topics"),
    [
        ("count = 3\ntopic = 't'", [("t",), ("t",), ("t",)]),
        ("count = 3\ntopic = ['x', 'y']", [("x",), ("y",), ("x",)]),
        ("count = 3\ntopic = 't'\nper = 'publisher'", [("t0",), ("t1",), ("t2",)]),
        ("count = 2\ntopics = ['x', 'y']", [("x", "y"), ("x", "y")]),
        ("topic = 't'\nper = 'publisher'", [("t0",)]),
    ],
)
def test_copies_have_their_topics(tmp_path, keys, topics):
    """By list, by number, or all alike."""
    assert [one.topics for one in publishers_of(tmp_path, ENTRY + keys)] == topics


def test_everything_that_was_said_is_there(tmp_path):
    """In the world's units."""
    keys = "topic='t'\nlifetime='2s'\npayload=100\nattributes={x=1,y={choice=['a','b']},z={dist='zipf',values=3,exponent=1}}"
    (one,) = publishers_of(tmp_path, ENTRY + keys)
    assert (one.id, one.broker, one.every, one.lifetime_ns) == ("p", "a", Constant(1e9), 2 * 10**9)
    assert one.payload == Constant(100.0)
    assert one.attributes == {"x": Choice(values=(1,)), "y": Choice(values=("a", "b")), "z": Zipf(3, 1.0)}


def test_defaults(tmp_path):
    """Nothing in it, for ever."""
    (one,) = publishers_of(tmp_path, PUBLISHER)
    assert (one.lifetime_ns, one.payload, one.attributes, one.link, one.trace) == (FOREVER, None, {}, None, None)


def test_names_are_taken_once(tmp_path):
    """Across entries."""
    with pytest.raises(ScenarioError, match="an id of its own") as caught:
        publishers_of(tmp_path, PUBLISHER + PUBLISHER)
    assert caught.value.key == "publisher[1].id"


def test_someone_has_to_say_the_topics(tmp_path):
    """The publisher, or [topics]."""
    with pytest.raises(ScenarioError, match=r"or \[topics\]") as caught:
        publishers_of(tmp_path, ENTRY)
    assert caught.value.key == "publisher[0].topic"
    assert publishers_of(tmp_path, ENTRY + "[topics]\ncount = 3")[0].topics == ()


def test_a_trace_says_topics_itself(tmp_path):
    """They are read beforehand, for trees and filters."""
    columns = {"published_ns": [1, 2], "topic": ["y", "x"], "attributes": [None, None], "payload_bytes": [0, 0]}
    pq.write_table(pa.table(columns), tmp_path / "day.parquet")
    (one,) = publishers_of(tmp_path, ENTRY.replace('every = "1s"', "trace = 'day.parquet'"))
    assert one.topics == ("x", "y")
    assert one.trace == NamedFile(name="day.parquet", path=tmp_path / "day.parquet")
    assert one.every is None


PROFILED = ENTRY.replace('every = "1s"', "profile = 'day.parquet'")


def test_a_profile_says_what_is_published(tmp_path):
    """Intervals, topics and sizes; by default of the publisher's own name."""
    profile_table(tmp_path / "day.parquet", {"publisher": "p"}, {})
    (own,) = publishers_of(tmp_path, PROFILED)
    (other,) = publishers_of(tmp_path, PROFILED + "like = 'ibm'")
    assert (own.profile.name, other.profile.name) == ("p", "ibm")
    assert own.every is own.profile.every
    assert own.topics == ("news", "quote")
    assert own.payload.mean == 300.0
    assert own.lifetime_ns == FOREVER


@pytest.mark.parametrize(("said", "lifetime_ns"), [("", 5), ("lifetime = '2s'", 2 * 10**9)])
def test_a_lifetime_of_its_own_goes_first(tmp_path, said, lifetime_ns):
    """Before the recorded one."""
    profile_table(tmp_path / "day.parquet", {"lifetime_ns": 5})
    assert publishers_of(tmp_path, PROFILED + "like = 'ibm'\n" + said)[0].lifetime_ns == lifetime_ns


def test_a_profiled_world_is_written_and_read_again(tmp_path):
    """With its file beside it; nothing that the profile says is said twice."""
    profile_table(tmp_path / "day.parquet", {"publisher": "p"}, {})
    world = world_of(
        tmp_path,
        TOP + BROKERS + PROFILED + PROFILED.replace('id = "p"', "") + "id = 'q'\nlike = 'ibm'\nlifetime = '2s'",
    )
    write_world(world, tmp_path / "again")
    text = (tmp_path / "again" / "scenario.toml").read_text("utf-8")
    assert "every" not in text
    assert "payload" not in text
    assert expand(load_scenario(tmp_path / "again" / "scenario.toml")) == world
