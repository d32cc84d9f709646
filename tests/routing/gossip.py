"""Brokers that do nothing but tell each other of their links, with a failure detector that is always right at once."""

from tidings.routing.link_state import SAY_AGAIN_NS_MAX, LinkState
from tidings.vocabulary.frames import LinkReports
from tidings.vocabulary.overlay import Overlay


def overlay_of(*links, delays=None):
    """An overlay of these links, brokers in the order in which they are named."""
    brokers = tuple(dict.fromkeys(name for link in links for name in link))
    return Overlay(brokers, tuple(links), tuple(delays or [1.0] * len(links)))


class Gossip:
    """Link states joined in memory; `drops` says of each frame whether it is lost."""

    def __init__(self, overlay, drops=lambda: False):
        self.overlay, self.drops, self.now = overlay, drops, 0
        self.states = {name: LinkState(name, overlay) for name in overlay.brokers}
        self.incarnations = dict.fromkeys(overlay.brokers, 0)
        self.down, self.cut = set(), set()
        self.in_flight = []
        for state in self.states.values():
            state.begin(0)

    def works(self, one, other):
        """True when frames can travel."""
        return frozenset((one, other)) not in self.cut and not {one, other} & self.down

    def crash(self, name):
        """The process is gone; its neighbours notice."""
        self.down.add(name)
        for other in self.overlay.neighbours(name):
            self._tell(other, name, "lost")

    def restart(self, name):
        """A new process, which notices who is not there; its neighbours hear it again."""
        self.down.discard(name)
        self.incarnations[name] += 1
        self.states[name] = LinkState(name, self.overlay)
        self.states[name].begin(self.incarnations[name])
        for other in self.overlay.neighbours(name):
            self._tell(name, other, "returned" if self.works(name, other) else "lost")
            if self.works(name, other):
                self._tell(other, name, "returned")

    def blink(self, name):
        """A new process, so soon that nobody noticed that the old one was gone."""
        self.restart(name)

    def switch(self, one, other):
        """A link fails, or works again; both ends notice."""
        self.cut ^= {frozenset((one, other))}
        if not {one, other} & self.down:
            word = "returned" if self.works(one, other) else "lost"
            self._tell(one, other, word)
            self._tell(other, one, word)

    def run(self):
        """Carry everything until nothing is in flight; gives the frames carried."""
        carried = []
        self._collect()
        while self.in_flight:
            sender, send = self.in_flight.pop(0)
            if self.works(sender, send.to) and not self.drops():
                hear = LinkState.hear if isinstance(send.frame, LinkReports) else LinkState.acknowledged
                hear(self.states[send.to], sender, send.frame)
                carried.append((sender, send.to, send.frame))
            self._collect()
        return carried

    def wait(self):
        """Time passes until nobody has anything left to say again."""
        carried = self.run()
        for _ in range(200):
            due = [state.deadline for name, state in self.states.items() if name not in self.down]
            due = [instant for instant in due if instant is not None]
            if not due:
                break
            self.now = min(due)
            carried += self.run()
        assert self.now < 10_000 * SAY_AGAIN_NS_MAX
        return carried

    def _tell(self, listener, neighbour, word):
        if listener not in self.down:
            getattr(self.states[listener], word)(neighbour)

    def _collect(self):
        for name, state in self.states.items():
            if name not in self.down:
                self.in_flight += [(name, send) for send in state.flush(self.now)]
