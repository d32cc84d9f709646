"""Where clients come in: who they are, which session they get, what they are told about the house, and how they leave."""

import itertools
from typing import Final

from tidings.errors import PacketRefused
from tidings.mqtt.connection import Connection, Phase
from tidings.mqtt.house import CONNECT, KEEP_ALIVE, House
from tidings.mqtt.limits import ALIASES_MAX, CLIENT_ID_CHARACTERS_MAX
from tidings.mqtt.link import Link
from tidings.mqtt.notices import ConnectionOpened, Judge, Judged
from tidings.mqtt.publishing import Publishing
from tidings.mqtt.session import Session
from tidings.mqtt.sessions import Sessions, expiry_ns, expiry_of
from tidings.mqtt.subscribing import Subscribing
from tidings.vocabulary.instant import SECOND
from tidings.wire.mqtt_decode import PACKET_BYTES_MAX
from tidings.wire.mqtt_packets import (
    VERSION_5,
    Connack,
    Connect,
    Disconnect,
    Properties,
    Publish,
    Subscribe,
    Unsubscribe,
)
from tidings.wire.mqtt_reasons import Reason

TIDINGS: Final = "tidings"
"""User property of a CONNECT that asks for carriers, and of the CONNACK that grants them."""
PUBLISHER: Final = "publisher"
"""In that CONNACK: the identity of the client's event number 0."""
NEXT: Final = "next"
"""The number of its next event."""
NAME: Final = "name"
"""What its events must say as their publisher."""
CLOCK: Final = "clock"
"""Which clock instants are of, and what it shows now."""


class Desk:
    """One front's; see `tidings.mqtt.connection.Reception` for what connections ask of it."""

    def __init__(self, house: House, publishing: Publishing, sessions: Sessions) -> None:
        self.house, self.publishing, self.sessions = house, publishing, sessions
        self.subscribing = Subscribing(house)
        self.connections: dict[int, Connection] = {}
        self.closing: list[int] = []
        """Connections that are over, in this turn."""
        self.judging: list[Judge] = []
        """Clients about whom somebody must be asked, in this turn."""
        self._arriving: dict[int, Connect] = {}
        self.is_draining = False

    @property
    def now(self) -> int:
        """The instant of this turn."""
        return self.house.now

    def opened(self, notice: ConnectionOpened) -> None:
        """A client has connected: it has so long to say who it is."""
        link = Link(notice.connection, self.house.active)
        self.connections[notice.connection] = Connection(link, notice.principal, self)
        self.house.timers.set((CONNECT, notice.connection), self.now + self.house.limits.connect_ns_max)

    def ended(self, number: int) -> None:
        """A connection is gone."""
        connection = self.connections.pop(number, None)
        if connection is not None:
            connection.over(will=True)

    def drain(self) -> None:
        """Tell everybody that the broker is about to end; wills stay unsaid, for the sessions go on."""
        self.is_draining = True
        for connection in list(self.connections.values()):
            if connection.phase is Phase.OPEN and connection.link.version == VERSION_5:
                connection.link.say(Disconnect(reason=Reason.SERVER_SHUTTING_DOWN))
            connection.over(will=False)

    # ---- coming in

    def arrive(self, connection: Connection, connect: Connect) -> None:
        """Somebody says who it is: believed where it is known already, else asked about."""
        carries = connect.version == VERSION_5 and (TIDINGS, "1") in connect.properties.user
        connection.link.agree(connect, carries=carries)
        try:
            self._check(connect)
        except PacketRefused as refusal:
            self._refuse(connection, refusal)
            return
        self._arriving[connection.number] = connect
        if connection.principal is not None:
            self.judged(Judged(connection.number, connection.principal))
        else:
            self.judging.append(Judge(connection.number, connect.user_name, connect.password))

    def judged(self, notice: Judged) -> None:
        """It is known who this is, or that nobody knows it."""
        connect = self._arriving.pop(notice.connection, None)
        connection = self.connections.get(notice.connection)
        if connect is None or connection is None or connection.is_over:
            return
        if notice.principal is None:
            sentence = "no such user, or not this password"
            self._refuse(connection, PacketRefused(Reason.BAD_USER_NAME_OR_PASSWORD, sentence))
            return
        try:
            self._let_in(connection, connect, notice.principal)
        except PacketRefused as refusal:
            self._refuse(connection, refusal)

    def _refuse(self, connection: Connection, refusal: PacketRefused) -> None:
        self.house.counts.connects_refused += 1
        connection.refuse(refusal)

    def _check(self, connect: Connect) -> None:
        """What no client may ask for, whoever it is."""
        if self.is_draining:
            raise PacketRefused(Reason.SERVER_SHUTTING_DOWN, "the broker is about to end")
        if connect.properties.authentication_method is not None:
            raise PacketRefused(Reason.BAD_AUTHENTICATION_METHOD, "user name and password, or a certificate")
        if len(connect.client_id) > CLIENT_ID_CHARACTERS_MAX or not connect.client_id.isprintable():
            raise PacketRefused(
                Reason.CLIENT_IDENTIFIER_NOT_VALID,
                f"a client identifier has at most {CLIENT_ID_CHARACTERS_MAX} characters, all printable",
            )
        if not connect.client_id and connect.version != VERSION_5 and not connect.clean_start:
            raise PacketRefused(Reason.CLIENT_IDENTIFIER_NOT_VALID, "a session that is to last needs an identifier")

    def _let_in(self, connection: Connection, connect: Connect, principal: str) -> None:
        house, will = self.house, connect.will
        if will is not None and not house.rights_of(principal).may_publish(will.topic):
            raise PacketRefused(Reason.NOT_AUTHORIZED, "no right to publish the will")
        if will is not None and len(will.payload) > house.limits.payload_bytes_max:
            raise PacketRefused(Reason.PACKET_TOO_LARGE, "a will that is larger than is taken")
        session, present = self._session(connect, principal)
        session.identity.will = will
        self.sessions.settle(session, expiry_of(connect, house.limits.session_expiry_ns_max))
        house.timers.clear((CONNECT, connection.number))
        connection.keep_alive(self._keep_alive_s(connect))
        if connection.silence_ns is not None:
            house.timers.set((KEEP_ALIVE, connection.number), connection.silence_ns)
        connection.receive_max = house.limits.receive_max
        house.counts.connects += 1
        properties = self._welcome(connection, connect, session) if connect.version == VERSION_5 else Properties()
        connection.link.say(Connack(session_present=present, properties=properties), at_once=True)
        window = connect.properties.receive_maximum or house.limits.in_flight_max
        session.attach(connection.link, min(window, house.limits.in_flight_max))
        connection.open(session)

    def _session(self, connect: Connect, principal: str) -> tuple[Session, bool]:
        """The session that the client takes up, or a new one; whoever had it is sent away."""
        client_id = connect.client_id or self._new_client_id(principal)
        session = self.sessions.find(principal, client_id)
        if session is not None and session.link is not None:
            self.house.counts.taken_over += 1
            self.connections[session.link.number].end(Reason.SESSION_TAKEN_OVER)
            session = self.sessions.find(principal, client_id)
        if session is not None and connect.clean_start:
            self.sessions.end(session)
            session = None
        if session is not None:
            return session, True
        return self.sessions.make(principal, client_id), False

    def _new_client_id(self, principal: str) -> str:
        numbers = itertools.count(self.sessions.next_number)
        names = (f"{self.house.options.name}-{number}" for number in numbers)
        return next(name for name in names if self.sessions.find(principal, name) is None)

    def _welcome(self, connection: Connection, connect: Connect, session: Session) -> Properties:
        limits, identity = self.house.limits, session.identity
        asked = connect.properties.session_expiry_s
        granted_s, keep_alive_s = identity.expiry_ns // SECOND, self._keep_alive_s(connect)
        user: tuple[tuple[str, str], ...] = ()
        if connection.link.carries:
            base = self.publishing.identities.base(identity.index)
            clock = f"{self.house.options.clock}/{self.now}"
            user = ((TIDINGS, "1"), (PUBLISHER, str(base)), (NEXT, str(identity.count)), (NAME, identity.name))
            user += ((CLOCK, clock),)
        return Properties(
            session_expiry_s=granted_s if asked not in {None, granted_s} else None,
            receive_maximum=limits.receive_max,
            packet_bytes_maximum=PACKET_BYTES_MAX,
            topic_alias_maximum=ALIASES_MAX,
            assigned_client_id=None if connect.client_id else identity.client_id,
            server_keep_alive_s=None if keep_alive_s == connect.keep_alive_s else keep_alive_s,
            shared_available=0,
            user=user,
        )

    def _keep_alive_s(self, connect: Connect) -> int:
        """What was asked for, where the client can be told otherwise at most our own limit; 0: none."""
        longest = self.house.limits.keep_alive_s_max
        return min(connect.keep_alive_s, longest) if connect.version == VERSION_5 else connect.keep_alive_s

    # ---- being there

    def publish(self, connection: Connection, packet: Publish, topic: str) -> None:
        """A message, whose topic alias is resolved."""
        self.publishing.publish(_session_of(connection), connection.link, packet, topic)

    def carry(self, connection: Connection, packet: Publish) -> None:
        """A carrier."""
        self.publishing.carrier(_session_of(connection), connection.link, packet, connection.carriers)

    def release(self, connection: Connection, packet_id: int) -> None:
        """PUBREL."""
        self.publishing.release(_session_of(connection), connection.link, packet_id)

    def subscribe(self, connection: Connection, packet: Subscribe) -> None:
        """SUBSCRIBE."""
        self.subscribing.subscribe(_session_of(connection), connection.link, packet)

    def unsubscribe(self, connection: Connection, packet: Unsubscribe) -> None:
        """UNSUBSCRIBE."""
        self.subscribing.unsubscribe(_session_of(connection), connection.link, packet)

    # ---- leaving

    def expire_after(self, connection: Connection, seconds: int) -> bool:
        """DISCONNECT changes how long the session lives on; one that was to end now must not live on."""
        identity = _session_of(connection).identity
        if seconds and not identity.expiry_ns:
            return False
        identity.expiry_ns = expiry_ns(seconds, self.house.limits.session_expiry_ns_max)
        return True

    def part(self, connection: Connection, *, will: bool) -> None:
        """The connection is over, for the session behind it."""
        self._arriving.pop(connection.number, None)
        for kind in (CONNECT, KEEP_ALIVE):
            self.house.timers.clear((kind, connection.number))
        session = connection.session
        if session is not None and session.link is connection.link:
            self.publishing.forget(connection.link)
            self.subscribing.forget(session)
            if self.is_draining:
                session.detach()
            else:
                self.sessions.leave(session, will=will)

    def close(self, connection: Connection) -> None:
        """End the connection when all is written."""
        self.closing.append(connection.number)


def _session_of(connection: Connection) -> Session:
    assert connection.session is not None, "only open connections publish and subscribe"
    return connection.session
