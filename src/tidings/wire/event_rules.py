"""What types do not say about an event that travels; each check raises ValueError with one sentence."""

from collections.abc import Iterable
from typing import Final

from tidings.vocabulary.event import CARRIED_BYTES_MAX, Event
from tidings.vocabulary.filter import TOPIC
from tidings.vocabulary.topic import check_topic

PAYLOAD_BYTES_MAX: Final = 1 << 20
NAME_LENGTH_MAX: Final = 255
NUMBER_MAX: Final = 2**63 - 1


def check_event(event: Event) -> None:
    """An event that any process may be sent."""
    check_numbers(0, id=event.id, published_ns=event.published_ns, incarnation=event.incarnation)
    check_numbers(0, expires_ns=event.expires_ns, payload_bytes=event.payload_bytes)
    check_names((event.publisher,))
    check_topic(event.topic)
    check_contents(event)


def check_contents(event: Event) -> None:
    """What an event says: its payload, its attributes, what is carried."""
    if len(event.payload) > PAYLOAD_BYTES_MAX:
        raise ValueError(f"a payload of {len(event.payload)} bytes, at most {PAYLOAD_BYTES_MAX} can travel")
    if len(event.payload) != event.payload_bytes:
        raise ValueError(f"payload_bytes is {event.payload_bytes}, the payload has {len(event.payload)}")
    if len(event.carried) > CARRIED_BYTES_MAX:
        raise ValueError(f"{len(event.carried)} bytes carried unread, at most {CARRIED_BYTES_MAX} can travel")
    for name, value in event.attributes.items():
        if name == TOPIC:
            raise ValueError("an attribute is named topic, which is reserved for the topic itself")
        if type(value) is float and value - value != 0:
            raise ValueError(f"attribute {name!r} is {value}; numbers must be finite")


def check_numbers(least: int, **numbers: int | None) -> None:
    """Each absent, or from `least` to what 63 bits hold."""
    for name, number in numbers.items():
        if number is not None and not least <= number <= NUMBER_MAX:
            raise ValueError(f"{name} is {number}, it must lie in {least} to {NUMBER_MAX}")


def check_names(names: Iterable[str]) -> None:
    """Each of a length that every log and every table can hold."""
    for name in names:
        if not 0 < len(name) <= NAME_LENGTH_MAX:
            raise ValueError(f"a name of {len(name)} characters, it must have 1 to {NAME_LENGTH_MAX}")
