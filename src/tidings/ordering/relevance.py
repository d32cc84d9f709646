"""Whether a missing event may matter to a subscriber, from what a publication record tells of it.

Wishes are asked in three values: a comparison on what the record tells is true or false, any other is open. An event
may matter unless every wish is surely false for it. A wrong *yes* costs delay; a wrong *no* would cost order, and does
not happen.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

from tidings.ordering.publication_record import Past
from tidings.ordering.summary import LEVELS_MAX, level_token, mask_of, name_token, value_token
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import TOPIC, Among, And, Compare, Everything, Filter, Matches, Not, Nothing, Or, holds

Verdict: TypeAlias = bool | None
"""None is open."""

REMEMBERED: Final = 4_096
"""Answers kept until a wish changes."""


@dataclass(frozen=True, slots=True)
class _Comparison:
    """One comparison that must hold, or must not."""

    wish: Filter
    wanted: bool
    masks: tuple[int, ...]
    """A summary holds all bits of at least one of these when the comparison is true."""


@dataclass(frozen=True, slots=True)
class _Branch:
    """All terms must hold, or one must. Without terms: true, or false."""

    all_of: bool
    terms: "tuple[_Node, ...]"


_Node: TypeAlias = _Comparison | _Branch


class Relevance:
    """A subscriber's wishes by their numbers, and what they say of events that have not come."""

    __slots__ = ("_answers", "_wishes")

    def __init__(self) -> None:
        self._wishes: dict[int, _Node] = {}
        self._answers: dict[str | bytes, bool] = {}

    def wish(self, number: int, wanted: Filter) -> None:
        """Something is wanted under `number`, from now on, instead of what was."""
        self._wishes[number] = _prepare(wanted, wanted=True)
        self._answers.clear()

    def unwish(self, number: int) -> None:
        """Nothing is wanted under `number` any more; harmless when nothing was."""
        self._wishes.pop(number, None)
        self._answers.clear()

    def may_matter(self, past: Past) -> bool:
        """False only when no wish can want the event."""
        told = past.summary if past.topic is None else past.topic
        if told is None:
            return bool(self._wishes)
        answer = self._answers.get(told)
        if answer is None:
            if len(self._answers) == REMEMBERED:
                self._answers.clear()
            answer = any(_verdict(wish, told) is not False for wish in self._wishes.values())
            self._answers[told] = answer
        return answer


def _prepare(wish: Filter, *, wanted: bool) -> _Node:
    """The tree without negations but on comparisons, tokens hashed."""
    match wish:
        case Everything() | Nothing():
            return _Branch(isinstance(wish, Everything) == wanted, ())
        case Not(term):
            return _prepare(term, wanted=not wanted)
        case And(terms) | Or(terms):
            return _Branch(isinstance(wish, And) == wanted, tuple(_prepare(term, wanted=wanted) for term in terms))
        case _:
            return _Comparison(wish, wanted, _masks(wish))


def _verdict(node: _Node, told: str | bytes) -> Verdict:
    if isinstance(node, _Comparison):
        held = _of_topic(node.wish, told) if isinstance(told, str) else _of_summary(node.masks, told)
        return None if held is None else held == node.wanted
    verdicts = [_verdict(term, told) for term in node.terms]
    if (not node.all_of) in verdicts:
        return not node.all_of
    return None if None in verdicts else node.all_of


def _of_topic(wish: Filter, topic: str) -> Verdict:
    if getattr(wish, "attribute", TOPIC) != TOPIC:
        return None
    return holds(wish, Event(id=0, publisher="", topic=topic, published_ns=0, attributes={}))


def _of_summary(masks: tuple[int, ...], summary: bytes) -> Verdict:
    absent = ~int.from_bytes(summary, "little")
    return None if any(mask & absent == 0 for mask in masks) else False


def _masks(wish: Filter) -> tuple[int, ...]:
    match wish:
        case Compare(name, "==", value):
            return (mask_of([value_token(name, value)]),)
        case Among(name, values):
            return tuple(mask_of([value_token(name, value)]) for value in values)
        case Matches(name, pattern) if name == TOPIC:
            return (mask_of(_levels(pattern)),)
        case _:
            name = str(getattr(wish, "attribute", TOPIC))
            # Any comparison is false without the attribute; a topic is never missing.
            return (0,) if name == TOPIC else (mask_of([name_token(name)]),)


def _levels(pattern: str) -> list[str]:
    named = enumerate(pattern.split("/")[:LEVELS_MAX])
    return [level_token(place, level) for place, level in named if level not in ("+", "#")]
