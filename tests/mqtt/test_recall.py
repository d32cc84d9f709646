"""Recall: whatever is written down, in a checkpoint or behind one, tells the same session to the next process."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from mqtt.lobby import LASTING, Lobby, said, user, wish
from tidings.mqtt import records as kinds
from tidings.mqtt.house import FrontOptions, House
from tidings.mqtt.publishing import COUNT_BITS
from tidings.mqtt.recall import Recall, revive, session_records
from tidings.mqtt.records import SECOND_QUALITY, write_record
from tidings.mqtt.rights import ALL_RIGHTS
from tidings.mqtt.subscriptions import Subscription
from tidings.vocabulary.event import Event
from tidings.wire.mqtt_packets import Disconnect, Puback, Pubrec, Pubrel, Unsubscribe, Will

HOUSE = House(FrontOptions(name="lima", rights_of=lambda _name: ALL_RIGHTS, durable=True))
HEAD = kinds.SessionHead(7, "s", "", "s", 10**9, 3, Will(topic="w", payload=b"x"))


def event(identity=1, publisher="p", topic="t", **fields):
    """An event."""
    return Event(identity, publisher, topic, 100, {}, 200, payload=b"x", payload_bytes=1, **fields)


def recalled(*rows, checkpoint=(), first=40, shift_ns=0):
    """What these records tell."""
    recall = Recall(shift_ns)
    recall.checkpoint([write_record(one) for one in checkpoint])
    recall.records([write_record(one) for one in rows], first)
    return recall


def test_a_session_comes_back_whole():
    """Owner, wishes, will, what is in flight and how far, what waits, what it has sent, and its own count."""
    recall = recalled(
        HEAD,
        kinds.Subscribed(7, Subscription("a", 0, qos=1)),
        kinds.Subscribed(7, Subscription("b", 1)),
        kinds.Unsubscribed(7, "b"),
        kinds.Taken(event(1), ((7, 5), (8, 1))),
        kinds.Taken(event(2), ((7, 6 | SECOND_QUALITY),)),
        kinds.Taken(event(3), ((7, 9 | SECOND_QUALITY),)),
        kinds.Taken(event(4), ((7, 0),)),
        kinds.Taken(event(5), ((7, 0),)),
        kinds.Taken(event(6), ((7, 0),)),
        kinds.Acknowledged(7, 6, half=True),
        kinds.Sent(7, 11, (47,)),
        kinds.Dropped(7, (48,)),
        kinds.Received(7, 2, over=False),
        kinds.Received(7, 3, over=False),
        kinds.Received(7, 2, over=True),
        first=40,
    )
    session = revive(recall.sessions[7], HOUSE)
    assert session.identity.will == HEAD.will
    assert [one.pattern for one in session.subscriptions] == ["a"]
    flights = {packet_id: (one.qos, one.half, one.entries) for packet_id, one in session.outgoing.flights.items()}
    assert flights == {5: (1, False, [44]), 6: (2, True, []), 9: (2, False, [46]), 11: (1, False, [47])}
    assert list(session.outgoing.waiting) == [49]
    assert list(session.received) == [3]
    assert list(recall.seen) == [1, 2, 3, 4, 5, 6]


def test_acknowledged_is_over():
    """For either quality; and what is said of sessions that have ended says nothing."""
    recall = recalled(
        HEAD,
        kinds.Taken(event(1), ((7, 5),)),
        kinds.Taken(event(2), ((7, 6 | SECOND_QUALITY),)),
        kinds.Acknowledged(7, 5, half=False),
        kinds.Acknowledged(7, 6, half=True),
        kinds.Acknowledged(7, 6, half=False),
        kinds.Acknowledged(8, 6, half=False),
    )
    assert recall.sessions[7].flights == {}
    over = recalled(
        HEAD, kinds.SessionOver(7), kinds.SessionOver(7), kinds.Taken(event(), ((7, 5),)), kinds.Dropped(7, (1,))
    )
    assert over.sessions == {}


def test_the_last_head_counts():
    """A will that was said is not said again; a name may pass to another session."""
    later = msgspec.structs.replace(HEAD, will=None, expiry_ns=5)
    assert recalled(HEAD, later).sessions[7].head == later
    other = msgspec.structs.replace(HEAD, session=8, index=4)
    own = event(4 << COUNT_BITS | 6, "s")
    recall = recalled(HEAD, other, kinds.SessionOver(7), kinds.Taken(own, ()))
    assert list(recall.sessions) == [8]
    assert recall.sessions[8].count == 7


def test_a_publisher_goes_on_counting():
    """By its events that were stored, and by the checkpoint; events that others numbered do not count."""
    own = [event(3 << COUNT_BITS | count, "s") for count in (5, 9, 2)]
    recall = recalled(HEAD, *(kinds.Taken(one, ()) for one in own), kinds.Taken(event(4 << COUNT_BITS | 50, "s"), ()))
    assert recall.sessions[7].count == 10
    queues = kinds.Queues(7, 30, (), (), ())
    assert recalled(kinds.Taken(own[0], ()), checkpoint=(HEAD, queues)).sessions[7].count == 30


def test_retained_messages_come_back_by_topic():
    """The last of each, with its lifetime shifted; an empty one is none."""
    empty = msgspec.structs.replace(event(topic="b"), payload=b"", payload_bytes=0)
    recall = recalled(
        kinds.RetainedSet(event(1)),
        kinds.RetainedSet(event(2)),
        kinds.RetainedSet(event(3, topic="b")),
        kinds.RetainedSet(empty),
        shift_ns=1_000,
    )
    assert {topic: (one.id, one.expires_ns) for topic, one in recall.retained.items()} == {"t": (2, 1_200)}


def test_the_broker_machine_gets_its_records():
    """In their order; those that were written anew take the place of all before."""
    recall = recalled(kinds.FromBroker((b"a", b"b"), anew=False), kinds.FromBroker((b"c",), anew=False))
    assert recall.broker == [b"a", b"b", b"c"]
    recall.records([write_record(kinds.FromBroker((b"d",), anew=True))], 50)
    assert recall.broker == [b"d"]


def test_what_is_reserved_and_seen_adds_up():
    """The highest, and all."""
    recall = recalled(kinds.Reserved(10), kinds.Reserved(7), kinds.Seen((5, 6)), kinds.Taken(event(9), ()))
    assert recall.indices == 10
    assert list(recall.seen) == [5, 6, 9]


@given(
    st.dictionaries(
        st.integers(1, 9),
        st.tuples(st.booleans(), st.booleans(), st.lists(st.integers(0, 30), min_size=1, max_size=3, unique=True)),
        max_size=4,
    ),
    st.lists(st.integers(0, 60), unique=True, max_size=10),
    st.integers(0, 100),
)
def test_a_checkpoint_says_the_same(flights, waiting, count):
    """A session, written and read, is the same session; and once more."""
    kept = recalled(HEAD, kinds.Subscribed(7, Subscription("a", 4, "x > 1"))).sessions[7]
    for packet_id, (second, half, entries) in flights.items():
        packet = packet_id | SECOND_QUALITY * second
        kept.flights[packet] = (half and second, [] if half and second else entries)
    kept.waiting, kept.count, kept.received = dict.fromkeys(waiting), count, {4: None}
    written = list(session_records(revive(kept, HOUSE)))
    again = recalled(checkpoint=written).sessions[7]
    assert again == kept
    assert list(again.waiting) == waiting
    assert list(session_records(revive(again, HOUSE))) == written


@given(st.integers(0, 2**32))
def test_a_checkpoint_or_none_makes_no_difference(seed):
    """Two houses live the same life, one of them with checkpoints: after a crash they remember the same."""
    import random

    plain, tidy = Lobby(durable=True), Lobby(durable=True)
    chance = random.Random(seed)
    for step in range(12):
        act, number = chance.randrange(5), chance.randrange(1, 4)
        for lobby in (plain, tidy):
            live(lobby, act, number, step)
        if chance.random() < 0.4:
            tidy.begin_anew()
    for lobby in (plain, tidy):
        lobby.start()
    assert told(plain) == told(tidy)


def live(lobby, act, number, step):
    """One step of a life with two sessions that last."""
    name = f"s{number % 2}"
    present = [guest for guest in lobby.guests.values() if not guest.closed and guest.name == name]
    if act == 0 or not present:
        guest = lobby.join(
            name, clean_start=False, properties=LASTING if number < 3 else user(("tidings", "1"), session_expiry_s=9)
        )
        guest.name = name
        guest.say(wish("t", number % 3))
        return
    publisher = lobby.join("p")
    publisher.name = "p"
    packets = {
        1: (said("t", b"%d" % step, qos=number % 3, packet_id=number, retain=step % 2),),
        2: (Puback(packet_id=number), Pubrec(packet_id=number)),
        3: (Unsubscribe(packet_id=1, patterns=("t",)), wish("u", 1)),
        4: (said("t", qos=2, packet_id=number), Pubrel(packet_id=step % 4 + 1)),
    }[act]
    (publisher if act == 1 else present[0]).say(*packets)
    publisher.say(Disconnect())


def told(lobby):
    """What a house remembers, but for identities and numbers of records, which may differ."""
    payload_of = {
        number: kinds.read_event(data, 0).payload for number, data in lobby.disk.items() if lobby.claimed.get(number)
    }
    return [
        (
            session.name,
            [(one.pattern, one.qos) for one in session.subscriptions],
            {
                packet_id: (one.half, [payload_of[entry] for entry in one.entries])
                for packet_id, one in session.outgoing.flights.items()
            },
            [payload_of[entry] for entry in session.outgoing.waiting],
            list(session.received),
        )
        for session in sorted(lobby.front.sessions, key=lambda session: session.name)
    ] + [event.payload for event in lobby.front.house.retained.everything()]
