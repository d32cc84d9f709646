"""Values that differ from copy to copy."""

from tidings.scenario.client_tables import SubscriberEntry
from tidings.scenario.variation import values_of, whole_ns
from tidings.scenario.world import Choice
from tidings.vocabulary.distribution import Constant, Exponential, Uniform, Zipf
from tidings.vocabulary.instant import FOREVER
from tidings.vocabulary.streams import Streams

VARY = {
    "turn": ("a", "b", "c"),
    "pick": Choice(values=(1, 2, 3)),
    "rank": Zipf(20, 1.0),
    "real": Uniform(0.0, 1.0),
}


def entry(**keys):
    """An entry that varies in every way."""
    return SubscriberEntry(filter="true", vary=VARY, **keys)


def test_lists_go_round():
    """Copy i takes entry i mod length."""
    assert values_of(entry(count=5), 5, Streams(1))["turn"] == ["a", "b", "c", "a", "b"]


def test_types_are_those_of_values():
    """Ranks are whole numbers, others floats."""
    values = values_of(entry(count=50), 50, Streams(1))
    assert {type(value) for value in values["rank"]} == {int}
    assert {type(value) for value in values["real"]} == {float}
    assert set(values["pick"]) == {1, 2, 3}


def test_more_copies_leave_the_first_ones_alone():
    """Draws are those of a stream, in the order of the copies."""
    few, many = values_of(entry(count=9), 9, Streams(1)), values_of(entry(count=900), 900, Streams(1))
    assert {name: list(column[:9]) for name, column in many.items()} == {name: list(c) for name, c in few.items()}


def test_streams_are_named_after_entry_and_name():
    """Other entries draw otherwise, also one that only lacks the count."""
    values = [
        values_of(one, 5, Streams(1))["real"]
        for one in (entry(count=5), entry(), entry(id="x"), entry(id="x", count=5))
    ]
    assert len({tuple(value) for value in values}) == 4


def test_durations_are_whole_nanoseconds_within_bounds():
    """Constants take nothing from the stream; huge draws are cut."""
    assert whole_ns(Constant(5.0), Streams(1), "x") == 5
    drawn = whole_ns(Exponential(1e9), Streams(1), "x")
    assert drawn == whole_ns(Exponential(1e9), Streams(1), "x")
    assert isinstance(drawn, int)
    assert whole_ns(Uniform(1e30, 2e30), Streams(1), "x") == FOREVER - 1
    assert whole_ns(Uniform(-5.0, -1.0), Streams(1), "x") == 0
