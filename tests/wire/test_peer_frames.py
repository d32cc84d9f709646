"""Frames as bytes: whatever is taken comes back equal, whatever is not is one error with one sentence."""

import math
import typing

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import strategies
from tidings.errors import InputError, PeerError
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter_text import format_filter
from tidings.vocabulary.frames import (
    Accepted,
    ClientHears,
    ClientSays,
    Deliver,
    Forward,
    Frame,
    Guard,
    HandedOver,
    HandoffAsked,
    Homeward,
    Interests,
    InterestsKnown,
    LinkReport,
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
from tidings.vocabulary.instant import FOREVER
from tidings.wire.event_rules import NUMBER_MAX, PAYLOAD_BYTES_MAX
from tidings.wire.peer_frames import (
    FIRST_BYTES_MAX,
    FRAME_BYTES_MAX,
    SENTENCE_LENGTH_MAX,
    VERSION,
    Decoder,
    FromBroker,
    FromClient,
    Hello,
    encode,
)

numbers = st.one_of(st.integers(0, NUMBER_MAX), st.sampled_from((0, 1, NUMBER_MAX)))
answers = numbers | st.just(-1)
names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
filters = st.lists(strategies.narrow_filters.map(format_filter), max_size=3).map(tuple)
wire_values = strategies.values.filter(lambda value: not isinstance(value, int) or -(2**63) <= value < 2**64)


@st.composite
def events(draw):
    """Events as they may travel."""
    payload = draw(st.binary(max_size=20))
    attributes = draw(st.dictionaries(names.filter(lambda name: name != "topic"), wire_values, max_size=4))
    return Event(
        draw(numbers),
        draw(names),
        draw(strategies.topics),
        draw(numbers),
        attributes,
        draw(numbers | st.just(FOREVER)),
        draw(numbers),
        len(payload),
        payload,
    )


@st.composite
def interests(draw):
    """A whole set, a change, or a renewal."""
    version = draw(st.integers(1, NUMBER_MAX))
    kind = draw(st.sampled_from(("whole", "change", "renewal")))
    common = (draw(names), draw(numbers), version)
    if kind == "whole":
        return Interests(*common, None, draw(filters))
    if kind == "renewal":
        return Interests(*common, version)
    return Interests(*common, draw(st.integers(0, version - 1)), draw(filters), draw(filters))


missing = st.lists(names, max_size=3).map(tuple)
wishes = st.lists(st.tuples(numbers, strategies.narrow_filters.map(format_filter)), max_size=3).map(tuple)
ways = st.lists(names, min_size=2, max_size=4, unique=True).map(tuple)
about_clients = st.one_of(
    st.builds(HandoffAsked, names, numbers, numbers, st.booleans(), st.booleans()),
    st.builds(HandedOver, names, numbers, numbers, st.lists(events(), max_size=2).map(tuple), st.booleans()),
    st.builds(StandBy, names, numbers, wishes, st.booleans()),
)
received = st.builds(Received, st.lists(numbers, max_size=4).map(tuple))
homely = st.one_of(
    st.builds(Unsubscribe, numbers),
    st.builds(MoveIn, numbers, st.none() | names, wishes),
    st.builds(MoveOut, numbers),
    st.builds(PublishInTurn, numbers, numbers, events()),
    received,
)
some_names = st.lists(names, min_size=1, max_size=3).map(tuple)
measured = st.lists(st.tuples(names, numbers, st.floats(0, 1)), max_size=2).map(tuple)
reports = st.builds(LinkReport, names, numbers, numbers, missing, filters, measured, st.booleans())
keepings = st.sampled_from(("plain", "receipts", "repairs", "none"))
from_clients = st.one_of(
    st.builds(Publish, events()),
    st.builds(Subscribe, numbers, strategies.narrow_filters.map(format_filter), keepings),
    st.builds(Homeward, names, homely),
    homely.filter(lambda frame: type(frame) is not PublishInTurn),
)
to_clients = st.one_of(
    st.builds(Accepted, numbers), st.builds(Subscribed, numbers, missing), st.builds(Deliver, events())
)
guards = st.lists(st.builds(Guard, names, numbers, missing), max_size=2).map(tuple)
tells = st.lists(st.tuples(names, missing), max_size=2).map(tuple)
at_home = st.builds(ClientSays, names, homely) | st.builds(ClientHears, names, numbers, to_clients)
from_brokers = st.one_of(
    to_clients,
    st.builds(Forward, events()),
    received,
    interests(),
    st.builds(InterestsKnown, names, answers, answers, answers, st.booleans(), missing),
    st.builds(LinkReports, st.lists(reports, max_size=3).map(tuple)),
    st.builds(Relayed, ways, about_clients | at_home | st.builds(Forward, events()) | interests()),
    st.builds(LinkReportsKnown, st.lists(st.tuples(names, numbers, numbers), max_size=3).map(tuple)),
    st.builds(ReportHeard, st.lists(st.tuples(names, numbers, numbers, names), max_size=3).map(tuple)),
    st.builds(Routed, events(), st.lists(some_names, min_size=1, max_size=3).map(tuple)),
    st.builds(
        Packet, events(), numbers, some_names, some_names, numbers, numbers, st.booleans(), guards, tells, st.booleans()
    ),
    st.builds(PacketTaken, numbers, missing),
    st.builds(Reached, numbers, names, st.lists(some_names, min_size=1, max_size=3).map(tuple)),
)
hellos = st.builds(Hello, names, st.just("broker"))
rows = st.one_of(
    st.tuples(st.builds(Hello, names, st.just("client")), st.lists(from_clients, max_size=4)),
    st.tuples(hellos, st.lists(from_brokers, max_size=4)),
)
"""A hello, and what may follow it."""

EVENT = Event(1, "p", "t", 5, {"a": 1, "b": 1.0, "c": True, "d": "x"}, 9, 2, 3, b"abc")
FRAMES = {
    "client": (
        Publish(EVENT),
        Subscribe(3, "a == 1"),
        Unsubscribe(3),
        MoveIn(2, "b1", ((3, "a == 1"),)),
        MoveOut(2),
        Homeward("b2", PublishInTurn(3, 2, EVENT)),
    ),
    "broker": (
        Accepted(1),
        Subscribed(3, ("b1",)),
        Deliver(EVENT),
        Forward(EVENT),
        Interests("t", 0, 3, 2, ("a == 1",), ("b == 2",)),
        InterestsKnown("t", -1, -1, -1, behind=True),
        Received((1, 2)),
        Relayed(("b1", "b2"), HandoffAsked("c", 2, 0, copy=False, closing=True)),
        Relayed(("b2", "b1"), HandedOver("c", 2, 0, (EVENT,), complete=False)),
        Relayed(("b2", "b4", "b3"), StandBy("c", 2, ((3, "a == 1"),))),
        Relayed(("b2", "b4", "b3"), Forward(EVENT)),
        Relayed(("b2", "b4", "b3"), ClientSays("c", Received((1,)))),
        Relayed(("b2", "b4", "b3"), ClientHears("c", 2, Deliver(EVENT))),
        LinkReports((LinkReport("b1", 0, 1, ("b2", "b3")),)),
        LinkReportsKnown((("b1", 0, 1),)),
        LinkReports((LinkReport("b1", 0, 2, (), ("a == 1",), (("b2", 5, 0.75),), asks=True),)),
        ReportHeard((("b1", 0, 2, "b3"),)),
        Routed(EVENT, (("b2", "b3"), ("b2",))),
        Packet(EVENT, 7, ("b3",), ("b1", "b2"), 1, 2, back=True),
        Packet(EVENT, 8, (), ("b1",), guards=(Guard("b4", 9, ("b1",)),), tells=(("b4", ("b2",)),), spare=True),
        PacketTaken(7, ("b3",)),
        Reached(1, "b4", (("b2", "b3"),)),
    ),
}


def exactly(one):
    """Content with its types: 1, 1.0 and True are three values here, 0.0 and -0.0 two."""
    return repr(one)


def said(hello, frames):
    """The bytes of one side of a connection."""
    return b"".join(map(encode, (hello, *frames)))


def packed(body):
    """Any body with an honest length in front."""
    content = msgspec.msgpack.encode(body)
    return len(content).to_bytes(4, "big") + content


def greeted(role="broker"):
    """A decoder that has heard a hello."""
    decoder = Decoder()
    assert decoder.feed(encode(Hello("x", role))) == []
    return decoder


def as_maps(frame):
    """A frame as the maps that it is on the wire, to be spoiled."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(frame))


@given(rows)
def test_what_is_taken_comes_back_equal(row):
    """Every kind, with the exact type of every value."""
    hello, frames = row
    decoder = Decoder()
    assert exactly(decoder.feed(said(hello, frames))) == exactly(frames)
    assert decoder.peer == hello
    decoder.end()


def test_every_kind_of_frame_is_spoken_by_somebody():
    """Clients and brokers together say everything that there is; a new kind has to be added here."""
    spoken = {*typing.get_args(FromClient), *typing.get_args(FromBroker)}
    assert spoken == set(typing.get_args(Frame)) == {type(frame) for row in FRAMES.values() for frame in row}


@pytest.mark.parametrize("role", ["client", "broker"])
def test_every_split_gives_the_same_frames(role):
    """Two pieces at every place, and single bytes."""
    data = said(Hello("x", role), FRAMES[role])
    pieces = [(data[:place], data[place:]) for place in range(len(data) + 1)]
    pieces.append([data[place : place + 1] for place in range(len(data))])
    for row in pieces:
        decoder = Decoder()
        frames = [frame for piece in row for frame in decoder.feed(piece)]
        assert exactly(frames) == exactly(list(FRAMES[role]))
        assert decoder.peer == Hello("x", role)
        decoder.end()


@given(rows, st.lists(st.integers(0, 400), max_size=6).map(sorted))
def test_any_cuts_give_the_same_frames(row, cuts):
    """Splits do not matter, wherever they are and however many."""
    hello, frames = row
    data, decoder = said(hello, frames), Decoder()
    ends = [*cuts, len(data)]
    found = [
        frame
        for start, end in zip([0, *cuts], ends, strict=True)
        for frame in decoder.feed(data[start : max(start, end)])
    ]
    assert exactly(found) == exactly(frames)


def outcome(decoder, data):
    """The frames, or the error that ended the connection; anything else escapes."""
    try:
        return decoder.feed(data)
    except PeerError as refusal:
        return refusal


mutations = st.lists(
    st.tuples(st.sampled_from(("set", "cut", "insert", "repeat")), st.integers(0, 10_000), st.binary(max_size=6)),
    min_size=1,
    max_size=4,
)


def mutated(data, changes):
    """`data` with bytes overwritten, removed, added or repeated."""
    for kind, place, content in changes:
        at = place % (len(data) + 1)
        after = at + max(1, len(content))
        data = {
            "set": data[:at] + content + data[after:],
            "cut": data[:at] + data[after:],
            "insert": data[:at] + content + data[at:],
            "repeat": data[:after] + data[at:],
        }[kind]
    return data


@given(rows, mutations)
def test_spoiled_bytes_are_taken_or_refused_with_one_error(row, changes):
    """Nothing but PeerError escapes; what is taken could have been sent; after a refusal nothing is taken."""
    hello, frames = row
    decoder = Decoder()
    taken = outcome(decoder, mutated(said(hello, frames), changes))
    if isinstance(taken, PeerError):
        assert str(taken).isprintable()
        assert str(outcome(decoder, b"")) == str(taken)
    else:
        assert all(encode(frame) for frame in taken)


@given(st.binary(max_size=200))
@example(b"\x00\x00\x00\x01\xc1")
def test_any_bytes_are_taken_or_refused_with_one_error(data):
    """As a first frame, and as a body after a hello."""
    for decoder, content in ((Decoder(), data), (greeted(), len(data).to_bytes(4, "big") + data)):
        taken = outcome(decoder, content)
        assert isinstance(taken, list) or "broke the protocol" in str(taken)


def test_lengths_are_judged_before_the_body_comes():
    """Zero, more than the limit, and more than a stranger may send."""
    for decoder, length in [
        (greeted(), 0),
        (greeted(), FRAME_BYTES_MAX + 1),
        (greeted(), 2**32 - 1),
        (Decoder(), FIRST_BYTES_MAX + 1),
        (Decoder(100), 101),
    ]:
        with pytest.raises(PeerError, match=f"a frame of {length} bytes is announced"):
            decoder.feed(length.to_bytes(4, "big"))
    assert Decoder().feed(FIRST_BYTES_MAX.to_bytes(4, "big")) == []
    assert greeted().feed(FRAME_BYTES_MAX.to_bytes(4, "big")) == []


def test_lying_lengths_are_found():
    """Too short cuts a body, too long joins the next to it."""
    body = encode(Accepted(1))[4:]
    for length in (len(body) - 1, len(body) + 1):
        with pytest.raises(PeerError):
            greeted().feed(length.to_bytes(4, "big") + body + encode(Accepted(2)))


def test_an_end_within_a_frame_is_an_error():
    """Between frames a peer may leave, elsewhere it has broken off."""
    decoder = greeted()
    decoder.feed(encode(Accepted(1))[:-1])
    with pytest.raises(PeerError, match="ended within a frame"):
        decoder.end()
    with pytest.raises(PeerError, match="ended within a frame"):
        decoder.feed(b"")


def test_the_first_frame_is_a_hello_and_no_other():
    """Nobody speaks without a name, nobody changes it, and only one version is spoken."""
    with pytest.raises(PeerError, match=r"a peer without a name broke the protocol: .*type"):
        Decoder().feed(encode(Accepted(1)))
    with pytest.raises(PeerError, match=r"broker 'x' broke the protocol: .*Hello"):
        greeted().feed(encode(Hello("y", "broker")))
    with pytest.raises(PeerError, match=f"version 2 is spoken there, {VERSION} here"):
        Decoder().feed(encode(Hello("y", "broker", 2)))
    with pytest.raises(PeerError, match="role"):
        Decoder().feed(packed({"type": "Hello", "name": "x", "role": "king", "version": 1}))


@pytest.mark.parametrize(("role", "other"), [("client", "broker"), ("broker", "client")])
def test_each_role_speaks_its_own_kinds_only(role, other):
    """A client cannot pretend to be a neighbour, nor a broker a client."""
    for frame in FRAMES[other]:
        if type(frame) is Received:
            continue  # both acknowledge events
        with pytest.raises(PeerError, match=f"{role} 'x' broke the protocol: .*{type(frame).__name__}"):
            greeted(role).feed(encode(frame))


BODIES = {
    "an array": [1],
    "no map": 1,
    "no kind": {"event_id": 1},
    "an unknown kind": {"type": "Acepted", "event_id": 1},
    "a kind that is no text": {"type": 1, "event_id": 1},
    "an unknown field": {"type": "Accepted", "event_id": 1, "extra": 1},
    "a missing field": {"type": "Accepted"},
    "true for 1": {"type": "Accepted", "event_id": True},
    "1.0 for 1": {"type": "Accepted", "event_id": 1.0},
    "text for 1": {"type": "Accepted", "event_id": "1"},
    "null for 1": {"type": "Accepted", "event_id": None},
    "a negative identity": {"type": "Accepted", "event_id": -1},
    "a negative identity among others": {"type": "Received", "event_ids": [1, -1]},
    "an identity of 64 bits": {"type": "Accepted", "event_id": 2**63},
    "1 for true": {**as_maps(FRAMES["broker"][5]), "behind": 1},
    "bytes for text": {**as_maps(FRAMES["broker"][5]), "tree": b"t"},
    "a version before nothing": {**as_maps(FRAMES["broker"][5]), "version": -2},
    "a name without characters": {**as_maps(FRAMES["broker"][1]), "missing": [""]},
    "a name that is too long": {**as_maps(FRAMES["broker"][1]), "missing": ["x" * 256]},
    "a negative wish": {**as_maps(FRAMES["broker"][1]), "number": -1},
    "a filter that does not parse": {**as_maps(FRAMES["broker"][4]), "added": ["a =="]},
    "a removed filter that does not parse": {**as_maps(FRAMES["broker"][4]), "removed": ["(" * 1000]},
    "a change from the future": {**as_maps(FRAMES["broker"][4]), "base": 4},
    "a renewal with a change": {**as_maps(FRAMES["broker"][4]), "base": 3},
    "a whole that removes": {**as_maps(FRAMES["broker"][4]), "base": None},
    "a negative base": {**as_maps(FRAMES["broker"][4]), "base": -1},
}
EVENTS = {
    "a negative id": {"id": -1},
    "an instant before the start": {"published_ns": -1},
    "an expiry of 64 bits": {"expires_ns": 2**63},
    "a negative incarnation": {"incarnation": -1},
    "no publisher": {"publisher": ""},
    "no topic": {"topic": ""},
    "a wildcard": {"topic": "a/+"},
    "a topic with NUL": {"topic": "a\0"},
    "a topic of too many bytes": {"topic": "é" * 32_768},
    "an attribute named topic": {"attributes": {"topic": "t"}},
    "NaN": {"attributes": {"a": math.nan}},
    "infinity": {"attributes": {"a": -math.inf}},
    "an attribute without value": {"attributes": {"a": None}},
    "a list for a value": {"attributes": {"a": [1]}},
    "bytes for a value": {"attributes": {"a": b"1"}},
    "an attribute named 1": {"attributes": {1: 1}},
    "a payload of text": {"payload": "abc"},
    "a payload that is shorter than it says": {"payload": b"ab"},
    "a payload without a size": {"payload_bytes": 0},
    "an unknown field": {"extra": 1},
    "too much carried": {"carried": bytes((1 << 16) + 1)},
    "text carried": {"carried": "abc"},
    "a payload that is too large": {"payload": bytes(PAYLOAD_BYTES_MAX + 1), "payload_bytes": PAYLOAD_BYTES_MAX + 1},
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_malformed_frames_are_refused(body):
    """One thing wrong at a time."""
    with pytest.raises(PeerError, match="broker 'x' broke the protocol: "):
        greeted().feed(packed(body))


@pytest.mark.parametrize("kind", ["Publish", "Deliver", "Forward"])
@pytest.mark.parametrize("spoiled", EVENTS.values(), ids=EVENTS)
def test_malformed_events_are_refused(kind, spoiled):
    """In every frame that carries one."""
    event = list({**dict(zip(Event.__struct_fields__, as_maps(EVENT), strict=True)), **spoiled}.values())
    with pytest.raises(PeerError, match="broke the protocol: "):
        greeted("client" if kind == "Publish" else "broker").feed(packed({"type": kind, "event": event}))
    assert greeted("broker").feed(packed({"type": "Deliver", "event": as_maps(EVENT)})) == [Deliver(EVENT)]


def test_a_filter_is_judged_when_a_wish_arrives():
    """With the column, and without drawing the text into the line."""
    body = {**as_maps(FRAMES["client"][1]), "filter": "a ==\n\x1b[2J"}
    with pytest.raises(PeerError, match="filter, column") as refusal:
        greeted("client").feed(packed(body))
    assert str(refusal.value).isprintable()


def test_garbage_behind_a_body_is_refused():
    """The length covers one map and nothing else."""
    body = encode(Accepted(1))[4:] + b"\x00"
    with pytest.raises(PeerError, match="trailing"):
        greeted().feed(len(body).to_bytes(4, "big") + body)


def test_bodies_that_are_no_text_or_nested_without_end_are_refused():
    """Broken UTF-8, and depth that would exhaust the stack."""
    broken = encode(Hello("xy", "broker")).replace(b"xy", b"\xed\xa0")
    with pytest.raises(PeerError, match="valid Unicode"):
        Decoder().feed(broken)
    deep = b"\x82\xa1x" + b"\x91" * 500_000 + b"\xc0"
    with pytest.raises(PeerError):
        greeted().feed(len(deep).to_bytes(4, "big") + deep)


def test_what_a_peer_writes_does_not_fill_our_log():
    """A sentence is one short printable line."""
    body = {"type": "Accepted", "event_id": 1, "\n" * 100_000: 1}
    with pytest.raises(PeerError) as refusal:
        greeted().feed(packed(body))
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < SENTENCE_LENGTH_MAX + 100


UNSENDABLE = {
    "a number too large": Publish(msgspec.structs.replace(EVENT, attributes={"a": 2**64})),
    "a number too small": Publish(msgspec.structs.replace(EVENT, attributes={"a": -(2**63) - 1})),
    "a lone surrogate": Publish(msgspec.structs.replace(EVENT, attributes={"a": "\ud800"})),
    "NaN": Deliver(msgspec.structs.replace(EVENT, attributes={"a": math.nan})),
    "a simulated payload": Forward(msgspec.structs.replace(EVENT, payload=b"")),
    "no type of ours": Publish(msgspec.structs.replace(EVENT, attributes={"a": object()})),
    "a filter that does not parse": Subscribe(1, "a"),
    "a hello that is too long": Hello("x", "broker", 2**64),
    "a set that is too large": Interests("t", 0, 1, None, ("a == 1",) * (FRAME_BYTES_MAX // 7)),
}


@pytest.mark.parametrize("frame", UNSENDABLE.values(), ids=UNSENDABLE)
def test_nothing_is_sent_that_would_be_refused(frame):
    """The sender learns it, not the peer."""
    with pytest.raises(InputError, match=f"{type(frame).__name__} cannot be sent: "):
        encode(frame)


def test_the_largest_event_travels():
    """A full payload under the longest topic."""
    event = msgspec.structs.replace(
        EVENT, topic="t" * 65_535, payload=bytes(PAYLOAD_BYTES_MAX), payload_bytes=PAYLOAD_BYTES_MAX
    )
    assert greeted().feed(encode(Deliver(event))) == [Deliver(event)]
