"""Storms: clients that publish, listen, leave and come back, and a broker that crashes, until all is calm again.

Clients behave as MQTT has it: they repeat what is not acknowledged, forget what is over, and notice repetition where their
quality allows it. Nothing here knows how the broker does it.
"""

import random

from mqtt.lobby import Lobby, said, user, wish
from tidings.mqtt.limits import Limits
from tidings.vocabulary.event import Event
from tidings.vocabulary.instant import FOREVER
from tidings.wire.carriers import TOPIC, CarrierReader, encode_event, join_events
from tidings.wire.mqtt_packets import Puback, Pubcomp, Publish, Pubrec, Pubrel

CARRIES = "carries"
EXACTLY_ONCE = ((2, 2), (CARRIES, 2), (CARRIES, CARRIES))
"""Listeners and publishers between whom nothing is ever shown twice; for all others MQTT has no word for it."""


class Client:
    """What all clients have: a name, and a connection from time to time."""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind
        self.guest = None

    @property
    def present(self):
        """True while there is a connection."""
        return self.guest is not None and not self.guest.closed

    def come(self, lobby):
        """Connect; the session goes on where there is one."""
        pairs = (("tidings", "1"),) if self.kind == CARRIES else ()
        self.guest = lobby.join(
            self.name, clean_start=False, properties=user(*pairs, session_expiry_s=10**6, receive_maximum=7)
        )
        self.arrived(self.guest.welcome.session_present)

    def leave(self):
        """The connection breaks."""
        self.guest.leave()
        self.guest = None


class Listener(Client):
    """Shows what it hears, once if its kind promises that."""

    def __init__(self, name, kind):
        super().__init__(name, kind)
        self.shown = []
        self._held, self._ids, self._due = {}, {}, []

    def arrived(self, present):
        """Subscribe, where nobody remembers that we have."""
        if not present:
            self.guest.send_only(
                wish("$tidings/wish/0", 1, content='topic == "t"') if self.kind == CARRIES else wish("t", self.kind)
            )
            self._held = {}
        self._due = []

    def hear(self):
        """Take in what has come; acknowledgements are due."""
        for packet in self.guest.take():
            if isinstance(packet, Pubrel):
                self._held.pop(packet.packet_id, None)
                self._due.append(Pubcomp(packet_id=packet.packet_id))
            elif isinstance(packet, Publish) and self.kind == CARRIES:
                for event in CarrierReader().read(packet.payload):
                    if event.id not in self._ids:
                        self._ids[event.id] = None
                        self.shown.append(event.payload)
                self._due.append(Puback(packet_id=packet.packet_id))
            elif isinstance(packet, Publish) and packet.qos == 2:
                if packet.packet_id not in self._held:
                    self._held[packet.packet_id] = None
                    self.shown.append(packet.payload)
                self._due.append(Pubrec(packet_id=packet.packet_id))
            elif isinstance(packet, Publish):
                self.shown.append(packet.payload)
                self._due.append(Puback(packet_id=packet.packet_id))

    def answer(self, count):
        """Send the first so many acknowledgements."""
        due, self._due = self._due[:count], self._due[count:]
        if due:
            self.guest.send_only(*due)


class Publisher(Client):
    """Publishes numbered events, and repeats what is not acknowledged."""

    def __init__(self, name, kind):
        super().__init__(name, kind)
        self.acknowledged = []
        self._open, self._released = {}, {}
        self._count, self._base, self._next_id = 0, 0, 0

    def arrived(self, present):
        """Say again what was not answered."""
        if self.kind == CARRIES:
            self._base = int(dict(self.guest.welcome.properties.user)["publisher"])
            for packet_id, numbers in self._open.items():
                self.guest.send_only(self._carrier(packet_id, numbers))
            return
        if not present:
            self._released = {}
        for packet_id, number in self._open.items():
            self.guest.send_only(said("t", self._payload(number), qos=self.kind, packet_id=packet_id, duplicate=True))
        for packet_id in self._released:
            self.guest.send_only(Pubrel(packet_id=packet_id))

    def publish(self, count):
        """So many new events."""
        numbers = list(range(self._count, self._count + count))
        self._count += count
        if self.kind == CARRIES:
            packet_id = self._new_id()
            self._open[packet_id] = numbers
            self.guest.send_only(self._carrier(packet_id, numbers))
            return
        for number in numbers:
            packet_id = self._new_id()
            self._open[packet_id] = number
            self.guest.send_only(said("t", self._payload(number), qos=self.kind, packet_id=packet_id))

    def hear(self):
        """Take in acknowledgements."""
        for packet in self.guest.take():
            if isinstance(packet, Puback | Pubrec) and packet.packet_id in self._open:
                found = self._open.pop(packet.packet_id)
                self.acknowledged += [self._payload(one) for one in (found if isinstance(found, list) else [found])]
            if isinstance(packet, Pubrec):
                self._released[packet.packet_id] = None
                self.guest.send_only(Pubrel(packet_id=packet.packet_id))
            elif isinstance(packet, Pubcomp):
                self._released.pop(packet.packet_id, None)

    @property
    def owes(self):
        """True while something is not acknowledged."""
        return bool(self._open or self._released)

    @property
    def published(self):
        """Everything that was ever published."""
        return [self._payload(number) for number in range(self._count)]

    def _payload(self, number):
        return f"{self.name} {number}".encode()

    def _carrier(self, packet_id, numbers):
        events = [
            Event(
                self._base + number,
                self.name,
                "t",
                0,
                {},
                FOREVER,
                0,
                len(self._payload(number)),
                self._payload(number),
                b"\x11",
            )
            for number in numbers
        ]
        return said(TOPIC, join_events([encode_event(event) for event in events]), qos=1, packet_id=packet_id)

    def _new_id(self):
        while True:
            self._next_id = self._next_id % 1_000 + 1
            if self._next_id not in self._open and self._next_id not in self._released:
                return self._next_id


class Storm:
    """One house in bad weather; the same seed, the same storm."""

    def __init__(self, seed, new_lobby=Lobby):
        self.chance = random.Random(seed)
        self.lobby = new_lobby(durable=True, limits=Limits(in_flight_max=self.chance.choice((1, 2, 5, 100))))
        self.listeners = [Listener(f"s{number}", kind) for number, kind in enumerate((1, 2, CARRIES, CARRIES, 2))]
        self.publishers = [Publisher(f"p{number}", kind) for number, kind in enumerate((1, 2, CARRIES))]
        self.crashes = 0
        for one in self.listeners:
            one.come(self.lobby)

    def rage(self, steps):
        """So many random things."""
        for _ in range(steps):
            self._step()
            for one in self._present():
                one.hear()

    def calm(self):
        """Everybody comes back, hears, and answers, until nothing is owed any more."""
        self.lobby.sync = True
        self.lobby.write()
        for _ in range(500):
            for one in (*self.listeners, *self.publishers):
                if not one.present:
                    one.come(self.lobby)
                one.hear()
            for one in self.listeners:
                one.answer(1_000)
            if self._is_calm():
                return
        raise AssertionError("it does not become calm")

    def problems(self):
        """What was promised and does not hold."""
        for publisher in self.publishers:
            for listener in self.listeners:
                shown = [one for one in listener.shown if one.startswith(publisher.name.encode())]
                once = list(dict.fromkeys(shown))
                lost = set(publisher.acknowledged) - set(shown)
                if lost:
                    yield f"{listener.name} lost {sorted(lost)[:3]} of {publisher.name}"
                if (listener.kind, publisher.kind) not in EXACTLY_ONCE:
                    continue
                if len(once) != len(shown):
                    yield f"{listener.name} was shown something of {publisher.name} twice"
                if once != [one for one in publisher.published if one in set(once)]:
                    yield f"{listener.name} was shown what {publisher.name} said in another order"
        yield from (f"still claimed: {number}" for number, count in self.lobby.claimed.items() if count)

    def _step(self):
        lobby, chance = self.lobby, self.chance
        act = chance.randrange(100)
        one = chance.choice((*self.listeners, *self.publishers))
        if act < 40:
            publisher = chance.choice(self.publishers)
            if publisher.present:
                publisher.publish(chance.randrange(1, 4))
        elif act < 60:
            listener = chance.choice(self.listeners)
            if listener.present:
                listener.answer(chance.randrange(1, 5))
        elif act < 80:
            one.leave() if one.present else one.come(lobby)
        elif act < 90:
            lobby.sync = not lobby.sync
            if lobby.sync:
                lobby.write()
        elif act < 94:
            self._crash()
        elif act < 97 and lobby.sync:
            lobby.begin_anew()
        else:
            lobby.wait(chance.randrange(1, 30))

    def _crash(self):
        """What is not on disk is gone, and all connections with it."""
        self.crashes += 1
        self.lobby.start()
        self.lobby.sync = True
        for one in (*self.listeners, *self.publishers):
            one.guest = None

    def _present(self):
        return [one for one in (*self.listeners, *self.publishers) if one.present]

    def _is_calm(self):
        owed = any(session.outgoing.flights or session.outgoing.waiting for session in self.lobby.front.sessions)
        return not owed and not any(one.owes for one in self.publishers)
