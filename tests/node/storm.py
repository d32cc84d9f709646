"""Random troubles for brokers in memory, and what must hold when they are over."""

from node.network import Network, options_on
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import holds
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.filter_text import format_filter
from tidings.vocabulary.frames import Publish, Subscribed
from tidings.vocabulary.instant import MINUTE, SECOND
from tidings.vocabulary.streams import Streams

TEXTS = [
    format_filter(parsed(text))
    for text in (
        "price > 10",
        "price > 20",
        "price > 10 and size < 3",
        "price between 5 and 15",
        "price <= 5",
        'symbol == "IBM"',
        'symbol in ("IBM", "SUN")',
        'symbol startswith "I" or size == 1',
        'topic == "news"',
        'topic matches "quote/#"',
        "exists(size) and not price == 12",
        "true",
    )
]


class Storm:
    """A random tree of brokers with clients, and a seeded sequence of troubles."""

    def __init__(self, seed, *, renew_ns, merging=False):
        self.seed, self.renew_ns = seed, renew_ns
        self.random = Streams(seed)("storm")
        count = 2 + self.below(5)
        self.links = [(f"b{self.below(child)}", f"b{child}") for child in range(1, count)]
        self.network = Network(options_on(self.links, renew_ns=renew_ns, merging=merging))
        self.homes = {f"s{number}": f"b{self.below(count)}" for number in range(6)}
        self.wishes = {}
        """What each client wants, by client."""
        self.acts = [self.join, self.join, self.leave, self.carry, self.carry, self.carry, self.swap, self.drop]
        self.acts += [self.repeat, self.wait, self.rest] + ([self.restart] if renew_ns is not None else [])

    def below(self, count):
        """A random number below `count`."""
        return int(self.random.integers(count))

    def rage(self, acts):
        """That many troubles, one after the other."""
        for _ in range(acts):
            self.acts[self.below(len(self.acts))]()

    def calm(self):
        """Troubles end; whoever wants something says so again, and time passes until all soft state is renewed."""
        self.network.run()
        for client, text in self.wishes.items():
            self.network.subscribe(self.homes[client], client, text)
        self.network.wait(5 * (self.renew_ns or 0) + 3 * MINUTE)

    # ---- troubles

    def join(self):
        """A client wants something, or something else."""
        client = f"s{self.below(len(self.homes))}"
        self.wishes[client] = TEXTS[self.below(len(TEXTS))]
        self.network.subscribe(self.homes[client], client, self.wishes[client])

    def leave(self):
        """A client that wants something wants nothing more."""
        if self.wishes:
            client = sorted(self.wishes)[self.below(len(self.wishes))]
            del self.wishes[client]
            self.network.unsubscribe(self.homes[client], client)

    def carry(self):
        """The oldest frame arrives."""
        if self.network.in_flight:
            self.network.carry()

    def swap(self):
        """Some frame overtakes all others."""
        if self.network.in_flight:
            self.network.carry(self.below(len(self.network.in_flight)))

    def drop(self):
        """Some frame is lost."""
        if self.network.in_flight:
            self.network.in_flight.pop(self.below(len(self.network.in_flight)))

    def repeat(self):
        """Some frame comes twice."""
        if self.network.in_flight:
            self.network.in_flight.append(self.network.in_flight[self.below(len(self.network.in_flight))])

    def wait(self):
        """Time passes, and timers ring; nothing arrives."""
        until = self.network.now + self.below(100 * SECOND)
        for _ in range(20):
            if not self.network.ring(until):
                break

    def rest(self):
        """A quiet minute: everything arrives, and most has been confirmed when the next trouble comes."""
        self.network.wait(MINUTE)

    def restart(self):
        """A broker loses its memory."""
        self.network.start(f"b{self.below(len(self.links) + 1)}")

    # ---- judgement

    def event(self, number):
        """A random event."""
        topic = ("news", "quote/a", "other")[self.below(3)]
        attributes = {"price": self.below(25), "size": self.below(4), "symbol": ("IBM", "SUN", "I")[self.below(3)]}
        return Event(number, "p", topic, 0, dict(list(attributes.items())[: self.below(4)]))

    def wrong_audiences(self, events):
        """Events that reached others than those who want them, somebody twice, or crossed a link twice."""
        wrong = []
        for number in range(events):
            event = self.event(number)
            self.network.tell(f"b{self.below(len(self.links) + 1)}", "p", Publish(event))
            self.network.run()
            wanted = sorted(client for client, text in self.wishes.items() if holds(parsed(text), event))
            used = [tuple(sorted(link)) for one, *link in self.network.links_used if one == number]
            if self.network.reached(number) != wanted or len(set(used)) < len(used):
                wrong.append((self.seed, event, wanted, self.network.reached(number), used))
        return wrong

    def unanswered(self):
        """Clients whose wish is not said to be known everywhere."""
        last = {
            client: [frame for frame in self.network.heard.get(client, []) if isinstance(frame, Subscribed)][-1:]
            for client in self.wishes
        }
        return [client for client, frames in last.items() if frames != [Subscribed(1)]]
