"""Whoever is connected by any way gets what it wants, at once, as long as nothing has changed for a while; judged from logs.

The judge knows nothing of trees, interests or link states: it looks at what was down when, and at who is joined to whom.
"""

import bisect
from collections import Counter

import pytest

from simulation.worlds import make_world, publisher, run, subscriber
from tidings.node import Broker
from tidings.scenario.world import Broker as BrokerEntry
from tidings.scenario.world import Link, LinkLaw, OutageLaw, Reliability
from tidings.simulation.brokers import tree_brokers
from tidings.simulation.simulated_world import SimulatedWorld
from tidings.vocabulary.distribution import Constant, Exponential
from tidings.vocabulary.instant import MILLISECOND, MINUTE, SECOND

CALM_NS = 12 * SECOND
"""After a change: to detect it, to tell everybody, and for clients to ask a broker again that has come back."""
NAMES = tuple(f"b{number}" for number in range(7))
RING = [(one, other) for one, other in zip(NAMES, (*NAMES[1:], NAMES[0]), strict=True)]
CHORDS = [("b0", "b3"), ("b1", "b5"), ("b2", "b6")]


def failing_world(mechanism, seed):
    """Seven brokers with ten links, a seventh of them down at a time."""
    law = LinkLaw(delay=Constant(5.0 * MILLISECOND), fifo=True)
    brokers = OutageLaw(up=Exponential(10.0 * MINUTE), down=Exponential(1.0 * MINUTE))
    links = OutageLaw(up=Exponential(8.0 * MINUTE), down=Exponential(2.0 * MINUTE))
    return make_world(
        [BrokerEntry(id=name, outages=brokers) for name in NAMES],
        links=[Link(between=pair, law=law, outages=links) for pair in RING + CHORDS],
        publishers=[
            publisher(f"p{number}", NAMES[number], f"t{number}", every=Constant(2.0 * SECOND)) for number in range(3)
        ],
        subscribers=[subscriber(f"s{number}", NAMES[number], "true") for number in range(7)],
        duration_ns=25 * MINUTE,
        seed=seed,
        reliability=Reliability(mechanism=mechanism, renew_ns=4 * SECOND),
    )


def judged(world, found):
    """How many (event, subscriber) were connected, calm and reached, by these three."""
    rows = found.rows("outages", "component", "down_ns", "up_ns")
    changes = sorted(instant for _, *both in rows for instant in both)
    shown = {(event, name): at for event, name, at in found.rows("deliveries", "event", "subscriber", "delivered_ns")}
    homes = {one.id: one.broker for one in world.publishers}
    counts = Counter()
    for event, who, at in found.rows("publications", "event", "publisher", "published_ns"):
        down = {name for name, low, high in rows if low <= at < high}
        joined = reached(world, homes[who], down)
        place = bisect.bisect(changes, at)
        calm = place == 0 or at - changes[place - 1] > CALM_NS
        later = changes[place] if place < len(changes) else world.duration_ns
        calm = calm and later - at > SECOND
        for one in world.subscribers:
            got = (event, one.id) in shown and shown[event, one.id] - at < SECOND
            counts[one.broker in joined, calm, got] += 1
    return counts


def reached(world, start, down):
    """Brokers that are joined to one by what is not down."""
    found = set() if start in down else {start}
    border = list(found)
    for name in border:
        for link in world.links:
            one, other = link.between
            if name in link.between and f"{one}-{other}" not in down:
                beyond = other if name == one else one
                if beyond not in down and beyond not in found:
                    found.add(beyond)
                    border.append(beyond)
    return found


@pytest.mark.parametrize("mechanism", ["bypass", "bypass+buffering"])
def test_whoever_is_connected_is_reached_at_once(tmp_path, mechanism):
    """And nobody else, at once."""
    world = failing_world(mechanism, 5)
    counts = judged(world, run(world, tmp_path / "run"))
    assert counts[True, True, False] == 0
    assert counts[False, True, True] == 0
    assert min(counts[True, True, True], counts[False, True, False]) > 300, counts


class NobodyStandsIn(SimulatedWorld):
    """A world in which brokers reach their neighbours by other ways, and nobody instead of them."""

    class Machine(Broker):
        """Those brokers."""

        def _lead(self, detours, sender, event, wanted):
            views = detours._views.values()
            for view in views:
                view.stand_ins = lambda name, reaches: (name,) if reaches(name) else ()
            return super()._lead(detours, sender, event, wanted)

    def _maker(self):
        return tree_brokers(self.world, self.workload.ahead, self.Machine)


def test_the_judge_finds_who_was_not_reached(tmp_path):
    """A planted bug, and a mechanism that leads nothing around."""
    world = failing_world("bypass", 5)
    assert judged(world, run(world, tmp_path / "one", kind=NobodyStandsIn))[True, True, False] > 100
    world = failing_world("periodic", 5)
    assert judged(world, run(world, tmp_path / "two"))[True, True, False] > 300
