"""The tables of few rows: who wanted what, which deadlines there were, what was down, who lived when."""

from simulation.worlds import EVERYTHING, MS, make_world, publisher, run, subscriber
from tidings.scenario.world import Crash
from tidings.vocabulary.instant import SECOND

INTERESTS = ("subscriber", "filter", "broker", "requested_ns", "effective_ns", "until_ns")
PROCESSES = ("name", "incarnation", "kind", "started_ns", "ended_ns", "how")


def small(tmp_path, **more):
    """A run of two brokers, of which b is down from 2 s to 3 s, and four subscribers who come and go."""
    world = make_world(
        "ab",
        subscribers=[
            subscriber("stays", "b"),
            subscriber("comes", "b", joins_ns=4 * SECOND, leaves_ns=6 * SECOND),
            subscriber("goes", "a", leaves_ns=SECOND),
            subscriber("never", "a", joins_ns=11 * SECOND, leaves_ns=12 * SECOND),
        ],
        crashes=(Crash(component="b", at_ns=2 * SECOND, lasting_ns=SECOND),),
        **more,
    )
    return run(world, tmp_path / "run")


def test_interests(tmp_path):
    """In the order requested; null for ends that did not come; who would come after the end does not."""
    assert small(tmp_path).rows("interests", *INTERESTS) == [
        ("stays", EVERYTHING, "b", 0, 0, None),
        ("goes", EVERYTHING, "a", 0, 0, SECOND),
        ("comes", EVERYTHING, "b", 4 * SECOND, 4 * SECOND, 6 * SECOND),
    ]


def test_processes(tmp_path):
    """Every life of a broker, every client; by start, kind and name."""
    assert small(tmp_path).rows("processes", *PROCESSES) == [
        ("a", 0, "broker", 0, None, None),
        ("b", 0, "broker", 0, 2 * SECOND, "crash"),
        ("p", 0, "publisher", 0, None, None),
        ("goes", 0, "subscriber", 0, SECOND, "exit"),
        ("stays", 0, "subscriber", 0, None, None),
        ("b", 1, "broker", 3 * SECOND, None, None),
        ("comes", 0, "subscriber", 4 * SECOND, 6 * SECOND, "exit"),
    ]


def test_outages(tmp_path):
    """What was down, and when."""
    found = small(tmp_path).rows("outages", "component", "kind", "down_ns", "up_ns")
    assert found == [("b", "broker", 2 * SECOND, 3 * SECOND)]


def test_deadlines(tmp_path):
    """One row for all publishers where there is a deadline, and one for each that has its own."""
    world = make_world(
        "ab",
        publishers=[publisher("p"), publisher("q")],
        subscribers=[
            subscriber("patient"),
            subscriber("strict", deadline_ns=5 * MS),
            subscriber("choosy", deadlines={"p": 7 * MS, "q": 9 * MS}),
        ],
    )
    found = run(world, tmp_path / "run").rows("deadlines", "subscriber", "publisher", "deadline_ns")
    assert found == [("strict", None, 5 * MS), ("choosy", "p", 7 * MS), ("choosy", "q", 9 * MS)]


def test_nothing_to_say(tmp_path):
    """A world without deadlines and outages has no rows of them."""
    found = run(make_world(), tmp_path / "run")
    assert found.rows("deadlines", "subscriber") == found.rows("outages", "component") == []
