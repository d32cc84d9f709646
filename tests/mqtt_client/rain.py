"""Clients as they are, a broker's front as it is, and between them a line that cuts off wherever it likes.

What is said travels as bytes, in random pieces; what is under way when a line breaks is gone, in both directions, and nobody
is told how far it came. The broker may crash, and forgets what is not on its disk.
"""

import random

from mqtt.lobby import Lobby
from tidings.mqtt.limits import Limits
from tidings.mqtt.notices import BytesArrived as FrontBytes
from tidings.mqtt.notices import ConnectionEnded
from tidings.mqtt_client.machine import ClientMachine, Phase
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

DAY_NS = 86_400 * 10**9


class Line:
    """One connection: to the front one of its guests."""

    def __init__(self, user):
        self.user = user
        self.closed = False
        """By the broker: what it has said still comes."""
        self.broken = False
        self.up, self.down = bytearray(), bytearray()
        guest = user.lobby.guest()
        self.number = guest.number
        user.lobby.guests[self.number] = self

    def hear(self, data):
        """From the front."""
        self.down += data


class User:
    """An application with its client."""

    def __init__(self, lobby, name, *, qos=1, carriers=True, patterns=(), **options):
        self.lobby, self.name, self.qos = lobby, name, qos
        self.machine = ClientMachine(
            ClientOptions(client_id=name, session_expiry_s=10**6, carriers=carriers, **options)
        )
        self.line = None
        self.shown, self.unsettled = [], []
        self.published, self.taken, self.refused, self.granted = [], [], [], []
        self._tickets = {}
        self._waiting = {}
        for number, pattern in enumerate(patterns):
            self.tell(SubscriptionRequested(number, pattern, qos=qos))

    # ---- the driver

    def tell(self, notice):
        """One notice, one turn."""
        self.machine.receive(notice, self.lobby.now)
        self.turn()

    def turn(self):
        """Drain and apply."""
        effects = self.machine.drain()
        if self.line is not None:
            for data in effects.write:
                self.line.up += data
        for answer in effects.answers:
            payloads = self._tickets[answer.ticket]
            some, self._tickets[answer.ticket] = payloads[: answer.count], payloads[answer.count :]
            (self.taken if answer.refusal is None else self.refused).extend(some)
        self.granted += effects.granted
        for show in effects.show:
            self.shown += [(show.number, event.payload) for event in show.events]
            self.unsettled.append((show.delivery, len(show.events)))
        if effects.close:
            self.cut()
        assert effects.failed is None, effects.failed

    def tick(self):
        """The timer."""
        due = self.machine.deadline()
        if due is not None and due <= self.lobby.now:
            self.machine.expire(self.lobby.now)
            self.turn()

    # ---- the line

    def connect(self):
        """A new connection, if there is none."""
        if self.line is None:
            self.line = Line(self)
            self.tell(Connected())

    def cut(self):
        """The line breaks: what is under way is gone."""
        line, self.line = self.line, None
        if line is not None and not line.broken:
            line.broken = True
            if not line.closed:
                line.closed = True
                self.lobby.tell(ConnectionEnded(line.number))
            self.tell(Disconnected())

    def crashed(self):
        """The broker's process is gone, and with it the connection."""
        if self.line is not None:
            self.line.broken = self.line.closed = True
            self.line = None
            self.tell(Disconnected())

    def carry(self, up, down):
        """So many bytes arrive in each direction."""
        line = self.line
        if line is None:
            return
        if line.up and up and not line.closed:
            data = bytes(line.up[:up])
            del line.up[:up]
            self.lobby.tell(FrontBytes(line.number, data))
        if line.down and down:
            data = bytes(line.down[:down])
            del line.down[:down]
            self.tell(BytesArrived(data))
        if line.closed and not line.down and self.line is line:
            self.cut()

    # ---- the application

    def publish(self, count, topic="t", qos=None):
        """So many new events, asked for together."""
        numbers = range(len(self.published), len(self.published) + count)
        payloads = [f"{self.name} {number}".encode() for number in numbers]
        self.published += payloads
        ticket = len(self._tickets)
        self._tickets[ticket] = payloads
        qos = self.qos if qos is None else qos
        self.tell(PublicationsRequested([Publication(topic, one, qos=qos) for one in payloads], ticket))

    def settle(self, count):
        """The application is done with the first so many of what it was shown."""
        for _ in range(min(count, len(self.unsettled))):
            delivery, events = self.unsettled.pop(0)
            self.tell(Settled(delivery, events))

    @property
    def is_calm(self):
        """True when nothing is owed on either side."""
        return self.machine.phase is Phase.OPEN and self.machine.is_done and not self.unsettled


class Rain:
    """One broker, publishers, listeners, bad weather; the same seed, the same weather."""

    def __init__(self, seed, *, crashes=True):
        self.chance = random.Random(seed)
        self.crashes = crashes
        self.lobby = Lobby(
            durable=True,
            limits=Limits(in_flight_max=self.chance.choice((1, 3, 20)), receive_max=self.chance.choice((1, 3, 20))),
        )
        window = self.chance.choice((1, 2, 20))
        self.listeners = [
            User(self.lobby, "l2", qos=2, carriers=False, patterns=("t",), receive_maximum=window),
            User(self.lobby, "l1", qos=1, carriers=False, patterns=("t",), receive_maximum=window),
            User(self.lobby, "lc", qos=1, carriers=True, patterns=("#",), receive_maximum=window),
            User(self.lobby, "lcc", qos=1, carriers=True, patterns=("+", "t"), receive_maximum=window),
        ]
        self.publishers = [
            User(self.lobby, "p1", qos=1, carriers=False, in_flight_max=window),
            User(self.lobby, "p2", qos=2, carriers=False),
            User(self.lobby, "pc", qos=1, carriers=True, in_flight_max=window),
        ]
        self.users = [*self.listeners, *self.publishers]
        self.cuts = self.downs = 0
        for one in self.listeners:
            one.connect()
            for _ in range(10):
                one.carry(1 << 20, 1 << 20)
            assert len(one.granted) == len(one.machine.interests)

    def fall(self, steps):
        """So many random things."""
        for _ in range(steps):
            self._step()

    def clear_up(self):
        """Lines hold, applications answer, until nothing is owed any more."""
        self.lobby.sync = True
        self.lobby.write()
        for _ in range(3_000):
            for one in self.users:
                one.connect()
                one.carry(1 << 20, 1 << 20)
                one.settle(100)
                one.tick()
            if all(one.is_calm for one in self.users) and not self._owes():
                return
        raise AssertionError("it does not clear up")

    def _owes(self):
        return any(session.outgoing.flights or session.outgoing.waiting for session in self.lobby.front.sessions)

    def problems(self):
        """What was promised and does not hold."""
        for publisher in self.publishers:
            if publisher.taken != publisher.published:
                yield f"{publisher.name}: answers that are not those of what was published"
            for listener in self.listeners:
                for number in range(len(listener.machine.interests)):
                    yield from self._judge(publisher, listener, number)

    def _judge(self, publisher, listener, number):
        start = f"{publisher.name} ".encode()
        shown = [payload for found, payload in listener.shown if found == number and payload.startswith(start)]
        once = list(dict.fromkeys(shown))
        where = f"{publisher.name} to {listener.name}/{number}"
        if set(once) != set(publisher.published):
            yield f"{where}: lost {sorted(set(publisher.published) - set(once))[:3]}"
        if once != [one for one in publisher.published if one in set(once)]:
            yield f"{where}: out of order"
        # A publication of quality 1 that a broker without carriers takes twice is two events.
        if (publisher.qos == 2 or publisher.machine.options.carriers) and len(once) != len(shown):
            yield f"{where}: {len(shown) - len(once)} shown twice"

    def _step(self):
        lobby, chance = self.lobby, self.chance
        act, one = chance.randrange(100), chance.choice(self.users)
        if act < 15:
            chance.choice(self.publishers).publish(chance.randrange(1, 4))
        elif act < 70:
            one.connect()
            one.carry(chance.choice((1, 3, 10, 1_000)), chance.choice((1, 3, 10, 1_000)))
        elif act < 80:
            one.settle(chance.randrange(1, 5))
        elif act < 90:
            self.cuts += one.line is not None
            one.cut()
        elif act < 96:
            lobby.sync = not lobby.sync
            if lobby.sync:
                lobby.write()
        elif act < 98 and self.crashes:
            self.downs += 1
            lobby.start()
            lobby.sync = True
            for user in self.users:
                user.crashed()
        else:
            lobby.wait(chance.randrange(1, 30))
            for user in self.users:
                user.tick()
