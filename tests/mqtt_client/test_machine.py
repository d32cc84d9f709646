"""A client as a whole: rain, planted bugs that rain must find, greetings, timers, and how it ends."""

import pytest

from mqtt_client.rain import Rain
from mqtt_client.talk import Talk
from tidings.errors import PeerError, RequestRefused
from tidings.mqtt_client import machine as machines
from tidings.mqtt_client.inbox import Inbox
from tidings.mqtt_client.machine import Phase
from tidings.mqtt_client.notices import BytesArrived, CloseRequested, Connected
from tidings.mqtt_client.options import Secret
from tidings.mqtt_client.outbox import Outbox
from tidings.wire.mqtt_packets import (
    Auth,
    Connack,
    Disconnect,
    Pingreq,
    Pingresp,
    Properties,
    Puback,
    Publish,
    Suback,
)
from tidings.wire.mqtt_reasons import Reason

STEPS = 300


@pytest.mark.parametrize("crashes", [False, True], ids=["cuts", "cuts and crashes"])
def test_rain(seeds, crashes):
    """Lines that break anywhere, brokers that crash: nothing acknowledged is lost, nothing shown twice or out of order."""
    cuts = downs = 0
    for seed in seeds:
        rain = Rain(seed, crashes=crashes)
        rain.fall(STEPS)
        rain.clear_up()
        assert list(rain.problems()) == [], f"seed {seed}"
        cuts, downs = cuts + rain.cuts, downs + rain.downs
    assert cuts > len(seeds)
    assert bool(downs) == crashes


@pytest.mark.slow
def test_long_rain():
    """The same for a longer time."""
    for seed in range(1_000, 1_050):
        rain = Rain(seed)
        rain.fall(2_000)
        rain.clear_up()
        assert list(rain.problems()) == [], f"seed {seed}"


def test_the_same_rain_is_the_same():
    """One seed, one course of events."""
    first, second = Rain(4), Rain(4)
    for rain in (first, second):
        rain.fall(STEPS)
    assert [one.shown for one in first.listeners] == [one.shown for one in second.listeners]


class Oblivious(Inbox):
    """Knows nothing again."""

    def _known(self, packet, digest):
        return None

    def unseen(self, events):
        return events


class Eager(Outbox):
    """Takes what it has sent for acknowledged when the connection breaks."""

    def pause(self):
        for flight in self._flights.values():
            self._over(flight.pendings)
            flight.pendings, flight.half = [], True
        super().pause()


class Impatient(Outbox):
    """Sends what waits before what is to be sent once more."""

    def fill(self, now):
        again, self._again = self._again, type(self._again)()
        said = super().fill(now)
        self._again = again
        return [*said, *super().fill(now)]


@pytest.mark.parametrize(
    ("part", "planted", "problem"),
    [
        ("inbox", Oblivious, "shown twice"),
        ("outbox", Eager, "lost"),
        ("outbox", Impatient, "out of order"),
    ],
    ids=["repeated", "forgotten", "overtaken"],
)
def test_rain_finds_planted_bugs(part, planted, problem):
    """Each by its own complaint, within a few showers."""
    found = []
    for seed in range(30):
        rain = Rain(seed, crashes=False)
        for one in rain.users:
            getattr(one.machine, part).__class__ = planted
        rain.fall(STEPS)
        try:
            rain.clear_up()
        except AssertionError:
            continue
        found += [one for one in rain.problems() if problem in one]
        if found:
            return
    raise AssertionError(f"nobody has noticed {planted.__name__}")


# ---- greeting


def test_the_first_connection_starts_anew_and_later_ones_go_on():
    """What an earlier process has left is not ours, unless it is asked for."""
    talk = Talk()
    talk.connect()
    assert talk.greeting.clean_start
    talk.lose()
    talk.connect(present=True)
    assert not talk.greeting.clean_start
    lasting = Talk(clean_start=False)
    lasting.connect(present=True)
    assert not lasting.greeting.clean_start


def test_a_connection_that_came_to_nothing_was_none():
    """The next one still starts anew."""
    talk = Talk()
    talk.tell(Connected())
    talk.lose()
    talk.connect()
    assert talk.greeting.clean_start
    assert talk.machine.counts.connections == 1


def test_it_says_who_it_is_and_what_it_takes():
    """Name, password, session, window, sizes."""
    talk = Talk(user_name="ann", password=Secret(b"pw"), receive_maximum=7, session_expiry_s=9, carriers=True)
    talk.connect()
    greeting = talk.greeting
    assert (greeting.client_id, greeting.user_name, greeting.password) == ("ann", "ann", b"pw")
    properties = greeting.properties
    assert (properties.receive_maximum, properties.session_expiry_s) == (7, 9)
    assert properties.user == (("tidings", "1"),)
    assert "pw" not in repr(talk.machine.options)


@pytest.mark.parametrize("reason", [Reason.BAD_USER_NAME_OR_PASSWORD, Reason.NOT_AUTHORIZED, Reason.BANNED])
def test_who_is_not_let_in_for_good_reasons_does_not_ask_again(reason):
    """The error says why."""
    talk = Talk()
    talk.tell(Connected())
    talk.hear(Connack(reason=reason, properties=Properties(reason_text="no such user")))
    assert talk.closed
    assert talk.machine.phase is Phase.OVER
    assert isinstance(talk.failed, RequestRefused)
    assert "no such user" in str(talk.failed)


@pytest.mark.parametrize("reason", [Reason.SERVER_BUSY, Reason.SERVER_SHUTTING_DOWN, Reason.QUOTA_EXCEEDED])
def test_a_broker_that_cannot_now_is_asked_again(reason):
    """The connection ends, the client does not."""
    for said in (Connack(reason=reason), Disconnect(reason=reason)):
        talk = Talk()
        if isinstance(said, Connack):
            talk.tell(Connected())
        else:
            talk.connect()
        talk.hear(said)
        assert talk.closed
        assert talk.failed is None
        assert talk.machine.phase is Phase.AWAY


def test_whoever_loses_its_session_to_another_client_gives_in():
    """Two clients with one identifier do not throw each other out for ever."""
    talk = Talk()
    talk.connect()
    talk.hear(Disconnect(reason=Reason.SESSION_TAKEN_OVER))
    assert "another client has taken over the session of 'ann'" in str(talk.failed)
    assert talk.tell(Connected()) == []


@pytest.mark.parametrize(
    "packet",
    [Suback(packet_id=1, reasons=(0,)), Publish(topic="t"), Pingresp()],
    ids=lambda packet: type(packet).__name__,
)
def test_a_broker_that_speaks_before_its_turn_is_left(packet):
    """A CONNACK comes first."""
    talk = Talk()
    talk.tell(Connected())
    (goodbye,) = talk.hear(packet)
    assert goodbye.reason == Reason.PROTOCOL_ERROR
    assert isinstance(talk.failed, PeerError)


@pytest.mark.parametrize("packet", [Connack(), Auth()], ids=lambda packet: type(packet).__name__)
def test_a_broker_that_speaks_nonsense_is_left(packet):
    """A second CONNACK, an AUTH that nobody has asked for, bytes that are no packet."""
    talk = Talk()
    talk.connect()
    talk.hear(packet)
    assert "broken the protocol" in str(talk.failed)


def test_bytes_that_are_no_packet_end_it():
    """With MQTT's reason."""
    talk = Talk()
    talk.connect()
    (goodbye,) = talk.tell(BytesArrived(b"\x00\x00"))
    assert goodbye.reason in {Reason.MALFORMED_PACKET, Reason.PROTOCOL_ERROR}
    assert talk.machine.phase is Phase.OVER


def test_a_welcome_of_ours_that_lacks_something_is_no_welcome():
    """Carriers cannot be made without names and clocks."""
    talk = Talk(carriers=True)
    talk.connect(user=(("tidings", "1"), ("publisher", "x")))
    assert "does not say what carriers need" in str(talk.failed)


# ---- timers


def test_a_silent_client_says_that_it_is_there():
    """After its keep-alive, and not while it says other things; the broker may shorten it."""
    talk = Talk(keep_alive_s=30)
    talk.connect(server_keep_alive_s=10)
    assert talk.wait(9) == []
    talk.publish(b"x")
    assert talk.wait(9) == []
    assert talk.wait(2) == [Pingreq()]
    talk.hear(Pingresp())
    assert talk.machine.deadline() == talk.machine._said_ns + 10 * 10**9


def test_without_keep_alive_there_is_no_timer():
    """Nothing is due."""
    talk = Talk(keep_alive_s=0)
    talk.connect()
    assert talk.machine.deadline() is None
    assert talk.wait(10_000) == []


@pytest.mark.parametrize("greeted", [False, True])
def test_a_broker_that_does_not_answer_counts_as_gone(greeted):
    """Neither to the greeting nor to a ping; the client may try again."""
    talk = Talk(keep_alive_s=5)
    talk.connect() if greeted else talk.tell(Connected())
    talk.wait(30)
    assert talk.closed
    assert talk.failed is None
    assert talk.machine.phase is Phase.AWAY


def test_any_word_of_the_broker_will_do():
    """An acknowledgement counts as much as a PINGRESP."""
    talk = Talk(keep_alive_s=5)
    talk.connect()
    talk.wait(6)
    talk.hear(Puback(packet_id=3))
    talk.wait(4)
    assert not talk.closed


def test_who_does_not_read_cannot_hear_the_answer():
    """While the application is behind, and nothing is read, the broker is not taken for gone."""
    talk = Talk(keep_alive_s=5, backlog_events_max=1)
    talk.connect()
    talk.grant(talk.subscribe(0, "t", qos=0), 0)
    talk.hear(Publish(topic="t"))
    assert not talk.machine.wants_reading
    talk.wait(60)
    assert not talk.closed
    talk.settle()
    assert talk.machine.wants_reading


def test_while_an_answer_is_awaited_reading_goes_on():
    """Else an application that publishes what it was shown would wait for itself."""
    talk = Talk(backlog_events_max=1)
    talk.connect()
    talk.grant(talk.subscribe(0, "t", qos=0), 0)
    talk.hear(Publish(topic="t"))
    talk.take(talk.publish(b"x")[:0])
    assert talk.machine.wants_reading
    talk.hear(Publish(topic="t"), Puback(packet_id=2))
    assert talk.machine.counts.dropped == 1
    assert not talk.machine.wants_reading


# ---- the end


def test_closing_says_goodbye_and_ends_the_session():
    """Unless the session is to be kept."""
    for over, expiry_s in ((True, 0), (False, None)):
        talk = Talk()
        talk.connect()
        (goodbye,) = talk.tell(CloseRequested(over=over))
        assert goodbye == Disconnect(properties=Properties(session_expiry_s=expiry_s))
        assert talk.closed
        assert talk.machine.phase is Phase.OVER
        assert talk.machine.deadline() is None


def test_closing_away_from_any_broker_says_nothing():
    """There is nobody to say it to."""
    talk = Talk()
    assert talk.tell(CloseRequested()) == []
    assert talk.machine.phase is Phase.OVER


def test_late_bytes_of_an_old_connection_are_nothing():
    """They are not taken for the next one's."""
    talk = Talk()
    talk.connect()
    talk.lose()
    assert talk.hear(Disconnect(reason=Reason.NOT_AUTHORIZED)) == []
    assert talk.failed is None


def test_every_notice_and_every_packet_of_a_broker_has_its_action():
    """Nothing falls through."""
    assert {one.__name__ for one in machines.ClientMachine._PACKETS} >= {"Publish", "Puback", "Suback", "Unsuback"}
    assert len(machines.ClientMachine._ACTIONS) == 9
