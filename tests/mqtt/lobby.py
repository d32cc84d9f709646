"""A front with a disk that is a list and clients that are encoders and decoders: the driver's recipe, in memory.

Every packet travels as bytes. `sync` False keeps batches waiting for the disk until `write` is called.
"""

from tidings.matching import LinearMatcher
from tidings.mqtt.front import Earlier, Front
from tidings.mqtt.house import FrontOptions
from tidings.mqtt.notices import (
    BytesArrived,
    ConnectionEnded,
    ConnectionOpened,
    Judged,
    RecordsRead,
)
from tidings.mqtt.rights import ALL_RIGHTS
from tidings.node import Broker, BrokerOptions
from tidings.routing import TableOptions
from tidings.vocabulary.machine import RecordsStored
from tidings.wire.mqtt_decode import MqttDecoder
from tidings.wire.mqtt_encode import encode_packet
from tidings.wire.mqtt_packets import (
    NO_PROPERTIES,
    Connack,
    Connect,
    Disconnect,
    Properties,
    Publish,
    Subscribe,
    TopicWish,
)


class Guest:
    """One client's side of a connection."""

    def __init__(self, lobby, number, version=5):
        self.lobby, self.number, self.version = lobby, number, version
        self.decoder = MqttDecoder("server", version=version)
        self.heard = []
        self.everything = []
        """All that was ever heard."""
        self.closed = False

    def say(self, *packets):
        """Send packets in one piece; gives what was heard since."""
        return self.send(b"".join(encode_packet(packet, self.version) for packet in packets))

    def send_only(self, *packets):
        """Send packets; what is heard is taken later."""
        self.lobby.tell(BytesArrived(self.number, b"".join(encode_packet(packet, self.version) for packet in packets)))

    def send(self, data):
        """Send bytes."""
        self.lobby.tell(BytesArrived(self.number, data))
        return self.take()

    def hear(self, data):
        """Bytes from the broker."""
        assert not self.closed, "nothing is said after the end"
        packets = self.decoder.feed(data)
        self.heard += packets
        self.everything += packets
        assert self.decoder.refused is None, self.decoder.refused

    def take(self):
        """What was heard since the last call."""
        heard, self.heard = self.heard, []
        return heard

    @property
    def goodbye(self):
        """The reason with which the broker has ended the connection; None where it has without a word."""
        assert self.closed
        last = self.everything[-1] if self.everything else None
        return last.reason if isinstance(last, Disconnect | Connack) and last.reason else None

    def leave(self):
        """The connection breaks."""
        self.lobby.tell(ConnectionEnded(self.number))


class Lobby:
    """A lone broker's front."""

    def __init__(
        self, *, durable=False, limits=None, rights=None, principals=None, neighbours=(), keeps=False, **options
    ):
        self.now = 10**9
        self.rights = rights or {"": ALL_RIGHTS}
        self.principals = principals
        """By user name: what a right password is, and whose; None: everybody is trusted."""
        more = {} if limits is None else {"limits": limits}
        self.options = FrontOptions(
            name="lima",
            rights_of=lambda name: self.rights[name],
            durable=durable,
            **more,
            **options,
        )
        self._neighbours, self._keeps = tuple(neighbours), keeps
        self.disk, self.claimed, self.checkpoint = {}, {}, []
        self.first = 0
        self.lives = -1
        self.sync = True
        self.start()

    def start(self):
        """A new process, with what is on disk."""
        self.lives += 1
        self.guests, self.reports, self.sent, self.asked = {}, [], [], []
        self._waiting, self._reads = [], []
        self._next_connection = 0
        self.front = Front(self.options, self._broker)
        since = sorted(number for number in self.disk if number >= self.first)
        claims = self.front.start(
            Earlier(
                incarnation=self.lives,
                checkpoint=self.checkpoint,
                records=[self.disk[number] for number in since],
                first=self.first,
            ),
            self.now,
        )
        self.claimed = {}
        for number in claims.tolist():
            self.claimed[number] = self.claimed.get(number, 0) + 1
        self.turn()
        if self.options.durable:
            self.begin_anew()

    def begin_anew(self):
        """A new segment: what nobody claims is deleted."""
        self.checkpoint = self.front.checkpoint()
        self.front.receive(RecordsStored(1), self.now)
        self.first = self.front.house.ledger.next_number
        self.disk = {number: data for number, data in self.disk.items() if self.claimed.get(number)}
        self.turn()

    def drop(self, *numbers):
        """The oldest records go, claimed or not, for there is no room."""
        for number in numbers:
            del self.disk[number], self.claimed[number]

    def _broker(self, ahead):
        return Broker(
            BrokerOptions(
                name="lima",
                neighbours={"all": self._neighbours},
                tree_of=lambda topic: "all",
                table=TableOptions(new_matcher=LinearMatcher, ahead=ahead),
                keeps=self._keeps,
                clients_kept=True,
            )
        )

    # ---- clients

    def guest(self, version=5, principal=""):
        """A client that has connected and said nothing."""
        number, self._next_connection = self._next_connection, self._next_connection + 1
        guest = self.guests[number] = Guest(self, number, version)
        self.tell(ConnectionOpened(number, principal if self.principals is None else None))
        return guest

    def join(self, client_id, *, version=5, clean_start=True, principal="", **fields):
        """A client that is let in; its CONNACK is `welcome`."""
        guest = self.guest(version, principal)
        heard = guest.say(Connect(client_id=client_id, version=version, clean_start=clean_start, **fields))
        guest.welcome, guest.heard = heard[0], heard[1:]
        assert guest.welcome.reason == 0, guest.welcome
        return guest

    # ---- the driver

    def tell(self, notice):
        """One notice, one turn."""
        self.front.receive(notice, self.now)
        self.turn()

    def wait(self, seconds):
        """Time passes, and timers ring."""
        until = self.now + int(seconds * 10**9)
        while (due := self.front.deadline()) is not None and due <= until:
            self.now = max(due, self.now)
            self.front.expire(self.now)
            self.turn()
        self.now = until

    def turn(self):
        """Drain and apply."""
        effects = self.front.drain()
        for number, data in effects.at_once:
            self._write(number, data)
        self.reports += effects.report
        self._waiting.append(effects)
        for judge in effects.judge:
            self.asked.append(judge)
        if self.sync:
            self.write()
        if self.principals is not None:
            for judge in effects.judge:
                password, principal = self.principals.get(judge.user_name, (None, None))
                self.tell(Judged(judge.connection, principal if password == judge.password else None))

    def write(self):
        """Everything that waits for the disk is on it."""
        while self._waiting:
            effects = self._waiting.pop(0)
            number = self.front.house.ledger.next_number - sum(len(one.records) for one in (effects, *self._waiting))
            for record, claims in zip(effects.records, effects.claims, strict=True):
                self.disk[number] = record
                if claims:
                    self.claimed[number] = claims
                number += 1
            for released in effects.released:
                if released in self.disk:
                    self.claimed[released] -= 1
                    assert self.claimed[released] >= 0
            for connection, data in effects.after:
                self._write(connection, data)
            self.sent += effects.send
            for connection in effects.close:
                self.guests[connection].closed = True
            for connection in effects.close:
                self.front.receive(ConnectionEnded(connection), self.now)
            if effects.records:
                self.front.receive(RecordsStored(len(effects.records)), self.now)
            for read in effects.read:
                found = [(one, self.disk[one], 0) for one in read.numbers if one in self.disk]
                self.front.receive(RecordsRead(read.session, read.numbers, found), self.now)
            if effects.records or effects.read or effects.close:
                self.turn()

    def _write(self, number, data):
        guest = self.guests[number]
        if not guest.closed:
            guest.hear(b"".join(data))


def user(*pairs, **fields):
    """Properties with user properties."""
    return Properties(user=tuple(pairs), **fields)


def wish(pattern, qos=0, *, packet_id=1, content=None, identifier=None, **options):
    """A SUBSCRIBE with one topic filter."""
    pairs = () if content is None else (("filter", content),)
    ids = () if identifier is None else (identifier,)
    properties = Properties(user=pairs, subscription_ids=ids) if pairs or ids else NO_PROPERTIES
    return Subscribe(
        packet_id=packet_id, wishes=(TopicWish(pattern=pattern, qos=qos, **options),), properties=properties
    )


def said(topic, payload=b"x", qos=0, packet_id=None, **fields):
    """A PUBLISH; of quality 1 or 2 it has the identifier 1 unless told otherwise."""
    identifier = packet_id if packet_id is not None else min(qos, 1)
    return Publish(topic=topic, payload=payload, qos=qos, packet_id=identifier, **fields)


def payloads(packets):
    """What was published, in order."""
    return [packet.payload for packet in packets if isinstance(packet, Publish)]


LASTING = Properties(session_expiry_s=1_000)
"""Of a CONNECT whose session outlives it."""
