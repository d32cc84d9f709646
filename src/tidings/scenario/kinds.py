"""The sorts of values that scenario files hold, laws of chance apart: texts, numbers, durations, names, lists.

Numbers are never booleans, never NaN and never infinite, whatever TOML allows.
"""

import math
import re
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final, TypeVar

from tidings.scenario.schema import Kind, unknown
from tidings.scenario.source import Place
from tidings.vocabulary.instant import format_duration, parse_duration
from tidings.vocabulary.topic import check_topic

T = TypeVar("T")

TEXT_MAX: Final = 65_536
NAME_MAX: Final = 256
ENTRIES_MAX: Final = 1_000_000
"""Entries in any list of a scenario, and things of any kind in a world."""

_BANDWIDTH: Final = {"bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9}
_SPEED: Final = {"m/s": Fraction(1), "km/h": Fraction(5, 18)}
_QUANTITY: Final = re.compile(r"([0-9]{1,19}(?:\.[0-9]{1,18})?(?:e[+-]?[0-9]{1,3})?)\s*([A-Za-z/]+)")


def _text(value: object, place: Place) -> str:
    if not isinstance(value, str):
        raise place.wrong(value, "must be text in quotes")
    if len(value) > TEXT_MAX:
        raise place.wrong(value, f"must not exceed {TEXT_MAX} characters")
    return value


def _name(value: object, place: Place) -> str:
    if not isinstance(value, str) or not value or len(value) > NAME_MAX or not value.isprintable():
        raise place.wrong(value, f"must be a name: 1 to {NAME_MAX} printable characters in quotes")
    return value


def _topic(value: object, place: Place) -> str:
    name = _text(value, place)
    try:
        check_topic(name)
    except ValueError as problem:
        raise place.wrong(value, f"{problem}; write a concrete topic such as quotes/IBM") from None
    return name


def _flag(value: object, place: Place) -> bool:
    if not isinstance(value, bool):
        raise place.wrong(value, "must be true or false")
    return value


def _duration(value: object, place: Place) -> int:
    if not isinstance(value, str):
        raise place.wrong(value, 'must be a duration in quotes with a unit (ns us ms s min h d), as in "20ms"')
    try:
        return parse_duration(value)
    except ValueError as problem:
        raise place.wrong(value, str(problem)) from None


def _positive_duration(value: object, place: Place) -> int:
    nanoseconds = _duration(value, place)
    if nanoseconds == 0:
        raise place.wrong(value, "must be longer than nothing")
    return nanoseconds


TEXT: Final = Kind("text", _text)
NAME: Final = Kind("a name", _name)
TOPIC: Final = Kind("a topic", _topic)
FLAG: Final = Kind("true or false", _flag)
DURATION: Final = Kind("a duration", _duration, format_duration)
POSITIVE_DURATION: Final = Kind("a duration above 0", _positive_duration, format_duration)


def whole(low: int, high: int) -> Kind[int]:
    """An integer from `low` to `high`, both included."""
    says = f"a whole number from {low} to {high}"

    def read(value: object, place: Place) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise place.wrong(value, f"must be {says}")
        return value

    return Kind(says, read)


def number(low: float = -math.inf, high: float = math.inf, *, open_low: bool = False, says: str = "") -> Kind[float]:
    """A finite number from `low` to `high`, both included, unless `open_low` leaves `low` out."""
    words = says or _interval(low, high, open_low=open_low)

    def read(value: object, place: Place) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
            raise place.wrong(value, f"must be {words}")
        if not low <= value <= high or (open_low and value == low):
            raise place.wrong(value, f"must be {words}")
        return float(value)

    return Kind(words, read)


def _interval(low: float, high: float, *, open_low: bool) -> str:
    if low == -math.inf and high == math.inf:
        return "a finite number"
    if high == math.inf:
        return f"a number {'above' if open_low else 'from'} {low:g}{'' if open_low else ' up'}"
    return f"a number from {low:g} to {high:g}"


PROBABILITY: Final = number(0.0, 1.0, says="a probability, from 0 to 1")


def one_of(*values: str) -> Kind[str]:
    """One of a few words."""
    says = "one of " + ", ".join(f'"{value}"' for value in values)
    known = dict.fromkeys(values)

    def read(value: object, place: Place) -> str:
        if not isinstance(value, str):
            raise place.wrong(value, f"must be {says}")
        if value not in known:
            raise place.wrong(value, f"{unknown('value', value, known)} (it must be {says})")
        return value

    return Kind(says, read)


def list_of(kind: Kind[T], *, least: int = 0, most: int = ENTRIES_MAX) -> Kind[tuple[T, ...]]:
    """A list whose entries are all of one kind."""

    def read(value: object, place: Place) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise place.wrong(value, f"must be a list; each entry {kind.says}")
        if not least <= len(value) <= most:
            raise place.wrong(value, f"must hold {least} to {most} entries, not {len(value)}")
        return tuple(kind.read(one, place.item(index)) for index, one in enumerate(value))

    return Kind(f"a list; each entry {kind.says}", read, lambda values: [kind.write(one) for one in values])


def distinct(kind: Kind[tuple[T, ...]]) -> Kind[tuple[T, ...]]:
    """A list in which nothing stands twice."""

    def read(value: object, place: Place) -> tuple[T, ...]:
        entries = kind.read(value, place)
        seen: dict[T, int] = {}
        for index, entry in enumerate(entries):
            if entry in seen:
                raise place.item(index).wrong(entry, f"stands here twice (also as entry {seen[entry]}); once is enough")
            seen[entry] = index
        return entries

    return Kind(kind.says, read, kind.write)


def named(kind: Kind[T], *, says: str = "", check: Callable[[str, Place], None] | None = None) -> Kind[dict[str, T]]:
    """A table whose keys are names and whose values are all of one kind; `check` looks at the names."""

    def read(value: object, place: Place) -> dict[str, T]:
        if not isinstance(value, dict):
            raise place.wrong(value, f"must be a table; each value {kind.says}")
        if len(value) > ENTRIES_MAX:
            raise place.wrong(f"{len(value)} keys", f"must not exceed {ENTRIES_MAX} keys")
        found = {}
        for name, one in value.items():
            if check is not None:
                check(name, place.child(name))
            found[name] = kind.read(one, place.child(name))
        return found

    words = says or f"a table; each value {kind.says}"
    return Kind(words, read, lambda values: {name: kind.write(one) for name, one in values.items()})


def either(says: str, *cases: tuple[type | tuple[type, ...], Kind[Any]], write: Callable[[Any], object]) -> Kind[Any]:
    """The kind whose TOML type fits the value; the first case that fits decides."""

    def read(value: object, place: Place) -> Any:
        for types, kind in cases:
            if isinstance(value, types) and not (isinstance(value, bool) and types is not bool):
                return kind.read(value, place)
        raise place.wrong(value, f"must be {says}")

    return Kind(says, read, write)


def _bandwidth(value: object, place: Place) -> float:
    bits = float(quantity(value, place, {unit: Fraction(size) for unit, size in _BANDWIDTH.items()}, "10Mbit/s"))
    if bits == 0:
        raise place.wrong(value, "must be above 0; leave the key out for an unlimited link")
    return bits


def quantity(value: object, place: Place, units: dict[str, Fraction], example: str) -> Fraction:
    """A number with one of `units`, exactly, in the unit whose size is 1."""
    match = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match is None or match[2] not in units:
        raise place.wrong(value, f'must be a number and a unit ({" ".join(units)}), as in "{example}"')
    return Fraction(match[1]) * units[match[2]]


def read_speed(value: object, place: Place) -> float:
    """Metres per second of `"10m/s"` or `"36km/h"`."""
    return float(quantity(value, place, _SPEED, "10m/s"))


BANDWIDTH: Final = Kind('a bandwidth, as in "10Mbit/s"', _bandwidth, lambda bits: f"{_plain(bits)}bit/s")


def _point(value: object, place: Place) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise place.wrong(value, "must be two numbers in metres, as in [500, 200]")
    x, y = (_COORDINATE.read(one, place.item(index)) for index, one in enumerate(value))
    return x, y


_COORDINATE: Final = number()
POINT: Final = Kind("a point [x, y] in metres", _point, list)


def pair_of(kind: Kind[T], says: str) -> Kind[tuple[T, T]]:
    """A list of exactly two."""

    def read(value: object, place: Place) -> tuple[T, T]:
        if not isinstance(value, list) or len(value) != 2:
            raise place.wrong(value, f"must be {says}")
        return kind.read(value[0], place.item(0)), kind.read(value[1], place.item(1))

    return Kind(says, read, lambda pair: [kind.write(pair[0]), kind.write(pair[1])])


def words_of(values: Sequence[str]) -> str:
    """At most five names for a message, the rest as an ellipsis."""
    return ", ".join(values[:5]) + (" …" if len(values) > 5 else "")


def _plain(value: float) -> str:
    return str(int(value)) if value.is_integer() and value < 1e18 else repr(value)
