"""From filter text to tree. Everything has a bound, checked before the work that it bounds.

    alternatives  a chain of conjunctions joined by `or`
    conjunction   a chain of factors joined by `and`
    factor        `not` factor | ( alternatives ) | true | false | exists(NAME) | NAME comparison
    comparison    == != < <= > >= LITERAL | in (LITERAL, …) | between LITERAL and LITERAL
                  | startswith STRING | matches STRING

What is accepted stays accepted when `format_filter` has rewritten it: terms and values cost at least what their longest
canonical spelling takes, however they were spelled, so that rewriting never makes a filter too long.
"""

import re
from functools import lru_cache
from typing import Final, NoReturn

from tidings.errors import FilterError
from tidings.vocabulary.filter import (
    OPERATIONS,
    Among,
    And,
    Between,
    Compare,
    Everything,
    Exists,
    Filter,
    Matches,
    Not,
    Nothing,
    Or,
    StartsWith,
)
from tidings.vocabulary.topic import check_pattern
from tidings.vocabulary.value import Value, parse_number, parse_string

LENGTH_MAX: Final = 1 << 20
"""Characters of a filter, spaces included; also the bound on the sum of its tokens, see `_charge`."""
DEPTH_MAX: Final = 32
"""Parentheses and `not`s open at once."""
TERMS_MAX: Final = 256
VALUES_MAX: Final = 4_096
"""Values of one `in` list, which counts as one term."""
NAME_LENGTH_MAX: Final = 255

KEYWORDS: Final = ("and", "or", "not", "in", "between", "startswith", "matches", "exists", "true", "false")

_LITERAL_COST = 24
"""No finite float, and no integer below 2**53, is written with more characters; longer literals cost their length."""
_TERM_COST = 32
"""A term's share of the words that rewriting may move, add and take away; of booleans, a list has at most two."""
_IN_TERM_COST: Final = ("and", "or", "not", "(", ")", "true", "false")
_CACHED_LENGTH_MAX = 1_024

_TOKEN = re.compile(
    r"""[ \t\r\n]*+
    (?: (?P<number> [+-]?\.?[0-9] (?: [eE][+-] | [\w.] )*+ )
      | (?P<name>   [^\W\d] [\w.-]*+ )
      | (?P<string> "(?: [^"\\]++ | \\. )*+" )
      | (?P<mark>   [=!<>]= | [<>(),] )
      | (?P<end>    \Z )
      | (?P<wrong>  . ) )""",
    re.VERBOSE | re.DOTALL,
)
_HINTS: Final = {
    '"': "the string is not closed: its second double quote is missing",
    "'": "strings stand in double quotes",
    "$": "$name stands for a value in a scenario only, where `vary` gives it one; write the value itself",
    "=": "equality is written ==",
    "!": "write not, or != for unequal values",
    "&": "write and",
    "|": "write or",
}
_FACTOR = "a term begins with an attribute, exists(attribute), not, true, false or ("
_COMPARISONS = "== != < <= > >= in between startswith matches"


def parse_filter(text: str) -> Filter:
    """The tree of `text`; a chain of `and` or of `or` becomes one node.

    Raises:
        FilterError: at the first column that cannot be, with what was expected there.
    """
    if len(text) > LENGTH_MAX:
        raise FilterError(text, 1, f"a filter must not exceed {LENGTH_MAX} characters, this one has {len(text)}")
    return _Parser(text).whole()


def parsed(text: str) -> Filter:
    """`parse_filter` with a memory of the texts seen last; long ones are not kept."""
    return _remembered(text) if len(text) <= _CACHED_LENGTH_MAX else parse_filter(text)


def is_attribute_name(name: str) -> bool:
    """True when a filter can speak of an attribute of this name."""
    token = _TOKEN.fullmatch(name)
    return token is not None and token["name"] == name and name not in KEYWORDS and len(name) <= NAME_LENGTH_MAX


_remembered = lru_cache(maxsize=1 << 15)(parse_filter)


class _Parser:
    """One pass over one text; `kind`, `word` and `column` tell of the token that is next."""

    __slots__ = ("column", "cost", "kind", "position", "terms", "text", "word")

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = self.cost = self.terms = 0
        self.kind = self.word = ""
        self.column = 1
        self._advance()

    def whole(self) -> Filter:
        if self.kind == "end":
            self._fail("a filter must not be empty; write true to want everything")
        wish = self._alternatives(0)
        if self.kind != "end":
            self._fail(f"expected and, or, or the end of the filter{self._case_hint()}")
        return wish

    def _alternatives(self, depth: int) -> Filter:
        terms = [self._conjunction(depth)]
        while self._take("or"):
            terms.append(self._conjunction(depth))
        return terms[0] if len(terms) == 1 else Or(tuple(terms))

    def _conjunction(self, depth: int) -> Filter:
        terms = [self._factor(depth)]
        while self._take("and"):
            terms.append(self._factor(depth))
        return terms[0] if len(terms) == 1 else And(tuple(terms))

    def _factor(self, depth: int) -> Filter:
        if self.word not in ("not", "("):
            return self._term()
        if depth == DEPTH_MAX:
            self._fail(f"a filter must not nest parentheses and not deeper than {DEPTH_MAX}")
        if self._take("not"):
            return Not(self._factor(depth + 1))
        self._advance()
        wish = self._alternatives(depth + 1)
        self._expect(")", f"expected and, or, or ){self._case_hint()}")
        return wish

    def _term(self) -> Filter:
        self.terms += 1
        if self.terms > TERMS_MAX:
            self._fail(f"a filter must not have more than {TERMS_MAX} terms (an in list is one)")
        self._charge(_TERM_COST)
        if self._take("true"):
            return Everything()
        if self._take("false"):
            return Nothing()
        if self._take("exists"):
            self._expect("(", "exists takes an attribute in parentheses: exists(price)")
            attribute = self._attribute("exists takes an attribute in parentheses: exists(price)")
            self._expect(")", "expected )")
            return Exists(attribute)
        return self._comparison(self._attribute(_FACTOR))

    def _comparison(self, attribute: str) -> Filter:
        for operator in OPERATIONS:
            if self._take(operator):
                return Compare(attribute, operator, self._literal())  # type: ignore[arg-type]  # the table's keys
        if self._take("in"):
            return Among(attribute, self._values())
        if self._take("between"):
            low = self._literal()
            self._expect("and", "between takes two values: between 10 and 20")
            return Between(attribute, low, self._literal())
        if self._take("startswith"):
            return StartsWith(attribute, self._string("startswith"))
        if self.word == "not":
            self._fail(f"not stands before the whole term: not {attribute} …")
        if not self._take("matches"):
            self._fail(f"expected a comparison after {_shown(attribute)}: {_COMPARISONS}{self._case_hint()}")
        return Matches(attribute, self._pattern())

    def _values(self) -> tuple[Value, ...]:
        self._expect("(", 'in takes a list in parentheses: in ("IBM", "SUN")')
        values = [self._literal()]
        while self._take(","):
            if len(values) == VALUES_MAX:
                self._fail(f"an in list must not have more than {VALUES_MAX} values")
            values.append(self._literal())
        self._expect(")", "expected , or ) in the list")
        return tuple(values)

    def _pattern(self) -> str:
        column = self.column
        pattern = self._string("matches")
        try:
            check_pattern(pattern)
        except ValueError as problem:
            raise FilterError(self.text, column, f"no topic pattern: {problem}") from None
        return pattern

    def _string(self, keyword: str) -> str:
        if self.kind != "string":
            self._fail(self._hint(f"{keyword} takes a string in double quotes"))
        value = self._literal()
        assert isinstance(value, str)
        return value

    def _literal(self) -> Value:
        kind, word = self.kind, self.word
        if kind in ("number", "string"):
            try:
                value: Value = parse_number(word) if kind == "number" else parse_string(word)
            except ValueError as problem:
                self._fail(str(problem))
        elif word in ("true", "false"):
            value = word == "true"
        elif word.lower().lstrip("+-") in ("nan", "inf", "infinity"):
            self._fail("numbers must be finite")
        else:
            self._fail(self._hint('expected a value: 10, 10.5, true, false or a string as in "IBM"'))
        self._advance()
        return value

    def _attribute(self, expected: str) -> str:
        if self.kind != "name":
            self._fail(self._hint(expected))
        name = self.word
        if name in KEYWORDS:
            self._fail(f"{name} is a word of the filter language, not an attribute; {expected}")
        if len(name) > NAME_LENGTH_MAX:
            self._fail(f"an attribute's name must not exceed {NAME_LENGTH_MAX} characters")
        self._advance()
        return name

    def _take(self, word: str) -> bool:
        if self.word != word:
            return False
        self._advance()
        return True

    def _expect(self, word: str, problem: str) -> None:
        if not self._take(word):
            self._fail(self._hint(problem))

    def _advance(self) -> None:
        match = _TOKEN.match(self.text, self.position)
        assert match is not None, "the last alternative takes anything"
        assert match.lastgroup is not None, "every alternative has a name"
        self.kind = match.lastgroup
        self.word = match[self.kind]
        self.column = match.start(self.kind) + 1
        self.position = match.end()
        if self.word not in _IN_TERM_COST:
            # Two more for the spaces that canonical text puts around a token.
            literal = self.kind in ("number", "string")
            self._charge(max(len(self.word), _LITERAL_COST if literal else 0) + 2)

    def _charge(self, cost: int) -> None:
        self.cost += cost
        if self.cost > LENGTH_MAX:
            self._fail(
                f"the filter is too long: every term and every value count as at least {_LITERAL_COST} characters"
            )

    def _hint(self, problem: str) -> str:
        if self.kind == "wrong":
            return _HINTS.get(self.word, problem)
        return f"{problem}{self._case_hint()}"

    def _case_hint(self) -> str:
        if self.kind == "wrong":
            return f"; {_HINTS[self.word]}" if self.word in _HINTS else ""
        lower = self.word.lower()
        return f"; {lower} is written in lower case" if lower != self.word and lower in KEYWORDS else ""

    def _fail(self, problem: str) -> NoReturn:
        raise FilterError(self.text, self.column, problem)


def _shown(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:39]}…"
