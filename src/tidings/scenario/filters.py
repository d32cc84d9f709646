"""Filters as scenarios write them: `$name` stands for a value that differs from copy to copy."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from tidings.errors import FilterError
from tidings.scenario.schema import unknown
from tidings.scenario.source import Place
from tidings.scenario.world import Choice
from tidings.vocabulary.filter import TOPIC, Among, And, Filter
from tidings.vocabulary.filter_logic import topics_of
from tidings.vocabulary.filter_parser import LENGTH_MAX, parse_filter, parsed
from tidings.vocabulary.filter_text import format_filter, normalise
from tidings.vocabulary.value import Value, format_literal

if TYPE_CHECKING:
    from tidings.scenario.document import Scenario

_PIECE: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|\$(?P<name>[A-Za-z_][A-Za-z0-9_]*)', re.DOTALL)


class Wish(NamedTuple):
    """A filter in canonical text, and the finite set of topics outside which it cannot hold, if there is one."""

    text: str
    topics: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Template:
    """A filter with holes: `texts` has one entry more than `names`, which stand between them."""

    texts: tuple[str, ...]
    names: tuple[str, ...]

    def fill(self, values: Mapping[str, Value]) -> str:
        """The text with each name replaced by its value, quoted as its type needs."""
        if not self.names:
            return self.texts[0]
        pieces = [self.texts[0]]
        for name, text in zip(self.names, self.texts[1:], strict=True):
            pieces.append(format_literal(values[name]))
            pieces.append(text)
        return "".join(pieces)

    def column(self, filled: int, values: Mapping[str, Value]) -> int:
        """The column of the template that `filled`, a column of the filled text, comes from."""
        left, column = filled - 1, 1
        for name, text in zip(self.names, self.texts, strict=False):
            if left < len(text):
                return column + left
            left -= len(text)
            column += len(text)
            literal = format_literal(values[name])
            if left < len(literal):
                return column
            left -= len(literal)
            column += len(name) + 1
        return column + left


@lru_cache(maxsize=1 << 10)
def template_of(text: str) -> Template:
    """Cut a filter at its `$name`s; inside string literals a `$` is just a character."""
    texts, names, start = [], [], 0
    for match in _PIECE.finditer(text):
        if match["name"] is not None:
            texts.append(text[start : match.start()])
            names.append(match["name"])
            start = match.end()
    return Template((*texts, text[start:]), tuple(names))


@lru_cache(maxsize=1 << 15)
def wish_of(text: str) -> Wish:
    """The canonical form of a filter without holes; raises FilterError."""
    return _wish(parsed(text))


@lru_cache(maxsize=1 << 15)
def wish_within(text: str | None, topics: tuple[str, ...]) -> Wish:
    """The same, and nothing outside `topics`; without `text` everything on them."""
    within: Filter = Among(TOPIC, topics)
    if text is None:
        return _wish(within, topics)
    wish = parsed(text)
    own = topics_of(wish)
    if own is not None and set(own) <= set(topics):
        return _wish(wish, topics)
    return _wish(And((wish, within)), topics)


def check_filters(scenario: "Scenario") -> None:
    """Parse each filter once, with sample values, so that errors are found before anything is drawn."""
    for index, entry in enumerate(scenario.subscriber):
        if entry.filter is None:
            continue
        samples: dict[str, Value] = {} if entry.each is None else {"topic": "t", "broker": "b"}
        samples |= {name: _sample(variation) for name, variation in entry.vary.items()}
        place = scenario.place("subscriber", index).child("filter")
        check_filter(place, entry.filter, samples)
        for name in entry.vary:
            if name not in template_of(entry.filter).names:
                where = scenario.place("subscriber", index).child("vary").child(name)
                raise where.wrong("…", f"is not used; write ${name} in the filter, or leave it out")


def check_filter(place: Place, text: str, samples: Mapping[str, Value]) -> None:
    """Raise ScenarioError for an unknown `$name` or a filter that does not parse."""
    template = template_of(text)
    for name in template.names:
        if name not in samples:
            raise place.wrong(
                f"${name}",
                f"{unknown('name', name, samples)} (each $name needs a key in vary)"
                if samples
                else "has no value; give it one in vary, as in vary = { " + name + " = [1, 2] }",
            )
    filled = template.fill(samples)
    if len(filled) > LENGTH_MAX:
        raise place.wrong(text, f"must not exceed {LENGTH_MAX} characters")
    try:
        parse_filter(filled) if len(filled) > 1_024 else parsed(filled)
    except FilterError as error:
        column = template.column(error.column, samples)
        raise place.wrong(text, f"column {column}: {error.problem}") from None


def _wish(wish: Filter, topics: tuple[str, ...] | None = None) -> Wish:
    """Topics come from the normal form, so that a filter that was written and read again has the same."""
    return Wish(format_filter(wish), topics_of(normalise(wish)) if topics is None else topics)


def _sample(variation: object) -> Value:
    if isinstance(variation, Choice):
        return variation.values[0]
    if isinstance(variation, tuple):
        value: Value = variation[0]
        return value
    return 1
