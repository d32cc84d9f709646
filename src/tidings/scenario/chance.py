"""Laws of chance as they stand in scenario files: delays, intervals, sizes, speeds, values of attributes.

A law that names a file carries the file's values from here on, under a name that can be written beside another scenario.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from tidings.scenario.kinds import list_of, read_speed
from tidings.scenario.measured import is_portable, read_measured
from tidings.scenario.schema import Kind
from tidings.scenario.source import Place
from tidings.scenario.world import Choice
from tidings.vocabulary.distribution import (
    Constant,
    Distribution,
    Empirical,
    Power,
    Unit,
    distribution_from,
    popularity_from,
    to_table,
)
from tidings.vocabulary.value import Value

_NUMBER_END: Final = 10**400
"""Filters take no longer numbers; every finite float is smaller."""
_WITH_UNIT: Final = ("value", "low", "high", "mean", "sd")


def law(unit: Unit, *, says: str, positive: bool = False) -> Kind[Distribution]:
    """A distribution of durations, numbers or bytes; a bare value is constant. `positive`: a mean of 0 is refused."""

    def read(value: object, place: Place) -> Distribution:
        found = read_law(value, place, unit)
        if positive and found.mean <= 0:
            raise place.wrong(value, "must be above 0 on average")
        return found

    return Kind(says, read, lambda found: to_table(found, unit))


def read_law(value: object, place: Place, unit: Unit) -> Distribution:
    """The law at `place`, with every complaint turned into one that names the place."""
    try:
        found = distribution_from(value, unit=unit, read=lambda name: read_measured(place.child("file"), name))
    except ValueError as problem:
        raise place.wrong(value, str(problem)) from None
    return _under_a_portable_name(found) if isinstance(found, Empirical) else found


DURATION_LAW: Final = law("duration", says='a duration, or a distribution of durations, as in "5ms"')
INTERVAL_LAW: Final = law("duration", says="a duration or a distribution of durations, above 0", positive=True)
BYTES_LAW: Final = law("bytes", says="a number of bytes, or a distribution of it")
NUMBER_LAW: Final = law("number", says="a number, or a distribution of numbers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    """A delay as written; `per` says what a distribution is drawn for, None leaves it to the table it stands in."""

    law: Distribution
    per: str | None = None


def _delay(value: object, place: Place) -> Delay:
    if not isinstance(value, Mapping) or "per" not in value:
        return Delay(law=read_law(value, place, "duration"))
    if value["per"] not in ("link", "packet"):
        raise place.child("per").wrong(value["per"], 'must be "link" (drawn once for each link) or "packet"')
    plain = {name: one for name, one in value.items() if name != "per"}
    return Delay(law=read_law(plain, place, "duration"), per=value["per"])


def _delay_table(delay: Delay) -> object:
    table = to_table(delay.law, "duration")
    return table if delay.per is None or not isinstance(table, dict) else {**table, "per": delay.per}


DELAY: Final = Kind(
    'a duration or a distribution, with per = "link" or "packet" where it matters', _delay, _delay_table
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceTime:
    """A service time as written."""

    law: Distribution
    per_subscription: bool = False


def _service(value: object, place: Place) -> ServiceTime:
    if not isinstance(value, Mapping) or "per" not in value:
        return ServiceTime(law=read_law(value, place, "duration"))
    if value["per"] not in ("subscription", "event"):
        raise place.child("per").wrong(value["per"], 'must be "subscription" or "event"')
    plain = {name: one for name, one in value.items() if name != "per"}
    return ServiceTime(law=read_law(plain, place, "duration"), per_subscription=value["per"] == "subscription")


def _service_table(service: ServiceTime) -> object:
    table = to_table(service.law, "duration")
    if not service.per_subscription:
        return table
    return {**(table if isinstance(table, dict) else {"dist": "constant", "value": table}), "per": "subscription"}


SERVICE: Final = Kind(
    'a duration or a distribution, with per = "subscription" where it grows', _service, _service_table
)


def _speed(value: object, place: Place) -> Distribution:
    if not isinstance(value, Mapping):
        found: Distribution = Constant(read_speed(value, place))
    else:
        plain = {name: read_speed(one, place.child(name)) if name in _WITH_UNIT else one for name, one in value.items()}
        found = read_law(plain, place, "number")
    if not found.mean > 0:
        raise place.wrong(value, "must be above 0 on average")
    return found


def _speed_table(found: Distribution) -> object:
    table = to_table(found, "number")
    if not isinstance(table, dict):
        return f"{table!r}m/s"
    return {name: f"{one!r}m/s" if name in _WITH_UNIT else one for name, one in table.items()}


SPEED: Final = Kind('a speed, as in "10m/s", or a distribution of speeds', _speed, _speed_table)


def _popularity(value: object, place: Place) -> Power:
    try:
        return popularity_from(value)
    except ValueError as problem:
        raise place.wrong(value, str(problem)) from None


POPULARITY: Final = Kind('{ dist = "power", exponent = … }', _popularity, lambda found: to_table(found, "number"))


def _value(value: object, place: Place) -> Value:
    if isinstance(value, str | bool) or (isinstance(value, int | float) and abs(value) < _NUMBER_END):
        return value
    raise place.wrong(value, "must be a string, a finite number of at most 400 digits, true or false")


VALUE: Final = Kind("a string, a number, true or false", _value)
_VALUES: Final = list_of(VALUE, least=1)


def _choice(value: object, place: Place) -> Choice:
    if not isinstance(value, Mapping) or set(value) != {"choice"}:
        raise place.wrong(value, "must hold choice and nothing else, as in { choice = [1, 2] }")
    return Choice(values=_VALUES.read(value["choice"], place.child("choice")))


def _varied(value: object, place: Place) -> Distribution | Choice:
    if isinstance(value, Mapping):
        return _choice(value, place) if "choice" in value else read_law(value, place, "number")
    return Choice(values=(VALUE.read(value, place),))


def _varied_table(varied: Distribution | Choice) -> object:
    if not isinstance(varied, Choice):
        table = to_table(varied, "number")
        return table if isinstance(table, dict) else {"dist": "constant", "value": table}
    return varied.values[0] if len(varied.values) == 1 else {"choice": list(varied.values)}


ATTRIBUTE: Final = Kind("a value, { choice = [...] } or a distribution of numbers", _varied, _varied_table)


def _variation(value: object, place: Place) -> Any:
    if isinstance(value, list):
        return _VALUES.read(value, place)
    if not isinstance(value, Mapping):
        raise place.wrong(value, "must be a list (goes round over the copies), { choice = [...] } or a distribution")
    return _varied(value, place)


def _variation_table(varied: Any) -> object:
    return list(varied) if isinstance(varied, tuple) else _varied_table(varied)


VARIATION: Final = Kind(
    "a list (goes round over the copies), { choice = [...] } or a distribution", _variation, _variation_table
)


def _under_a_portable_name(found: Empirical) -> Empirical:
    """Files outside the scenario's folder get a name that another folder can hold; the values decide it."""
    if is_portable(found.file):
        return found
    digest = hashlib.blake2b(np.ascontiguousarray(found.values).tobytes(), digest_size=6).hexdigest()
    return Empirical(f"{Path(found.file).stem}-{digest}.txt", found.values)
