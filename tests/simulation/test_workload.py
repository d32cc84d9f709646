"""Publishers together: every event once and in order, whoever looks ahead, and the table of what became of each."""

import itertools

import numpy as np
import pytest

from simulation.worlds import MS, changed, const, make_world, ms, publisher
from tidings.logs import LogFolder, open_folder
from tidings.scenario.world import Choice
from tidings.simulation.publishing import Topics, source_of
from tidings.simulation.workload import EVENTS_PER_STRETCH, Workload
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.records import NULL_NS
from tidings.vocabulary.streams import Streams

PUBLISHERS = (
    publisher("p", every=ms(2), topic=("t", "u")),
    publisher("q", every=const(3), topic="u", lifetime_ns=MS, attributes={"x": Choice(values=(1, "a"))}),
    publisher("r", every=ms(40), topic="v"),
)


def world_of(publishers=PUBLISHERS, duration_ns=20 * SECOND):
    """A lone broker with these publishers."""
    return make_world("a", publishers=publishers, duration_ns=duration_ns)


class Made:
    """A workload with a folder to write into."""

    def __init__(self, place, world):
        self.path = place / "logs"
        self.folder = LogFolder.create(self.path, names=(), tables=("publications",))
        self.workload = Workload(world, Streams(world.seed), self.folder)

    def rows(self, *columns):
        """What was written, after the end."""
        self.folder.finish({})
        table = open_folder(self.path).table("publications", list(columns))
        return list(zip(*(table.column(name).to_pylist() for name in columns), strict=True))


def test_every_event_once_in_the_order_of_time(tmp_path):
    """All that the sources draw, over all stretches, whole stretches of time at once."""
    world = world_of()
    made = Made(tmp_path, world)
    stretches = list(made.workload.stretches())
    events = [event for stretch in stretches for event in stretch.events]
    assert made.workload.published == len(events)
    assert [event.published_ns for event in events] == sorted(event.published_ns for event in events)
    assert [stretch.first for stretch in stretches] == [0, *itertools.accumulate(map(len, stretches))][:-1]
    topics = Topics([topic.name for topic in world.topics])
    for index, one in enumerate(world.publishers):
        drawn = source_of(world, index, topics, Streams(world.seed)).until(world.duration_ns)
        own = [event for event in events if event.publisher == one.id]
        assert [event.published_ns for event in own] == drawn.instants.tolist()
        assert [event.id & 0xFFFF_FFFF for event in own] == list(range(len(own)))


def test_stretches_hold_some_thousands_of_events(tmp_path):
    """So memory does not grow with the run."""
    sizes = [len(stretch) for stretch in Made(tmp_path, world_of()).workload.stretches()]
    assert len(sizes) > 3
    assert max(sizes) < 1.5 * EVENTS_PER_STRETCH


@pytest.mark.parametrize("publishers", [(), (publisher(every=const(1e9)),)], ids=["nobody", "too slow"])
def test_nobody_publishes(tmp_path, publishers):
    """Without publishers, or with one that is too slow for the duration, there is no stretch."""
    world = changed(world_of(duration_ns=SECOND), publishers=publishers)
    assert list(Made(tmp_path, world).workload.stretches()) == []


def test_looking_ahead(tmp_path):
    """An event and those after it in its tree, as many as are drawn and asked for; each the very same object."""
    made = Made(tmp_path, world_of())
    stretches = made.workload.stretches()
    first = next(stretches).events
    tree_of = {topic: tree.name for tree in world_of().trees for topic in tree.topics}
    next(stretches)
    for place in (0, 10, len(first) - 1):
        same_tree = [one for one in first[place:] if tree_of[one.topic] == tree_of[first[place].topic]]
        found = made.workload.ahead(first[place], 5)
        assert len(found) == min(5, len(same_tree))
        assert all(one is other for one, other in zip(found, same_tree, strict=False))


def test_nothing_lies_ahead_of_what_is_over(tmp_path):
    """An event whose stretch was written is still an event."""
    made = Made(tmp_path, world_of())
    stretches = made.workload.stretches()
    first = next(stretches)
    gone = first.events[3]
    for event in first.events:
        made.workload.acknowledged(event.id, event.published_ns)
    for _ in range(2):
        next(stretches)
    made.workload.write_decided()
    assert made.workload.ahead(gone, 5) == (gone,)


def test_what_becomes_of_events_is_written(tmp_path):
    """Acknowledged, lost, heard twice, never heard of again; told one by one or in columns."""
    made = Made(tmp_path, world_of())
    events = [event for stretch in made.workload.stretches() for event in stretch.events]
    expected = {}
    for place, event in enumerate(events):
        expected[event.id] = event.published_ns + 7 if place % 4 in {0, 3} else None
        match place % 4:
            case 0:
                made.workload.acknowledged(event.id, event.published_ns + 7)
                made.workload.acknowledged(event.id, event.published_ns + 9)
            case 1:
                made.workload.lost(event.id)
            case 3:
                made.workload.lost(event.id)
                made.workload.acknowledged(event.id, event.published_ns + 7)
    made.workload.close()
    assert dict(made.rows("event", "acknowledged_ns")) == expected


@pytest.mark.parametrize("portion", [1, 100, 10_000])
def test_decisions_in_columns(tmp_path, portion):
    """By number over the run, in portions that may reach over several stretches."""
    made = Made(tmp_path, world_of(duration_ns=5 * SECOND if portion == 1 else 20 * SECOND))
    events = [event for stretch in made.workload.stretches() for event in stretch.events]
    instants = np.array([NULL_NS if number % 3 else number for number in range(len(events))])
    order = np.random.default_rng(1).permutation(len(events))
    for start in range(0, len(events), portion):
        numbers = order[start : start + portion]
        made.workload.decided(numbers, instants[numbers])
    made.workload.close()
    expected = [(event.id, None if number % 3 else number) for number, event in enumerate(events)]
    assert made.rows("event", "acknowledged_ns") == expected


def test_an_event_of_another_run_is_nobodys(tmp_path):
    """An acknowledgement for an event that was written already, or never was, changes nothing."""
    made = Made(tmp_path, world_of())
    next(made.workload.stretches())
    made.workload.acknowledged(99 << 20, 5)
    made.workload.close()
    assert {at for (at,) in made.rows("acknowledged_ns")} == {None}


def test_stretches_are_written_when_they_are_decided(tmp_path):
    """In the order of time; an event that nobody decides holds back its stretch and those after it."""
    made = Made(tmp_path, world_of())
    stretches = list(made.workload.stretches())
    assert len(stretches) > 4
    for stretch in stretches[:-1]:
        stretch.decide(np.arange(1, len(stretch)), np.full(len(stretch) - 1, 5))
    made.workload.write_decided()
    assert len(made.workload._open) == len(stretches)
    for stretch in stretches[:2]:
        stretch.decide_one(0, 5)
        made.workload.write_decided()
    assert len(made.workload._open) == len(stretches) - 2
    made.workload.close()
    numbers = made.rows("published_ns")
    assert numbers == sorted(numbers)
    assert len(numbers) == made.workload.published


def test_the_last_two_stretches_stay_for_those_who_look_ahead(tmp_path):
    """Even when all is decided."""
    made = Made(tmp_path, world_of())
    for stretch in made.workload.stretches():
        stretch.decide(np.arange(len(stretch)), np.zeros(len(stretch), np.int64))
        made.workload.write_decided()
        assert len(made.workload._open) <= 2


def test_the_table_says_what_was_published(tmp_path):
    """Names, numbers and attributes are those of the events."""
    made = Made(tmp_path, world_of())
    events = [event for stretch in made.workload.stretches() for event in stretch.events]
    made.workload.close()
    rows = made.rows("event", "publisher", "topic", "number", "published_ns", "expires_ns", "attributes")
    literal = {1: "1", "a": '"a"'}
    for event, row in zip(events, rows, strict=True):
        expires = event.published_ns + MS if event.publisher == "q" else None
        attributes = [(name, literal[value]) for name, value in event.attributes.items()]
        place = [one.id for one in PUBLISHERS].index(event.publisher)
        number = event.id - (place << 40)
        assert row == (event.id, event.publisher, event.topic, number, event.published_ns, expires, attributes)
