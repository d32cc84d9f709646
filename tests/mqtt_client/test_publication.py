"""One publication: what is refused before it is sent, and what a broker reads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import InputError
from tidings.mqtt.publication import Facts, event_of
from tidings.mqtt_client.publication import Pending, Publication, check_publication
from tidings.vocabulary.instant import FOREVER, SECOND
from tidings.wire.carriers import CarrierReader, encode_event, join_events
from tidings.wire.mqtt_decode import MqttDecoder
from tidings.wire.mqtt_encode import publish_bytes, publish_first, publish_head

VALUES = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
)
NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8).filter(
    lambda name: name not in {"topic", "lifetime", "attributes"}
)


@given(st.dictionaries(NAMES, VALUES, max_size=4), st.binary(max_size=20), st.integers(0, 10**12))
def test_a_broker_reads_what_was_said(attributes, payload, lifetime_ns):
    """From a packet, by the rules of our own broker: attributes with their types, the lifetime to the nanosecond."""
    one = Publication("t", payload, attributes, lifetime_ns)
    check_publication(one)
    data = publish_bytes(publish_first(0), publish_head("t", 0), Pending(one, 0, 7).tail(7, None))
    (packet,) = MqttDecoder("client", version=5).feed(data)
    event = event_of(packet, Facts(0, "p", "t", 7))
    assert event.payload == payload
    assert event.expires_ns == 7 + lifetime_ns
    assert [(type(value), value) for value in event.attributes.values()] == [
        (type(value), value) for value in attributes.values()
    ]


@given(st.dictionaries(NAMES, VALUES, max_size=4), st.binary(max_size=20), st.integers(0, 10**12), st.integers(0, 2))
def test_a_carrier_says_the_same(attributes, payload, lifetime_ns, qos):
    """To whoever reads it by the rules of carriers."""
    pending = Pending(Publication("t", payload, attributes, lifetime_ns), 0, 50)
    event = pending.event(9, "ann", 20, qos)
    assert CarrierReader().read(join_events([encode_event(event)])) == [event]
    assert (event.published_ns, event.expires_ns) == (30, 30 + lifetime_ns)
    assert event.carried[0] & 3 == qos


def test_without_a_lifetime_it_lives_for_ever():
    """Also when instants are large."""
    assert Pending(Publication("t"), 0, 10).expires_ns == FOREVER
    assert Pending(Publication("t", lifetime_ns=FOREVER - 5), 0, 10).expires_ns == FOREVER
    assert Pending(Publication("t"), 0, 10).event(0, "a", 10**18, 1).expires_ns == FOREVER


def test_instants_stay_instants_under_any_shift():
    """A clock that started after ours knows nothing before its start."""
    event = Pending(Publication("t", lifetime_ns=SECOND), 0, 5).event(0, "a", 10**18, 1)
    assert (event.published_ns, event.expires_ns) == (0, 0)


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        ({"topic": ""}, "a topic must not be empty"),
        ({"topic": "a/+"}, "wildcards"),
        ({"topic": "$tidings"}, "rows of events"),
        ({"payload": b"x" * ((1 << 20) + 1)}, "at most 1048576"),
        ({"qos": 3}, "must be 0, 1 or 2"),
        ({"lifetime_ns": -1}, "must not be negative"),
        ({"attributes": {"topic": 1}}, "no attribute can be named 'topic'"),
        ({"attributes": {"": 1}}, "no attribute can be named ''"),
        ({"attributes": {"a": float("nan")}}, "numbers must be finite"),
        ({"attributes": {"a": float("inf")}}, "numbers must be finite"),
        ({"attributes": {"a": 2**64}}, "at most 64 bits"),
        ({"attributes": {"a": -(2**63) - 1}}, "at most 64 bits"),
        ({"attributes": {"a": b"x"}}, "is a bytes"),
        ({"attributes": {"a": None}}, "is a NoneType"),
        ({"attributes": {"a": "x\0"}}, "holds NUL"),
        ({"attributes": {"a": "\ud800"}}, "lone surrogates"),
        ({"attributes": {"a": "x" * 20_000}}, "20001 characters"),
        ({"attributes": {str(one): 1 for one in range(300)}}, "300 attributes"),
    ],
)
def test_what_no_broker_of_ours_takes_is_refused_here(made, problem):
    """With a sentence that names it."""
    with pytest.raises(InputError, match=problem):
        check_publication(Publication(**{"topic": "t", **made}))


def test_its_size_counts_what_it_holds():
    """Payload, topic, attributes."""
    bare = Pending(Publication("t"), 0, 0).size
    assert Pending(Publication("t", b"x" * 50), 0, 0).size == bare + 50
    assert Pending(Publication("t", attributes={"name": "x" * 50}), 0, 0).size > bare + 50
