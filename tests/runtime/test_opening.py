"""From a data folder to a front: what an earlier life left is there, once, whatever that life was doing when it ended."""

import time

import pytest

from tidings.errors import InputError, LogForeign
from tidings.mqtt.limits import Limits
from tidings.mqtt.notices import BytesArrived, ConnectionOpened
from tidings.mqtt.rights import ALL_RIGHTS
from tidings.runtime.furnishing import lone_broker
from tidings.runtime.opening import Opening, open_front
from tidings.wire.mqtt_encode import encode_packet
from tidings.wire.mqtt_packets import Connect, Properties, Publish, Subscribe, TopicWish

LASTING = Properties(session_expiry_s=1_000)


def opening(data, name="a", **options):
    """Of a lone broker."""
    return Opening(
        name=name,
        data=data,
        rights_of=lambda _: ALL_RIGHTS,
        new_broker=lone_broker(name),
        limits=Limits(),
        **options,
    )


def turn(opened):
    """Drain and write down; gives what would be written to connections."""
    effects = opened.front.drain()
    if opened.store is not None:
        opened.store.commit(effects.records, effects.claims, effects.released)
    return effects


def say(opened, connection, *packets):
    """A client connects and says this."""
    opened.front.receive(ConnectionOpened(connection, ""), time.monotonic_ns())
    data = b"".join(encode_packet(packet, 5) for packet in packets)
    opened.front.receive(BytesArrived(connection, data), time.monotonic_ns())
    return turn(opened)


def keeper(pattern="t"):
    """A session that lasts, and wants something."""
    return (
        Connect(client_id="s", properties=LASTING, clean_start=False),
        Subscribe(packet_id=1, wishes=(TopicWish(pattern=pattern, qos=1),)),
    )


def publisher(*payloads):
    """A client that publishes these."""
    return (
        Connect(client_id="p"),
        *(Publish(topic="t", payload=one, qos=1, packet_id=n) for n, one in enumerate(payloads, 1)),
    )


def test_nothing_is_kept_without_a_folder():
    """And two processes without memory begin to count publishers at different places."""
    opened = [open_front(opening(None)) for _ in range(2)]
    for one in opened:
        assert one.store is one.folder is None
        one.close()
    firsts = {one.front.publishing.identities.indices for one in opened}
    assert len(firsts) == 2


def test_sessions_and_what_they_are_owed_come_back(tmp_path):
    """Three lives of one folder; events are stored once and read by number."""
    opened = open_front(opening(tmp_path))
    say(opened, 1, *keeper())
    opened.front.desk.ended(1)
    say(opened, 2, *publisher(b"1", b"2"))
    opened.close()
    for _ in range(2):
        opened = open_front(opening(tmp_path))
        (session,) = opened.front.sessions
        assert len(opened.store.read(list(session.outgoing.numbers()), 1 << 20)[1]) == 2
        assert not opened.torn
        assert opened.claims_dropped == 0
        turn(opened)
        opened.close()


def test_each_life_has_a_number_that_grows(tmp_path):
    """It is the number of the segment that it begins."""
    numbers = []
    for _ in range(3):
        opened = open_front(opening(tmp_path))
        numbers.append(opened.store.next_segment)
        opened.close()
    assert numbers == sorted(set(numbers))


def test_what_is_too_old_is_given_up_and_counted(tmp_path):
    """Retention is by age and by room; a session that waited is told of a smaller number, not of nothing."""
    opened = open_front(opening(tmp_path))
    say(opened, 1, *keeper())
    opened.front.desk.ended(1)
    say(opened, 2, *publisher(*(b"x" * 1000 for _ in range(9))))
    opened.close()
    opened = open_front(opening(tmp_path, keep_bytes_max=5_000))
    assert opened.claims_dropped == 9
    opened.close()


def test_an_unfinished_write_is_cut(tmp_path):
    """It was never acknowledged."""
    opened = open_front(opening(tmp_path))
    say(opened, 1, *keeper())
    opened.close()
    segment = max(tmp_path.glob("segment-*"))
    with segment.open("ab") as file:
        file.write(b"\x09")
    opened = open_front(opening(tmp_path))
    assert opened.torn
    assert len(list(opened.front.sessions)) == 1
    opened.close()


def test_folders_are_let_go_when_a_start_fails(tmp_path):
    """Another's data, or a folder in use: refused, and nothing is held."""
    opened = open_front(opening(tmp_path, "a"))
    with pytest.raises(InputError, match="in use"):
        open_front(opening(tmp_path, "a"))
    opened.close()
    with pytest.raises(LogForeign):
        open_front(opening(tmp_path, "b"))
    open_front(opening(tmp_path, "a")).close()
