"""Distributions: how a scenario writes them, what they promise, and how a hot loop draws from them.

The laws themselves are in `laws`; everything that others need can be imported from here. Inside, a duration is a
plain number of nanoseconds; text with units exists only in `distribution_from` and `to_table`.
"""

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidings.vocabulary.instant import DRAWN_MAX, format_duration, parse_duration
from tidings.vocabulary.laws import (
    Constant,
    Empirical,
    Exponential,
    Gamma,
    Hyperexponential,
    Normal,
    Power,
    Uniform,
    Zipf,
)

__all__ = [
    "Constant",
    "Distribution",
    "Draws",
    "Empirical",
    "Exponential",
    "Gamma",
    "Hyperexponential",
    "Normal",
    "Power",
    "Table",
    "Uniform",
    "Unit",
    "Zipf",
    "distribution_from",
    "popularity_from",
    "to_table",
]

Unit: TypeAlias = Literal["duration", "number", "bytes"]
Table: TypeAlias = Mapping[str, object] | str | float
ReadValues: TypeAlias = Callable[[str], Sequence[float | str]]


class Distribution(Protocol):
    """A law of numbers with known moments.

    Sampling `count` numbers gives the same numbers as sampling them in any smaller portions.
    """

    @property
    def mean(self) -> float:
        """Exact mean of what `sample` draws."""

    @property
    def variance(self) -> float:
        """Exact variance of what `sample` draws."""

    @property
    def scv(self) -> float:
        """Squared coefficient of variation; infinite where only the mean is 0."""

    def sample(self, generator: np.random.Generator, count: int) -> NDArray[np.float64]:
        """`count` independent draws."""


class Draws:
    """Numbers of one law, one at a time, drawn ahead in blocks (plain floats, which loops like).

    Blocks double up to `block`, so that a thousand idle links cost little; the numbers do not depend on it.
    """

    __slots__ = ("_block", "_block_max", "_generator", "_law", "_left")

    def __init__(self, law: Distribution, generator: np.random.Generator, block: int = 1024) -> None:
        self._law, self._generator = law, generator
        self._block, self._block_max = min(8, block), block
        self._left: list[float] = []

    def next(self) -> float:
        """The next number."""
        if not self._left:
            self._left = self._law.sample(self._generator, self._block).tolist()
            self._left.reverse()
            self._block = min(2 * self._block, self._block_max)
        return self._left.pop()

    def next_ns(self) -> int:
        """The next number as a duration: whole, from 0 to `DRAWN_MAX`."""
        return min(max(round(self.next()), 0), DRAWN_MAX)


@dataclass(frozen=True, slots=True)
class _Parameter:
    """One key of a table: the law's field that it fills, and whether it carries the unit."""

    key: str
    field: str
    has_unit: bool


def _carries(key: str, field: str | None = None) -> _Parameter:
    return _Parameter(key, field or key, has_unit=True)


def _plain(key: str) -> _Parameter:
    return _Parameter(key, key, has_unit=False)


_Parametric: TypeAlias = Constant | Uniform | Normal | Exponential | Gamma | Hyperexponential | Zipf

_FORMS: Final[Mapping[str, tuple[type[_Parametric], tuple[_Parameter, ...]]]] = {
    "constant": (Constant, (_carries("value"),)),
    "uniform": (Uniform, (_carries("low"), _carries("high"))),
    "normal": (Normal, (_carries("mean", "mu"), _carries("sd", "sigma"))),
    "exponential": (Exponential, (_carries("mean"),)),
    "gamma": (Gamma, (_carries("mean"), _plain("scv"))),
    "hyperexponential": (Hyperexponential, (_carries("mean"), _plain("scv"))),
    "zipf": (Zipf, (_plain("values"), _plain("exponent"))),
}
_NAMES: Final = (*_FORMS, "power", "empirical")


def distribution_from(table: object, *, unit: Unit, read: ReadValues | None = None) -> Distribution:
    """The law that a scenario's value stands for; a bare duration or number is constant.

    Keys that do not belong to the law (such as `per`) are the caller's to take off first.

    Args:
        table: `{ dist = …, … }`, or a bare value. Durations are texts with a unit; bytes are not negative.
        unit: what the numbers are.
        read: gives the values of a file named in the scenario: numbers (nanoseconds where they are durations), or
            durations as texts with a unit; None: no files here.

    Raises:
        ValueError: with one sentence that says what is wrong and what would be right.
    """
    if not isinstance(table, Mapping):
        return Constant(_amount("value", table, unit))
    name = _name_of(table)
    if name == "power":
        raise ValueError("power weighs ranks and is only for a popularity; for the numbers 1…n take zipf")
    if name == "empirical":
        return _empirical_from(table, unit, read)
    if name == "zipf" and unit == "duration":
        raise ValueError("zipf draws the plain numbers 1…n; a duration needs another distribution, such as uniform")
    kind, parameters = _FORMS[name]
    _check_keys(name, table, tuple(parameter.key for parameter in parameters))
    given = {
        parameter.field: _amount(parameter.key, table[parameter.key], unit if parameter.has_unit else "number")
        for parameter in parameters
    }
    if kind is Zipf:
        return Zipf(_whole("values", given["values"]), given["exponent"])
    return kind(**given)  # type: ignore[arg-type]  # the fields of every other law are floats


def popularity_from(table: object) -> Power:
    """The popularity that `{ dist = "power", exponent = … }` stands for; ValueError like `distribution_from`."""
    if not isinstance(table, Mapping):
        raise ValueError('a popularity is a table, as in { dist = "power", exponent = 0.9 }')  # noqa: TRY004 - one error type for a caller
    name = _name_of(table)
    if name != "power":
        raise ValueError(f'a popularity weighs ranks: dist must be "power", not "{name}"')
    _check_keys(name, table, ("exponent",))
    return Power(_amount("exponent", table["exponent"], "number"))


def to_table(law: Distribution | Power, unit: Unit) -> dict[str, object] | str | float:
    """What `distribution_from` (or `popularity_from`) reads back as an equal law.

    Raises ValueError for a duration with a fraction of a nanosecond, which a scenario cannot say.
    """
    if isinstance(law, Constant):
        return _text(law.value, unit)
    if isinstance(law, Power):
        return {"dist": "power", "exponent": law.exponent}
    if isinstance(law, Empirical):
        return {"dist": "empirical", "file": law.file}
    for name, (kind, parameters) in _FORMS.items():
        if isinstance(law, kind):
            return {"dist": name} | {
                parameter.key: _text(getattr(law, parameter.field), unit if parameter.has_unit else "number")
                for parameter in parameters
            }
    raise ValueError(f"a {type(law).__name__} has no form in a scenario")


def _name_of(table: Mapping[str, object]) -> str:
    name = table.get("dist")
    if name is None:
        raise ValueError(f"dist is missing: one of {', '.join(_NAMES)}")
    if not isinstance(name, str) or name not in _NAMES:
        raise ValueError(f"no distribution is called {name!r}{_suggestion(name, _NAMES)}")
    return name


def _check_keys(name: str, table: Mapping[str, object], keys: tuple[str, ...]) -> None:
    known = ("dist", *keys)
    for key in table:
        if key not in known:
            raise ValueError(f"{name} has no key {key!r}{_suggestion(key, known)}")
    for key in keys:
        if key not in table:
            raise ValueError(f"{name} needs the key {key}; its keys are {', '.join(keys)}")


def _suggestion(word: object, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(str(word), known, n=1)
    return f'; did you mean "{close[0]}"?' if close else f"; there are {', '.join(known)}"


def _amount(key: str, value: object, unit: Unit) -> float:
    if unit == "duration":
        if not isinstance(value, str):
            raise ValueError(f'{key} = {value!r} must be a duration with its unit, as in "20ms"')
        return float(_duration(key, value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{key} = {value!r} must be a {_CALLED[unit]}, without quotes")  # noqa: TRY004 - one error type for a caller
    if unit == "bytes" and value < 0:
        raise ValueError(f"{key} = {value!r} must not be negative")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{key} is far too large") from None


def _duration(key: str, text: str) -> int:
    try:
        return parse_duration(text)
    except ValueError as problem:
        raise ValueError(f"{key} = {text!r}: {problem}") from None


def _whole(key: str, value: float) -> int:
    if value != value // 1:
        raise ValueError(f"{key} = {value} must be a whole number")
    return int(value)


def _text(value: float, unit: Unit) -> str | float:
    if unit != "duration":
        return value
    if value != value // 1:
        raise ValueError(f"{value!r} ns: a scenario has no durations below a nanosecond")
    return format_duration(int(value))


def _empirical_from(table: Mapping[str, object], unit: Unit, read: ReadValues | None) -> Empirical:
    _check_keys("empirical", table, ("file",))
    file = table["file"]
    if not isinstance(file, str):
        raise ValueError(f'file = {file!r} must be the name of a file, as in "delays.csv"')  # noqa: TRY004 - one error type for a caller
    if read is None:
        raise ValueError("empirical reads a file, and none can be read here")
    return Empirical.of(file, [_measured(file, value, unit) for value in read(file)])


def _measured(file: str, value: float | str, unit: Unit) -> float:
    if isinstance(value, str) and unit == "duration":
        return float(_duration(f"file {file}", value))
    if isinstance(value, str) or (value < 0 and unit != "number"):
        raise ValueError(f"file {file} holds {value!r}, which is no {_CALLED[unit]}")
    return float(value)


_CALLED: Final[Mapping[Unit, str]] = {"duration": "duration", "number": "number", "bytes": "number of bytes"}
