"""Where events come from: who is taken together, topics, and recorded publishers."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scenario.profile_tables import profile_table
from simulation.worlds import changed, const, make_world, ms, publisher, subscriber
from tidings.analysis import sources
from tidings.analysis.sources import sources_of
from tidings.errors import ScenarioError
from tidings.scenario.profiles import Profiles
from tidings.scenario.source import Place, Source
from tidings.scenario.world import NamedFile, Topic
from tidings.vocabulary.instant import SECOND


def test_alike_publishers_are_one_source():
    """Same broker, topic and intervals: one stream of the sum of their rates."""
    many = [publisher(f"p{i}", every=ms(100)) for i in range(5)] + [publisher("q", broker="b", every=ms(100))]
    found = sources_of(make_world(publishers=many))
    assert [one.publishers for one in found] == [("p0", "p1", "p2", "p3", "p4"), ("q",)]
    assert found[0].rate * SECOND == pytest.approx(50.0)
    assert found[0].lifetime_ns == many[0].lifetime_ns
    assert found[0].link is None


@pytest.mark.parametrize("more", [{"every": const(50)}, {"topic": "u"}, {"lifetime_ns": SECOND}])
def test_different_publishers_stay_apart(more):
    """Whatever differs that matters."""
    world = make_world(publishers=[publisher("p"), publisher("q", **more)])
    assert len(sources_of(world)) == 2


def test_deadlines_by_publisher_keep_them_apart():
    """Who published decides when an event is late."""
    both = [publisher("p"), publisher("q")]
    world = make_world(publishers=both, subscribers=[subscriber(broker="b", deadlines={"p": SECOND})])
    assert len(sources_of(world)) == 2


def test_topics():
    """Round and round, each by how often it stands there; or by popularity at the site."""
    world = make_world(publishers=[publisher(topic=("t", "u", "t", "t"))])
    assert sources_of(world)[0].topics == pytest.approx({"t": 0.75, "u": 0.25})
    drawn = changed(
        make_world(publishers=[publisher(topic=())]),
        topics=(Topic(name="a", popularity={"": 3.0}), Topic(name="b", popularity={"": 1.0}), Topic(name="c")),
    )
    assert sources_of(drawn)[0].topics == pytest.approx({"a": 0.75, "b": 0.25})


def trace(path, rows):
    """A recorded publisher's file."""
    kind = pa.map_(pa.string(), pa.string())
    table = pa.table(
        {
            "published_ns": pa.array([at for at, _, _ in rows], pa.int64()),
            "topic": [topic for _, topic, _ in rows],
            "attributes": pa.array([list(said.items()) for _, _, said in rows], kind),
        }
    )
    pq.write_table(table, path)
    return NamedFile(name=path.name, path=path)


def test_recorded_publishers(tmp_path):
    """What lies before the end counts: its rate, its topics, what its events say."""
    rows = [(i * SECOND, "t" if i % 4 else "u", {"price": f"{i}.5", "side": '"buy"'}) for i in range(12)]
    file = trace(tmp_path / "day.parquet", rows)
    world = make_world(publishers=[publisher(topic=("t", "u"), trace=file)], duration_ns=8 * SECOND)
    (found,) = sources_of(world)
    assert found.rate * SECOND == pytest.approx(1.0)
    assert found.topics == pytest.approx({"t": 0.75, "u": 0.25})
    assert found.record.contents["u"].columns["price"].values == (0.5, 4.5)
    assert found.scv == 0.0
    assert found.record.curve(np.array([2.0, 4.0]) * SECOND).rate * SECOND == pytest.approx(1.0)


def test_burstiness_of_a_record(tmp_path):
    """That of its intervals; of fewer than two nothing is known."""
    instants = [0, 1, 2, 6]
    rows = [(at * SECOND, "t", {}) for at in instants]
    for count, scv in ((4, np.var([1, 1, 4]) / 4), (2, 1.0), (1, 1.0)):
        file = trace(tmp_path / "day.parquet", rows[:count])
        world = make_world(publishers=[publisher(topic="t", trace=file)], duration_ns=8 * SECOND)
        assert sources_of(world)[0].scv == pytest.approx(scv)


def test_profiled_publishers(tmp_path):
    """What the profile says, each by itself, with its weights."""
    place = Place(Source(tmp_path / "s.toml"))
    profile_table(tmp_path / "day.parquet", {}, {"publisher": "sun", "scv": None})
    for name, scv in (("ibm", 4.0), ("sun", 1.0)):
        profile = Profiles().of(place, "day.parquet", name)
        publishers = [replace(publisher(topic="t"), id=one, profile=profile) for one in ("x", "y")]
        found, _ = sources_of(make_world(publishers=publishers))
        assert found.every is None
        assert found.rate * SECOND == pytest.approx(0.5)
        assert found.topics == pytest.approx({"quote": 0.75, "news": 0.25})
        assert found.scv == scv
        assert found.record.contents["news"].weights.tolist() == [1.0]
        assert found.record.curve(np.array([SECOND, 10.0 * SECOND])).index == pytest.approx([1.5, 3.75])


def test_a_trace_that_is_none(tmp_path):
    """Names the file."""
    path = tmp_path / "x.parquet"
    path.write_text("no table", "utf-8")
    world = make_world(publishers=[publisher(topic="t", trace=NamedFile(name="x.parquet", path=path))])
    with pytest.raises(ScenarioError, match=r"x\.parquet"):
        sources_of(world)


def test_thinning():
    """Very long records are thinned out evenly."""
    assert len(sources._thinned([{}] * (3 * sources.TRACE_EVENTS_MAX))) == sources.TRACE_EVENTS_MAX
    assert len(sources._thinned([{}] * 10)) == 10
