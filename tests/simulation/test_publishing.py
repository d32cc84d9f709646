"""Publishers' events as columns: the laws of what is drawn, and traces as they stand."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenario.profile_tables import profile_table
from simulation.worlds import MS, changed, const, make_world, ms, publisher
from tidings.errors import ScenarioError
from tidings.scenario.profiles import Profiles
from tidings.scenario.source import Place, Source
from tidings.scenario.world import Choice, NamedFile, Topic
from tidings.simulation.publishing import (
    INTERVAL_NS_MAX,
    DrawnSource,
    Topics,
    TraceSource,
    expected_events,
    first_instant,
    source_of,
)
from tidings.vocabulary.distribution import Constant, Exponential, Gamma, Hyperexponential, Uniform, Zipf
from tidings.vocabulary.instant import FOREVER, SECOND
from tidings.vocabulary.streams import Streams

LAWS = (Constant(1e6), Exponential(1e6), Gamma(1e6, 3.0), Hyperexponential(1e6, 9.0), Uniform(0.0, 2e6))


def source(one, *, seed=1, topics=None):
    """The source of a lone publisher, or of the first of several."""
    world = make_world("a", publishers=[one])
    return source_of(
        world, 0, Topics([topic.name for topic in world.topics]) if topics is None else topics, Streams(seed)
    )


def said(part):
    """The attributes of a part's events, in order."""
    rows = {}
    for block in part.blocks:
        rows.update(zip(block.places.tolist(), block.records(np.arange(len(block.places))), strict=True))
    return [rows[place] for place in range(len(part.instants))]


def events_of(parts):
    """Everything in the parts, as one list of tuples."""
    return [
        row
        for part in parts
        for row in zip(
            range(part.first, part.first + len(part.instants)),
            *(column.tolist() for column in (part.instants, part.expires, part.topics, part.sizes)),
            map(repr, said(part)),
            strict=True,
        )
    ]


FULL = publisher(
    every=ms(1),
    topic=("t", "u", "t"),
    lifetime_ns=5 * MS,
    payload=Uniform(-10.0, 300.0),
    attributes={"x": Zipf(6, 1.0), "y": Exponential(2.0), "z": Choice(values=(1, 1.0, True, "a"))},
)


@settings(max_examples=20)
@given(st.lists(st.integers(0, 3 * SECOND), min_size=1, max_size=6).map(sorted))
def test_events_do_not_depend_on_how_they_are_fetched(ends):
    """In one portion or in many: the same numbers, instants, topics, sizes and attributes."""
    whole, parted = source(FULL), source(FULL)
    one, many = whole.until(ends[-1]), [parted.until(end) for end in ends]
    assert events_of([one]) == events_of(many)
    for part, begin, end in zip(many, [0, *ends], ends, strict=False):
        assert all(begin <= at < end for at in part.instants.tolist())


def test_what_is_drawn():
    """Instants ascend, topics go round, sizes are whole and not negative, lifetimes begin when it is published."""
    part = source(FULL).until(4 * SECOND)
    count = len(part.instants)
    assert (np.diff(part.instants) >= 1).all()
    assert part.topics.tolist() == [(0, 1, 0)[place % 3] for place in range(count)]
    assert part.sizes.min() == 0
    assert part.sizes.max() <= 300
    assert (part.expires - part.instants == 5 * MS).all()
    values = said(part)
    assert {type(row["x"]) for row in values} == {int}
    assert {type(row["y"]) for row in values} == {float}
    assert {repr(row["z"]) for row in values} == {"1", "1.0", "True", "'a'"}


def test_a_lifetime_for_ever_never_runs_over():
    """However late the event."""
    part = source(publisher(every=Constant(2.0**50))).until(2**61)
    assert set(part.expires.tolist()) == {FOREVER}
    assert part.instants[-1] > 2**60


@pytest.mark.parametrize("law", LAWS, ids=[type(law).__name__ for law in LAWS])
def test_publishers_begin_as_if_they_had_been_at_it_for_ever(law):
    """What is left of an interval at an instant of no meaning: (1 + scv) / 2 of the mean interval, on average."""
    firsts = np.array([first_instant(law, Streams(seed)("phase p")) for seed in range(4_000)], np.float64)
    expected = law.mean * (1 + law.scv) / 2
    assert abs(firsts.mean() - expected) < 5 * firsts.std() / len(firsts) ** 0.5
    assert firsts.min() >= 0


def test_the_number_of_events_is_that_of_the_rate():
    """In the stationary state it is exact on average, whatever the law."""
    counts = [len(source(publisher(every=LAWS[3]), seed=seed).until(10 * MS).instants) for seed in range(1_500)]
    assert abs(np.mean(counts) - 10.0) < 5 * np.std(counts) / len(counts) ** 0.5


def test_intervals_are_at_least_a_nanosecond_and_never_endless():
    """A law that draws 0 moves on; one that draws ages stays before the end of time."""
    assert (np.diff(source(publisher(every=Uniform(0.0, 1e-3))).until(5_000).instants) == 1).all()
    assert len(source(publisher(every=Constant(float(2**62)))).until(INTERVAL_NS_MAX * 4).instants) <= 4


def test_another_publisher_changes_nothing():
    """Streams carry the publisher's name: what one draws does not depend on who else there is."""
    alone = make_world("a", publishers=[FULL])
    together = make_world("a", publishers=[publisher("q", every=ms(3)), FULL])
    (one, other) = (
        DrawnSource(world, index, Topics(["t", "u"]), Streams(1)).until(SECOND)
        for world, index in ((alone, 0), (together, 1))
    )
    assert events_of([one]) == events_of([other])


def test_topics_by_popularity_of_the_site():
    """A publisher without topics draws them by the weights at its site; a topic without weight there never comes."""
    names = ("t0", "t1", "t2")
    weights = ({"north": 1.0, "south": 3.0}, {"south": 1.0}, {"north": 3.0})
    topics = tuple(Topic(name=name, popularity=one) for name, one in zip(names, weights, strict=True))
    for site, shares in (("north", (0.25, 0.0, 0.75)), ("south", (0.75, 0.25, 0.0))):
        one = publisher(topic=(), every=ms(1), site=site)
        world = changed(make_world("a", publishers=[publisher()]), topics=topics, publishers=(one,))
        drawn = source_of(world, 0, Topics(names), Streams(1)).until(20 * SECOND).topics
        found = np.bincount(drawn, minlength=3) / len(drawn)
        assert np.abs(found - shares).max() < 5 * (0.1875 / len(drawn)) ** 0.5
        assert ((found == 0) == (np.array(shares) == 0)).all()


def test_topics_have_one_place_each():
    """New names are counted on."""
    topics = Topics(["t", "u"])
    assert [topics.place(name) for name in ("u", "new", "t", "new")] == [1, 2, 0, 2]
    assert topics.names == ["t", "u", "new"]


# ---- traces

TRACE = [
    (0, "t", [("x", "1")], 10),
    (0, "u", None, 0),
    (5, "t", [("x", "1.0"), ("s", '"a"')], None),
    (5, "new", [("x", "true")], 7),
    (9, "t", [("x", "1")], 8),
]


def trace_of(folder, rows):
    """A publisher that replays these rows, from a file in row groups of two."""
    kinds = (pa.int64(), pa.string(), pa.map_(pa.string(), pa.string()), pa.int64())
    names = ("published_ns", "topic", "attributes", "payload_bytes")
    columns = [pa.array([row[place] for row in rows], kind) for place, kind in enumerate(kinds)]
    path = folder / "trace.parquet"
    pq.write_table(pa.table(dict(zip(names, columns, strict=True))), path, row_group_size=2)
    return publisher(topic=(), trace=NamedFile(name="trace.parquet", path=path), lifetime_ns=3)


@pytest.mark.parametrize("ends", [(100,), (0, 1, 5, 6, 9, 10), (5, 5, 50)])
def test_a_trace_is_replayed_as_it_stands(tmp_path, ends):
    """Instants, topics (new ones are counted on), values with their types, sizes; whatever the portions."""
    topics = Topics(["u", "t"])
    replayed = source(trace_of(tmp_path, TRACE), topics=topics)
    assert isinstance(replayed, TraceSource)
    parts = [replayed.until(end) for end in ends]
    found = events_of(parts)
    assert found == [
        (0, 0, 3, 1, 10, "{'x': 1}"),
        (1, 0, 3, 0, 0, "{}"),
        (2, 5, 8, 1, 0, "{'x': 1.0, 's': 'a'}"),
        (3, 5, 8, 2, 7, "{'x': True}"),
        (4, 9, 12, 1, 8, "{'x': 1}"),
    ]
    assert topics.names == ["u", "t", "new"]


def test_a_trace_that_goes_back_in_time_is_refused(tmp_path):
    """With file, column, value and remedy."""
    one = trace_of(tmp_path, [(5, "t", None, 0), (4, "t", None, 0)])
    with pytest.raises(ScenarioError, match=r"trace\.parquet.*published_ns.*4.*ascend"):
        source(one).until(100)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ((6, "t", [("x", "abc")], 0), r"row 2, attributes\.x = 'abc': not a literal"),
        ((6, "t", [("x", None)], 0), r"row 2, attributes\.x = None: not a literal"),
        ((6, "t", [("x", "nan")], 0), r"row 2, attributes\.x = 'nan': not a literal"),
        ((6, "t", [("topic", "1")], 0), "row 2, attributes = 'topic': is reserved"),
        ((6, "t", [("x", "1"), ("x", "2")], 0), "row 2, attributes = 'x': must not stand there twice"),
        ((6, "t", None, -1), "row 2, payload_bytes = -1: a payload has 0 bytes or more"),
        ((None, "t", None, 0), "row 2, published_ns = None: a trace must ascend"),
    ],
)
def test_a_row_that_is_wrong_is_named(tmp_path, row, says):
    """File, row, column, value, and what would be right."""
    one = trace_of(tmp_path, [(5, "t", None, 0), row])
    with pytest.raises(ScenarioError, match=rf"trace\.parquet: {says}"):
        source(one).until(100)


def test_a_trace_without_rows(tmp_path):
    """Publishes nothing."""
    part = source(trace_of(tmp_path, [])).until(SECOND)
    assert events_of([part]) == []


def profiled(folder):
    """A publisher like the one that was recorded."""
    profile_table(folder / "day.parquet")
    profile = Profiles().of(Place(Source(folder / "s.toml")), "day.parquet", "ibm")
    return replace(publisher(topic=("news", "quote")), every=profile.every, profile=profile)


def test_a_profile_is_published_as_a_whole(tmp_path):
    """Topic, attributes and size as they were together, each as often as it was; at its intervals."""
    part = source(profiled(tmp_path)).until(20_000 * SECOND)
    rows = events_of([part])
    kinds = {(topic, size, words) for *_, topic, size, words in rows}
    assert kinds == {(0, 900, "{'urgent': True}"), (1, 100, "{'symbol': 'IBM', 'price': 181.5}")}
    assert np.mean(part.topics) == pytest.approx(0.75, abs=0.02)
    assert set(np.diff(part.instants).tolist()) == {SECOND, 4 * SECOND}


@pytest.mark.parametrize("ends", [(50,), (1, 2, 3, 50), (0, 20, 50)])
def test_a_profile_does_not_depend_on_portions(tmp_path, ends):
    """Nor on how much was asked for before."""
    one = profiled(tmp_path)
    drawn = source(one)
    parts = [drawn.until(end * SECOND) for end in ends]
    assert events_of(parts) == events_of([source(one).until(50 * SECOND)])


def test_how_many_events_there_will_be(tmp_path):
    """By rate, or as recorded."""
    assert expected_events(publisher(every=ms(2)), SECOND) == 500
    assert expected_events(profiled(tmp_path), 40 * SECOND) == pytest.approx(20)
    assert expected_events(trace_of(tmp_path, TRACE), SECOND) == len(TRACE)


def test_constant_intervals_are_kept():
    """After a first instant anywhere in one."""
    instants = source(publisher(every=const(7))).until(SECOND).instants
    assert set(np.diff(instants).tolist()) == {7 * MS}
    assert 0 <= instants[0] <= 7 * MS
