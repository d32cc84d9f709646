"""Who sequences what in a scenario, and where."""

import pytest

from simulation.ordered_worlds import at_sites, ordered, wanting
from simulation.worlds import const, make_world, publisher
from tidings.scenario.world import Ordering, Publisher, Topic
from tidings.simulation.order_plan import deployment_of, order_of, placed_stages, rates_of
from tidings.vocabulary.distribution import Constant
from tidings.vocabulary.event import Event, event_id
from tidings.vocabulary.instant import SECOND


def test_without_an_order_across_topics_there_is_no_plan():
    """Probabilistic FIFO needs none."""
    assert order_of(make_world()) is None
    assert order_of(make_world(ordering=Ordering(guarantee="fifo"))) is None


@pytest.mark.parametrize(
    ("guarantee", "k", "meant", "program_order"),
    [
        ("total", None, 2, False),
        ("groups", None, 2, False),
        ("causal", None, 1, True),
        ("groups", 1, 1, True),
        ("total", 3, 3, False),
    ],
)
def test_guarantees_are_numbers_of_shared_subscribers(guarantee, k, meant, program_order):
    """With one that is shared, a publisher's order holds across topics too."""
    plan = deployment_of(ordered(ordering=Ordering(guarantee=guarantee, k=k)))
    assert (plan.plan.k, plan.program_order) == (meant, program_order)


def test_everybody_is_planned_for_whenever_they_come():
    """So nobody's coming adds an overlap; topics that nobody publishes on have a stage too."""
    people = [wanting("s", "a", "x", "y"), wanting("late", "c", "x", "y", "w", joins_ns=SECOND)]
    plan = deployment_of(ordered(people=people)).plan
    assert plan.routes["x"].group == ("x", "y")
    assert "w" in plan.routes


def test_a_stage_lives_where_its_publishers_are_near():
    """In the mean, weighed by what they publish; by-site at the site's own broker."""
    world = ordered(publishers=[publisher("p", "a", ("x", "y")), publisher("q", "c", ("x", "y"), every=const(10))])
    assert {one.broker for one in placed_stages(world, deployment_of(world).plan) if "x" in one.stage.topics} == {"c"}
    sited = ordered(brokers=at_sites(), ordering=Ordering(guarantee="total", stages="by-site"))
    placed = placed_stages(sited, deployment_of(sited).plan)
    assert [one.stage.site for one in placed] == [f"site-{one.broker}" for one in placed]
    assert len(placed) == 2


def test_a_stage_may_be_named_by_each_of_its_topics():
    """As crashes name it."""
    places = order_of(ordered(ordering=Ordering(guarantee="total", stages=1))).places
    ((name, place),) = places.items()
    assert name.startswith("stage:")
    assert place.names == ("stage:x", "stage:y", "stage:z")


def test_rates_follow_the_way_topics_are_chosen():
    """In turn, or by popularity at the publisher's site."""
    world = make_world()
    assert rates_of(world, publisher(topic=("x", "y"), every=const(1_000))) == {"x": 5.0, "y": 5.0}
    drawn = Publisher(id="d", broker="a", topics=(), every=Constant(float(SECOND)))
    popular = (Topic(name="x", popularity={"": 3.0}), Topic(name="y", popularity={"": 1.0}), Topic(name="z"))
    assert rates_of(make_world(subscribers=[]), drawn) == {}
    chosen = make_world()
    assert rates_of(type(chosen)(**{**vars_of(chosen), "topics": popular}), drawn) == {"x": 7.5, "y": 2.5}


def vars_of(world):
    """A world's fields by name."""
    return {name: getattr(world, name) for name in world.__dataclass_fields__}


def test_events_and_carriers_are_told_apart():
    """By the publisher's index in the identity."""
    order = order_of(ordered())
    assert order.identity(Event(event_id(1, 5), "q", "x", 0, {})) == event_id(1, 5)
    about = event_id(0, 3)
    assert order.identity(Event(event_id(7, 0), "p", "$order/in/x", 0, {}, carried=about.to_bytes(8))) == about
    assert order.identity(Event(event_id(7, 1), "p", "$order/to/p", 0, {})) is None
