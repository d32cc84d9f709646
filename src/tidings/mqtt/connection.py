"""One client's connection as a machine: bytes in, packets in their order, and at most one session behind it.

new ──CONNECT──► judged ──answer──► open ──► over
 └───────────────────┴─────────────► over: refused, broken, silent for too long, taken over, drained
"""

import enum
from collections import deque
from collections.abc import Callable
from typing import Any, ClassVar, Final, Protocol

from tidings.errors import PacketRefused
from tidings.mqtt.limits import ALIASES_MAX
from tidings.mqtt.link import Link
from tidings.mqtt.session import Session
from tidings.vocabulary.instant import SECOND
from tidings.wire.carriers import TOPIC, CarrierReader
from tidings.wire.mqtt_decode import MqttDecoder
from tidings.wire.mqtt_packets import (
    VERSION_5,
    Auth,
    Connack,
    Connect,
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
    Subscribe,
    Unsubscribe,
)
from tidings.wire.mqtt_reasons import FAILURE, Reason

KEEP_ALIVE_SHARE: Final = 1.5
"""A client that is silent for as many times its keep-alive is gone."""


class Phase(enum.Enum):
    """Where a connection is in its life."""

    NEW = "new"
    JUDGED = "judged"
    OPEN = "open"
    OVER = "over"


class Reception(Protocol):
    """What a connection asks of the front that it belongs to."""

    @property
    def now(self) -> int:
        """The instant of this turn."""

    def arrive(self, connection: "Connection", connect: Connect) -> None:
        """Somebody says who it is; ends in `Connection.open`, or in `Connection.refuse`."""

    def publish(self, connection: "Connection", packet: Publish, topic: str) -> None:
        """A message, whose topic alias is resolved."""

    def carry(self, connection: "Connection", packet: Publish) -> None:
        """A carrier."""

    def release(self, connection: "Connection", packet_id: int) -> None:
        """PUBREL."""

    def subscribe(self, connection: "Connection", packet: Subscribe) -> None:
        """SUBSCRIBE."""

    def unsubscribe(self, connection: "Connection", packet: Unsubscribe) -> None:
        """UNSUBSCRIBE."""

    def part(self, connection: "Connection", *, will: bool) -> None:
        """The connection is over, for the session behind it."""

    def expire_after(self, connection: "Connection", seconds: int) -> bool:
        """DISCONNECT changes how long the session lives on; False when it must not."""

    def close(self, connection: "Connection") -> None:
        """End the connection when all is written."""


class Connection:
    """One connection's state."""

    def __init__(self, link: Link, principal: str | None, desk: Reception) -> None:
        self.number, self.link = link.number, link
        self.principal, self.desk = principal, desk
        self.phase = Phase.NEW
        self.decoder = MqttDecoder("client")
        self.heard_ns = desk.now
        self.keep_alive_ns: int | None = None
        self.receive_max = 0
        self.session: Session | None = None
        self.carriers = CarrierReader()
        self._held: deque[Packet] = deque()
        """What came before it was known who speaks."""
        self._aliases: dict[int, str] = {}

    # ---- what arrives

    def receive(self, data: bytes) -> None:
        """Bytes, in whatever pieces."""
        if self.is_over:
            return
        self.heard_ns = self.desk.now
        for packet in self.decoder.feed(data):
            if self.phase is Phase.JUDGED:
                self._held.append(packet)
            elif not self.is_over:
                self._take(packet)
        if self.decoder.refused is not None and not self.is_over:
            self.fail(self.decoder.refused)

    def open(self, session: Session) -> None:
        """The front has let the client in: take what it has sent meanwhile."""
        self.phase, self.session = Phase.OPEN, session
        while self._held and self.phase is Phase.OPEN:
            self._take(self._held.popleft())

    def fail(self, refusal: PacketRefused) -> None:
        """The client has broken the protocol, or its limits: say why, as far as it can be told, and end."""
        if self.phase is Phase.OPEN:
            self.end(refusal.reason, str(refusal))
        else:
            self.refuse(refusal)

    def refuse(self, refusal: PacketRefused) -> None:
        """Do not let the client in: whoever has not spoken MQTT before is not answered either."""
        spoken = self.decoder.version or refusal.reason == Reason.UNSUPPORTED_PROTOCOL_VERSION
        if spoken and not self.is_over:
            properties = Properties(reason_text=str(refusal))
            self.link.say(Connack(reason=refusal.reason, properties=properties), at_once=True)
        self.over(will=False)

    def end(self, reason: int, text: str | None = None) -> None:
        """Say goodbye, with MQTT's reason, and end."""
        if self.link.version == VERSION_5:
            self.link.say(Disconnect(reason=reason, properties=Properties(reason_text=text)))
        self.over(will=True)

    def over(self, *, will: bool) -> None:
        """Nothing more is taken from this connection."""
        if not self.is_over:
            self.phase = Phase.OVER
            self.desk.part(self, will=will)
            self.desk.close(self)

    @property
    def is_over(self) -> bool:
        """True when nothing is taken from it any more."""
        return self.phase is Phase.OVER

    @property
    def silence_ns(self) -> int | None:
        """When the client will have been silent for too long; None: it may be silent for ever."""
        return None if self.keep_alive_ns is None else self.heard_ns + self.keep_alive_ns

    def keep_alive(self, seconds: int) -> None:
        """What the client has promised to say in so many seconds; 0: nothing."""
        self.keep_alive_ns = int(KEEP_ALIVE_SHARE * seconds * SECOND) or None

    # ---- packets

    def _take(self, packet: Packet) -> None:
        try:
            self._ACTIONS[type(packet)](self, packet)
        except PacketRefused as refusal:
            self.fail(refusal)

    def _connect(self, packet: Connect) -> None:
        self.phase = Phase.JUDGED
        self.desk.arrive(self, packet)

    def _publish(self, packet: Publish) -> None:
        topic = packet.topic
        if packet.properties.topic_alias is not None:
            topic = self._aliased(topic, packet.properties.topic_alias)
        if packet.qos and len(self.link.acknowledgements) >= self.receive_max:
            raise PacketRefused(Reason.RECEIVE_MAXIMUM_EXCEEDED, f"at most {self.receive_max} messages at a time")
        if topic == TOPIC and self.link.carries:
            self.desk.carry(self, packet)
        else:
            self.desk.publish(self, packet, topic)

    def _aliased(self, topic: str, alias: int) -> str:
        if alias > ALIASES_MAX:
            raise PacketRefused(Reason.TOPIC_ALIAS_INVALID, f"topic aliases go to {ALIASES_MAX}")
        if topic:
            self._aliases[alias] = topic
            return topic
        known = self._aliases.get(alias)
        if known is None:
            raise PacketRefused(Reason.PROTOCOL_ERROR, f"topic alias {alias} stands for nothing yet")
        return known

    def _puback(self, packet: Puback) -> None:
        self._landed(packet.packet_id, 1)

    def _pubrec(self, packet: Pubrec) -> None:
        assert self.session is not None
        if packet.reason >= FAILURE:
            self._landed(packet.packet_id, 2)
        elif self.session.half_acknowledged(packet.packet_id):
            self.link.say(Pubrel(packet_id=packet.packet_id))
        else:
            self.link.say(Pubrel(packet_id=packet.packet_id, reason=Reason.PACKET_IDENTIFIER_NOT_FOUND))

    def _pubcomp(self, packet: Pubcomp) -> None:
        self._landed(packet.packet_id, 2)

    def _landed(self, packet_id: int, qos: int) -> None:
        """An acknowledgement of what was never sent is harmless: nothing is deleted for it."""
        assert self.session is not None
        self.session.acknowledged(packet_id, qos)

    def _disconnect(self, packet: Disconnect) -> None:
        expiry_s = packet.properties.session_expiry_s
        if expiry_s is not None and not self.desk.expire_after(self, expiry_s):
            raise PacketRefused(Reason.PROTOCOL_ERROR, "a session that was to end with its connection cannot live on")
        self.over(will=packet.reason == Reason.DISCONNECT_WITH_WILL)

    def _auth(self, _packet: Auth) -> None:
        raise PacketRefused(Reason.PROTOCOL_ERROR, "an AUTH that nobody has asked for")

    _ACTIONS: ClassVar[dict[type, Callable[["Connection", Any], None]]] = {
        Connect: _connect,
        Publish: _publish,
        Puback: _puback,
        Pubrec: _pubrec,
        Pubrel: lambda self, packet: self.desk.release(self, packet.packet_id),
        Pubcomp: _pubcomp,
        Subscribe: lambda self, packet: self.desk.subscribe(self, packet),
        Unsubscribe: lambda self, packet: self.desk.unsubscribe(self, packet),
        Pingreq: lambda self, _packet: self.link.say(Pingresp(), at_once=True),
        Disconnect: _disconnect,
        Auth: _auth,
    }
    """What is done about each kind of packet."""
