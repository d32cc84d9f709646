"""Plans by content and broker: each answer is the one that the broker gives when it is asked about the event itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulation.stretches import cast, drawn
from tidings.simulation.flow_routes import AHEAD_MAX, AHEAD_MIN, FlowRoutes
from tidings.simulation.flow_state import NO_PLAN
from tidings.simulation.flow_window import FlowWindow
from tidings.simulation.stretch import Stretch

TOPICS, TREES = ("t", "u"), {"t": 0, "u": 1}
BROKERS = 3


class Tables:
    """What brokers answer: by topic and x, a link and two clients; counts what it is asked."""

    def __init__(self):
        self.version = [0] * BROKERS
        self.asked = []

    def answer(self, broker, event):
        """Links and clients for one event."""
        x = event.attributes["x"] + self.version[broker]
        return [x % 3], [x % 5, 10 * TREES[event.topic] + broker]

    def __call__(self, broker, events):
        self.asked.append((broker, list(events)))
        answers = [self.answer(broker, event) for event in events]
        return [(links, np.array(clients, np.int64)) for links, clients in answers]


def stretch_of(rows, first):
    """Events of (topic, x), one a nanosecond."""
    one = drawn(
        range(first, first + len(rows)),
        first=first,
        topics=[TOPICS.index(topic) for topic, _ in rows],
        attributes=[{"x": x} for _, x in rows],
        kind="choice",
    )
    return Stretch([one], first=first, cast=cast(("p",), TOPICS, TREES))


class Traffic:
    """Routes, and the events that go their ways."""

    def __init__(self, brokers=BROKERS):
        self.tables = Tables()
        self.routes = FlowRoutes(brokers, self.tables)
        self.window = FlowWindow((0,))

    def add(self, rows):
        """A stretch more."""
        stretch = stretch_of(rows, self.window.end)
        self.routes.forget_contents(self.window)
        self.window.add(stretch, self.routes.contents(stretch))

    def look_up(self, broker, event, visits=1):
        """What the plan says for an event; asked for when there is none. True when it was."""
        content = int(self.window.records["content"][event - self.window.base])
        asks = self.routes.plan_of[content, broker] == NO_PLAN
        if asks:
            self.routes.plan(broker, event, self.window, visits)
        plan = int(self.routes.plan_of[content, broker])
        assert plan != NO_PLAN
        return plan, bool(asks)

    def check(self, broker, event):
        """The plan is what the broker's table says now."""
        plan, asks = self.look_up(broker, event)
        array, links = self.routes.plans.arrays
        clients, _ = self.routes.plans.clients(np.array([plan]))
        (one,) = self.window.at(np.array([event]))
        found = links[array[plan]["links"] : array[plan]["links_end"]].tolist(), clients.tolist()
        assert found == self.tables.answer(broker, one)
        return asks


rows = st.lists(st.tuples(st.sampled_from(TOPICS), st.sampled_from((0, 1, -2))), min_size=1, max_size=10)


@settings(max_examples=60)
@given(st.lists(rows, min_size=1, max_size=4), st.data())
def test_plans_are_what_tables_say(parts, data):
    """Whoever asks when, tables that change in between, forgetting all: never an answer of yesterday."""
    traffic = Traffic()
    for part in parts:
        traffic.add(part)
        for _ in range(data.draw(st.integers(0, 8))):
            broker = data.draw(st.integers(0, BROKERS - 1))
            event = data.draw(st.integers(traffic.window.base, traffic.window.end - 1))
            match data.draw(st.sampled_from(("look", "look", "look", "change", "forget plans", "forget events"))):
                case "look":
                    traffic.check(broker, event)
                case "change":
                    traffic.tables.version[broker] += 1
                    traffic.routes.changed(broker)
                case "forget plans":
                    traffic.routes.forget_plans()
                case _:
                    traffic.window.forget(event)


def test_a_content_is_asked_about_once():
    """However often its events come by, at each broker; with those of the same tree that come after it."""
    traffic = Traffic()
    traffic.add([("t", 0), ("t", 1), ("u", 0), ("t", 0), ("t", 1), ("u", 0)])
    asked = [traffic.check(broker, event) for broker in (0, 1) for event in range(6)]
    assert asked == [True, False, True, False, False, False] * 2
    assert [(broker, [event.id for event in events]) for broker, events in traffic.tables.asked] == [
        (0, [0, 1]),
        (0, [2]),
        (1, [0, 1]),
        (1, [2]),
    ]


def test_only_the_broker_that_changed_is_asked_again():
    """The others' answers stand."""
    traffic = Traffic()
    traffic.add([("t", 0), ("t", 1)])
    for broker in (0, 1):
        traffic.check(broker, 0)
    traffic.tables.version[1] += 1
    traffic.routes.changed(1)
    assert [traffic.check(broker, 1) for broker in (0, 1)] == [False, True]


def many(count, base=0):
    """Events that all say something else."""
    one = drawn(range(base, base + count), first=base, attributes=[{"x": base + place} for place in range(count)])
    return Stretch([one], first=base, cast=cast(("p",), TOPICS, TREES))


def traffic_of(count, *, brokers=BROKERS):
    """Traffic with so many different events."""
    traffic = Traffic(brokers)
    stretch = many(count)
    traffic.window.add(stretch, traffic.routes.contents(stretch))
    return traffic


def test_asking_ahead_doubles_while_it_pays():
    """A broker by which everything comes is asked about ever more at once, up to a bound."""
    traffic, event, sizes = traffic_of(3 * AHEAD_MAX), 0, []
    while event < 3 * AHEAD_MAX:
        before = len(traffic.tables.asked)
        traffic.look_up(0, event, visits=sizes[-1] if sizes else 0)
        assert len(traffic.tables.asked) == before + 1
        sizes.append(len(traffic.tables.asked[-1][1]))
        event += sizes[-1]
    assert sizes[:-1] == sorted(sizes[:-1])
    assert max(sizes) == AHEAD_MAX
    assert sizes[:3] == [AHEAD_MIN, 2 * AHEAD_MIN, 4 * AHEAD_MIN]


def test_asking_ahead_shrinks_where_few_come_by():
    """A broker that is passed by one event in a thousand is not asked about the thousand."""
    traffic, sizes = traffic_of(20_000), []
    for event in range(0, 20_000, 1_000):
        traffic.look_up(1, event, visits=1)
        sizes.append(len(traffic.tables.asked[-1][1]))
    assert sizes[0] == AHEAD_MIN
    assert max(sizes) <= 4 * AHEAD_MIN


def test_contents_are_forgotten_when_they_are_too_many():
    """Memory does not grow with the run: rows are for the events at hand and as many again."""
    traffic, size = Traffic(brokers=1_000), 1_000  # room for 4,194 contents
    rows = []
    for place in range(30):
        stretch = many(size, base=place * size)
        traffic.window.forget(max(0, place - 1) * size)
        traffic.routes.forget_contents(traffic.window)
        traffic.window.add(stretch, traffic.routes.contents(stretch))
        rows.append(traffic.routes.plan_of.shape[0])
        assert traffic.window.records["content"].max() < rows[-1]
        traffic.check(0, traffic.window.base)
    assert max(rows) == max(rows[:10]) <= 10_000


def test_plans_of_contents_that_stay_are_kept():
    """They get new numbers and are not asked about again."""
    traffic = Traffic(brokers=1_000)
    for place in range(5):
        stretch = many(1_000, base=place * 1_000)
        traffic.window.add(stretch, traffic.routes.contents(stretch))
    traffic.check(0, 4_500)
    traffic.window.forget(4_000)
    traffic.routes.forget_contents(traffic.window)
    assert traffic.routes.plan_of.shape[0] == 1_000
    assert traffic.check(0, 4_500) is False
    assert traffic.check(0, 4_499) is True


@pytest.mark.parametrize("count", [1, AHEAD_MIN, AHEAD_MIN + 1, 100])
def test_there_is_a_row_for_every_content(count):
    """The table grows with the contents; new rows have no plans."""
    traffic = traffic_of(count)
    assert traffic.routes.plan_of.shape[0] >= count
    assert (traffic.routes.plan_of == NO_PLAN).all()
