"""The kernel alone, on arrays put together by hand: queues, links and the heap against plain Python, and every stop.

Whole worlds are compared in `test_flow`.
"""

import heapq
import itertools

import numpy as np
import pytest

from simulation.worlds import MS, make_world, ms, serving
from tidings.scenario.world import Link, LinkLaw
from tidings.simulation.agenda import Agenda
from tidings.simulation.channel import HEADER_BYTES, Channel, Ends
from tidings.simulation.flow_build import initial_state
from tidings.simulation.flow_draws import FlowDraws
from tidings.simulation.flow_kernel import _pop, _push, advance, carry
from tidings.simulation.flow_state import (
    ARRIVED,
    CRASH,
    DOWN,
    EVENT,
    EXPIRED,
    LOST,
    NEED_DRAWS,
    NEED_EVENTS,
    NEED_PLAN,
    NEED_ROOM,
    NO_PLAN,
    OUTCOMES,
    PLAN,
    REACHED,
    WANTED,
)
from tidings.vocabulary.distribution import Draws, Exponential, Gamma, Uniform
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Forward
from tidings.vocabulary.instant import FOREVER, SECOND
from tidings.vocabulary.records import NULL_NS
from tidings.vocabulary.streams import Streams

END = 2**62
SEED = 5


class Bench:
    """A world's arrays with some events, all of one content; each broker sends over all its links, to one client."""

    def __init__(self, world, instants, *, origin=0, expires=None, planned=True):
        self.ways = [way for link in world.links for way in (link.between, link.between[::-1])]
        places = {broker.id: place for place, broker in enumerate(world.brokers)}
        state = initial_state(world, places, self.ways)
        self.draws = FlowDraws(world, Streams(SEED), self.ways, state)
        events = np.zeros(len(instants), EVENT)
        events["published_ns"], events["origin"] = instants, origin
        events["expires_ns"] = FOREVER if expires is None else expires
        plans = np.zeros(len(places), PLAN)
        links = []
        for place, name in enumerate(places):
            plans[place]["links"], plans[place]["clients"] = len(links), place
            links += [number for number, (here, _) in enumerate(self.ways) if here == name]
            plans[place]["links_end"], plans[place]["clients_end"] = len(links), place + 1
        plan_of = np.arange(len(places), dtype=np.int32).reshape(1, -1)
        self.state = state._replace(
            events=events,
            plans=plans,
            plan_links=np.array(links, np.int32),
            plan_of=plan_of if planned else np.full_like(plan_of, NO_PLAN),
        )
        n = state.counters
        n["end"], n["sequence"], n["next_sequence"] = len(instants), 1, 1
        self.draws.refill(self.state)

    def advance(self, until=END, sequence=0):
        """Go on to the bound, drawing what is needed; gives back why it stopped."""
        why = advance(self.state, until, sequence)
        while why == NEED_DRAWS:
            self.draws.refill(self.state)
            why = advance(self.state, until, sequence)
        return why

    def run(self):
        """All of it; the last event is followed by no other."""
        while self.advance() == NEED_EVENTS:
            pass
        return self

    def noted(self):
        """Rows (event, instant, where, what)."""
        rows = self.state.noted[: self.state.counters["noted"]]
        return [(int(row["event"]), int(row["ns"]), int(row["where"]), int(row["what"])) for row in rows]

    def taken(self):
        """Rows (event, instant)."""
        return [tuple(map(int, row)) for row in self.state.taken[: self.state.counters["taken"]].tolist()]


# ---- the heap


@pytest.mark.parametrize("seed", range(20))
def test_the_heap_against_a_plain_one(seed):
    """By instant, then in the order entered, whatever is put in and taken out in between."""
    draw = np.random.default_rng(seed)
    state = initial_state(make_world("a"), {"a": 0}, [])
    n, plain, taken = state.counters, [], []
    for number in range(400):
        if plain and draw.random() < 0.4:
            first = state.heap[0]
            taken.append((int(first["ns"]), int(first["sequence"]), int(first["event"])))
            assert taken[-1] == heapq.heappop(plain)
            _pop(n, state.heap)
        else:
            instant = int(draw.integers(0, 30))
            _push(n, state.heap, instant, number, 0, 0, 0)
            heapq.heappush(plain, (instant, int(n["sequence"]), number))
        assert n["under_way"] == len(plain)
    assert len(taken) > 100


# ---- one broker


@pytest.mark.parametrize("per_subscription", [False, True])
def test_a_queue_against_its_recursion(per_subscription):
    """Each event ends one service after it came or after the one before it ended, whichever is later (Lindley)."""
    law = Exponential(6e5 if per_subscription else 2e6)
    world = make_world([serving("a", law, per_subscription=per_subscription)])
    arrivals = np.cumsum(np.random.default_rng(1).exponential(3e6, 20_000).astype(np.int64)) + 1
    bench = Bench(world, arrivals)
    bench.state.counters["subscriptions"] = 3
    bench.run()
    draws, ends, free = Draws(law, Streams(SEED)("service a")), [], 0
    for number, arrival in enumerate(arrivals.tolist()):
        free = max(arrival, free) + round(draws.next() * (3 if per_subscription else 1))
        ends.append((number, free))
    assert bench.taken() == ends
    assert bench.noted() == [(number, end, 0, WANTED) for number, end in ends]


def test_no_service_takes_no_time():
    """An event is taken, sent and shown at the instant of its publication, in the order published."""
    bench = Bench(make_world("a"), [5, 5, 7]).run()
    assert bench.taken() == [(0, 5), (1, 5), (2, 7)]
    assert bench.noted() == [(0, 5, 0, WANTED), (1, 5, 0, WANTED), (2, 7, 0, WANTED)]


@pytest.mark.parametrize("drop", [True, False])
def test_lifetimes(drop):
    """Looked at when an event comes in and before it is sent; or carried on. Its last instant is still in time."""
    world = make_world([serving("a", Gamma(10.0, 0.0001)), "b"])
    bench = Bench(world, [0, 1_000, 2_000], expires=[5, 1_012, FOREVER])
    bench.state.counters["drop_expired"] = drop
    bench.run()
    at_a = [(event, what) for event, _, where, what in bench.noted() if where == 0]
    assert at_a == [(0, EXPIRED if drop else WANTED), (1, WANTED), (2, WANTED)]
    assert [event for event, at in bench.taken() if at != NULL_NS] == [0, 1, 2], "the publisher hears that it was taken"


@pytest.mark.parametrize(("event", "reason"), [("down", DOWN), ("crash", CRASH), ("another life", CRASH)])
def test_a_broker_that_is_not_there(event, reason):
    """What comes to one that is down is lost; so is what waited in one that crashed, whether it is up again or not."""
    bench = Bench(make_world([serving("a", ms(1))]), [5, 1_000 * SECOND])
    if event == "down":
        bench.state.brokers["up"] = 0
    assert bench.advance(until=6) == REACHED
    if event == "crash":
        bench.state.brokers["up"] = 0
    if event == "another life":
        bench.state.brokers["life"] += 1
    assert bench.advance(until=SECOND) == REACHED
    assert [(number, where, what) for number, _, where, what in bench.noted()] == [(0, 0, reason)]
    assert bench.taken() == [(0, NULL_NS)]


# ---- links

LAWS = {
    "nothing": LinkLaw(),
    "delay": LinkLaw(delay=Exponential(3e6)),
    "in order": LinkLaw(delay=Exponential(3e6), fifo=True),
    "loss": LinkLaw(loss=0.2),
    "always lost": LinkLaw(loss=1.0),
    "bandwidth": LinkLaw(bandwidth_bps=1e5, delay=Uniform(0.0, 1e7)),
    "all": LinkLaw(bandwidth_bps=3e5, delay=Gamma(1e6, 3.0), loss=0.05, fifo=True),
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_a_link_against_a_channel(law):
    """Packets of any size at any instants, outages in between: the same outcomes and arrivals as `Channel` has."""
    random = np.random.default_rng(3)
    world = make_world(links=[Link(between=("a", "b"), law=law)])
    bench = Bench(world, [0])
    agenda, arrived, outcomes = Agenda(), [], []
    ends = Ends(
        sender="a",
        receiver="b",
        arrive=lambda now, _sender, frame: arrived.append((now, frame.event.id)),
        note=lambda _now, _frame, outcome: outcomes.append(outcome),
    )
    channel = Channel(law, ends, agenda, Streams(SEED))
    now, found, found_outcomes = 0, [], []
    for number in range(6_000):
        now += int(random.integers(0, 2 * MS))
        down, size = int(random.random() < 0.1), int(random.integers(0, 500))
        channel.down = bench.state.links["down"][0] = down
        channel.send(now, Forward(Event(number, "p", "t", now, {}, FOREVER, 0, size)))
        if bench.state.counters["drained"]:
            bench.draws.refill(bench.state)
        outcome, arrives = carry(
            bench.state.counters, bench.state.links, bench.state.delays, 0, now, HEADER_BYTES + size
        )
        found_outcomes.append(OUTCOMES[outcome])
        if outcome == ARRIVED:
            found.append((arrives, number))
    agenda.run_out()
    assert found_outcomes == outcomes
    assert sorted(found) == sorted(arrived)
    assert {"arrived": law.loss < 1, "lost": law.loss > 0, "down": True} == {
        name: name in outcomes for name in ("arrived", "lost", "down")
    }


def test_an_event_never_goes_back():
    """In a line of three it visits each broker once, and is sent over each link once, one way."""
    law = LinkLaw(delay=ms(2))
    links = [Link(between=("a", "b"), law=law), Link(between=("b", "c"), law=law)]
    bench = Bench(make_world("abc", links=links), [10, 20, 30], origin=[0, 1, 2]).run()
    sent = bench.state.sent[: bench.state.counters["sent"]]
    ways = {(int(row["event"]), *bench.ways[row["link"]]) for row in sent}
    assert ways == {
        *((0, "a", "b"), (0, "b", "c")),
        *((1, "b", "a"), (1, "b", "c")),
        *((2, "c", "b"), (2, "b", "a")),
    }
    assert len(sent) == 6
    assert sorted((event, where) for event, _, where, _ in bench.noted()) == sorted(
        itertools.product(range(3), range(3))
    )


def test_a_copy_that_is_lost_is_given_up_by_the_link():
    """With the link's number, counted from -1 downwards."""
    bench = Bench(make_world(links=[Link(between=("a", "b"), law=LinkLaw(loss=1.0))]), [5]).run()
    assert [row for row in bench.noted() if row[3] == LOST] == [(0, 5, -1, LOST)]


# ---- when it comes back


@pytest.mark.parametrize(("bound", "happens"), [((5, 1), 0), ((5, 2), 1), ((6, 0), 1), ((4, END), 0)])
def test_nothing_happens_at_the_bound(bound, happens):
    """The bound is an instant and a number, as entries of the agenda have; the event of instant 5 has number 1."""
    bench = Bench(make_world("a"), [5, 9])
    assert bench.advance(*bound) == REACHED
    assert len(bench.taken()) == happens


def test_it_asks_for_a_plan_before_it_changes_anything():
    """Asked again without one, it says the same; with one, it goes on as if nothing had been."""
    with_plans = Bench(make_world([serving("a", ms(1)), "b"]), [5, 6, 7]).run()
    bench = Bench(make_world([serving("a", ms(1)), "b"]), [5, 6, 7], planned=False)
    stops = 0
    while (why := bench.advance()) != REACHED:
        if why == NEED_PLAN:
            before = [array.copy() for array in (bench.state.counters, bench.state.heap, bench.state.links)]
            assert bench.advance() == NEED_PLAN
            after = (bench.state.counters, bench.state.heap, bench.state.links)
            assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))
            broker = int(bench.state.thing["broker"])
            bench.state.plan_of[0, broker] = broker
            stops += 1
    assert stops == 2
    assert bench.noted() == with_plans.noted()


def test_it_asks_for_events_after_the_last_one():
    """It has been published by then, and time goes on without more."""
    bench = Bench(make_world("a"), [5, 6])
    assert bench.advance() == NEED_EVENTS
    assert len(bench.taken()) == 2
    assert bench.advance() == REACHED


@pytest.mark.parametrize("buffer", ["sent", "noted", "taken"])
def test_it_asks_for_room_before_a_buffer_is_full(buffer):
    """Emptied now and then, no row is lost."""
    instants = range(1, 60_000)
    bench, rows, why = Bench(make_world("ab"), instants), 0, NEED_ROOM
    while why != REACHED:
        why = bench.advance()
        n = bench.state.counters
        assert n[buffer] <= len(getattr(bench.state, buffer))
        rows += int(n[buffer])
        n["sent"] = n["noted"] = n["taken"] = 0
    assert rows == {"sent": len(instants), "noted": 2 * len(instants), "taken": len(instants)}[buffer]


def test_it_asks_for_room_before_the_heap_is_full():
    """However much is under way."""
    bench = Bench(make_world([serving("a", ms(1_000))]), range(1, 5_000))
    assert bench.advance() == NEED_ROOM
    assert bench.state.counters["things_max"] < bench.state.counters["under_way"] <= len(bench.state.heap)


def test_visits_are_counted():
    """Events that a broker was asked about, for whoever decides how many to ask about at once."""
    bench = Bench(make_world("ab"), [1, 2, 3]).run()
    assert bench.state.brokers["visits"].tolist() == [3, 3]
