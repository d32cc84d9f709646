"""A client as a machine: one session with a broker, over as many connections as it takes.

away ──Connected──► greeting ──CONNACK──► open ──► away, when the connection ends
  └──────────────────────┴────────────────┴────► over: refused for good, taken over, closed

What the application wants is taken in whatever the phase; it goes out when the phase is open.
"""

import enum
from collections.abc import Callable
from typing import Any, ClassVar, Final

from tidings.errors import PacketRefused, PeerError, RequestRefused, TidingsError
from tidings.mqtt_client.counts import Counts
from tidings.mqtt_client.inbox import Inbox
from tidings.mqtt_client.interests import Interests
from tidings.mqtt_client.notices import (
    BytesArrived,
    ClientEffects,
    CloseRequested,
    Congested,
    Connected,
    Disconnected,
    Notice,
    PublicationsRequested,
    Settled,
    SubscriptionEnded,
    SubscriptionRequested,
)
from tidings.mqtt_client.options import ClientOptions
from tidings.mqtt_client.outbox import Outbox
from tidings.mqtt_client.packet_ids import PacketIds
from tidings.mqtt_client.showing import Showing
from tidings.mqtt_client.terms import connect_packet, terms_of
from tidings.vocabulary.instant import SECOND
from tidings.wire.mqtt_decode import MqttDecoder
from tidings.wire.mqtt_encode import encode_packet
from tidings.wire.mqtt_packets import (
    VERSION_5,
    Auth,
    Connack,
    Disconnect,
    Packet,
    Pingreq,
    Pingresp,
    Properties,
    Puback,
    Pubcomp,
    Publish,
    Pubrec,
    Pubrel,
    Suback,
    Unsuback,
)
from tidings.wire.mqtt_reasons import FAILURE, Reason

TRANSIENT: Final = (
    Reason.UNSPECIFIED_ERROR,
    Reason.IMPLEMENTATION_SPECIFIC_ERROR,
    Reason.SERVER_UNAVAILABLE,
    Reason.SERVER_BUSY,
    Reason.SERVER_SHUTTING_DOWN,
    Reason.KEEP_ALIVE_TIMEOUT,
    Reason.MESSAGE_RATE_TOO_HIGH,
    Reason.QUOTA_EXCEEDED,
    Reason.ADMINISTRATIVE_ACTION,
    Reason.USE_ANOTHER_SERVER,
    Reason.SERVER_MOVED,
    Reason.CONNECTION_RATE_EXCEEDED,
    Reason.MAXIMUM_CONNECT_TIME,
)
"""Reasons with which a broker ends a connection, and another connection may help."""


class Phase(enum.Enum):
    """Where a client is."""

    AWAY = "away"
    GREETING = "greeting"
    OPEN = "open"
    OVER = "over"


class ClientMachine:
    """The machine."""

    def __init__(self, options: ClientOptions) -> None:
        self.options = options
        self.phase = Phase.AWAY
        self.counts = Counts()
        ids = PacketIds()
        self.outbox = Outbox(options, ids)
        self.interests = Interests(ids)
        self.inbox = Inbox(options, self.counts)
        self.showing = Showing(options, self.interests, self.inbox, self.counts)
        self._decoder = MqttDecoder("server", version=VERSION_5)
        self._effects = ClientEffects()
        self._keep_alive_ns = 0
        self._said_ns = 0
        """When something was written last."""
        self._answer_by_ns: int | None = None
        """When the broker counts as gone unless it says something before."""
        self._now = 0
        self._congested = False
        self._renews = False
        """The broker has forgotten us: nothing is published before it knows again what we want, some of which may be ours."""

    # ---- the machine contract

    def receive(self, notice: Notice, now: int) -> None:
        """Take in what happened."""
        self._now = now
        if self.phase is not Phase.OVER:
            self._ACTIONS[type(notice)](self, notice)

    def expire(self, now: int) -> None:
        """Do what is due."""
        self._now = now
        self.outbox.expire(now)
        if self._answer_by_ns is not None and self._answer_by_ns <= now:
            if self.wants_reading:
                self._end(None)
            else:  # what it said may be in the socket
                self._answer_by_ns = now + self.options.answer_ns_max
        elif self.phase is Phase.OPEN and self._keep_alive_ns and self._said_ns + self._keep_alive_ns <= now:
            self._say(encode_packet(Pingreq()))
            if self._answer_by_ns is None:
                self._answer_by_ns = now + self.options.answer_ns_max

    def deadline(self) -> int | None:
        """When `expire` has something to do; ask after `drain`."""
        instants = [self.outbox.deadline, self._answer_by_ns]
        if self.phase is Phase.OPEN and self._keep_alive_ns:
            instants.append(self._said_ns + self._keep_alive_ns)
        due = [one for one in instants if one is not None]
        return min(due) if due else None

    def drain(self) -> ClientEffects:
        """Everything wanted since the last call."""
        effects, self._effects = self._effects, ClientEffects()
        if self.phase is Phase.OPEN:
            requests, self.interests.write = self.interests.write, []
            answers, self.inbox.write = self.inbox.write, []
            effects.write += [*answers, *requests]
            self._renews = self._renews and self.interests.awaits
            if not (self._congested or self._renews):
                effects.write += self.outbox.fill(self._now)
        if effects.write:
            self._said_ns = self._now
        effects.answers, self.outbox.answers = self.outbox.answers, []
        effects.granted, self.interests.granted = self.interests.granted, []
        effects.show = self.showing.take()
        for answer in effects.answers:
            self.counts.published += answer.count if answer.refusal is None else 0
            self.counts.refused += 0 if answer.refusal is None else answer.count
        return effects

    # ---- for whoever drives it

    @property
    def wants_reading(self) -> bool:
        """False while the application is too far behind and nobody waits for what the broker would say next."""
        return (
            not self.showing.is_behind
            or self.phase is not Phase.OPEN
            or bool(self.outbox.events)
            or self.interests.awaits
        )

    @property
    def is_done(self) -> bool:
        """True when nothing is left that the broker has not acknowledged."""
        return not self.outbox.events and not self.interests.awaits

    # ---- notices

    def _connected(self, _notice: Connected) -> None:
        self.phase = Phase.GREETING
        self._decoder = MqttDecoder("server", version=VERSION_5)
        self._answer_by_ns = self._now + self.options.answer_ns_max
        clean = self.options.clean_start and not self.counts.connections
        self._say(encode_packet(connect_packet(self.options, clean_start=clean)))

    def _arrived(self, notice: BytesArrived) -> None:
        if self.phase is Phase.AWAY:
            return
        if self.phase is Phase.OPEN:
            self._answer_by_ns = None
        for packet in self._decoder.feed(notice.data):
            self._take(packet)
            if self.phase not in {Phase.GREETING, Phase.OPEN}:
                return
        if self._decoder.refused is not None:
            self._break(self._decoder.refused)

    def _writing(self, notice: Congested) -> None:
        self._congested = notice.is_so

    def _disconnected(self, _notice: Disconnected) -> None:
        self._congested = False
        self.phase = Phase.AWAY
        self._answer_by_ns = None
        self.outbox.pause()
        self.inbox.pause()
        self.interests.pause()
        self.inbox.write.clear()
        self.interests.write.clear()

    def _publications(self, notice: PublicationsRequested) -> None:
        self.outbox.ask(notice.publications, notice.ticket, self._now)

    def _subscription(self, notice: SubscriptionRequested) -> None:
        self.interests.add(notice)
        self.showing.claim()

    def _close(self, notice: CloseRequested) -> None:
        if self.phase is Phase.OPEN:
            rest = [*self.inbox.write, *self.interests.write]
            properties = Properties(session_expiry_s=0) if notice.over else Properties()
            self._effects.write += [*rest, encode_packet(Disconnect(properties=properties))]
        self._effects.close = True
        self.phase, self._answer_by_ns = Phase.OVER, None

    # ---- packets

    def _take(self, packet: Packet) -> None:
        try:
            self._action(packet)(self, packet)
        except PacketRefused as refusal:
            self._break(refusal)

    def _action(self, packet: Packet) -> Callable[["ClientMachine", Any], None]:
        """What is done about a packet; PacketRefused for one that has no place here."""
        kind = type(packet)
        fits = kind in {Connack, Auth, Disconnect} if self.phase is Phase.GREETING else kind is not Connack
        action = self._PACKETS.get(kind)
        if action is None or not fits:
            raise PacketRefused(Reason.PROTOCOL_ERROR, f"a {kind.__name__} at the wrong time")
        return action

    def _connack(self, packet: Connack) -> None:
        if packet.reason >= FAILURE:
            self._refused(packet.reason, packet.properties.reason_text or "the broker does not let us in")
            return
        terms = terms_of(packet, self.options, self._now)
        self.phase, self._answer_by_ns = Phase.OPEN, None
        self._keep_alive_ns, self._said_ns = terms.keep_alive_s * SECOND, self._now
        self.counts.connections += 1
        self.counts.sessions_lost += self.counts.connections > 1 and not terms.session_present
        self.inbox.resume(session_present=terms.session_present)
        self.showing.resume(terms)
        self.interests.resume(terms)
        self._renews = self.counts.connections > 1 and not terms.session_present
        self.outbox.resume(terms)

    def _pubrec(self, packet: Pubrec) -> None:
        answer = self.outbox.pubrec(packet)
        if answer is not None:
            self._say(encode_packet(answer))

    def _goodbye(self, packet: Disconnect) -> None:
        if packet.reason >= FAILURE:
            self._refused(packet.reason, packet.properties.reason_text or "the broker has ended the connection")
        else:
            self._end(None)

    def _refused(self, reason: int, sentence: str) -> None:
        if reason == Reason.SESSION_TAKEN_OVER:
            sentence = f"another client has taken over the session of {self.options.client_id!r}"
        self._end(None if reason in TRANSIENT else RequestRefused(reason, sentence))

    def _auth(self, _packet: Auth) -> None:
        raise PacketRefused(Reason.PROTOCOL_ERROR, "an AUTH that we have not asked for")

    def _break(self, refusal: PacketRefused) -> None:
        """The broker has broken the protocol: tell it, and do not try again."""
        self._say(encode_packet(Disconnect(reason=refusal.reason)))
        self._end(PeerError(f"the broker has broken the protocol: {refusal}"))

    def _end(self, problem: TidingsError | None) -> None:
        """End the connection; with a problem that another connection would not solve, end altogether."""
        self._effects.close = True
        self._answer_by_ns = None
        if problem is not None:
            self._effects.failed, self.phase = problem, Phase.OVER
        else:
            self._disconnected(Disconnected())

    def _say(self, data: bytes) -> None:
        self._effects.write.append(data)

    _ACTIONS: ClassVar[dict[type, Callable[["ClientMachine", Any], None]]] = {
        Connected: _connected,
        BytesArrived: _arrived,
        Disconnected: _disconnected,
        PublicationsRequested: _publications,
        SubscriptionRequested: _subscription,
        SubscriptionEnded: lambda self, notice: self.interests.remove(notice.number),
        Settled: lambda self, notice: self.showing.settle(notice.delivery, notice.count),
        Congested: _writing,
        CloseRequested: _close,
    }
    """What each notice is about."""

    _PACKETS: ClassVar[dict[type, Callable[["ClientMachine", Any], None]]] = {
        Connack: _connack,
        Publish: lambda self, packet: self.showing.arrive(packet, self._now),
        Puback: lambda self, packet: self.outbox.puback(packet),
        Pubrec: _pubrec,
        Pubrel: lambda self, packet: self.inbox.release(packet.packet_id),
        Pubcomp: lambda self, packet: self.outbox.pubcomp(packet.packet_id),
        Suback: lambda self, packet: self.interests.suback(packet),
        Unsuback: lambda self, packet: self.interests.unsuback(packet),
        Pingresp: lambda _self, _packet: None,
        Disconnect: _goodbye,
        Auth: _auth,
    }
    """What is done about each kind of packet."""
