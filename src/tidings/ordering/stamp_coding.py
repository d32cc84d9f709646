"""An event with its stamp as bytes, so that a network that knows nothing of order carries the two as one payload.

head      what the record tells of each event, and how many bytes of numbers and of topics or summaries follow
numbers   varints: steps back to the incarnation's first number, then from departure to departure, newest first
about     topics, each written once, and which of them each event had; or summaries, one behind the other
payload   the application's own
"""

import struct
from functools import lru_cache
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from tidings.errors import PeerError
from tidings.ordering.publication_record import RECORD_MAX, Past, Stamp
from tidings.ordering.summary import SUMMARY_BYTES
from tidings.ordering.varints import from_varints, to_varints
from tidings.vocabulary.event import Event, split_event_id

_HEAD: Final = struct.Struct(">4sBHI")
_MARK: Final = b"tif1"
"""Begins every stamped payload: what does not begin so comes from a publisher that does not stamp."""

_NOTHING, _TOPICS, _SUMMARIES = range(3)
_ABOUT_BYTES_MAX: Final = 1 << 20


def stamped(event: Event, stamp: Stamp) -> Event:
    """The event as it travels: its payload begins with the stamp, and its size says so."""
    kind, about = _about(stamp.before)
    departures = np.array([event.published_ns, *(past.departed_ns for past in stamp.before)], np.int64)
    steps = departures[:-1] - departures[1:]
    back = split_event_id(event.id)[1] - stamp.first
    numbers = to_varints(np.concatenate(([back], _zigzag(steps))))
    front = _HEAD.pack(_MARK, kind, len(numbers), len(about)) + numbers + about
    return msgspec.structs.replace(event, payload=front + event.payload, payload_bytes=event.payload_bytes + len(front))


def unstamped(event: Event) -> tuple[Event, Stamp]:
    """What `stamped` was given. Raises PeerError for a payload that no publisher makes."""
    try:
        size, stamp = _read(event.payload, split_event_id(event.id)[1], event.published_ns)
    except (struct.error, msgspec.DecodeError, IndexError, OverflowError) as error:
        raise PeerError(f"event {event.id}: its stamp cannot be read: {error}") from error
    except PeerError as error:
        raise PeerError(f"event {event.id}: {error}") from error
    payload_bytes = max(0, event.payload_bytes - size)
    return msgspec.structs.replace(event, payload=event.payload[size:], payload_bytes=payload_bytes), stamp


# Subscribers of one process often read the very same event, one behind the other.
@lru_cache(maxsize=256)
def _read(payload: bytes, number: int, departed_ns: int) -> tuple[int, Stamp]:
    """Where the application's payload begins, and the stamp."""
    mark, kind, numbers_size, about_size = _HEAD.unpack_from(payload)
    if mark != _MARK or kind > _SUMMARIES or about_size > _ABOUT_BYTES_MAX:
        raise PeerError("it carries no stamp of a publication record")
    middle = _HEAD.size + numbers_size
    end = middle + about_size
    if len(payload) < end:
        raise PeerError("its stamp is cut off")
    numbers = from_varints(payload[_HEAD.size : middle])
    back, steps = int(numbers[0]), numbers[1:]
    if len(steps) > RECORD_MAX:
        raise PeerError(f"its stamp tells of {len(steps)} earlier events, more than {RECORD_MAX}")
    departures = departed_ns - np.cumsum(_unzigzag(steps))
    return end, Stamp(number - back, _pasts(departures.tolist(), kind, payload[middle:end]))


def _about(before: tuple[Past, ...]) -> tuple[int, bytes]:
    """What kind of record it is, and what it tells beside departures; records do not mix kinds."""
    if before and before[0].topic is not None:
        places: dict[str, int] = {}
        which = [places.setdefault(str(past.topic), len(places)) for past in before]
        return _TOPICS, msgspec.msgpack.encode((list(places), which))
    if before and before[0].summary is not None:
        return _SUMMARIES, b"".join(past.summary or b"" for past in before)
    return _NOTHING, b""


def _pasts(departures: list[int], kind: int, about: bytes) -> tuple[Past, ...]:
    if kind == _TOPICS:
        topics, which = msgspec.msgpack.decode(about, type=tuple[list[str], list[int]])
        if len(which) != len(departures) or any(place < 0 for place in which):
            raise PeerError("its stamp names topics for other events than it tells of")
        return tuple(Past(at, topic=topics[place]) for at, place in zip(departures, which, strict=True))
    if len(about) != SUMMARY_BYTES * len(departures) * (kind == _SUMMARIES):
        raise PeerError("its stamp has summaries for other events than it tells of")
    if kind == _NOTHING:
        return tuple(Past(at) for at in departures)
    starts = range(0, len(about), SUMMARY_BYTES)
    cut = [about[start : start + SUMMARY_BYTES] for start in starts]
    return tuple(Past(at, summary=summary) for at, summary in zip(departures, cut, strict=True))


def _zigzag(steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Signed numbers as numbers from 0, small ones small: clocks may be set back."""
    return (steps << 1) ^ (steps >> 63)


def _unzigzag(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    return (numbers >> 1) ^ -(numbers & 1)
