"""Hypothesis strategies for MQTT packets, for what each side sends in each version."""

from hypothesis import strategies as st

from tidings.wire.mqtt_packets import (
    NO_PROPERTIES,
    VERSION_3_1_1,
    VERSION_5,
    Auth,
    Connack,
    Connect,
    Disconnect,
    Pingreq,
    Pingresp,
    Properties,
    Puback,
    Pubcomp,
    Publish,
    Pubrec,
    Pubrel,
    Suback,
    Subscribe,
    TopicWish,
    Unsuback,
    Unsubscribe,
    Will,
)
from tidings.wire.mqtt_reasons import Reason

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
topics = st.sampled_from(("a", "a/b", "/", "$x/y", "größe/\u00e9", "a//b", "t" * 300))
patterns = st.sampled_from(("#", "+", "a/+/b", "a/#", "/", "$share/g/a", "größe/+"))
binaries = st.binary(max_size=8)
bits = st.integers(0, 1)
twos = st.integers(0, 0xFFFF)
fours = st.integers(0, 0xFFFF_FFFF)
ids = st.integers(1, 0xFFFF)
reasons = st.sampled_from([int(reason) for reason in Reason])
users = st.lists(st.tuples(texts, texts), max_size=3).map(tuple)

SCALARS = {
    "payload_format": bits,
    "message_expiry_s": fours,
    "content_type": texts,
    "response_topic": texts,
    "correlation": binaries,
    "session_expiry_s": fours,
    "assigned_client_id": texts,
    "server_keep_alive_s": twos,
    "authentication_method": texts,
    "authentication_data": binaries,
    "problem_information": bits,
    "will_delay_s": fours,
    "request_response_information": bits,
    "response_information": texts,
    "server_reference": texts,
    "reason_text": texts,
    "receive_maximum": ids,
    "topic_alias_maximum": twos,
    "topic_alias": ids,
    "maximum_qos": bits,
    "retain_available": bits,
    "packet_bytes_maximum": st.integers(1, 0xFFFF_FFFF),
    "wildcards_available": bits,
    "subscription_ids_available": bits,
    "shared_available": bits,
}
MESSAGE = ("payload_format", "message_expiry_s", "content_type", "response_topic", "correlation")


def properties(*names):
    """Some of the properties of these names, and user properties."""
    optional = {name: SCALARS[name] for name in names}
    made = st.fixed_dictionaries({}, optional={**optional, "user": users.filter(len)})
    return made.map(lambda fields: Properties(**fields) if fields else NO_PROPERTIES)


def only(version, strategy):
    """The strategy in version 5; no properties before."""
    return strategy if version == VERSION_5 else st.just(NO_PROPERTIES)


def publishes(version, *, from_server=False):
    """Messages at every QoS; an empty topic only with an alias."""

    @st.composite
    def build(draw):
        qos = draw(st.integers(0, 2))
        found = draw(only(version, properties(*MESSAGE, "topic_alias")))
        if from_server and version == VERSION_5 and draw(st.booleans()):
            numbers = draw(st.lists(st.integers(1, 268_435_455), min_size=1, max_size=2))
            found = Properties(user=found.user, subscription_ids=tuple(numbers))
        empty = found.topic_alias is not None and draw(st.booleans())
        return Publish(
            topic="" if empty else draw(topics),
            payload=draw(binaries),
            qos=qos,
            retain=draw(st.booleans()),
            duplicate=qos > 0 and draw(st.booleans()),
            packet_id=draw(ids) if qos else 0,
            properties=found,
        )

    return build()


def wills(version):
    """Wills, or none."""
    found = only(version, properties(*MESSAGE, "will_delay_s"))
    made = st.builds(
        Will, topic=topics, payload=binaries, qos=st.integers(0, 2), retain=st.booleans(), properties=found
    )
    return st.none() | made


def connects(version):
    """CONNECTs; before version 5 a password needs a user name."""
    names = ("session_expiry_s", "authentication_method", "authentication_data", "problem_information")
    more = ("request_response_information", "receive_maximum", "topic_alias_maximum", "packet_bytes_maximum")
    user = st.none() | texts
    if version == VERSION_5:
        credentials = st.tuples(user, st.none() | binaries)
    else:
        credentials = user.flatmap(lambda name: st.tuples(st.just(name), st.none() if name is None else binaries))
    return credentials.flatmap(
        lambda pair: st.builds(
            Connect,
            client_id=texts,
            version=st.just(version),
            clean_start=st.booleans(),
            keep_alive_s=twos,
            user_name=st.just(pair[0]),
            password=st.just(pair[1]),
            will=wills(version),
            properties=only(version, properties(*names, *more)),
        )
    )


def answers(version):
    """The four acknowledgements of messages."""
    reason = reasons if version == VERSION_5 else st.just(0)
    found = only(version, properties("reason_text"))
    kinds = (Puback, Pubrec, Pubrel, Pubcomp)
    return st.one_of(*(st.builds(kind, packet_id=ids, reason=reason, properties=found) for kind in kinds))


def endings(version):
    """DISCONNECT, and AUTH where there is one."""
    if version == VERSION_3_1_1:
        return st.just(Disconnect())
    found = properties("session_expiry_s", "reason_text", "server_reference")
    auth = properties("authentication_method", "authentication_data", "reason_text")
    return st.builds(Disconnect, reason=reasons, properties=found) | st.builds(Auth, reason=reasons, properties=auth)


def _wishes(version):
    if version == VERSION_3_1_1:
        return st.builds(TopicWish, pattern=patterns, qos=st.integers(0, 2))
    flags = {"no_local": st.booleans(), "retain_as_published": st.booleans(), "retain_handling": st.integers(0, 2)}
    return st.builds(TopicWish, pattern=patterns, qos=st.integers(0, 2), **flags)


def from_client(version):
    """Everything that a client may send after its CONNECT."""
    found = only(version, properties())
    return st.one_of(
        publishes(version),
        answers(version),
        st.builds(
            Subscribe,
            packet_id=ids,
            wishes=st.lists(_wishes(version), min_size=1, max_size=3).map(tuple),
            properties=found
            | only(version, st.integers(1, 268_435_455).map(lambda number: Properties(subscription_ids=(number,)))),
        ),
        st.builds(
            Unsubscribe,
            packet_id=ids,
            patterns=st.lists(patterns, min_size=1, max_size=3).map(tuple),
            properties=found,
        ),
        st.just(Pingreq()),
        endings(version),
    )


def from_server(version):
    """Everything that a server may send."""
    old = version == VERSION_3_1_1
    found = only(version, properties("reason_text"))
    names = ("session_expiry_s", "receive_maximum", "maximum_qos", "retain_available", "packet_bytes_maximum")
    more = ("assigned_client_id", "topic_alias_maximum", "reason_text", "wildcards_available", "shared_available")
    rest = ("subscription_ids_available", "server_keep_alive_s", "response_information", "server_reference")
    return st.one_of(
        publishes(version, from_server=True),
        answers(version),
        st.builds(
            Connack,
            session_present=st.booleans(),
            reason=st.sampled_from((0, 0x84, 0x85, 0x86, 0x87, 0x88)) if old else reasons,
            properties=only(version, properties(*names, *more, *rest)),
        ),
        st.builds(
            Suback,
            packet_id=ids,
            reasons=st.lists(st.sampled_from((0, 1, 2, 0x80)), min_size=1, max_size=3).map(tuple),
            properties=found,
        ),
        st.builds(
            Unsuback,
            packet_id=ids,
            reasons=st.just(()) if old else st.lists(st.sampled_from((0, 0x11)), min_size=1, max_size=3).map(tuple),
            properties=found,
        ),
        st.just(Pingresp()),
        st.just(Disconnect()) if old else endings(version),
    )
