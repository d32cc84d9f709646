"""What a stage writes on its log: everything that happened to it, in the order in which it dealt with it.

A stage is deterministic, so what happened is all that has to be kept: numbers, timestamps and outboxes follow from it.
"""

from typing import Final, TypeAlias

import msgspec

from tidings.errors import PeerError
from tidings.sequencing.messages import Item, Requested


class RequestLogged(msgspec.Struct, frozen=True, tag=True, array_like=True, gc=False):
    """A publisher's request was numbered."""

    request: Requested
    at_ns: int


class HopLogged(msgspec.Struct, frozen=True, tag=True, array_like=True, gc=False):
    """The next item of the channel from another stage was dealt with."""

    sender: str
    item: Item
    at_ns: int


class TakenLogged(msgspec.Struct, frozen=True, tag=True, array_like=True, gc=False):
    """Another stage has this channel's items up to `number`; written when something else is."""

    receiver: str
    number: int


class GoneLogged(msgspec.Struct, frozen=True, tag=True, array_like=True, gc=False):
    """Somebody is told that a topic's events up to `number` are gone."""

    topic: str
    number: int


StageRecord: TypeAlias = RequestLogged | HopLogged | TakenLogged | GoneLogged

_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(StageRecord)


def to_record(record: StageRecord) -> bytes:
    """As it stands on the log."""
    return _ENCODER.encode(record)


def from_record(data: bytes) -> StageRecord:
    """What `to_record` wrote. Raises PeerError for a log that no stage wrote."""
    try:
        record: StageRecord = _DECODER.decode(data)
    except msgspec.DecodeError as error:
        raise PeerError(f"no record of a stage: {error}") from error
    return record
