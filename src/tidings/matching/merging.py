"""Merging: texts that differ in one attribute only, and there adjoin, are told as one.

`price between 1 and 2` and `price between 2 and 5` become `price between 1 and 5`; `symbol == "A"` and `symbol == "B"`
become `symbol in ("A", "B")`. What is told wants exactly what the parts want. A stage looks at one attribute of each
text: the first stage at the first, and so on; behind each other they find most of what can be merged.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache, reduce

import msgspec

from tidings.matching.limits import FACTS_REMEMBERED_MAX, MERGE_CANDIDATES_MAX
from tidings.vocabulary.filter import TOPIC, Among, And, Between, Compare, Everything, Filter, Not, Nothing, Or
from tidings.vocabulary.filter_logic import attributes_named
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.filter_text import format_filter
from tidings.vocabulary.spans import EMPTY, Cut, Spans, finite
from tidings.vocabulary.value_set import ValueSet, meet_sets, value_set


class _Part(msgspec.Struct, frozen=True):
    """A text as one attribute's values and everything else, which parts of one merger have in common."""

    attribute: str
    rest: str
    numbers: bool
    """Whether the values are numbers or strings."""
    values: Spans


Bucket = tuple[str, str, bool]


class MergeStage:
    """Texts that come in, and the fewer that go out. Depends only on which texts are in, and on their order."""

    def __init__(self, rank: int) -> None:
        self._rank = rank
        """Which of a text's attributes is looked at, by name, `topic` last."""
        self._members: dict[Bucket, dict[str, Spans]] = {}
        self._told: dict[Bucket, tuple[str, ...]] = {}

    def change(self, changes: Iterator[tuple[str, bool]]) -> Iterator[tuple[str, bool]]:
        """Texts that come (True) and go; says which come and go behind this stage."""
        touched: dict[Bucket, None] = {}
        for text, comes in changes:
            part = _part(text, self._rank)
            if part is None:
                yield text, comes
                continue
            bucket = (part.attribute, part.rest, part.numbers)
            members = self._members.setdefault(bucket, {})
            if comes:
                members[text] = part.values
            else:
                del members[text]
            touched[bucket] = None
        for bucket in touched:
            yield from self._tell(bucket)

    def _tell(self, bucket: Bucket) -> Iterator[tuple[str, bool]]:
        before, now = self._told.pop(bucket, ()), tuple(dict.fromkeys(_merged(bucket, self._members[bucket])))
        if now:
            self._told[bucket] = now
        else:
            del self._members[bucket]
        for text in now:
            if text not in before:
                yield text, True
        for text in before:
            if text not in now:
                yield text, False


def _merged(bucket: Bucket, members: Mapping[str, Spans]) -> Iterator[str]:
    """The texts to be told for these; those beyond MERGE_CANDIDATES_MAX stay as they are."""
    texts = list(members)
    yield from texts[MERGE_CANDIDATES_MAX:]
    lists: list[str] = []
    ranges: list[str] = []
    for text in texts[:MERGE_CANDIDATES_MAX]:
        if finite(members[text]) is not None:
            lists.append(text)
        elif _is_range(members[text]):
            ranges.append(text)
        else:
            yield text
    yield from _merged_lists(bucket, lists, members)
    yield from _merged_ranges(bucket, ranges, members)


def _merged_lists(bucket: Bucket, texts: list[str], members: Mapping[str, Spans]) -> Iterator[str]:
    if len(texts) < 2:
        yield from texts
        return
    values = [value for text in texts for value in finite(members[text]) or ()]
    yield _text(bucket, [Among(bucket[0], tuple(values))])


def _merged_ranges(bucket: Bucket, texts: list[str], members: Mapping[str, Spans]) -> Iterator[str]:
    """Runs of ranges that overlap or touch; a run that leaves nothing of its family out has no simple text."""
    ordered = sorted(texts, key=lambda text: (not members[text].begins, members[text].cuts))
    while ordered:
        low, high = _ends(members[ordered[0]])
        count = 1
        while count < len(ordered):
            next_low, next_high = _ends(members[ordered[count]])
            if high is not None and next_low is not None and next_low > high:
                break
            high = None if high is None or next_high is None else max(high, next_high)
            count += 1
        run, ordered = ordered[:count], ordered[count:]
        if count == 1 or (low is None and high is None):
            yield from run
        else:
            yield _text(bucket, list(_range(bucket[0], low, high)))


def _range(attribute: str, low: Cut | None, high: Cut | None) -> Iterator[Filter]:
    if low is not None and high is not None and (low[1], high[1]) == (0, 1):
        yield Between(attribute, low[0], high[0])
        return
    if low is not None:
        yield Compare(attribute, ">" if low[1] else ">=", low[0])
    if high is not None:
        yield Compare(attribute, "<=" if high[1] else "<", high[0])


def _ends(spans: Spans) -> tuple[Cut | None, Cut | None]:
    """Where a range begins and ends; None where it does not."""
    low = None if spans.begins else spans.cuts[0]
    return low, spans.cuts[-1] if len(spans.cuts) == 2 - spans.begins else None


def _is_range(spans: Spans) -> bool:
    return len(spans.cuts) == 1 or (len(spans.cuts) == 2 and not spans.begins)


def _text(bucket: Bucket, terms: list[Filter]) -> str:
    rest = parsed(bucket[1])
    return format_filter(_conjunction([*terms, *(rest.terms if isinstance(rest, And) else [rest])]))


def _conjunction(terms: list[Filter]) -> Filter:
    if not terms:
        return Everything()
    return terms[0] if len(terms) == 1 else And(tuple(terms))


@lru_cache(maxsize=FACTS_REMEMBERED_MAX)
def _part(text: str, rank: int) -> _Part | None:
    """The text as seen by the stage of this rank; None when it cannot be merged there."""
    wish = parsed(text)
    terms = wish.terms if isinstance(wish, And) else (wish,)
    leaves = [term for term in terms if not isinstance(term, Everything | Nothing | Not | And | Or)]
    names = sorted({leaf.attribute for leaf in leaves}, key=lambda name: (name == TOPIC, name))
    if rank >= len(names):
        return None
    attribute = names[rank]
    ours = [leaf for leaf in leaves if leaf.attribute == attribute]
    rest = [term for term in terms if term not in ours]
    if any(attribute in attributes_named(term) for term in rest):
        return None
    values = reduce(meet_sets, map(value_set, ours))
    return _single_family(attribute, format_filter(_conjunction(rest)), values)


def _single_family(attribute: str, rest: str, values: ValueSet) -> _Part | None:
    """The part, if its values are only numbers or only strings, and no patterns."""
    numbers = values.numbers != EMPTY
    plain = not values.missing and values.booleans == EMPTY and not values.patterns and not values.barred
    if not plain or numbers == (values.strings != EMPTY):
        return None
    return _Part(attribute, rest, numbers, values.numbers if numbers else values.strings)
