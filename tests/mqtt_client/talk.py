"""A client machine and, in the place of a broker, whoever writes the test: packet by packet, without a line between."""

from tidings.mqtt_client.machine import ClientMachine
from tidings.mqtt_client.notices import (
    BytesArrived,
    Connected,
    Disconnected,
    PublicationsRequested,
    Settled,
    SubscriptionRequested,
)
from tidings.mqtt_client.options import ClientOptions
from tidings.mqtt_client.publication import Publication
from tidings.wire.mqtt_decode import MqttDecoder
from tidings.wire.mqtt_encode import encode_packet
from tidings.wire.mqtt_packets import Connack, Properties, Puback, Suback


class Talk:
    """The machine, and everything that it ever wanted."""

    def __init__(self, **options):
        options.setdefault("carriers", False)
        self.machine = ClientMachine(ClientOptions(client_id="ann", **options))
        self.now = 10**9
        self.answers, self.granted, self.show, self.failed = [], [], [], None
        self.closed = False
        self._decoder = MqttDecoder("client")
        self._tickets = 0

    def turn(self):
        """Drain; gives the packets that the client wants to write."""
        effects = self.machine.drain()
        self.answers += effects.answers
        self.granted += effects.granted
        self.show += effects.show
        self.closed = self.closed or effects.close
        self.failed = self.failed or effects.failed
        packets = self._decoder.feed(b"".join(effects.write)) if effects.write else []
        assert self._decoder.refused is None, self._decoder.refused
        return packets

    def tell(self, notice):
        """One notice, one turn."""
        self.machine.receive(notice, self.now)
        return self.turn()

    def hear(self, *packets):
        """The broker says something."""
        return self.tell(BytesArrived(b"".join(encode_packet(packet) for packet in packets)))

    def wait(self, seconds):
        """Time passes; the timer rings when it is due."""
        until, said = self.now + int(seconds * 10**9), []
        while (due := self.machine.deadline()) is not None and due <= until:
            self.now = max(due, self.now)
            self.machine.expire(self.now)
            said += self.turn()
        self.now = until
        return said

    def connect(self, *, present=False, user=(), **properties):
        """A connection, up to what follows the CONNACK; the CONNECT is `greeting`."""
        self._decoder = MqttDecoder("client")
        self.closed = False
        (self.greeting,) = self.tell(Connected())
        return self.hear(Connack(session_present=present, properties=Properties(user=user, **properties)))

    def carry(self, *, present=False, base=0, next_number=0, clock="c/1000000000"):
        """The same with a broker of ours."""
        pairs = (("tidings", "1"), ("publisher", str(base)), ("next", str(next_number)), ("name", ":ann"))
        return self.connect(present=present, user=(*pairs, ("clock", clock)))

    def lose(self):
        """The connection breaks."""
        return self.tell(Disconnected())

    def publish(self, *publications, qos=1, topic="t"):
        """Ask for publications under one ticket; bare bytes are payloads."""
        made = [Publication(topic, one, qos=qos) if isinstance(one, bytes) else one for one in publications]
        self._tickets += 1
        return self.tell(PublicationsRequested(made, self._tickets))

    def subscribe(self, number, pattern, content="", qos=2, **options):
        """Ask for a subscription."""
        return self.tell(SubscriptionRequested(number, pattern, content, qos, **options))

    def grant(self, packets, qos=2, **fields):
        """Answer every SUBSCRIBE among what was said."""
        return self.hear(*(Suback(packet_id=one.packet_id, reasons=(qos,), **fields) for one in packets))

    def take(self, packets):
        """Answer every PUBLISH among what was said."""
        return self.hear(*(Puback(packet_id=one.packet_id) for one in packets))

    def settle(self):
        """The application is done with everything that it was shown."""
        show, self.show = self.show, []
        said = []
        for one in show:
            said += self.tell(Settled(one.delivery, len(one.events)))
        return said

    @property
    def shown(self):
        """Subscription and payload of everything that was shown and is not settled."""
        return [(one.number, event.payload) for one in self.show for event in one.events]

    @property
    def over(self):
        """Ticket, count and reason of every answer so far."""
        return [(one.ticket, one.count, one.refusal and one.refusal.reason) for one in self.answers]
