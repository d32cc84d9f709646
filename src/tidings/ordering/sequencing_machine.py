"""A machine that hosts sequencing nodes, and what it sends to others: frames over channels that are repaired here.

Nodes on one machine hand on to each other at once. All nodes of two machines share one channel each way, which is more
order than they need.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tidings.errors import PeerError
from tidings.ordering.group_messages import Item, Order
from tidings.ordering.group_sequencer import AskAgain, Climb, Distribute, GroupSequencer
from tidings.ordering.hop_channel import InputBuffer, Numbered, OutputBuffer


@dataclass(frozen=True, slots=True)
class Hop:
    """An item from one node to the next."""

    sender: str
    receiver: str
    item: Item


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """Everything up to this number has arrived."""

    number: int


Frame: TypeAlias = Numbered[Hop] | Acknowledgement


@dataclass(slots=True)
class Wanted:
    """One batch of wishes, in the order in which they are to be fulfilled."""

    frames: list[tuple[str, Frame]] = field(default_factory=list)
    """Each with the machine it is for."""
    distribute: list[Distribute] = field(default_factory=list)
    again: list[AskAgain] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)


class SequencingMachine:
    """Hosts nodes, in the shape of a machine: `receive`, `order` and `ask`, `expire`, `deadline`, `drain`."""

    def __init__(
        self,
        machine_of: Mapping[str, str],
        *,
        resend_ns: int,
        flight_max: int = 1_024,
        buffered_max: int = 65_536,
        node: Callable[[str], GroupSequencer] = GroupSequencer,
    ) -> None:
        """Hosts nothing yet.

        Args:
            machine_of: where every node is; it may grow while the machine runs.
            resend_ns: what is not acknowledged for so long is sent again.
            flight_max: items on their way to one machine.
            buffered_max: with so many items that are not acknowledged, senders have to ask again.
            node: makes a node of this name.
        """
        self._machine_of = machine_of
        self._new = node
        self._resend_ns = resend_ns
        self._flight_max = flight_max
        self._buffered_max = buffered_max
        self._nodes: dict[str, GroupSequencer] = {}
        self._out: dict[str, OutputBuffer[Hop]] = {}
        self._in: dict[str, InputBuffer[Hop]] = {}
        self._wanted = Wanted()

    @property
    def unacknowledged(self) -> int:
        """Items in all output buffers."""
        return sum(map(len, self._out.values()))

    def order(self, node: str, order: Order, now: int) -> None:
        """The directory orders `node`, which begins with its first order."""
        self._node(node).order(order)
        self._fulfil(node, now)

    def ask(self, node: str, group: str, event: int, now: int) -> None:
        """A sender wants `event` in `group`, which enters at `node`."""
        if node not in self._nodes or self.unacknowledged >= self._buffered_max:
            self._wanted.again.append(AskAgain(event, group))
            return
        self._nodes[node].ask(group, event)
        self._fulfil(node, now)

    def receive(self, peer: str, frame: Frame, now: int) -> None:
        """A frame has come from another machine."""
        if isinstance(frame, Acknowledgement):
            if peer not in self._out:
                raise PeerError(f"machine {peer} acknowledges, and nothing was sent to it")
            self._out[peer].acknowledge(frame.number, now)
            return
        channel = self._in.setdefault(peer, InputBuffer())
        for hop in channel.receive(frame):
            self._climb(hop, now)
        self._wanted.frames.append((peer, Acknowledgement(channel.arrived)))

    def expire(self, now: int) -> None:
        """Send again what is overdue."""
        for channel in self._out.values():
            channel.expire(now)

    def deadline(self) -> int | None:
        """The next instant at which something may be overdue."""
        return min((due for channel in self._out.values() if (due := channel.deadline()) is not None), default=None)

    def drain(self) -> Wanted:
        """What is wanted since the last call."""
        for peer, channel in self._out.items():
            self._wanted.frames += [(peer, frame) for frame in channel.drain()]
        wanted, self._wanted = self._wanted, Wanted()
        return wanted

    def _climb(self, hop: Hop, now: int) -> None:
        self._node(hop.receiver).climb(hop.sender, hop.item)
        self._fulfil(hop.receiver, now)

    def _node(self, name: str) -> GroupSequencer:
        """A node begins with the first that is heard of it, an order or an item."""
        if name not in self._nodes:
            self._nodes[name] = self._new(name)
        return self._nodes[name]

    def _fulfil(self, node: str, now: int) -> None:
        """What the node wants, and what nodes on this machine want because of it; each node's wishes in their order."""
        wishes = [(node, wish) for wish in self._nodes[node].drain()]
        for sender, wish in wishes:
            match wish:
                case Climb(to, item) if self._machine_of[to] == self._machine_of[sender]:
                    self._node(to).climb(sender, item)
                    wishes += [(to, further) for further in self._node(to).drain()]
                case Climb(to, item):
                    self._send(Hop(sender, to, item), now)
                case Distribute():
                    self._wanted.distribute.append(wish)
                case AskAgain():
                    self._wanted.again.append(wish)
                case _:
                    self._wanted.gone.append(wish.node)
        for name in dict.fromkeys(name for name, _ in wishes):
            if self._nodes[name].finished:
                del self._nodes[name]

    def _send(self, hop: Hop, now: int) -> None:
        peer = self._machine_of[hop.receiver]
        if peer not in self._out:
            self._out[peer] = OutputBuffer(self._resend_ns, flight_max=self._flight_max)
        self._out[peer].send(hop, now)
