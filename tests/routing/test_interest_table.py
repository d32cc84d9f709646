"""Who wants what at one broker: against a table that asks every filter about every event."""

import msgspec
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from tidings.matching import BitsetMatcher, LinearMatcher
from tidings.routing.interest_table import InterestTable
from tidings.routing.wants import TableOptions
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import holds
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.filter_text import format_filter

NEIGHBOURS = ("m", "n", "o")
texts = strategies.narrow_filters.map(format_filter)


def table(**changes):
    """A table with three neighbours."""
    return InterestTable(NEIGHBOURS, TableOptions(new_matcher=changes.pop("new_matcher", LinearMatcher), **changes))


def event(number, topic="a", **attributes):
    """An event with that identity."""
    return Event(number, "p", topic, 0, attributes)


def asked(one, event):
    """Neighbours and keys that want an event."""
    wanted = one.wanted(event)
    return wanted.others, wanted.clients.tolist()


class Twin:
    """Sets of texts by neighbour, texts by key, and what each neighbour was told."""

    def __init__(self):
        self.wants = {name: set() for name in NEIGHBOURS}
        self.clients = {}
        self.told = {name: set() for name in NEIGHBOURS}

    def tell(self, differences, source=None):
        """Take differences in; they must be such, and the source hears nothing of its own."""
        assert source not in differences
        for name, (added, removed) in differences.items():
            assert added or removed
            assert self.told[name].isdisjoint(added)
            assert self.told[name].issuperset(removed)
            self.told[name] = (self.told[name] | set(added)) - set(removed)

    def wanted(self, event):
        """Neighbours and keys, one filter after the other."""
        names = tuple(name for name in NEIGHBOURS if any(holds(parsed(text), event) for text in self.wants[name]))
        return names, sorted(key for key, text in self.clients.items() if holds(parsed(text), event))

    def owed(self, name):
        """What a neighbour must be told, in any words: what all others want."""
        others = [text for other in NEIGHBOURS if other != name for text in self.wants[other]]
        return [*others, *self.clients.values()]


steps = st.lists(
    st.one_of(
        st.tuples(st.just("change"), st.sampled_from(NEIGHBOURS), st.lists(texts, max_size=3), st.integers(0, 2)),
        st.tuples(st.just("subscribe"), st.dictionaries(st.integers(0, 5), texts, max_size=3)),
        st.tuples(st.just("unsubscribe"), st.lists(st.integers(0, 7), max_size=3)),
    ),
    max_size=8,
)


def perform(one, twin, step):
    """One step at the table and at its twin."""
    match step:
        case ("change", name, more, fewer):
            removed = sorted(twin.wants[name])[:fewer]
            added = [text for text in dict.fromkeys(more) if text not in twin.wants[name] or text in removed]
            twin.wants[name] = (twin.wants[name] - set(removed)) | set(added)
            twin.tell(one.change(name, added, removed), name)
        case ("subscribe", wishes):
            twin.clients = {**wishes, **twin.clients}
            twin.tell(one.subscribe(wishes))
        case ("unsubscribe", keys):
            twin.clients = {key: text for key, text in twin.clients.items() if key not in keys}
            twin.tell(one.unsubscribe(keys))


@settings(max_examples=150)
@given(
    steps,
    st.data(),
    st.sampled_from((LinearMatcher, BitsetMatcher)),
    st.booleans(),
    st.booleans(),
)
def test_a_table_answers_and_tells_like_its_twin(steps, data, new_matcher, covering, merging):
    """After every step, for any event: who wants it, and that each neighbour was told what the others want."""
    one, twin = table(new_matcher=new_matcher, covering=covering, merging=merging), Twin()
    near = strategies.events_near(*(parsed(text) for text in used(steps)))
    drawn = data.draw(st.lists(near, min_size=1, max_size=4))
    events = [msgspec.structs.replace(one, id=number) for number, one in enumerate(drawn)]
    for step in steps:
        perform(one, twin, step)
        for event in events:
            assert asked(one, event) == twin.wanted(event)
            for name in NEIGHBOURS:
                told, owed = (
                    any(holds(parsed(text), event) for text in texts) for texts in (twin.told[name], twin.owed(name))
                )
                assert told == owed
    assert len(one) == len(set().union(*twin.wants.values())) + len(twin.clients)


def used(steps):
    """Every filter that the steps speak of."""
    found = [text for step in steps if step[0] == "change" for text in step[2]]
    return found + [text for step in steps if step[0] == "subscribe" for text in step[1].values()]


def test_what_is_covered_is_not_told():
    """Unless the options say so; what was told for somebody else is not told again."""
    for covering, told in ((True, {}), (False, {"n": (("price > 20",), ()), "o": (("price > 20",), ())})):
        one = table(covering=covering)
        assert one.change("m", ("price > 10",), ()) == {"n": (("price > 10",), ()), "o": (("price > 10",), ())}
        assert one.change("m", ("price > 20",), ()) == told
        assert one.change("n", ("price > 10",), ()) == {"m": (("price > 10",), ())}
        assert one.subscribe({0: "price > 10"}) == {}


def test_a_text_that_several_want_is_kept_once_and_goes_with_the_last():
    """One slot for it; slots are used again."""
    one = table()
    one.change("m", ("price > 10", "size > 1"), ())
    one.change("n", ("price > 10",), ())
    assert len(one) == 2
    one.change("m", (), ("price > 10",))
    assert asked(one, event(1, price=12)) == (("n",), [])
    assert one.change("n", (), ("price > 10",)) == {"m": ((), ("price > 10",)), "o": ((), ("price > 10",))}
    assert asked(one, event(1, price=12)) == ((), [])
    assert len(one) == 1
    one.change("o", ("price > 11",), ())
    assert asked(one, event(1, price=12, size=2)) == (("m", "o"), [])


def test_keys_that_are_known_or_gone_change_nothing():
    """A wish that is repeated, and one that was never made."""
    one = table()
    one.subscribe({3: "price > 10"})
    assert one.subscribe({3: "price > 10"}) == {}
    assert one.unsubscribe((4,)) == {}
    assert asked(one, event(1, price=12)) == ((), [3])


def test_the_version_is_that_of_the_wishes():
    """It grows with every change of anybody."""
    one = table()
    versions = [one.version]
    for act in (lambda: one.change("m", ("price > 10",), ()), lambda: one.subscribe({0: "a == 1"})):
        act()
        versions.append(one.version)
    one.unsubscribe((0,))
    versions.append(one.version)
    assert versions == sorted(set(versions))


def test_many_events_are_answered_like_one():
    """The same answers, side by side."""
    one = table()
    one.change("m", ("price > 10",), ())
    one.subscribe({0: "price > 20"})
    found = one.wanted_many([event(1, price=5), event(2, price=15), event(3, price=25)])
    assert [(wanted.others, wanted.clients.tolist()) for wanted in found] == [((), []), (("m",), []), (("m",), [0])]


def test_clients_come_as_an_array_of_integers():
    """Also when nobody wants anything."""
    one = table()
    assert one.wanted(event(1)).clients.dtype == np.int64


def test_who_stands_in_is_on_the_side_of_a_neighbour():
    """What it wants is told to the others, not to that neighbour; events go to it by its own name."""
    one = table()
    told = one.change("x", ("price > 10",), (), side="m")
    assert "m" not in told
    assert told == dict.fromkeys(told, (("price > 10",), ())) != {}
    assert one.wanted(event(1, price=12)).others == ("x",)
    assert one.change("x", (), ("price > 10",), side="m") == dict.fromkeys(told, ((), ("price > 10",)))
    assert one.wanted(event(2, price=12)).others == ()
