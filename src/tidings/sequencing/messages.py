"""What publishers, stages and subscribers say to each other, on names of their own, and the same as bytes.

    <prefix>/in/T       to the stage of topic T: `Requested`, `ProbeAsked`, `NumbersAsked`
    <prefix>/out/T      from the stage of T to all its subscribers: `Published`, `Reached`
    <prefix>/to/NAME    to one client: `Taken`, `Published` and `Reached` as answers, `Gone`
    <prefix>/stage/S    to stage S from another: `Hop`, `HopTaken`

A network carries all of them as payload and knows nothing of order. It may lose, repeat, delay and reorder.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

import msgspec

from tidings.errors import PeerError
from tidings.vocabulary.event import Event

NUMBER_MAX: Final = 2**62
"""No honest counter gets here."""
ASKED_MAX: Final = 64
"""Numbers that one question may name."""


class Requested(msgspec.Struct, frozen=True, tag=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A publisher asks the stage of `topic` to number, log and publish an event."""

    version: int
    topic: str
    publisher: str
    incarnation: int
    number: int
    """From 1, by publisher, incarnation and topic."""
    event: Event


class Taken(msgspec.Struct, frozen=True, tag=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """The stage has a publisher's requests up to `logged` on its log; up to `complete` they have their timestamps."""

    version: int
    topic: str
    incarnation: int
    logged: int
    complete: int


class Published(msgspec.Struct, frozen=True, tag=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """Event `number` of a topic with its timestamp as bytes. An expired one travels without its payload."""

    version: int
    topic: str
    number: int
    stamp: bytes
    event: Event


class Reached(msgspec.Struct, frozen=True, tag=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """The last number that the stage has published on a topic; as a probe, or to who asked for a later one."""

    version: int
    topic: str
    number: int


class ProbeAsked(msgspec.Struct, frozen=True, tag=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """Somebody who has just subscribed wants to see that the stage's events reach it."""

    version: int
    topic: str


class NumbersAsked(msgspec.Struct, frozen=True, tag=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A subscriber lacks these numbers of a topic."""

    version: int
    topic: str
    subscriber: str
    numbers: tuple[int, ...]


class Gone(msgspec.Struct, frozen=True, tag=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """The stage keeps nothing of the topic up to `number` any more, and has said so to its log."""

    version: int
    topic: str
    number: int


class Climbing(msgspec.Struct, frozen=True, tag=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A request on its way up, as `tidings.ordering.Request`."""

    event: int
    topic: str
    number: int
    numbers: bytes


class Finished(msgspec.Struct, frozen=True, tag=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A complete timestamp on its way back to the stage of its topic."""

    topic: str
    numbers: bytes


Item: TypeAlias = Climbing | Finished


class Hop(msgspec.Struct, frozen=True, tag=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """Item `number` of the channel from stage `sender`."""

    version: int
    sender: str
    number: int
    item: Item


class HopTaken(msgspec.Struct, frozen=True, tag=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """Stage `receiver` has everything up to `number` of the channel to it on its log."""

    version: int
    receiver: str
    number: int


Message: TypeAlias = Requested | Taken | Published | Reached | ProbeAsked | NumbersAsked | Gone | Hop | HopTaken


@dataclass(frozen=True, slots=True)
class Names:
    """The names of ordered traffic. `$` keeps them out of reach of other applications' wildcards."""

    prefix: str = "$order"

    def inlet(self, topic: str) -> str:
        """Where the stage of a topic listens."""
        return f"{self.prefix}/in/{topic}"

    def outlet(self, topic: str) -> str:
        """Where the stage of a topic publishes."""
        return f"{self.prefix}/out/{topic}"

    def own(self, client: str) -> str:
        """Where one client listens."""
        return f"{self.prefix}/to/{client}"

    def stage(self, name: str) -> str:
        """Where one stage listens to other stages."""
        return f"{self.prefix}/stage/{name}"

    def topic_of(self, name: str) -> str | None:
        """The topic whose traffic a name is for; None for names of clients and stages, and for what is none of ours."""
        for of_topic in (self.inlet, self.outlet):
            start = of_topic("")
            if name.startswith(start):
                return name.removeprefix(start)
        return None

    def serves(self, name: str) -> bool:
        """True for a name of ours."""
        return name.startswith(f"{self.prefix}/")


_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(Message)


def encoded(message: Message) -> bytes:
    """A message as bytes."""
    return _ENCODER.encode(message)


def decoded(data: bytes) -> Message:
    """The message. Raises PeerError for bytes that no endpoint sends."""
    try:
        message: Message = _DECODER.decode(data)
    except msgspec.DecodeError as error:
        raise PeerError(f"no message of an order: {error}") from error
    except RecursionError as error:
        raise PeerError("no message of an order: nested too deeply") from error
    _check(message)
    return message


def _check(message: Message) -> None:
    numbers: tuple[int, ...]
    if isinstance(message, Taken):
        numbers = message.logged, message.complete
    elif isinstance(message, NumbersAsked):
        numbers = message.numbers
        if len(numbers) > ASKED_MAX:
            raise PeerError(f"{message.subscriber} asks for {len(numbers)} numbers at once; at most {ASKED_MAX}")
    elif isinstance(message, ProbeAsked):
        numbers = ()
    else:
        numbers = (message.number,)
    if any(not 0 <= number <= NUMBER_MAX for number in numbers):
        raise PeerError(f"{type(message).__name__} has the number {max(numbers)}, which nobody has counted to")
