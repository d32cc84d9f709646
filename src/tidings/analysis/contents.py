"""What events say, as a weighted list that filters can be asked about at once.

Filters tell numbers apart only at the constants that stand in them. So a number's law is cut at these constants into
points and open intervals, each with its exact probability and one value that stands for it: the shares that follow are
exact, whatever the law. Only where several attributes together have too many combinations a sample stands for them.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidings.analysis.law_shapes import quantile, survival
from tidings.scenario.world import Choice
from tidings.vocabulary.distribution import Distribution
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import (
    TOPIC,
    Among,
    And,
    Between,
    Compare,
    Everything,
    Filter,
    Not,
    Nothing,
    Or,
    holds,
)
from tidings.vocabulary.value import Value

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Laws: TypeAlias = Mapping[str, Distribution | Choice]

COMBINATIONS_MAX: Final = 20_000
"""Combinations of values that are listed one by one."""
SAMPLE: Final = 4_096
"""Events that stand for the rest, evenly spread (a Kronecker sequence)."""
_EXACT: Final = 2**53


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """One attribute: its different values, and which of them each content has (-1: it lacks the attribute)."""

    values: tuple[Value, ...]
    places: NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Contents:
    """Contents of the events on one topic, and how likely each is."""

    topic: str
    columns: Mapping[str, Column]
    weights: Floats
    sampled: bool = False


def contents_of(laws: Laws, topic: str, wishes: Sequence[Filter]) -> Contents:
    """Of events whose attributes follow `laws`, told apart as far as the filters can."""
    constants = constants_of(wishes)
    cells = {name: _cells(laws[name], constants[name]) for name in laws if name in constants}
    if not cells:
        return Contents(topic, {}, np.ones(1))
    if math.prod(len(values) for values, _ in cells.values()) > COMBINATIONS_MAX:
        return _sampled({name: laws[name] for name in cells}, topic)
    places = np.indices([len(values) for values, _ in cells.values()]).reshape(len(cells), -1)
    weights = np.ones(places.shape[1])
    columns = {}
    for row, (name, (values, shares)) in enumerate(cells.items()):
        columns[name] = Column(tuple(values), places[row])
        weights = weights * np.array(shares)[places[row]]
    return Contents(topic, columns, weights)


def listed_contents(
    topic: str, records: Sequence[Mapping[str, Value]], weights: Sequence[float] | None = None
) -> Contents:
    """Of events that are known one by one, each as likely as the others or by `weights` (of any sum)."""
    names = dict.fromkeys(itertools.chain.from_iterable(records))
    columns = {}
    for name in names:
        numbers: dict[tuple[type, Value], int] = {}
        places = [
            numbers.setdefault((type(record[name]), record[name]), len(numbers)) if name in record else -1
            for record in records
        ]
        columns[name] = Column(tuple(value for _, value in numbers), np.array(places))
    shares = np.ones(len(records)) if weights is None else np.array(weights)
    return Contents(topic, columns, shares / shares.sum())


def skewed(contents: Contents, exponent: float) -> Contents:
    """As somebody sees it who knows it badly: each weight to this power (thesis, 3.4.1.3); 1 leaves it as it is."""
    weights = np.where(contents.weights > 0, contents.weights, np.inf) ** (exponent or 1e-300)
    weights = np.where(np.isfinite(weights), weights, 0.0)
    return Contents(contents.topic, contents.columns, weights / weights.sum(), contents.sampled)


class Asked:
    """Asks filters about contents, all contents at once; comparisons are decided once for each different value."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self._leaves: dict[Any, Bools] = {}
        self._numbers = {name: _numbers(column) for name, column in contents.columns.items()}
        self._all = np.ones(contents.weights.size, np.bool_)

    def wants(self, wish: Filter) -> Bools:
        """Which contents the filter holds for."""
        if isinstance(wish, And | Or):
            join = np.logical_and if isinstance(wish, And) else np.logical_or
            found: Bools = join.reduce([self.wants(term) for term in wish.terms])
            return found
        if isinstance(wish, Not):
            return ~self.wants(wish.term)
        if isinstance(wish, Everything | Nothing):
            return self._all if isinstance(wish, Everything) else ~self._all
        return self._leaf(wish)

    def _leaf(self, wish: Any) -> Bools:
        key = (wish, *_types(wish))
        if key not in self._leaves:
            self._leaves[key] = self._decide(wish)
        return self._leaves[key]

    def _decide(self, wish: Any) -> Bools:
        topic, name = self._contents.topic, wish.attribute
        if name == TOPIC:
            return self._all & holds(wish, _event(topic, {}))
        column = self._contents.columns.get(name)
        if column is None:
            return self._all & holds(wish, _event(topic, {}))
        numbers = self._numbers[name]
        if numbers is not None and isinstance(wish, Compare) and _plain(wish.value):
            verdicts = _COMPARISONS[wish.operator](numbers, wish.value)
        else:
            verdicts = np.array([holds(wish, _event(topic, {name: value})) for value in column.values], np.bool_)
        # The last entry, place -1, is for contents without the attribute.
        verdicts = np.append(verdicts, holds(wish, _event(topic, {})))
        found: Bools = verdicts[column.places]
        return found


def constants_of(wishes: Sequence[Filter]) -> dict[str, list[float]]:
    """By attribute that filters speak of: the numbers that they compare it with, ascending."""
    found: dict[str, set[float]] = {}
    for wish in wishes:
        for leaf in _leaves(wish):
            if leaf.attribute != TOPIC:
                found.setdefault(leaf.attribute, set()).update(_numbers_in(leaf))
    return {name: sorted(numbers) for name, numbers in found.items()}


def _leaves(wish: Filter) -> Iterator[Any]:
    if isinstance(wish, And | Or):
        for term in wish.terms:
            yield from _leaves(term)
    elif isinstance(wish, Not):
        yield from _leaves(wish.term)
    elif not isinstance(wish, Everything | Nothing):
        yield wish


def _values_in(leaf: Any) -> tuple[Value, ...]:
    if isinstance(leaf, Compare):
        return (leaf.value,)
    if isinstance(leaf, Among):
        return leaf.values
    return (leaf.low, leaf.high) if isinstance(leaf, Between) else ()


def _types(leaf: Any) -> tuple[type, ...]:
    """Kinds of filter and of values: 1, 1.0 and true are equal to Python, and not to a filter."""
    return (type(leaf), *(type(value) for value in _values_in(leaf)))


def _numbers_in(leaf: Any) -> Iterator[float]:
    for value in _values_in(leaf):
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300:
            yield float(value)


def _plain(value: Value) -> bool:
    """A number that doubles hold exactly."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _EXACT


def _numbers(column: Column) -> Floats | None:
    if all(_plain(value) for value in column.values):
        return np.array(column.values, np.float64)
    return None


def _cells(law: Distribution | Choice, constants: Sequence[float]) -> tuple[list[Value], list[float]]:
    """Values that stand for what filters cannot tell apart, and the probability of each."""
    if isinstance(law, Choice):
        shares: dict[tuple[type, Value], float] = {}
        for value in law.values:
            shares[type(value), value] = shares.get((type(value), value), 0.0) + 1 / len(law.values)
        return [value for _, value in shares], list(shares.values())
    if not constants:
        return [0.0], [1.0]
    cuts = np.array(constants)
    up_to = 1 - survival(law, cuts)
    before = 1 - survival(law, np.nextafter(cuts, -np.inf))
    between = np.diff(np.concatenate([[0.0], np.column_stack([before, up_to]).ravel(), [1.0]]))
    inner = [(low + high) / 2 for low, high in itertools.pairwise(constants)]
    ends = _beyond(constants[0], -1.0), _beyond(constants[-1], 1.0)
    values = [ends[0], *itertools.chain.from_iterable(zip(constants, [*inner, ends[1]], strict=True))]
    kept = [(value, float(share)) for value, share in zip(values, between, strict=True) if share > 1e-15]
    return [value for value, _ in kept], [share for _, share in kept]


def _beyond(constant: float, sign: float) -> float:
    return constant + sign * max(1.0, abs(constant))


def _sampled(laws: Laws, topic: str) -> Contents:
    """Points of a Kronecker sequence, one coordinate for each attribute, through the inverse of its law."""
    steps = _irrationals(len(laws))
    counts = np.arange(1, SAMPLE + 1)
    columns = {}
    for step, (name, law) in zip(steps, laws.items(), strict=True):
        shares = np.clip((counts * step + 0.5) % 1.0, 1e-9, 1 - 1e-9)
        if isinstance(law, Choice):
            columns[name] = Column(law.values, (shares * len(law.values)).astype(np.int64))
        else:
            values, places = np.unique(quantile(law, shares), return_inverse=True)
            columns[name] = Column(tuple(values.tolist()), places)
    return Contents(topic, columns, np.full(SAMPLE, 1 / SAMPLE), sampled=True)


def _irrationals(count: int) -> list[float]:
    """Powers of the inverse of the root of x^(count + 1) = x + 1: a badly approximable direction."""
    root = 2.0
    for _ in range(60):
        root = (1 + root) ** (1 / (count + 1))
    return [root**-power % 1.0 for power in range(1, count + 1)]


def _event(topic: str, attributes: Mapping[str, Value]) -> Event:
    return Event(id=0, publisher="", topic=topic, published_ns=0, attributes=attributes)


_COMPARISONS: Final[Mapping[str, Any]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
