"""Coming in and leaving: who gets which session, who is sent away, and what each is told."""

import pytest

from mqtt.lobby import LASTING, Lobby, payloads, said, user, wish
from tidings.mqtt.limits import CLIENT_ID_CHARACTERS_MAX, Limits
from tidings.mqtt.notices import ConnectionEnded, DrainBegun, Judged
from tidings.mqtt.rights import ALL_RIGHTS, Rights
from tidings.wire.mqtt_encode import encode_packet
from tidings.wire.mqtt_packets import Connack, Connect, Disconnect, Properties, Will
from tidings.wire.mqtt_reasons import Reason

ANN = {"ann": (b"secret", "ann"), "bob": (b"hidden", "bob")}
RIGHTS = {"ann": ALL_RIGHTS, "bob": Rights(publish=("b/#",), subscribe=("b/#",)), "": ALL_RIGHTS}


def refused(lobby, *, version=5, **fields):
    """The reason why a CONNECT is not let in."""
    guest = lobby.guest(version)
    heard = guest.say(Connect(version=version, **{"client_id": "c", **fields}))
    assert guest.closed
    assert [type(packet) for packet in heard] == [Connack]
    assert not heard[0].session_present
    return heard[0].reason


def test_a_client_is_told_how_the_house_is_run():
    """What there is, what there is not, and the bounds that it must keep."""
    welcome = Lobby().join("c").welcome
    assert welcome == Connack(
        properties=Properties(
            receive_maximum=1_024,
            packet_bytes_maximum=(1 << 20) + (1 << 17),
            topic_alias_maximum=64,
            shared_available=0,
        )
    )
    assert Lobby().join("c", version=4).welcome == Connack()


def test_a_client_without_a_name_is_given_one():
    """Each another, and none that somebody has; the older version is not told."""
    lobby = Lobby()
    lobby.join("lima-2")
    names = [lobby.join("").welcome.properties.assigned_client_id for _ in range(3)]
    assert names == ["lima-1", "lima-3", "lima-4"]
    assert lobby.join("", version=4).welcome == Connack()
    assert len(lobby.front.sessions) == 5


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"client_id": "x" * (CLIENT_ID_CHARACTERS_MAX + 1)}, Reason.CLIENT_IDENTIFIER_NOT_VALID),
        ({"client_id": "a\nb"}, Reason.CLIENT_IDENTIFIER_NOT_VALID),
        ({"client_id": "\x1b[2J"}, Reason.CLIENT_IDENTIFIER_NOT_VALID),
        ({"properties": Properties(authentication_method="SCRAM")}, Reason.BAD_AUTHENTICATION_METHOD),
        ({"client_id": "", "version": 4, "clean_start": False}, Reason.CLIENT_IDENTIFIER_NOT_VALID),
    ],
)
def test_some_things_nobody_may_ask_for(fields, reason):
    """Whoever it is; nothing is left behind."""
    lobby = Lobby()
    assert refused(lobby, **fields) == reason
    assert len(lobby.front.sessions) == 0
    assert lobby.front.house.counts.connects_refused == 1


def test_a_password_opens_and_nothing_else_does():
    """No word says whether the name or the password was wrong."""
    lobby = Lobby(principals=ANN, rights=RIGHTS)
    assert lobby.join("c", user_name="ann", password=b"secret").welcome.reason == 0
    wrong = Reason.BAD_USER_NAME_OR_PASSWORD
    for name, password in (("ann", b"hidden"), ("ann", None), ("nobody", b"secret"), (None, None)):
        assert refused(lobby, user_name=name, password=password) == wrong
    assert [session.name for session in lobby.front.sessions] == ["ann:c"]


def test_a_session_belongs_to_its_owner():
    """Another principal with the same identifier gets one of its own, and hears nothing of the other's."""
    lobby = Lobby(principals=ANN, rights=RIGHTS, durable=True)
    ann = lobby.join("c", user_name="ann", password=b"secret", properties=LASTING)
    ann.say(wish("b/1", 1))
    ann.leave()
    lobby.join("p", user_name="ann", password=b"secret").say(said("b/1", qos=1))
    bob = lobby.join("c", user_name="bob", password=b"hidden", clean_start=False, properties=LASTING)
    assert not bob.welcome.session_present
    assert bob.take() == []
    ann = lobby.join("c", user_name="ann", password=b"secret", clean_start=False, properties=LASTING)
    assert ann.welcome.session_present
    assert len(payloads(ann.take())) == 1


def test_nobody_takes_a_name_that_another_has_in_events():
    """An identifier that looks like an owner's client."""
    lobby = Lobby(rights=RIGHTS)
    lobby.join("c", principal="ann")
    guest = lobby.guest()
    (answer,) = guest.say(Connect(client_id="ann:c"))
    assert answer.reason == Reason.CLIENT_IDENTIFIER_NOT_VALID
    assert guest.closed


def test_an_answer_that_comes_too_late_changes_nothing():
    """The client has gone meanwhile, or was never asked about."""
    lobby = Lobby()
    lobby.principals = {}
    guest = lobby.guest()
    guest.send(encode_packet(Connect(client_id="c")))
    guest.closed = False
    lobby.tell(Judged(99, "ann"))
    lobby.tell(ConnectionEnded(guest.number))
    lobby.tell(Judged(guest.number, ""))
    assert len(lobby.front.sessions) == 0


def test_the_newer_connection_wins():
    """The older is told, hears nothing more, and its session goes on where it is to last."""
    lobby = Lobby()
    first = lobby.join("c", properties=LASTING)
    first.say(wish("t"))
    second = lobby.join("c", clean_start=False, properties=LASTING)
    assert first.goodbye == Reason.SESSION_TAKEN_OVER
    assert second.welcome.session_present
    lobby.join("p").say(said("t"))
    assert len(payloads(second.take())) == 1
    third = lobby.join("c")
    assert second.goodbye == Reason.SESSION_TAKEN_OVER
    assert not third.welcome.session_present
    lobby.join("p").say(said("t"))
    assert third.take() == []
    assert lobby.front.house.counts.taken_over == 3


def test_a_clean_start_ends_what_was():
    """With what it was owed."""
    lobby = Lobby(durable=True)
    first = lobby.join("c", properties=LASTING)
    first.say(wish("t", 1))
    first.leave()
    lobby.join("p").say(said("t", qos=1))
    assert sum(lobby.claimed.values()) == 1
    assert not lobby.join("c", clean_start=True, properties=LASTING).welcome.session_present
    assert sum(lobby.claimed.values()) == 0


def test_there_is_room_for_so_many_sessions():
    """Those who have one may come back."""
    lobby = Lobby(limits=Limits(sessions_max=2))
    lobby.join("a", properties=LASTING).leave()
    lobby.join("b")
    assert refused(lobby) == Reason.QUOTA_EXCEEDED
    assert lobby.join("a", clean_start=False, properties=LASTING).welcome.session_present


def test_an_expiry_is_cut_to_what_is_kept():
    """And the client is told; never means as long as possible."""
    lobby = Lobby(limits=Limits(session_expiry_ns_max=100 * 10**9))
    for asked, told in ((50, None), (100, None), (101, 100), (0xFFFF_FFFF, 100), (None, None)):
        welcome = lobby.join("c", properties=Properties(session_expiry_s=asked)).welcome
        assert welcome.properties.session_expiry_s == told


def test_our_client_is_told_how_to_number_its_events():
    """Under which identity, from which number on, by which name, and by which clock."""
    lobby = Lobby(number=3, clock="boot")
    asks = user(("tidings", "1"))
    first, second = lobby.join("a", properties=asks), lobby.join("b", properties=asks)
    told = [dict(guest.welcome.properties.user) for guest in (first, second)]
    assert told[0] == {
        "tidings": "1",
        "publisher": told[0]["publisher"],
        "next": "0",
        "name": "a",
        "clock": f"boot/{lobby.now}",
    }
    assert int(told[0]["publisher"]) >> 53 == 3
    assert int(told[1]["publisher"]) - int(told[0]["publisher"]) == 1 << 32


def test_a_will_must_be_allowed():
    """Its topic, and its size."""
    lobby = Lobby(principals=ANN, rights=RIGHTS, limits=Limits(payload_bytes_max=10))
    bob = {"user_name": "bob", "password": b"hidden"}
    assert refused(lobby, will=Will(topic="a", payload=b""), **bob) == Reason.NOT_AUTHORIZED
    assert refused(lobby, will=Will(topic="b/1", payload=b"x" * 11), **bob) == Reason.PACKET_TOO_LARGE
    assert lobby.join("c", will=Will(topic="b/1", payload=b"x"), **bob).welcome.reason == 0


def test_disconnect_can_change_how_long_a_session_lives():
    """Shorter, longer, or not at all."""
    lobby = Lobby()
    lobby.join("a", properties=LASTING).say(Disconnect(properties=Properties(session_expiry_s=5)))
    lobby.join("b", properties=LASTING).say(Disconnect(properties=Properties(session_expiry_s=0)))
    lobby.join("c", properties=LASTING).say(Disconnect(properties=Properties(session_expiry_s=2_000)))
    assert [session.name for session in lobby.front.sessions] == ["a", "c"]
    lobby.wait(6)
    assert [session.name for session in lobby.front.sessions] == ["c"]
    lobby.wait(1_500)
    assert len(lobby.front.sessions) == 1


def test_a_drain_tells_everybody_and_takes_nobody():
    """Sessions that last are kept, their wills unsaid; who comes later is sent elsewhere."""
    lobby = Lobby()
    will = Will(topic="w", payload=b"gone")
    new, old = lobby.join("a", will=will, properties=LASTING), lobby.join("b", version=4)
    waiting = lobby.guest()
    watcher = lobby.join("w")
    watcher.say(wish("w"))
    late = lobby.guest()
    lobby.tell(DrainBegun())
    assert new.goodbye == Reason.SERVER_SHUTTING_DOWN
    assert (old.goodbye, waiting.goodbye, late.goodbye) == (None, None, None)
    assert payloads(watcher.everything) == []
    assert lobby.front.sessions.named("a").identity.will == will
    assert refused(lobby) == Reason.SERVER_SHUTTING_DOWN
