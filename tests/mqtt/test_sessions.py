"""Sessions: how long they live on, what is said when their clients have gone, and that nothing of them stays behind."""

import pytest

from mqtt.lobby import LASTING, Lobby, payloads, said, wish
from tidings.mqtt.sessions import expiry_ns, expiry_of
from tidings.vocabulary.instant import SECOND
from tidings.wire.mqtt_packets import Connect, Disconnect, Properties, Will
from tidings.wire.mqtt_reasons import Reason

WILL = Will(topic="w", payload=b"gone", qos=1)
LATER = Will(topic="w", payload=b"gone", properties=Properties(will_delay_s=20))


def watched(**options):
    """A house with somebody who hears wills."""
    lobby = Lobby(**options)
    watcher = lobby.join("w")
    watcher.say(wish("w", 1))
    return lobby, watcher


def test_what_a_session_is_to_outlive():
    """In MQTT 5 so many seconds; in the older version the connection only, or everything that may be."""
    cap = 500 * SECOND
    assert expiry_of(Connect(client_id="c", version=4), cap) == 0
    assert expiry_of(Connect(client_id="c", version=4, clean_start=False), cap) == cap
    assert expiry_of(Connect(client_id="c"), cap) == 0
    assert expiry_of(Connect(client_id="c", properties=Properties(session_expiry_s=7)), cap) == 7 * SECOND
    assert expiry_ns(None, cap) == 0
    assert expiry_ns(0xFFFF_FFFF, cap) == cap
    assert expiry_ns(501, cap) == cap


@pytest.mark.parametrize("version", [4, 5])
def test_a_session_that_is_not_to_last_ends_with_its_connection(version):
    """And the broker machine hears that nothing is wanted any more."""
    lobby = Lobby()
    guest = lobby.join("s", version=version)
    guest.say(wish("t", 1))
    guest.leave()
    assert len(lobby.front.sessions) == 0
    assert lobby.join("p").say(said("t", qos=1))[0].reason == 0
    assert lobby.front.house.counts.delivered == 0
    assert not lobby.join("s", version=version, clean_start=False).welcome.session_present


@pytest.mark.parametrize("version", [4, 5])
def test_a_session_that_lasts_gets_what_it_missed(version):
    """In order, but for quality 0, which waits for nobody."""
    lobby = Lobby()
    fields = {"version": version, "clean_start": False, "properties": LASTING}
    guest = lobby.join("s", **fields)
    guest.say(wish("t", 2))
    guest.leave()
    publisher = lobby.join("p")
    for number in range(6):
        publisher.say(said("t", b"%d" % number, qos=number % 3, packet_id=number))
    guest = lobby.join("s", **fields)
    assert guest.welcome.session_present
    assert payloads(guest.take()) == [b"1", b"2", b"4", b"5"]


def test_a_session_ends_when_nobody_takes_it_up():
    """Not a moment sooner, and not at all when somebody does."""
    lobby = Lobby()
    for name in "ab":
        lobby.join(name, properties=Properties(session_expiry_s=100)).leave()
    lobby.wait(99)
    assert lobby.join("b", clean_start=False, properties=LASTING).welcome.session_present
    lobby.wait(1)
    assert [session.name for session in lobby.front.sessions] == ["b"]


def test_a_will_is_said_when_a_client_is_lost():
    """By a broken connection, by silence, by breaking the rules."""
    lobby, watcher = watched()
    lobby.join("a", will=WILL).leave()
    assert payloads(watcher.take()) == [b"gone"]
    lobby.join("b", will=WILL, keep_alive_s=10)
    lobby.wait(16)
    assert payloads(watcher.take()) == [b"gone"]
    lobby.join("c", will=WILL).send(b"\0\0")
    assert payloads(watcher.take()) == [b"gone"]
    lobby.join("d", will=WILL).say(Disconnect(reason=Reason.DISCONNECT_WITH_WILL))
    assert payloads(watcher.take()) == [b"gone"]


def test_a_will_is_forgotten_when_a_client_says_goodbye():
    """And when it comes again without one."""
    lobby, watcher = watched()
    lobby.join("a", will=WILL).say(Disconnect())
    lobby.join("b", will=LATER, properties=LASTING).leave()
    lobby.join("b", clean_start=False).leave()
    lobby.wait(2_000)
    assert watcher.take() == []


def test_a_will_can_wait():
    """So long, or until the session ends; a client that is back in time has not gone."""
    lobby, watcher = watched()
    lobby.join("a", will=LATER, properties=LASTING).leave()
    lobby.wait(19)
    assert watcher.take() == []
    lobby.wait(1)
    assert payloads(watcher.take()) == [b"gone"]
    lobby.join("b", will=LATER, properties=Properties(session_expiry_s=5)).leave()
    lobby.wait(5)
    assert payloads(watcher.take()) == [b"gone"]
    lobby.join("c", will=LATER).leave()
    assert payloads(watcher.take()) == [b"gone"]
    lobby.join("d", will=LATER, properties=LASTING).leave()
    lobby.wait(19)
    lobby.join("d", will=LATER, clean_start=False, properties=LASTING)
    lobby.wait(100)
    assert watcher.take() == []


def test_whoever_is_sent_away_leaves_a_will():
    """At once, or, where its session goes on under another connection, not at all when it could wait."""
    lobby, watcher = watched()
    lobby.join("a", will=WILL)
    lobby.join("a")
    assert payloads(watcher.take()) == [b"gone"]
    lobby.join("b", will=LATER, properties=LASTING)
    lobby.join("b", clean_start=False)
    lobby.wait(100)
    assert watcher.take() == []
    lobby.join("c", will=LATER, properties=LASTING)
    lobby.join("c", clean_start=True)
    assert payloads(watcher.take()) == [b"gone"]


def test_a_will_can_be_retained():
    """Those who come later find it."""
    lobby = Lobby()
    lobby.join("a", will=Will(topic="w", payload=b"gone", retain=True)).leave()
    guest = lobby.join("s")
    assert [(packet.payload, packet.retain) for packet in guest.say(wish("w"))[:1]] == [(b"gone", True)]


def test_sessions_and_wills_outlive_the_process():
    """A will is said only when its client has had time to come back."""
    lobby, watcher = watched(durable=True)
    lobby.join("a", will=WILL, properties=LASTING)
    lobby.join("b", will=WILL, properties=LASTING)
    lobby.join("c", will=WILL)
    lobby.start()
    assert [session.name for session in lobby.front.sessions] == ["a", "b"]
    watcher = lobby.join("w")
    watcher.say(wish("w"))
    assert lobby.join("b", clean_start=False, properties=LASTING).welcome.session_present
    lobby.wait(9)
    assert watcher.take() == []
    lobby.wait(2)
    assert payloads(watcher.take()) == [b"gone"]
    lobby.start()
    lobby.wait(500)
    assert [session.identity.will for session in lobby.front.sessions] == [None, None]


def test_sessions_of_earlier_processes_expire():
    """Counted from the start; whoever was not to last is not there."""
    lobby = Lobby(durable=True)
    lobby.join("a", properties=Properties(session_expiry_s=100))
    lobby.join("b", properties=Properties(session_expiry_s=100)).say(
        Disconnect(properties=Properties(session_expiry_s=0))
    )
    lobby.start()
    lobby.wait(99)
    assert [session.name for session in lobby.front.sessions] == ["a"]
    lobby.wait(1)
    assert len(lobby.front.sessions) == 0
    lobby.start()
    assert len(lobby.front.sessions) == 0


def test_no_number_is_given_twice():
    """To sessions of one process; names, owners and numbers lead to the same."""
    lobby = Lobby()
    for name in "abc":
        lobby.join(name)
    lobby.join("b")
    found = {session.name: session.identity.number for session in lobby.front.sessions}
    assert found == {"a": 0, "c": 2, "b": 3}
    sessions = lobby.front.sessions
    assert sessions.named("b") is sessions.numbered(3) is sessions.find("", "b")
    assert sessions.numbered(1) is None


def test_what_ends_leaves_nothing_behind():
    """No timers, no wishes, no claims, no names at the broker machine."""
    lobby = Lobby(durable=True)
    for number in range(50):
        guest = lobby.join(f"s{number}", properties=LASTING, keep_alive_s=10, will=LATER)
        guest.say(wish("t", 1))
    for number in range(3):
        lobby.join("p").say(said("t", b"%d" % number, qos=1))
    lobby.wait(2_000)
    assert len(lobby.front.sessions) == 1
    assert not any(lobby.claimed.values())
    lobby.join("x").say(wish("t"))
    assert len(lobby.front.broker.clients) == 50
    lobby.begin_anew()
    assert lobby.disk == {}
