"""The channels of one stage to and from others: numbers of their own, repaired in order, whatever carries them."""

from dataclasses import dataclass
from typing import Final

from tidings.ordering.hop_channel import InputBuffer, Numbered, OutputBuffer
from tidings.sequencing.messages import Hop, HopTaken, Item
from tidings.sequencing.stage_records import TakenLogged
from tidings.vocabulary.instant import MILLISECOND

RESEND_NS: Final = 500 * MILLISECOND
SLOWER: Final = 5
"""How often the time between two tries doubles."""
TRIES_HELD: Final = 12
"""After so many tries in vain nobody waits for the next, though it will be made."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """An item whose turn it is."""

    sender: str
    item: Item


class StageChannels:
    """One channel each way for every other stage that there is something to say to."""

    def __init__(self, version: int, name: str) -> None:
        self._version, self._name = version, name
        self._out: dict[str, OutputBuffer[Item]] = {}
        self._in: dict[str, InputBuffer[Item]] = {}
        self._news: dict[str, int] = {}
        """Acknowledgements that the log does not know."""

    def send(self, stage: str, item: Item, now: int) -> None:
        """After all that was sent there before."""
        if stage not in self._out:
            self._out[stage] = OutputBuffer(RESEND_NS, slower=SLOWER)
        self._out[stage].send(item, now)

    def receive(self, hop: Hop) -> list[Arrived]:
        """Items that are now next, in order; acknowledge, whatever comes out."""
        buffer = self._in.setdefault(hop.sender, InputBuffer())
        return [Arrived(hop.sender, item) for item in buffer.receive(Numbered(hop.number, hop.item))]

    def replay(self, sender: str, item: Item) -> None:
        """The log has this as the next item from a stage."""
        buffer = self._in.setdefault(sender, InputBuffer())
        buffer.receive(Numbered(buffer.arrived + 1, item))

    def taken_from(self, sender: str) -> HopTaken:
        """What to tell a stage that has sent something."""
        return HopTaken(self._version, self._name, self._in[sender].arrived)

    def taken(self, receiver: str, number: int, now: int) -> None:
        """Another stage has items up to `number`. Raises PeerError for what was never sent."""
        if receiver in self._out:
            self._out[receiver].acknowledge(number, now)
            self._news[receiver] = number

    def news(self) -> list[TakenLogged]:
        """Acknowledgements for the log; it can do without, but then all is sent again after a restart."""
        news, self._news = self._news, {}
        return [TakenLogged(receiver, number) for receiver, number in news.items()]

    def repeat(self, now: int) -> None:
        """After a restart: what may not have arrived."""
        for buffer in self._out.values():
            buffer.repeat(now)

    def expire(self, now: int) -> None:
        """Send again what should have been acknowledged by now."""
        for buffer in self._out.values():
            buffer.expire(now)

    def deadline(self) -> int | None:
        """When something is to be sent again."""
        return min((due for one in self._out.values() if (due := one.deadline()) is not None), default=None)

    @property
    def holds(self) -> bool:
        """True while something waits for an acknowledgement that is likely to come."""
        return any(len(one) and one.tries < TRIES_HELD for one in self._out.values())

    def drain(self) -> list[tuple[str, Hop]]:
        """What is to be sent, and to which stage."""
        return [
            (stage, Hop(self._version, self._name, one.number, one.item))
            for stage, buffer in self._out.items()
            for one in buffer.drain()
        ]
