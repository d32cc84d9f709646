"""Clients that never give up: quality 2 both ways, over as many connections as it takes, each event published and shown once."""

import contextlib

from runtime.inn import Visitor, a_moment
from runtime.real_broker import Callers
from tidings.wire.mqtt_packets import (
    Connack,
    Properties,
    Pubcomp,
    Publish,
    Pubrec,
    Pubrel,
    Suback,
    Subscribe,
    TopicWish,
)

WINDOW = 200
LASTING = Properties(session_expiry_s=100_000)
GONE = (EOFError, ConnectionError, TimeoutError)


class Steady:
    """What both kinds do: connect to whatever port the broker has now, and go on until it breaks."""

    def __init__(self, name):
        self.name, self.visitor, self.is_there = name, None, False

    async def live(self, place):
        """For ever; `place()` gives the port, or None while there is no broker."""
        while True:
            port = place()
            if port is not None:
                with contextlib.suppress(*GONE):
                    async with Callers(port) as callers:
                        await self._visit(callers)
            await a_moment(0.01)

    async def _visit(self, callers):
        self.visitor = await Visitor.come(callers, self.name, properties=LASTING, clean_start=False)
        await self.visitor.hear()
        self.is_there = (
            True  # before anything is waited for: what is published from now on comes behind what is sent again
        )
        try:
            await self.begin()
            while True:
                for packet in await self.visitor.hear():
                    await self.take(packet)
        finally:
            self.is_there = False


class Publisher(Steady):
    """Numbers its events; those that are not acknowledged are sent again, in their order."""

    def __init__(self, name, topic):
        super().__init__(name)
        self.topic, self.count, self.acknowledged = topic, 0, 0
        self.flights = {}
        """By packet identifier: the number; None: only to be released."""
        self._next_id = 0

    async def begin(self):
        await self.visitor.say(
            *(
                Pubrel(packet_id=one) if number is None else self._publish(one, number, duplicate=True)
                for one, number in self.flights.items()
            )
        )

    def publish(self, count):
        """So many more events, as far as the window goes, while there is a connection."""
        packets = []
        for _ in range(min(count, WINDOW - len(self.flights))):
            self._next_id = self._next_id % 60_000 + 1
            self.flights[self._next_id] = self.count
            packets.append(self._publish(self._next_id, self.count))
            self.count += 1
        if self.is_there:
            self.visitor.send(*packets)

    def _publish(self, packet_id, number, **fields):
        return Publish(topic=self.topic, payload=b"%d" % number, qos=2, packet_id=packet_id, **fields)

    async def take(self, packet):
        if isinstance(packet, Pubrec):
            if self.flights.get(packet.packet_id) is not None:
                self.flights[packet.packet_id] = None
                self.acknowledged += 1
            await self.visitor.say(Pubrel(packet_id=packet.packet_id))
        elif isinstance(packet, Pubcomp):
            self.flights.pop(packet.packet_id, None)


class Subscriber(Steady):
    """Shows what comes, once for each identifier that is not released."""

    def __init__(self, name, pattern):
        super().__init__(name)
        self.pattern, self.shown, self.subscribed = pattern, [], False
        self._known = set()

    async def begin(self):
        if not self.subscribed:
            await self.visitor.say(Subscribe(packet_id=1, wishes=(TopicWish(pattern=self.pattern, qos=2),)))

    async def take(self, packet):
        if isinstance(packet, Publish):
            if packet.packet_id not in self._known:
                self._known.add(packet.packet_id)
                self.shown.append((packet.topic, int(packet.payload)))
            await self.visitor.say(Pubrec(packet_id=packet.packet_id))
        elif isinstance(packet, Pubrel):
            self._known.discard(packet.packet_id)
            await self.visitor.say(Pubcomp(packet_id=packet.packet_id))
        else:
            self.subscribed |= isinstance(packet, Suback)
            assert not isinstance(packet, Connack)
