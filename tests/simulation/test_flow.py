"""The compiled path writes the bytes that the plain one writes, in every table, over random worlds of all kinds."""

import os

import pytest

from scenario_texts import CONTRACT, world_of
from simulation.random_worlds import random_world
from simulation.worlds import MS, chain, changed, const, make_world, ms, publisher, run, serving, subscriber
from tidings.scenario import expand, load_scenario
from tidings.scenario.world import Choice, Crash, Link, LinkLaw, OutageLaw, Reliability
from tidings.simulation import simulate
from tidings.simulation.flow_choice import pays_to_flow
from tidings.simulation.simulated_world import SimulatedWorld
from tidings.vocabulary.distribution import Exponential, Uniform
from tidings.vocabulary.instant import SECOND

SEEDS = range(1, 1 + max(60, int(os.environ.get("TIDINGS_SEEDS", "0"))))
ALL_KINDS = {"arrived", "lost", "down", "crash", "expired"}


def both(world, folder, **options):
    """The same world by each path."""
    compiled, plain = (
        run(world, folder / name, compiled=name == "compiled", **options) for name in ("compiled", "plain")
    )
    assert compiled.simulated._flow is not None
    assert plain.simulated._flow is None
    return compiled, plain


def assert_alike(world, folder, **options):
    """Byte for byte; gives back the compiled run for whoever wants to see more."""
    compiled, plain = both(world, folder, **options)
    differing = [name for name, digest in plain.digests().items() if compiled.digests().get(name) != digest]
    assert differing == []
    assert list(compiled.digests()) == list(plain.digests())
    return compiled


def test_random_worlds(tmp_path):
    """With losses, outages, crashes, joins, renewals, queues, lifetimes and ties; together they show all of it."""
    seen = set()
    for seed in SEEDS:
        found = assert_alike(world_of(tmp_path, random_world(seed)), tmp_path / str(seed))
        seen |= {reason for (reason,) in found.rows("drops", "reason")}
        seen |= {outcome for (outcome,) in found.rows("transmissions", "outcome")}
        seen |= {kind for (kind,) in found.rows("transmissions", "kind")}
    assert seen >= {*ALL_KINDS, "event", "subscription", "control"}


def test_the_contracts_load(tmp_path):
    """A tree of brokers under load, for some minutes: more than one stretch of events."""
    world = changed(expand(load_scenario(CONTRACT / "load.toml")), duration_ns=720 * SECOND)
    found = assert_alike(world, tmp_path)
    assert len(found.rows("publications", "event")) > 5_000


CRASHES = (("b", 20), ("b", 22), ("b", 50), ("a", 60))


def test_ties(tmp_path):
    """Constant times everywhere, so that publishing, arriving, serving, joining and failing all meet at one instant."""
    law = LinkLaw(delay=const(10))
    world = make_world(
        [serving("a", const(10)), "b", serving("c", const(5))],
        links=[Link(between=("a", "b"), law=law), Link(between=("b", "c"), law=law)],
        publishers=[publisher(name, broker, every=const(5)) for name, broker in (("p", "a"), ("q", "b"), ("r", "c"))],
        subscribers=[
            subscriber("s", "c"),
            *(
                subscriber(f"j{place}", "a", joins_ns=place * 10 * MS, leaves_ns=(place + 9) * 10 * MS)
                for place in range(9)
            ),
        ],
        duration_ns=SECOND,
        crashes=tuple(Crash(component=name, at_ns=at * 10 * MS, lasting_ns=10 * MS) for name, at in CRASHES),
        reliability=Reliability(mechanism="periodic", renew_ns=20 * MS),
    )
    found = assert_alike(world, tmp_path)
    assert {reason for (reason,) in found.rows("drops", "reason")} == {"down", "crash"}


def test_events_of_one_instant_from_several_stretches(tmp_path):
    """A nanosecond between events: many more than a stretch holds, while the first are still under way."""
    law = LinkLaw(delay=Exponential(50_000.0), loss=0.01)
    world = make_world(
        links=[
            Link(between=("a", "b"), law=law, outages=OutageLaw(up=Exponential(20_000.0), down=Uniform(0.0, 5_000.0)))
        ],
        publishers=[publisher("p", every=const(1e-6)), publisher("q", "b", every=const(2e-6))],
        subscribers=[subscriber("s", "b"), subscriber("u", "a")],
        duration_ns=8_000,
    )
    found = assert_alike(world, tmp_path)
    assert len(found.rows("publications", "event")) > 10_000


@pytest.mark.parametrize("tables", [("deliveries",), ("publications", "drops"), ()])
def test_tables_that_are_left_out(tmp_path, tables):
    """The others are the same, whichever path."""
    world = changed(make_world(links=[Link(between=("a", "b"), law=LinkLaw(loss=0.2))]), duration_ns=60 * SECOND)
    found = assert_alike(world, tmp_path, tables=tables)
    assert sorted(found.digests()) == sorted(tables)


def test_progress_is_told(tmp_path):
    """Instants that do not run backwards, out of the duration, as by the plain path."""
    told, duration = [], 110 * SECOND
    world = make_world(publishers=[publisher(every=ms(1))], duration_ns=duration)
    assert pays_to_flow(world)
    simulate(world, out=tmp_path / "logs", tables=(), progress=lambda *words: told.append(words))
    assert {all_of_it for _, all_of_it in told} == {duration}
    assert [now for now, _ in told] == sorted(now for now, _ in told)
    assert told[-1][0] > 100 * SECOND


class Cramped(SimulatedWorld):
    """Room for next to nothing, so that every kind of growing and forgetting happens in a small world."""

    def __init__(self, world, folder, **options):
        super().__init__(world, folder, **options)
        if self._flow is not None:
            counters, routes = self._flow.state.counters, self._flow._routes
            counters["things_max"], counters["rows_max"] = 1, 3
            routes._contents_max = 1


@pytest.mark.parametrize("seed", [2, 3, 5, 8, 13, 21])
def test_with_hardly_any_room(tmp_path, seed):
    """A heap that doubles, buffers that are emptied every few rows, contents forgotten whenever that is possible."""
    assert_alike(world_of(tmp_path, random_world(seed)), tmp_path / "runs", kind=Cramped)


def test_plans_that_are_forgotten(tmp_path):
    """Whatever is under way, brokers are asked again, and say the same."""
    law = LinkLaw(delay=Exponential(1e7))
    world = make_world(
        "abc", links=chain("abc", law), publishers=[publisher(every=ms(1), attributes={"x": Uniform(0.0, 1.0)})]
    )
    assert_alike(world, tmp_path, kind=Forgetful)


class Forgetful(SimulatedWorld):
    """Begins its plans anew several times a second."""

    def run(self, progress=None):
        """With an entry every 100 ms; the plain path has it, too, so that both count alike."""
        for tenth in range(1, 50):
            self.agenda.at(tenth * SECOND // 10, self._forget)
        super().run(progress)

    def _forget(self, _now, _one, _other):
        if self._flow is not None:
            self._flow._write()
            self._flow._routes.forget_plans()
            self._flow._hand_over()


def test_service_that_depends_on_who_is_there(tmp_path):
    """Subscriptions come and go, and with them the time that each event takes; the queue is never empty."""
    world = make_world(
        [serving("a", Exponential(2e6), per_subscription=True), "b"],
        publishers=[publisher(every=ms(5), attributes={"x": Choice(values=(1, 2, 3))})],
        subscribers=[
            subscriber(f"s{place}", "ab"[place % 2], 'topic == "t" and x == 1', joins_ns=place * 100 * MS)
            for place in range(12)
        ],
        duration_ns=4 * SECOND,
    )
    found = assert_alike(world, tmp_path)
    delays = found.delays()
    assert delays[-len(delays) // 4 :].mean() > 4 * delays[: len(delays) // 4].mean()
