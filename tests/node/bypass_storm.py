"""Random failures of brokers and links in an overlay with more links than its tree, and what must hold meanwhile."""

from node.network import TREE, Network, options_on
from node.storm import TEXTS, Storm
from tidings.routing import tree_neighbours
from tidings.vocabulary.filter import holds
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.frames import Forward, Publish, Relayed
from tidings.vocabulary.instant import MINUTE, SECOND
from tidings.vocabulary.machine import NeighbourLost, NeighbourReturned
from tidings.vocabulary.streams import Streams

RENEW_NS = 30 * SECOND


class FailingNetwork(Network):
    """Links can be cut; the brokers at their ends notice at once. One frame may be lost: the one so many frames from now."""

    def __init__(self, options):
        self.cut = set()
        self.losing = -1
        self.seen = set()
        super().__init__(options)

    def works(self, one, other):
        """True when frames can travel."""
        return frozenset((one, other)) not in self.cut and not {one, other} & self.down

    def carry(self, place=0):
        """Frames on links that have failed are lost."""
        packet = self.in_flight[place]
        self.losing -= 1
        if self.losing == -1 or not self.works(packet.sender, packet.receiver):
            return self.in_flight.pop(place)
        if isinstance(packet.frame, Relayed):
            self.seen.add("relayed event" if isinstance(packet.frame.frame, Forward) else "relayed interests")
        return super().carry(place)


class BypassStorm(Storm):
    """A random overlay, a tree in it, clients, and failures."""

    def __init__(self, seed, *, keeps, links=None, more=None):
        self.seed, self.keeps = seed, keeps
        self.random = Streams(seed)("bypass storm")
        count = 3 + self.below(5)
        self.links = links or [(f"b{self.below(child)}", f"b{child}") for child in range(1, count)]
        names = sorted(tree_neighbours(self.links))
        pairs = [(one, other) for one in names for other in names if one < other]
        known = {frozenset(link) for link in self.links}
        drawn = [pair for pair in pairs if frozenset(pair) not in known and self.below(3) == 0]
        self.more = drawn if more is None else list(more)
        self.network = FailingNetwork(options_on(self.links, more=self.more, renew_ns=RENEW_NS, keeps=keeps))
        self.names = names
        self.homes = {f"s{number}": names[self.below(len(names))] for number in range(5)}
        self.wishes = {}
        self.number = 0
        self.acts = [self.join, self.leave, self.switch, self.switch, self.crash, self.restart, self.restart, self.rest]

    @property
    def seen(self):
        """What came about."""
        return self.network.seen

    # ---- troubles

    def join(self):
        """A client whose broker is there wants something."""
        client = f"s{self.below(len(self.homes))}"
        if self.homes[client] not in self.network.down and client not in self.wishes:
            self.wishes[client] = TEXTS[self.below(len(TEXTS))]
            self.network.subscribe(self.homes[client], client, self.wishes[client])

    def leave(self):
        """One that does no longer."""
        there = [client for client in sorted(self.wishes) if self.homes[client] not in self.network.down]
        if there:
            client = there[self.below(len(there))]
            del self.wishes[client]
            self.network.unsubscribe(self.homes[client], client)

    def switch(self):
        """A link fails or works again, and both ends notice."""
        links = [*self.links, *self.more]
        one, other = links[self.below(len(links))]
        self.seen.add("cut")
        self.network.cut ^= {frozenset((one, other))}
        for name, neighbour in ((one, other), (other, one)):
            if not {one, other} & self.network.down:
                self._notice(name, neighbour)

    def crash(self):
        """A broker is gone."""
        self.crash_one(self.names[self.below(len(self.names))])

    def restart(self):
        """One that was gone is back, without memory."""
        if self.network.down:
            gone = sorted(self.network.down)
            self.restart_one(gone[self.below(len(gone))])

    def crash_one(self, name):
        """This broker is gone, and its neighbours notice."""
        if name not in self.network.down:
            self.seen.add("crash")
            self.network.down.add(name)
            for other in self._neighbours(name):
                self._notice(other, name)

    def restart_one(self, name):
        """It is back; it notices who is not there, and its clients ask again."""
        self.network.start(name)
        for other in self._neighbours(name):
            self._notice(name, other)
            self._notice(other, name)
        for client, text in self.wishes.items():
            if self.homes[client] == name:
                self.network.subscribe(name, client, text)

    def rest(self):
        """Everything arrives, and soft state is renewed."""
        self.network.wait(4 * RENEW_NS)

    def repair(self):
        """Everything works again, and time passes until all that was soft is forgotten or renewed."""
        for pair in sorted(map(sorted, self.network.cut)):
            self.network.cut.discard(frozenset(pair))
            for name, neighbour in (pair, pair[::-1]):
                if not set(pair) & self.network.down:
                    self._notice(name, neighbour)
        for name in sorted(self.network.down):
            self.restart_one(name)
        self.network.wait(5 * RENEW_NS + 3 * MINUTE)

    def _neighbours(self, name):
        return sorted(tree_neighbours([*self.links, *self.more])[name])

    def _notice(self, name, neighbour):
        if name not in self.network.down:
            there = self.network.works(name, neighbour)
            self.network.notify(name, NeighbourReturned(neighbour) if there else NeighbourLost(neighbour))

    # ---- judgement

    def wrong_audiences(self, events):
        """Events of publishers that are connected with somebody who wants them, and did not come; or came to others, or twice.

        With buffers an event that was published while its broker was up comes in the end; here only what comes at once.
        """
        wrong = []
        for _ in range(events):
            self.number += 1
            event = self.event(self.number)
            up = [name for name in self.names if name not in self.network.down]
            if not up:
                continue
            home = up[self.below(len(up))]
            part = self._part(home)
            self.seen.update(["several parts"] if len(part) < len(up) else [])
            self.network.tell(home, "p", Publish(event))
            self.network.run()
            wanted = {client for client, text in self.wishes.items() if holds(parsed(text), event)}
            there = sorted(client for client in wanted if self.homes[client] in part)
            if sorted(set(self.network.reached(event.id))) != there:
                wrong.append((self.seed, home, event, there, self.network.reached(event.id)))
        return wrong

    def strays(self):
        """What brokers believe of others than their neighbours in the tree, and tellers that tell anybody else."""
        neighbours = tree_neighbours(self.links)
        found = []
        for name, machine in self.network.machines.items():
            spreading = machine._demand.spreadings[TREE]
            listeners = {other: one._wanted for other, one in spreading._listeners.items() if one._wanted}
            found += [(name, other) for other in listeners if other not in neighbours[name]]
            found += [(name, other) for other in spreading._stand_ins.tellers]
        return found

    def _part(self, start):
        found, border = {start}, [start]
        for one in border:
            for other in self._neighbours(one):
                if other not in found and self.network.works(one, other):
                    found.add(other)
                    border.append(other)
        return found
