"""All sessions of one broker: found, made, taken over, kept for later, ended; across processes where they are durable."""

from collections.abc import Iterator
from typing import Final

from tidings.errors import PacketRefused
from tidings.mqtt.house import EXPIRY, WILL, House
from tidings.mqtt.publishing import Publishing
from tidings.mqtt.records import SessionHead, SessionOver
from tidings.mqtt.session import Identity, Session
from tidings.vocabulary import frames
from tidings.vocabulary.instant import FOREVER, SECOND
from tidings.vocabulary.machine import ClientRemoved
from tidings.wire.mqtt_packets import VERSION_5, Connect
from tidings.wire.mqtt_reasons import Reason

NEVER_S: Final = 0xFFFF_FFFF
"""The session expiry of MQTT 5 that means: never."""


class Sessions:
    """By owner and client identifier: what one principal calls its own, no other can take up."""

    def __init__(self, house: House, publishing: Publishing) -> None:
        self._house, self._publishing = house, publishing
        self._by_owner: dict[tuple[str, str], Session] = {}
        self._by_name: dict[str, Session] = {}
        self._by_number: dict[int, Session] = {}
        self.next_number = 0
        self.gone: list[ClientRemoved] = []
        """What the broker machine must hear when the turn ends."""

    def __len__(self) -> int:
        return len(self._by_number)

    def __iter__(self) -> Iterator[Session]:
        return iter(self._by_number.values())

    def named(self, name: str) -> Session | None:
        """The session of a client that the broker machine knows by this name."""
        return self._by_name.get(name)

    def numbered(self, number: int) -> Session | None:
        """The session with this number."""
        return self._by_number.get(number)

    def find(self, principal: str, client_id: str) -> Session | None:
        """The session that a principal has under this identifier."""
        return self._by_owner.get((principal, client_id))

    def make(self, principal: str, client_id: str) -> Session:
        """A new session; PacketRefused when there is no room for one more."""
        if len(self) >= self._house.limits.sessions_max:
            raise PacketRefused(Reason.QUOTA_EXCEEDED, "no room for more sessions")
        name = f"{principal}:{client_id}" if principal else client_id
        if name in self._by_name:
            raise PacketRefused(Reason.CLIENT_IDENTIFIER_NOT_VALID, "the client identifier is another client's name")
        index = self._publishing.identities.next_index()
        session = Session(Identity(self.next_number, name, principal, client_id, index), self._house)
        self.add(session)
        return session

    def add(self, session: Session) -> None:
        """A session that is made, or that an earlier process left."""
        identity = session.identity
        self._by_owner[identity.principal, identity.client_id] = session
        self._by_name[identity.name] = self._by_number[identity.number] = session
        self.next_number = max(self.next_number, identity.number + 1)

    def settle(self, session: Session, expiry_ns: int) -> None:
        """Let a session that is being taken up outlive its connection for so long, and the process where it can."""
        identity = session.identity
        identity.expiry_ns = expiry_ns
        identity.durable |= bool(expiry_ns) and self._house.options.durable
        self._house.timers.clear((EXPIRY, identity.number))
        self._house.timers.clear((WILL, identity.number))
        if identity.durable:
            self._house.ledger.note(head_of(session))

    def leave(self, session: Session, *, will: bool) -> None:
        """The session's connection is gone; `will`: without the words that let its will be forgotten."""
        session.detach()
        identity, timers = session.identity, self._house.timers
        if not will:
            identity.will = None
        if identity.will is not None:
            delay_ns = (identity.will.properties.will_delay_s or 0) * SECOND
            if delay_ns and identity.expiry_ns:
                timers.set((WILL, identity.number), self._house.now + delay_ns)
            else:
                self.publish_will(session)
        if not identity.expiry_ns:
            self.end(session)
        else:
            timers.set((EXPIRY, identity.number), self._house.now + identity.expiry_ns)

    def publish_will(self, session: Session) -> None:
        """Say what the client has left behind, once."""
        will, session.identity.will = session.identity.will, None
        if will is not None:
            self._publishing.will(session, will)
            if session.identity.durable:
                self._house.ledger.note(head_of(session))

    def end(self, session: Session) -> None:
        """The session is over: nothing is wanted and nothing owed any more."""
        self.publish_will(session)
        identity = session.identity
        for one in session.subscriptions:
            self._house.say(identity.name, frames.Unsubscribe(one.number))
        self.gone.append(ClientRemoved(identity.name))
        self._house.timers.clear((EXPIRY, identity.number))
        self._house.timers.clear((WILL, identity.number))
        if identity.durable:
            self._house.ledger.note(SessionOver(identity.number))
            for number in session.outgoing.numbers():
                self._house.ledger.release(number)
        del self._by_owner[identity.principal, identity.client_id]
        del self._by_name[identity.name], self._by_number[identity.number]
        self._house.touched.pop(identity.number, None)


def expiry_of(connect: Connect, cap_ns: int) -> int:
    """How long a session is to outlive its connection, at most `cap_ns`."""
    if connect.version != VERSION_5:
        return 0 if connect.clean_start else cap_ns
    return expiry_ns(connect.properties.session_expiry_s, cap_ns)


def expiry_ns(seconds: int | None, cap_ns: int) -> int:
    """The same of what MQTT 5 says in seconds; None: nothing was said."""
    asked_ns = FOREVER if seconds == NEVER_S else (seconds or 0) * SECOND
    return min(asked_ns, cap_ns)


def head_of(session: Session) -> SessionHead:
    """What is kept of a session beside its subscriptions and queues."""
    one = session.identity
    return SessionHead(one.number, one.name, one.principal, one.client_id, one.expiry_ns, one.index, one.will)
