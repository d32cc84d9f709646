"""What a stage keeps: the last events of each topic, so long and so much."""

from sequencing.board import event
from tidings.ordering import Timestamp
from tidings.sequencing.retained import EVENT_BYTES, Kept, Retained, Retention


def kept(number, now, topic="a"):
    """Event `number` of a topic, published now."""
    return Kept(event(number, topic), Timestamp.of(topic, {topic: number}), now)


def test_what_is_kept_is_found():
    """By topic and number."""
    retained = Retained(Retention())
    one = kept(1, 0)
    retained.keep(one)
    assert retained.find("a", 1) is one
    assert retained.find("a", 2) is retained.find("b", 1) is None


def test_old_events_go():
    """After the time, the oldest first; a topic's last ones stay without a hole."""
    retained = Retained(Retention(lasting_ns=10))
    for number in range(1, 5):
        retained.keep(kept(number, 5 * number))
    retained.forget(26)
    assert [retained.find("a", number) is not None for number in range(1, 5)] == [False, False, False, True]


def test_there_is_an_end_to_what_is_kept():
    """In bytes, over all topics."""
    size = kept(1, 0).size
    assert size == EVENT_BYTES + 8
    retained = Retained(Retention(bytes_max=2 * size))
    for number, topic in ((1, "a"), (1, "b"), (2, "a")):
        retained.keep(kept(number, 0, topic))
    assert retained.find("a", 1) is None
    assert retained.find("b", 1) is not None
    assert retained.find("a", 2) is not None


def test_what_was_said_to_be_gone_is_gone_for_everybody():
    """Kept or not, and for ever."""
    retained = Retained(Retention())
    for number in (1, 2, 3):
        retained.keep(kept(number, 0))
    retained.say_gone("a", 2)
    retained.say_gone("a", 1)
    assert retained.gone("a") == 2
    assert retained.find("a", 2) is None
    assert retained.find("a", 3) is not None
