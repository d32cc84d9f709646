"""Packet identifiers."""

from hypothesis import given
from hypothesis import strategies as st

from tidings.mqtt_client.packet_ids import PACKET_ID_MAX, PacketIds


@given(st.lists(st.booleans(), max_size=200))
def test_no_identifier_is_in_use_twice(acts):
    """Whatever comes back in between; never 0."""
    ids, used = PacketIds(), []
    for take in acts:
        if take or not used:
            one = ids.take()
            assert one not in used
            assert 1 <= one <= PACKET_ID_MAX
            used.append(one)
        else:
            ids.give_back(used.pop(0))


def test_they_come_round():
    """Those in use are passed over."""
    ids = PacketIds()
    assert ids.take() == 1
    for _ in range(PACKET_ID_MAX - 1):
        ids.give_back(ids.take())
    assert ids.take() == 2


def test_giving_back_twice_is_no_harm():
    """Nor what was never taken."""
    ids = PacketIds()
    ids.give_back(7)
    assert ids.take() == 1
