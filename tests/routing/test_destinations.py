"""Destinations: against a twin that keeps texts by broker and asks each."""

from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from tidings.matching import LinearMatcher
from tidings.routing.destinations import DestinationTable
from tidings.routing.wants import TableOptions
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import holds
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.filter_text import format_filter

OTHERS = ("x", "y")
texts = strategies.narrow_filters.map(format_filter)
steps = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(OTHERS), st.lists(texts, max_size=3)),
        st.tuples(st.just("subscribe"), st.dictionaries(st.integers(0, 4), texts, max_size=3)),
        st.tuples(st.just("unsubscribe"), st.lists(st.integers(0, 5), max_size=3)),
    ),
    max_size=8,
)


def table(**changes):
    """A table of a broker beside two others."""
    return DestinationTable(OTHERS, TableOptions(new_matcher=LinearMatcher, **changes))


@settings(max_examples=100)
@given(steps, st.data(), st.booleans(), st.booleans())
def test_a_table_answers_like_its_twin_and_announces_what_its_clients_want(steps, data, covering, merging):
    """After every step, for any event: who wants it, and that the announced filters together want what clients want."""
    one = table(covering=covering, merging=merging)
    others, clients = {name: [] for name in OTHERS}, {}
    used = [text for step in steps for text in (step[1].values() if isinstance(step[1], dict) else step[1])]
    seen = data.draw(strategies.events_near(*(parsed(text) for text in used if isinstance(text, str))))
    for kind, given_now in steps:
        if kind == "subscribe":
            one.subscribe(given_now)
            clients = {**given_now, **clients}
        elif kind == "unsubscribe":
            one.unsubscribe(given_now)
            clients = {key: text for key, text in clients.items() if key not in given_now}
        else:
            one.replace(kind, given_now)
            others[kind] = given_now
        wanted = one.wanted(seen)
        assert wanted.others == tuple(n for n in OTHERS if any(holds(parsed(text), seen) for text in others[n]))
        keys = sorted(key for key, text in clients.items() if holds(parsed(text), seen))
        assert wanted.clients.tolist() == keys
        assert any(holds(parsed(text), seen) for text in one.announced) == bool(keys)
    assert len(one) == len({text for filters in others.values() for text in filters}) + len(clients)


def test_saying_the_same_again_changes_nothing():
    """A repeated statement leaves answers alone, so that nothing is matched anew."""
    one = table()
    one.replace("x", ("price > 1",))
    before = one.version
    one.replace("x", ("price > 1",))
    assert one.version == before


def test_what_is_covered_is_not_announced():
    """Others need to know only what asks more."""
    one = table()
    one.subscribe({0: "price > 10", 1: "price > 20"})
    assert one.announced == ("price > 10",)
    one.unsubscribe((0,))
    assert one.announced == ("price > 20",)


def test_many_events_at_once():
    """Side by side, in their order."""
    one = table()
    one.replace("y", ("a == 1",))
    found = one.wanted_many([Event(1, "p", "t", 0, {"a": 1}), Event(2, "p", "t", 0, {"a": 2})])
    assert [wanted.others for wanted in found] == [("y",), ()]
