"""Frames as bytes, between brokers and between a client and its broker.

A connection is a row of frames: four bytes of length (big-endian, the body only), then the body, one MessagePack map
with the frame's kind under `type`. The first frame of each side is a `Hello`; who says to be a client may then send what
clients send, who says to be a broker what brokers send, and nothing else.

Both directions obey the same rules, so that whatever `encode` takes, a `Decoder` gives back:

- integers, in attributes too, have at most 64 bits (-2⁶³ to 2⁶⁴-1); larger ones are refused, not carried as text.
  Identities, numbers, versions and instants lie in 0 to 2⁶³-1; in `InterestsKnown`, -1 says "nothing yet";
- attribute values are finite, of exactly the type sent (true is not 1, 1 is not 1.0), and none is named `topic`;
- topics are concrete, filters parse; names have 1 to 255 characters;
- an event carries as many bytes of payload as it says.

Instants and lifetimes travel as they are: both sides must read one clock, which is so on one host.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, TypeAlias

import msgspec

from tidings.errors import FilterError, InputError, PeerError
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.frames import (
    Accepted,
    ClientHears,
    ClientSays,
    Deliver,
    Forward,
    Frame,
    HandedOver,
    HandoffAsked,
    Homeward,
    Interests,
    InterestsKnown,
    LinkReports,
    LinkReportsKnown,
    MoveIn,
    MoveOut,
    Packet,
    PacketTaken,
    Publish,
    PublishInTurn,
    Reached,
    Received,
    Relayed,
    ReportHeard,
    Routed,
    StandBy,
    Subscribe,
    Subscribed,
    Unsubscribe,
)
from tidings.wire.event_rules import PAYLOAD_BYTES_MAX, check_event, check_names, check_numbers

VERSION: Final = 1
LENGTH_BYTES: Final = 4
FRAME_BYTES_MAX: Final = PAYLOAD_BYTES_MAX + (1 << 18)
"""Of a body: a full payload, the longest topic, and three times as much for everything else."""
FIRST_BYTES_MAX: Final = 4_096
"""Of the first body: nobody may make us wait for more before having said who it is."""
WAY_LENGTH_MIN: Final = 2
SENTENCE_LENGTH_MAX: Final = 200

Role: TypeAlias = Literal["broker", "client"]


class Hello(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """Who speaks; the first frame of each side of a connection, and only the first."""

    name: str
    role: Role
    version: int = VERSION


FromClient: TypeAlias = Publish | Subscribe | Unsubscribe | Received | MoveIn | MoveOut | Homeward
FromBroker: TypeAlias = (
    Accepted
    | Subscribed
    | Deliver
    | Forward
    | Received
    | Interests
    | InterestsKnown
    | Relayed
    | LinkReports
    | LinkReportsKnown
    | ReportHeard
    | Routed
    | Packet
    | PacketTaken
    | Reached
)

_BODIES: Final[dict[Role, Any]] = {
    "client": msgspec.msgpack.Decoder(FromClient),
    "broker": msgspec.msgpack.Decoder(FromBroker),
}
_FIRST: Final = msgspec.msgpack.Decoder(Hello)
_ENCODER: Final = msgspec.msgpack.Encoder()


def encode(frame: Frame | Hello) -> bytes:
    """`frame` with its length in front; raises InputError for one that no `Decoder` would take."""
    try:
        _check(frame)
        body = _ENCODER.encode(frame)
    except (ValueError, OverflowError, TypeError) as problem:
        raise InputError(f"{type(frame).__name__} cannot be sent: {_sentence(problem)}") from None
    limit = FIRST_BYTES_MAX if type(frame) is Hello else FRAME_BYTES_MAX
    if len(body) > limit:
        raise InputError(f"{type(frame).__name__} cannot be sent: it has {len(body)} bytes, at most {limit} can travel")
    return len(body).to_bytes(LENGTH_BYTES, "big") + body


class Decoder:
    """The frames of one connection, in whatever pieces its bytes arrive. Holds one unfinished frame at most."""

    __slots__ = ("_bytes", "_limit", "_refused", "peer")

    def __init__(self, limit: int = FRAME_BYTES_MAX) -> None:
        self._bytes = bytearray()
        self._limit = limit
        self._refused: str | None = None
        self.peer: Hello | None = None
        """Who speaks, once it has said so."""

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that `data` completes, in order; the hello is not among them, see `peer`.

        Raises PeerError for anything that no well-behaved peer sends. The connection must be closed then: frames before
        the bad one in `data` are lost with it, and every later call raises again.
        """
        if self._refused is not None:
            raise PeerError(self._refused)
        self._bytes += data
        try:
            return self._take()
        except (ValueError, msgspec.DecodeError, RecursionError) as problem:
            raise self._refusal(_sentence(problem)) from None

    def end(self) -> None:
        """The peer has closed its side; raises PeerError when it did so within a frame."""
        if self._bytes:
            raise self._refusal(f"the connection ended within a frame, after {len(self._bytes)} of its bytes")

    def _take(self) -> list[Frame]:
        frames: list[Frame] = []
        start = 0
        while (body := self._body(start)) is not None:
            start += LENGTH_BYTES + len(body)
            if self.peer is None:
                self.peer = _hello(body)
            else:
                frame = _BODIES[self.peer.role].decode(body)
                _check(frame)
                frames.append(frame)
        del self._bytes[:start]
        return frames

    def _body(self, start: int) -> bytearray | None:
        """The body of the frame at `start` when all of it has arrived; its length is judged as soon as it is there."""
        head = self._bytes[start : start + LENGTH_BYTES]
        if len(head) < LENGTH_BYTES:
            return None
        length = int.from_bytes(head, "big")
        limit = min(FIRST_BYTES_MAX, self._limit) if self.peer is None else self._limit
        if not 0 < length <= limit:
            raise ValueError(f"a frame of {length} bytes is announced, here it must have 1 to {limit}")
        start += LENGTH_BYTES
        return self._bytes[start : start + length] if len(self._bytes) >= start + length else None

    def _refusal(self, sentence: str) -> PeerError:
        who = "a peer without a name" if self.peer is None else f"{self.peer.role} {self.peer.name!r}"
        self._refused = f"{who} broke the protocol: {sentence}"
        self._bytes.clear()
        return PeerError(self._refused)


def _hello(body: bytearray) -> Hello:
    hello = _FIRST.decode(body)
    _check(hello)
    if hello.version != VERSION:
        raise ValueError(f"version {hello.version} is spoken there, {VERSION} here")
    return hello


def _sentence(problem: Exception) -> str:
    """One short line, whatever the peer wrote into the names that it quotes."""
    if isinstance(problem, UnicodeError):
        return "text must be valid Unicode"
    text = "".join(character if character.isprintable() else "?" for character in str(problem))
    return text if len(text) <= SENTENCE_LENGTH_MAX else text[: SENTENCE_LENGTH_MAX - 1] + "…"


# ---- what types do not say; each check raises ValueError


def _check(frame: Frame | Hello) -> None:
    _CHECKS[type(frame)](frame)


def _check_filters(texts: Iterable[str]) -> None:
    """A filter's own error also draws the filter, which has no place in a line."""
    try:
        for text in texts:
            parsed(text)
    except FilterError as problem:
        raise ValueError(f"filter, column {problem.column}: {problem.problem}") from None


def _check_ids(event_ids: Iterable[int]) -> None:
    for event_id in event_ids:
        check_numbers(0, event_id=event_id)


def _check_subscribe(frame: Subscribe) -> None:
    check_numbers(0, number=frame.number)
    _check_filters((frame.filter,))


def _check_subscribed(frame: Subscribed) -> None:
    check_numbers(0, number=frame.number)
    check_names(frame.missing)


def _check_interests(frame: Interests) -> None:
    check_names((frame.tree,))
    check_numbers(0, incarnation=frame.incarnation, version=frame.version, base=frame.base)
    if frame.base is None and frame.removed:
        raise ValueError("a whole set of interests removes nothing")
    if frame.base is not None and frame.base >= frame.version and (frame.added or frame.removed):
        raise ValueError(f"a change leads from base {frame.base} to version {frame.version}, it must lead forward")
    _check_filters((*frame.added, *frame.removed))


def _check_interests_known(frame: InterestsKnown) -> None:
    check_names((frame.tree, *frame.missing))
    check_numbers(-1, incarnation=frame.incarnation, version=frame.version, confirmed=frame.confirmed)


def _check_move_in(frame: MoveIn) -> None:
    check_numbers(0, session=frame.session)
    check_names(() if frame.previous is None else (frame.previous,))
    _check_wishes(frame.wishes)


def _check_wishes(wishes: Iterable[tuple[int, str]]) -> None:
    for number, text in wishes:
        check_numbers(0, number=number)
        _check_filters((text,))


def _check_relayed(frame: Relayed) -> None:
    check_names(frame.way)
    if len(frame.way) < WAY_LENGTH_MIN or len(set(frame.way)) < len(frame.way):
        raise ValueError(f"a way by {len(frame.way)} brokers, it must lead from one to another and meet none twice")
    _CHECKS[type(frame.frame)](frame.frame)


def _check_asked(frame: HandoffAsked) -> None:
    check_names((frame.client,))
    check_numbers(0, session=frame.session, start=frame.start)


def _check_handed(frame: HandedOver) -> None:
    check_names((frame.client,))
    check_numbers(0, session=frame.session, start=frame.start)
    for event in frame.events:
        check_event(event)


def _check_stand_by(frame: StandBy) -> None:
    check_names((frame.client,))
    check_numbers(0, session=frame.session)
    _check_wishes(frame.wishes)


def _check_homeward(frame: Homeward) -> None:
    check_names((frame.home,))
    _CHECKS[type(frame.frame)](frame.frame)


def _check_says(frame: ClientSays) -> None:
    check_names((frame.client,))
    _CHECKS[type(frame.frame)](frame.frame)


def _check_hears(frame: ClientHears) -> None:
    check_names((frame.client,))
    check_numbers(0, session=frame.session)
    _CHECKS[type(frame.frame)](frame.frame)


def _check_in_turn(frame: PublishInTurn) -> None:
    check_numbers(0, number=frame.number, first=frame.first)
    check_event(frame.event)


def _check_reports(frame: LinkReports) -> None:
    for report in frame.reports:
        check_names((report.broker, *report.lost, *(neighbour for neighbour, _, _ in report.links)))
        check_numbers(0, incarnation=report.incarnation, version=report.version)
        _check_filters(report.wants)
        for _, delay_ns, ratio in report.links:
            check_numbers(0, delay_ns=delay_ns)
            if not 0 <= ratio <= 1:
                raise ValueError(f"a link delivers a share of {ratio}, it must be from 0 to 1")


def _check_reports_known(frame: LinkReportsKnown) -> None:
    for broker, incarnation, version in frame.known:
        check_names((broker,))
        check_numbers(0, incarnation=incarnation, version=version)


def _check_heard(frame: ReportHeard) -> None:
    for author, incarnation, version, by in frame.heard:
        check_names((author, by))
        check_numbers(0, incarnation=incarnation, version=version)


def _check_routed(frame: Routed) -> None:
    check_event(frame.event)
    if not frame.ways or not all(frame.ways):
        raise ValueError("an event is routed by no way, it must have one at least, and each must lead somewhere")
    for way in frame.ways:
        check_names(way)


def _check_packet(frame: Packet) -> None:
    check_event(frame.event)
    check_numbers(0, number=frame.number, attempt=frame.attempt, round=frame.round)
    if not (frame.destinations or frame.guards) or not frame.path:
        raise ValueError("a packet needs a destination or a guard's, and the path by which it came")
    check_names((*frame.destinations, *frame.path))
    for guard in frame.guards:
        check_names((guard.destination, *guard.tell))
        check_numbers(0, release_ns=guard.release_ns)
    for destination, brokers in frame.tells:
        check_names((destination, *brokers))


def _check_packet_taken(frame: PacketTaken) -> None:
    check_numbers(0, number=frame.number)
    check_names(frame.declined)


def _check_reached(frame: Reached) -> None:
    check_names((frame.broker,))
    check_numbers(0, event_id=frame.event_id)
    for way in frame.ways:
        check_names(way)
    if not frame.ways or not all(frame.ways):
        raise ValueError("nobody is told, there must be one way at least, and each must lead somewhere")


_CHECKS: Final[dict[type, Callable[[Any], None]]] = {
    Hello: lambda frame: check_names((frame.name,)),
    Publish: lambda frame: check_event(frame.event),
    Accepted: lambda frame: check_numbers(0, event_id=frame.event_id),
    Subscribe: _check_subscribe,
    Unsubscribe: lambda frame: check_numbers(0, number=frame.number),
    Subscribed: _check_subscribed,
    Deliver: lambda frame: check_event(frame.event),
    Forward: lambda frame: check_event(frame.event),
    Received: lambda frame: _check_ids(frame.event_ids),
    Interests: _check_interests,
    InterestsKnown: _check_interests_known,
    MoveIn: _check_move_in,
    MoveOut: lambda frame: check_numbers(0, session=frame.session),
    Relayed: _check_relayed,
    HandoffAsked: _check_asked,
    HandedOver: _check_handed,
    StandBy: _check_stand_by,
    Homeward: _check_homeward,
    ClientSays: _check_says,
    ClientHears: _check_hears,
    PublishInTurn: _check_in_turn,
    LinkReports: _check_reports,
    LinkReportsKnown: _check_reports_known,
    ReportHeard: _check_heard,
    Routed: _check_routed,
    Packet: _check_packet,
    PacketTaken: _check_packet_taken,
    Reached: _check_reached,
}
