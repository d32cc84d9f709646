"""One session's window and queue: what is sent, what waits, what is sent again, what is given up, and in which order."""

import pytest

from mqtt.lobby import LASTING, Lobby, payloads, said, user, wish
from tidings.mqtt.limits import EVENTS_IN_FLIGHT_MAX, Limits
from tidings.mqtt.notices import RightsChanged
from tidings.mqtt.rights import ALL_RIGHTS, Rights
from tidings.wire.carriers import CarrierReader
from tidings.wire.mqtt_packets import Properties, Puback, Pubcomp, Publish, Pubrec, Pubrel, Unsubscribe
from tidings.wire.mqtt_reasons import Reason

KINDS = {"durable": {"durable": True}, "in memory": {}}


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def lobby(request):
    """A house whose sessions are on disk, and one whose sessions are in memory."""
    return Lobby(**request.param)


def keeper(lobby, qos=1, *, pattern="t", clean_start=True, window=None, **options):
    """A client whose session lasts, with one subscription."""
    properties = Properties(session_expiry_s=10_000, receive_maximum=window, **options)
    guest = lobby.join("s", clean_start=clean_start, properties=properties)
    if clean_start:
        guest.say(wish(pattern, qos))
    return guest


def publish(lobby, *numbers, qos=1, topic="t", **fields):
    """Events with numbers for payloads."""
    publisher = lobby.join("p")
    for number in numbers:
        publisher.say(said(topic, b"%d" % number, qos=qos, packet_id=number + 1, **fields))


def numbers(packets):
    """The numbers of events that were heard, those in carriers too."""
    return [int(payload) for payload in payloads(packets)]


def carried(packets):
    """The numbers of events in carriers, one list each."""
    rows = [CarrierReader().read(packet.payload) for packet in packets if isinstance(packet, Publish)]
    return [[int(event.payload) for event in row] for row in rows]


@pytest.mark.parametrize("qos", [1, 2])
def test_no_more_is_in_flight_than_the_client_takes(lobby, qos):
    """The next are sent as it acknowledges, in order; in the end nobody claims anything."""
    guest = keeper(lobby, qos, window=3)
    publish(lobby, *range(8), qos=qos)
    heard = guest.take()
    assert numbers(heard) == [0, 1, 2]
    seen = numbers(heard)
    while heard:
        done = [packet.packet_id for packet in heard if isinstance(packet, Publish)]
        if qos == 1:
            heard = guest.say(*(Puback(packet_id=one) for one in done))
        else:
            assert guest.say(*(Pubrec(packet_id=one) for one in done)) == [Pubrel(packet_id=one) for one in done]
            heard = guest.say(*(Pubcomp(packet_id=one) for one in done))
        seen += numbers(heard)
    assert seen == list(range(8))
    assert not any(lobby.claimed.values())


def test_the_house_sets_an_end_to_the_window():
    """However much the client would take."""
    lobby = Lobby(limits=Limits(in_flight_max=2))
    guest = keeper(lobby, window=60_000)
    publish(lobby, *range(5))
    assert numbers(guest.take()) == [0, 1]


@pytest.mark.parametrize("qos", [1, 2])
def test_what_was_in_flight_is_sent_again(lobby, qos):
    """Under its identifier, marked as such, before what came later."""
    guest = keeper(lobby, qos, window=2)
    publish(lobby, *range(4), qos=qos)
    first = guest.take()
    guest.leave()
    publish(lobby, 4, qos=qos)
    again = keeper(lobby, clean_start=False, window=3).take()
    assert numbers(again) == [0, 1, 2]
    assert [packet.packet_id for packet in again[:2]] == [packet.packet_id for packet in first]
    assert [packet.duplicate for packet in again] == [True, True, False]
    assert [packet.qos for packet in again] == [qos] * 3


def test_a_half_acknowledged_message_is_not_said_again(lobby):
    """Only that it may be forgotten."""
    guest = keeper(lobby, 2)
    publish(lobby, 0, 1, qos=2)
    guest.say(Pubrec(packet_id=1))
    guest.leave()
    again = keeper(lobby, clean_start=False)
    heard = again.take()
    assert heard[0] == Pubrel(packet_id=1)
    assert numbers(heard) == [1]
    again.say(Pubcomp(packet_id=1), Pubrec(packet_id=2), Pubcomp(packet_id=2))
    assert not lobby.front.sessions.named("s").outgoing.flights
    assert not any(lobby.claimed.values())


@pytest.mark.parametrize("qos", [1, 2])
def test_a_crash_of_the_broker_loses_nothing(qos):
    """What was in flight comes again as it was, what waited comes after it, what was half acknowledged stays so."""
    lobby = Lobby(durable=True)
    guest = keeper(lobby, qos, window=3)
    publish(lobby, *range(6), qos=qos)
    first = guest.take()
    if qos == 2:
        guest.say(Pubrec(packet_id=1))
    else:
        first += guest.say(Puback(packet_id=1))
    lobby.start()
    again = keeper(lobby, clean_start=False, window=10)
    heard = again.take()
    assert numbers(heard) == [1, 2, 3, 4, 5]
    ids = {packet.payload: packet.packet_id for packet in first}
    for packet in heard:
        if isinstance(packet, Publish):
            assert packet.duplicate == (packet.payload in ids)
            assert ids.setdefault(packet.payload, packet.packet_id) == packet.packet_id
    if qos == 2:
        assert heard[0] == Pubrel(packet_id=1)


def test_live_events_wait_behind_what_waits(lobby):
    """While records are read, too."""
    guest = keeper(lobby, window=5)
    guest.leave()
    publish(lobby, 0, 1)
    lobby.sync = False
    guest = keeper(lobby, clean_start=False, window=5)
    publish(lobby, 2)
    lobby.write()
    lobby.sync = True
    publish(lobby, 3)
    assert numbers(guest.take()) == [0, 1, 2, 3]


def test_a_client_that_leaves_while_records_are_read_gets_them_later():
    """Nothing is sent to nobody, nothing is read for ever."""
    lobby = Lobby(durable=True)
    guest = keeper(lobby)
    guest.leave()
    publish(lobby, 0, 1)
    lobby.sync = False
    guest = keeper(lobby, clean_start=False)
    guest.leave()
    lobby.write()
    lobby.sync = True
    assert numbers(keeper(lobby, clean_start=False).take()) == [0, 1]


def test_a_new_connection_while_records_are_read_begins_again():
    """What was read for the old one is not mixed with what must come first."""
    lobby = Lobby(durable=True)
    guest = keeper(lobby, window=2)
    publish(lobby, *range(5))
    assert numbers(guest.take()) == [0, 1]
    lobby.sync = False
    guest.say(Puback(packet_id=1))
    guest = keeper(lobby, clean_start=False, window=2)
    lobby.write()
    lobby.sync = True
    lobby.turn()
    heard = guest.take()
    assert numbers(heard) == [1, 2]
    assert numbers(guest.say(*(Puback(packet_id=packet.packet_id) for packet in heard))) == [3, 4]


def test_what_has_expired_is_not_sent(lobby):
    """Neither from the queue, nor again; it is reported, and nobody claims it any more."""
    guest = keeper(lobby, window=1)
    brief = Properties(message_expiry_s=5)
    publish(lobby, 0, 1, properties=brief)
    publish(lobby, 2)
    assert numbers(guest.take()) == [0]
    guest.leave()
    lobby.wait(6)
    guest = keeper(lobby, clean_start=False)
    assert numbers(guest.take()) == [2]
    assert sorted(int(drop.event.payload) for drop in lobby.reports) == [0, 1]
    assert {drop.reason for drop in lobby.reports} == {"expired"}
    assert sum(lobby.claimed.values()) in {0, 1}
    assert lobby.front.house.counts.given_up == {"expired": 2}


def test_what_is_left_of_a_lifetime_is_said():
    """At the instant of sending."""
    lobby = Lobby(durable=True)
    keeper(lobby).leave()
    publish(lobby, 0, properties=Properties(message_expiry_s=100))
    lobby.wait(40)
    (packet,) = (one for one in keeper(lobby, clean_start=False).take() if isinstance(one, Publish))
    assert packet.properties.message_expiry_s == 60


def test_rights_are_asked_again_for_what_waited(lobby):
    """Taken away meanwhile, they keep back what was published before."""
    lobby.rights = {"": ALL_RIGHTS, "ann": Rights(subscribe=("#",))}
    properties = LASTING
    guest = lobby.join("s", principal="ann", properties=properties)
    guest.say(wish("#", 1))
    guest.leave()
    publish(lobby, 0, topic="secret")
    publish(lobby, 1, topic="open")
    lobby.rights["ann"] = Rights(subscribe=("#",), deny=("secret",))
    lobby.tell(RightsChanged())
    guest = lobby.join("s", principal="ann", clean_start=False, properties=properties)
    assert numbers(guest.take()) == [1]
    publish(lobby, 2, topic="secret")
    publish(lobby, 3, topic="open")
    assert numbers(guest.take()) == [3]


def test_what_is_no_longer_wanted_is_not_sent(lobby):
    """A subscription that was taken back takes along what waited for it."""
    guest = keeper(lobby, window=1)
    guest.say(wish("u", 1))
    publish(lobby, 0, 1)
    publish(lobby, 2, topic="u")
    assert numbers(guest.say(Unsubscribe(packet_id=1, patterns=("t",)))) == [0]
    assert numbers(guest.say(Puback(packet_id=1))) == [2]
    guest.say(Puback(packet_id=2))
    assert not any(lobby.claimed.values())


def test_what_is_too_large_for_a_client_is_given_up(lobby):
    """It does not stand in the way of others."""
    guest = keeper(lobby, packet_bytes_maximum=100)
    publisher = lobby.join("p")
    publisher.say(said("t", b"x" * 200, qos=1), said("t", b"x" * 200), said("t", b"7", qos=1, packet_id=2))
    assert numbers(guest.take()) == [7]
    guest.say(Puback(packet_id=2))
    assert [drop.reason for drop in lobby.reports] == ["size", "size"]
    assert not any(lobby.claimed.values())


def test_a_slow_client_is_cut_off_when_too_much_waits_in_memory():
    """Its session, should it last, loses the oldest."""
    lobby = Lobby(limits=Limits(waiting_bytes_max=2_000, in_flight_max=1))
    guest = keeper(lobby)
    publish(lobby, *range(20))
    assert guest.goodbye == Reason.QUOTA_EXCEEDED
    lost = [int(drop.event.payload) for drop in lobby.reports]
    assert lost == list(range(1, 1 + len(lost)))
    assert {drop.reason for drop in lobby.reports} == {"queue"}
    guest = keeper(lobby, clean_start=False)
    seen = numbers(guest.take())
    while guest.say(
        *(Puback(packet_id=packet_id) for packet_id in list(lobby.front.sessions.named("s").outgoing.flights))
    ):
        seen += numbers(guest.everything[-1:])
    assert seen == [0, *range(1 + len(lost), 20)]


def test_there_is_an_end_to_what_waits_on_disk():
    """The oldest go, and are reported where they are known."""
    lobby = Lobby(durable=True, limits=Limits(waiting_events_max=3))
    keeper(lobby).leave()
    publish(lobby, *range(6))
    assert sum(lobby.claimed.values()) == 3
    assert numbers(keeper(lobby, clean_start=False).take()) == [3, 4, 5]
    assert lobby.front.house.counts.given_up == {}


def test_records_that_are_gone_are_passed_over():
    """Their time on disk was over; what follows comes."""
    lobby = Lobby(durable=True)
    guest = keeper(lobby, window=2)
    publish(lobby, *range(4))
    assert numbers(guest.take()) == [0, 1]
    guest.leave()
    lobby.drop(*sorted(number for number, count in lobby.claimed.items() if count)[::2])
    assert numbers(keeper(lobby, clean_start=False, window=9).take()) == [1, 3]


def our_client(lobby, *, clean_start=True, window=None):
    """Our client with one wish of quality 1."""
    properties = user(("tidings", "1"), session_expiry_s=10_000, receive_maximum=window)
    guest = lobby.join("s", clean_start=clean_start, properties=properties)
    if clean_start:
        guest.say(wish("$tidings/wish/0", 1, content="true"))
    return guest


def test_a_turn_of_events_is_one_carrier(lobby):
    """Acknowledged together; quality 0 has a carrier of its own."""
    guest = our_client(lobby)
    publisher = lobby.join("p")
    publisher.say(*(said("t", b"%d" % number, qos=number % 2, packet_id=number) for number in range(6)))
    heard = guest.take()
    assert carried(heard) == [[0, 2, 4], [1, 3, 5]]
    assert [(packet.qos, packet.packet_id) for packet in heard] == [(0, 0), (1, 1)]
    guest.say(Puback(packet_id=1))
    assert not any(lobby.claimed.values())


def test_carriers_keep_to_the_window(lobby):
    """Each is one packet of it; what does not fit waits, and comes in order."""
    guest = our_client(lobby, window=2)
    for start in range(0, 8, 2):
        publisher = lobby.join("p")
        publisher.say(*(said("t", b"%d" % number, qos=1, packet_id=number + 1) for number in (start, start + 1)))
    assert carried(guest.take()) == [[0, 1], [2, 3]]
    assert carried(guest.say(Puback(packet_id=1))) == [[4, 5, 6, 7]]
    publish(lobby, 8)
    assert guest.take() == []
    assert carried(guest.say(Puback(packet_id=2))) == [[8]]


def test_no_more_events_are_in_flight_than_are_recognised():
    """Our client knows that many as repeated."""
    lobby = Lobby(limits=Limits(receive_max=60_000, in_flight_max=60_000))
    guest = our_client(lobby)
    publisher = lobby.join("p")
    publisher.say(
        *(said("t", b"%d" % number, qos=1, packet_id=number + 1) for number in range(EVENTS_IN_FLIGHT_MAX + 10))
    )
    rows = carried(guest.take())
    assert sum(map(len, rows)) == EVENTS_IN_FLIGHT_MAX
    more = carried(guest.say(Puback(packet_id=1)))
    assert [one for row in (*rows, *more) for one in row] == list(range(EVENTS_IN_FLIGHT_MAX + 10))


def test_carriers_are_sent_again(lobby):
    """With the same events under the same identifier, but for those that have expired; then what waited."""
    guest = our_client(lobby, window=1)
    publisher = lobby.join("p")
    brief = Properties(message_expiry_s=5)
    publisher.say(said("t", b"0", qos=1, packet_id=1), said("t", b"1", qos=1, packet_id=2, properties=brief))
    publish(lobby, 2, 3)
    assert carried(guest.take()) == [[0, 1]]
    guest.leave()
    lobby.wait(6)
    guest = our_client(lobby, clean_start=False, window=2)
    heard = guest.take()
    assert carried(heard) == [[0], [2, 3]]
    assert [(packet.duplicate, packet.packet_id) for packet in heard] == [(True, 1), (False, 2)]
    guest.say(Puback(packet_id=1), Puback(packet_id=2))
    assert not any(lobby.claimed.values())


def test_carriers_survive_a_crash():
    """Those in flight as they were, those that waited behind them."""
    lobby = Lobby(durable=True)
    guest = our_client(lobby, window=1)
    publisher = lobby.join("p")
    publisher.say(*(said("t", b"%d" % number, qos=1, packet_id=number + 1) for number in range(3)))
    publish(lobby, 3, 4)
    assert carried(guest.take()) == [[0, 1, 2]]
    lobby.start()
    assert carried(our_client(lobby, clean_start=False, window=9).take()) == [[0, 1, 2], [3, 4]]


def test_retained_messages_survive_with_their_flag():
    """Sent to a session that was not there to take them."""
    lobby = Lobby(durable=True)
    lobby.join("p").say(said("t", b"5", qos=1, retain=True))
    guest = keeper(lobby, window=1, pattern="x")
    lobby.sync = False
    guest.say(wish("t", 1))
    lobby.sync = True
    lobby.write()
    guest.leave()
    lobby.start()
    (packet,) = (one for one in keeper(lobby, clean_start=False).take() if isinstance(one, Publish))
    assert (packet.payload, packet.retain, packet.duplicate) == (b"5", True, True)
