"""Which path a world takes: the compiled one wherever it can do everything, and has enough to do."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simulation.worlds import MS, changed, const, make_world, ms, publisher, run, subscriber
from tidings.scenario.world import Crash, Link, LinkLaw, NamedFile, Ordering, Reliability, Routing
from tidings.simulation.faults import Faults, LinkFaults, Spells
from tidings.simulation.flow_choice import COMPILED_HOPS_MIN, can_flow, can_repeat, pays_to_flow
from tidings.vocabulary.distribution import Exponential
from tidings.vocabulary.instant import SECOND

SPELLS = Spells(every_ns=SECOND, lasting_ns=MS)
DUPLICATING = LinkLaw(duplication=0.1)
LOSSY = LinkLaw(loss=0.5, delay=Exponential(1e6), fifo=True, bandwidth_bps=1e6)


def linked(law):
    """Two brokers with such a link."""
    return make_world(links=[Link(between=("a", "b"), law=law)])


FLOWS = {
    "plain": (make_world(), None),
    "no faults": (make_world(), Faults()),
    "crashes": (changed(make_world(), crashes=(Crash(component="a", at_ns=1, lasting_ns=1),)), None),
    "crashes of a campaign": (make_world(), Faults(crashes=SPELLS, flaps=SPELLS)),
    "lossy": (linked(LOSSY), None),
    "renewing": (changed(make_world(), reliability=Reliability(mechanism="periodic")), None),
}
DOES_NOT_FLOW = {
    "duplicating link": (linked(DUPLICATING), None),
    "publisher with a link": (make_world(publishers=[publisher(link=LinkLaw())]), None),
    "subscriber with a link": (make_world(subscribers=[subscriber(link=LinkLaw())]), None),
    "an order": (changed(make_world(), ordering=Ordering(guarantee="fifo")), None),
    "packet faults": (make_world(), Faults(packets=LinkFaults(drop=0.1))),
    "pauses": (make_world(), Faults(pauses=SPELLS)),
}


@pytest.mark.parametrize(("world", "faults"), FLOWS.values(), ids=FLOWS)
def test_what_the_compiled_path_does(tmp_path, world, faults):
    """Asked to take it, a world takes it; otherwise a small one does not."""
    assert can_flow(world, faults)
    assert run(world, tmp_path / "run", faults=faults, compiled=True).simulated._flow is not None
    assert run(world, tmp_path / "plain", faults=faults).simulated._flow is None


@pytest.mark.parametrize(("world", "faults"), DOES_NOT_FLOW.values(), ids=DOES_NOT_FLOW)
def test_what_it_leaves_to_the_other(tmp_path, world, faults):
    """However much one asks for it."""
    assert not can_flow(world, faults)
    assert run(world, tmp_path / "run", faults=faults, compiled=True).simulated._flow is None


def test_other_schemes_have_their_own_brokers():
    """The kernel follows trees."""
    assert not can_flow(make_world(routing=Routing(scheme="dcrd")), None)


def test_when_an_event_may_come_twice():
    """A link that duplicates, between brokers or of a publisher, or a campaign that does."""
    assert not can_repeat(make_world(), Faults(packets=LinkFaults(drop=0.1)))
    assert not can_repeat(make_world(subscribers=[subscriber(link=DUPLICATING)]), None)
    assert can_repeat(linked(DUPLICATING), None)
    assert can_repeat(make_world(publishers=[publisher(link=DUPLICATING)]), None)
    assert can_repeat(make_world(), Faults(packets=LinkFaults(duplicate=0.1)))


@pytest.mark.parametrize(("events", "pays"), [(COMPILED_HOPS_MIN // 4, False), (COMPILED_HOPS_MIN // 2 + 1, True)])
def test_it_pays_where_much_happens(events, pays):
    """Each event passes each broker at most once: two brokers here."""
    world = make_world(publishers=[publisher(every=const(1))], duration_ns=events * MS)
    assert pays_to_flow(world) == pays


def test_all_publishers_count():
    """Ten slow ones are as good as a quick one."""
    many = [publisher(f"p{number}", every=ms(10)) for number in range(10)]
    assert pays_to_flow(make_world(publishers=many, duration_ns=COMPILED_HOPS_MIN * MS))
    assert not pays_to_flow(make_world(publishers=many[:2], duration_ns=COMPILED_HOPS_MIN * MS))


def test_traces_count_by_their_rows(tmp_path):
    """Which the file says without being read."""
    for rows, pays in ((COMPILED_HOPS_MIN // 2, True), (10, False)):
        path = tmp_path / f"{rows}.parquet"
        pq.write_table(pa.table({"published_ns": pa.array(range(rows), pa.int64())}), path)
        one = publisher(trace=NamedFile(name=path.name, path=path))
        assert pays_to_flow(make_world(publishers=[one])) == pays
