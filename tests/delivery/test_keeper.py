"""The keeper: what is written down, what is read again, and when the log is begun anew."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.delivery.keeper import RECORDS_MIN, Keeper, Kept, Noted
from tidings.errors import LogCorrupt
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Interests, Subscribe, Unsubscribe


def event(number):
    """An event with that identity."""
    return Event(number, "p", "t", 5, {"x": number, "y": "a"}, 99, 1, 3, b"abc")


def read(*records):
    """What a new process makes of records."""
    return Keeper().remember(records)


def test_an_event_comes_back_as_it_was():
    """With the neighbours that must acknowledge it, and whether clients want it."""
    record = Keeper().keep(event(1), ("m", "n"), for_clients=True)
    assert read(record).kept == (Kept(event(1), ("m", "n"), True),)
    assert read(record).seen == (1,)


@pytest.mark.parametrize(
    "frame", [Interests("t", 1, 2, None, ("true",)), Subscribe(1, "x > 1"), Unsubscribe(1)], ids=repr
)
def test_a_frame_comes_back_as_it_was(frame):
    """With its sender."""
    assert read(Keeper().note("s", frame)).notes == (Noted("s", frame),)


def test_what_is_done_with_is_said_by_the_next_record():
    """Until then it is sent once more after a crash."""
    one = Keeper()
    first = one.keep(event(1), ("n",), for_clients=False)
    one.finished((1, 7))
    assert [kept.event.id for kept in read(first).kept] == [1]
    second = one.keep(event(2), ("n",), for_clients=False)
    found = read(first, second)
    assert [kept.event.id for kept in found.kept] == [2]
    assert found.seen == (1, 2)


def test_an_event_for_clients_only_is_done_with_when_its_batch_is_applied():
    """Not when its record is made: between the two the process may crash, and nobody was shown it."""
    one = Keeper()
    records = [one.keep(event(1), (), for_clients=True)]
    one.drained(1)
    records.append(one.keep(event(2), (), for_clients=True))
    one.drained(1)
    assert [kept.event.id for kept in read(*records).kept] == [1, 2]
    one.stored(1)
    records.append(one.keep(event(3), (), for_clients=True))
    assert [kept.event.id for kept in read(*records).kept] == [2, 3]


def test_batches_are_told_of_together_or_one_by_one():
    """`stored` counts records, not batches."""
    one = Keeper()
    records = [one.keep(event(number), (), for_clients=True) for number in (1, 2)]
    one.drained(2)
    records.append(one.note("s", Unsubscribe(1)))
    records.append(one.keep(event(3), (), for_clients=True))
    one.drained(2)
    one.stored(1)
    records.append(one.keep(event(4), ("n",), for_clients=False))
    assert [kept.event.id for kept in read(*records).kept] == [1, 2, 3, 4]
    one.stored(3)
    records.append(one.keep(event(5), ("n",), for_clients=False))
    assert [kept.event.id for kept in read(*records).kept] == [4, 5]


def grown(live):
    """A keeper whose log has as many records as it may have, some of them alive."""
    one = Keeper()
    for number in range(RECORDS_MIN):
        one.keep(event(number), ("n", "m"), for_clients=True)
    one.finished(range(live, RECORDS_MIN))
    one.drained(RECORDS_MIN)
    return one


def test_a_log_that_is_mostly_over_is_begun_anew():
    """With what is wanted and with what is still owed, and nothing else."""
    one = grown(2)
    assert not one.is_overgrown
    one.keep(event(5_000), ("n",), for_clients=False)
    one.drained(1)
    assert one.is_overgrown
    records = one.begin_anew([Noted("s", Subscribe(1, "true"))], {0: ["n"], 5_000: ["n"]})
    found = read(*records)
    assert found.notes == (Noted("s", Subscribe(1, "true")),)
    assert found.kept == (
        Kept(event(0), ("n",), True),
        Kept(event(1), (), True),
        Kept(event(5_000), ("n",), False),
    )
    one.drained(len(records))
    assert not one.is_overgrown


def test_a_log_is_begun_anew_when_it_has_doubled():
    """So that writing anew never costs more than writing did."""
    one = grown(RECORDS_MIN)
    one.keep(event(5_000), ("n",), for_clients=False)
    one.drained(1)
    records = one.begin_anew([], {})
    one.drained(len(records))
    written = 0
    while not one.is_overgrown:
        one.note("s", Unsubscribe(1))
        one.drained(1)
        written += 1
    assert written > len(records) == RECORDS_MIN + 1


def test_a_new_process_begins_its_log_anew():
    """Whatever it has read."""
    one = Keeper()
    one.remember([Keeper().keep(event(1), ("n",), for_clients=False)])
    assert one.is_overgrown
    assert Keeper().is_overgrown is False


def test_what_was_read_for_clients_only_is_over_when_it_was_shown_again():
    """With the first batch of the new process."""
    one = Keeper()
    one.remember([Keeper().keep(event(1), (), for_clients=True)])
    records = one.begin_anew([], {})
    one.drained(len(records))
    one.stored(len(records))
    records.append(one.keep(event(2), ("n",), for_clients=False))
    assert [kept.event.id for kept in read(*records).kept] == [2]


@pytest.mark.parametrize("data", [b"", b"\x00", msgspec.msgpack.encode({"type": "Kept"}), b"\xff" * 9])
def test_what_no_keeper_wrote_is_reported(data):
    """Never taken for something else."""
    with pytest.raises(LogCorrupt, match="a broker's records"):
        read(Keeper().note("s", Unsubscribe(1)), data)


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(("keep", "finish", "anew"))), max_size=40))
def test_a_log_says_what_its_keeper_knows(course):
    """Whatever was kept and finished, and whenever all was written anew: nothing alive is missing after a crash."""
    one, log, alive, number = Keeper(), [], {}, 0
    for place, act in course:
        if act == "keep":
            number += 1
            alive[number] = None
            log.append(one.keep(event(number), ("n",), for_clients=False))
            one.drained(1)
        elif act == "finish" and alive:
            gone = list(alive)[place % len(alive)]
            del alive[gone]
            one.finished((gone,))
        elif act == "anew":
            log = one.begin_anew([], {number: ["n"] for number in alive})
            one.drained(len(log))
        found = [kept.event.id for kept in read(*log).kept]
        assert set(alive) <= set(found)
    log.append(one.keep(event(number + 1), ("n",), for_clients=False))
    assert [kept.event.id for kept in read(*log).kept] == [*alive, number + 1]
