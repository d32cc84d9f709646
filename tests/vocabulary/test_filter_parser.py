"""The parser: the contract's grammar, its bounds, and sentences that point at the column."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import filters, narrow_filters, values
from tidings.errors import FilterError
from tidings.vocabulary import filter_parser
from tidings.vocabulary.filter import (
    Among,
    And,
    Between,
    Compare,
    Everything,
    Exists,
    Matches,
    Not,
    Nothing,
    Or,
    StartsWith,
)
from tidings.vocabulary.filter_parser import (
    DEPTH_MAX,
    KEYWORDS,
    LENGTH_MAX,
    NAME_LENGTH_MAX,
    TERMS_MAX,
    VALUES_MAX,
    is_attribute_name,
    parse_filter,
    parsed,
)
from tidings.vocabulary.filter_text import format_filter
from tidings.vocabulary.value import format_literal

A, B, C = (Compare(name, "==", 1) for name in "abc")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("true", Everything()),
        ("false", Nothing()),
        ("a == 1", A),
        ("a==1", A),
        ("\ta\r\n==\n1 ", A),
        ("(a == 1)", A),
        ("((a == 1))", A),
        ("a != 1", Compare("a", "!=", 1)),
        ("a < 1", Compare("a", "<", 1)),
        ("a <= 1", Compare("a", "<=", 1)),
        ("a > 1", Compare("a", ">", 1)),
        ("a >= 1", Compare("a", ">=", 1)),
        ("a>=-1.5e-3", Compare("a", ">=", -0.0015)),
        ("a == +1", A),
        ("a-b.c_1 == 1", Compare("a-b.c_1", "==", 1)),
        ("größe == 1", Compare("größe", "==", 1)),
        ("_ == 1", Compare("_", "==", 1)),
        ("True == 1", Compare("True", "==", 1)),
        ("a == true", Compare("a", "==", True)),
        ("a == false", Compare("a", "==", False)),
        (r'a == "\u00e9\"\\ and (b"', Compare("a", "==", 'é"\\ and (b')),
        ('a in (1, 2.5, "x", true)', Among("a", (1, 2.5, "x", True))),
        ("a in (1)", Among("a", (1,))),
        ("a between 10 and 20", Between("a", 10, 20)),
        ('a startswith ""', StartsWith("a", "")),
        ("exists(a)", Exists("a")),
        ("exists ( topic )", Exists("topic")),
        ('topic matches "a/+/b"', Matches("topic", "a/+/b")),
        ('x matches "#"', Matches("x", "#")),
        ("not a == 1", Not(A)),
        ("not not a == 1", Not(Not(A))),
        ("not (a == 1)", Not(A)),
        ("not a == 1 and b == 1", And((Not(A), B))),
        ("not (a == 1 and b == 1)", Not(And((A, B)))),
        ("a == 1 and b == 1 and c == 1", And((A, B, C))),
        ("a == 1 or b == 1 or c == 1", Or((A, B, C))),
        ("a == 1 or b == 1 and c == 1", Or((A, And((B, C))))),
        ("a == 1 and b == 1 or c == 1", Or((And((A, B)), C))),
        ("(a == 1 or b == 1) and c == 1", And((Or((A, B)), C))),
        ("a == 1 and not exists(b) or true", Or((And((A, Not(Exists("b")))), Everything()))),
        ("a between 1 and 2 and b == 1", And((Between("a", 1, 2), B))),
        ("not a between 1 and 2 or b == 1", Or((Not(Between("a", 1, 2)), B))),
        (
            'topic == "quote" and price >= 10.5 and symbol in ("IBM", "SUN") or volume > 1e6',
            Or(
                (
                    And(
                        (
                            Compare("topic", "==", "quote"),
                            Compare("price", ">=", 10.5),
                            Among("symbol", ("IBM", "SUN")),
                        )
                    ),
                    Compare("volume", ">", 1e6),
                )
            ),
        ),
    ],
)
def test_texts_and_their_trees(text, tree):
    """Every construct, precedence, spaces; True and 1 are told apart."""
    assert repr(parse_filter(text)) == repr(tree)


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("", 1, "must not be empty; write true"),
        ("  ", 3, "must not be empty"),
        ("a", 2, "expected a comparison after a: =="),
        ("a ==", 5, "expected a value: 10"),
        ("a == b", 6, "expected a value"),
        ("a == and", 6, "expected a value"),
        ("a = 1", 3, "equality is written =="),
        ("a ! 1", 3, "!= for unequal"),
        ("!a == 1", 1, "write not"),
        ("a == 1 && b == 1", 8, "end of the filter; write and"),
        ("a == 1 | b == 1", 8, "write or"),
        ("a == 'x'", 6, "double quotes"),
        ('a == "x', 6, "string is not closed"),
        ('a == "x\\"', 6, "string is not closed"),
        ('a == 1 "', 8, "string is not closed"),
        ('a == "\n"', 6, "escapes of JSON"),
        (r'a == "\ud800"', 6, "lone surrogates"),
        ('a == "\ud800"', 6, "lone surrogates"),
        ("\ud800 == 1", 1, "a term begins with"),
        ("a == $x", 6, "in a scenario only"),
        ("$x == 1", 1, "in a scenario only"),
        ("a in $x", 6, "in a scenario only"),
        ("a == NaN", 6, "must be finite"),
        ("a == nan", 6, "must be finite"),
        ("a < Infinity", 5, "must be finite"),
        ("a == 1e999", 6, "must be finite"),
        ("a == -1e999", 6, "must be finite"),
        ("a == 1_000", 6, "not a literal"),
        ("a == 10and b == 1", 6, "not a literal"),
        ("a == 1.2.3", 6, "not a literal"),
        ("a == 1e", 6, "not a literal"),
        ("a == ١", 6, "expected a value"),
        ("a == - 1", 6, "expected a value"),
        ("a == True", 6, "expected a value: .*; true is written in lower case"),
        ("10 < a", 1, "a term begins with an attribute"),
        ('"a" == 1', 1, "a term begins with an attribute"),
        ("in == 1", 1, "in is a word of the filter language"),
        ("exists == 1", 8, "exists takes an attribute in parentheses"),
        ("exists(1)", 8, "exists takes an attribute"),
        ("exists(not)", 8, "not is a word of the filter language"),
        ("exists(a", 9, r"expected \)"),
        ("a == 1 and", 11, "a term begins with"),
        ("a == 1 or or b == 1", 11, "or is a word"),
        ("not", 4, "a term begins with"),
        ("a == 1 b == 1", 8, "expected and, or, or the end"),
        ("a == 1 AND b == 1", 8, "end of the filter; and is written in lower case"),
        ("a IN (1)", 3, "expected a comparison after a: .*; in is written in lower case"),
        ("(a == 1", 8, r"expected and, or, or \)"),
        ("(a == 1 OR b == 1)", 9, r"or \); or is written in lower case"),
        ("a == 1)", 7, "expected and, or, or the end"),
        ("()", 2, "a term begins with"),
        ("a not in (1)", 3, "not stands before the whole term: not a"),
        ("a in 1", 6, "in takes a list in parentheses"),
        ("a in ()", 7, "expected a value"),
        ("a in (1,)", 9, "expected a value"),
        ("a in (1 2)", 9, r"expected , or \)"),
        ("a in (1", 8, r"expected , or \)"),
        ("a between 1", 12, "between takes two values"),
        ("a between 1 or 2", 13, "between takes two values"),
        ("a between (1, 2)", 11, "expected a value"),
        ("a startswith 1", 14, "startswith takes a string"),
        ("a startswith 'x'", 14, "double quotes"),
        ("topic matches a/b", 15, "matches takes a string"),
        ('topic matches ""', 15, "no topic pattern: a topic must not be empty"),
        ('topic matches "a/#/b"', 15, "no topic pattern: # must be the whole last level"),
        ('topic matches "a+"', 15, "no topic pattern: [+] must be a whole level"),
        ("a == 1; b", 7, "expected and, or, or the end of the filter"),
        ("a == 1 \x00", 8, "expected and"),
        ("a\u00a0== 1", 2, "expected a comparison"),
        ("a" * (NAME_LENGTH_MAX + 1) + " == 1", 1, "name must not exceed 255"),
        ("a" * 50 + " 1", 52, "expected a comparison after a{39}…"),
    ],
)
def test_mistakes_are_pointed_at(text, column, problem):
    """The column, and a sentence that says what would be right."""
    with pytest.raises(FilterError, match=problem) as caught:
        parse_filter(text)
    assert caught.value.column == column
    str(caught.value).encode()


ATTACKS = {
    "parentheses": "(" * 10_000 + "a==1" + ")" * 10_000,
    "nots": "not " * 10_000 + "a==1",
    "mixed": "not (" * 10_000 + "a==1" + ")" * 10_000,
    "alternatives": " or ".join(["a==1"] * 100_000),
    "a million alternatives": " or ".join(["a==1"] * 1_000_000),
    "conjunctions": " and ".join(["a==1"] * 100_000),
    "in": f"a in ({','.join(['1'] * 500_000)})",
    "a million in": f"a in ({','.join(map(str, range(1_000_000)))})",
    "digits": "a == " + "1" * 5_000,
    "a million digits": "a == " + "1" * 1_000_000,
    "quotes": '"' * 1_000_000,
    "open string": 'a == "' + "x" * 1_000_000,
    "open escapes": 'a == "' + "\\" * 999_999,
    "spaces": " " * 1_000_000,
    "name": "a" * 1_000_000,
    "many full lists": " or ".join([f"a in ({','.join(['1'] * VALUES_MAX)})"] * 100),
    "long strings": " or ".join([f'a == "{"x" * 60_000}"'] * 18),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_are_refused(name):
    """Too deep, too many, too long: an answer comes, and it is short and can be printed."""
    with pytest.raises(FilterError) as caught:
        parse_filter(ATTACKS[name])
    message = str(caught.value)
    assert len(message) < 500
    assert all(character.isprintable() or character == "\n" for character in message)


def test_depth_is_bounded_exactly():
    """The deepest filter is read, one level more is not; parentheses and `not` count alike."""
    for inside in ("({})", "not {}"):
        text = "a == 1"
        for _ in range(DEPTH_MAX):
            text = inside.format(text)
        parse_filter(text)
        with pytest.raises(FilterError, match="deeper than 32"):
            parse_filter(inside.format(text))


def test_terms_are_bounded_exactly():
    """A list is one term; `true` is one, too."""
    term = "a in (1, 2, 3)"
    assert len(parse_filter(" or ".join([term] * TERMS_MAX)).terms) == TERMS_MAX
    with pytest.raises(FilterError, match="more than 256 terms"):
        parse_filter(" and ".join([term] * TERMS_MAX + ["true"]))


def test_lists_are_bounded_exactly():
    """4,096 values, not one more."""
    values_max = ["1"] * VALUES_MAX
    assert len(parse_filter(f"a in ({', '.join(values_max)})").values) == VALUES_MAX
    with pytest.raises(FilterError, match="more than 4096 values"):
        parse_filter(f"a in ({', '.join([*values_max, '2'])})")


def test_text_is_bounded_exactly():
    """Spaces count against the length of the text only."""
    text = "a == 1".ljust(LENGTH_MAX)
    assert parse_filter(text) == A
    with pytest.raises(FilterError, match="must not exceed 1048576 characters"):
        parse_filter(text + " ")


def longest(make):
    """The longest of a family of texts, numbered by their lists, that the parser accepts; and what stopped it."""
    accepted, number = None, 7
    while True:
        try:
            accepted = parse_filter(make(number))
        except FilterError as problem:
            return accepted, problem.problem
        number += 1


@pytest.mark.parametrize("spelling", ["{}e15", ".{}", '"{}"'])
def test_what_was_accepted_is_accepted_again_when_rewritten(spelling):
    """The shortest spellings of the longest filters: canonical text may be longer, and is still within the bound."""
    values_in_short = ",".join(spelling.format(value) for value in range(1, 4_000))
    accepted, problem = longest(lambda lists: "or ".join(f"a{place} in({values_in_short})" for place in range(lists)))
    assert "too long" in problem
    again = format_filter(accepted)
    assert len(again) <= LENGTH_MAX
    assert format_filter(parse_filter(again)) == again


def sayable(wish):
    """The same filter without chains of fewer than two terms and without empty lists, which no text has."""
    match wish:
        case And(terms) | Or(terms) if len(terms) > 1:
            return type(wish)(tuple(map(sayable, terms)))
        case And(terms) | Or(terms):
            return sayable(terms[0]) if terms else Everything()
        case Not(term):
            return Not(sayable(term))
        case Among(values=()):
            return Nothing()
        case _:
            return wish


def spelled(wish):
    """The dumb twin of the formatter: changes nothing, brackets everything."""
    match wish:
        case And(terms) | Or(terms):
            return f"({(' and ' if isinstance(wish, And) else ' or ').join(map(spelled, terms))})"
        case Not(term):
            return f"not {spelled(term)}"
        case Everything() | Nothing():
            return "true" if isinstance(wish, Everything) else "false"
        case Compare(attribute, operator, value):
            return f"{attribute}{operator}{format_literal(value)}"
        case Among(attribute, listed):
            return f"{attribute} in({','.join(map(format_literal, listed))})"
        case Between(attribute, low, high):
            return f"{attribute} between {format_literal(low)} and {format_literal(high)}"
        case StartsWith(attribute, prefix):
            return f"{attribute} startswith{json.dumps(prefix)}"
        case Matches(attribute, pattern):
            return f"{attribute} matches{json.dumps(pattern)}"
        case Exists(attribute):
            return f"exists({attribute})"


@settings(max_examples=200)
@given(filters.map(sayable))
def test_every_tree_can_be_said(wish):
    """Brackets, spaces or none, escapes: the parser gives back the very tree, types included."""
    assert repr(parse_filter(spelled(wish))) == repr(wish)


@settings(max_examples=200)
@given((narrow_filters | filters).map(sayable))
def test_rewriting_never_costs_more(wish):
    """Neither in the parser's own count nor in characters beyond that count, so that the bound holds again."""

    def cost(text):
        parser = filter_parser._Parser(text)
        parser.whole()
        return parser.cost

    again = format_filter(wish)
    assert cost(again) <= cost(spelled(wish))
    assert len(again) <= cost(again)


def test_negated_chains_stay_within_the_bounds_when_rewritten():
    """Pushing `not` down adds words and parentheses, but no depth that the text did not have."""
    text = "a0 == 0"
    for level in range(1, DEPTH_MAX // 2 + 1):
        text = f"not ({text} and b{level} == 1 or c{level} == 1)"
    again = format_filter(parse_filter(text))
    assert format_filter(parse_filter(again)) == again


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_keywords_are_no_names(keyword):
    """Neither alone nor in exists; in upper case they are."""
    assert not is_attribute_name(keyword)
    with pytest.raises(FilterError):
        parse_filter(f"exists({keyword})")
    assert is_attribute_name(keyword.upper())
    assert parse_filter(f"exists({keyword.upper()})") == Exists(keyword.upper())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a", True),
        ("_a-b.c1", True),
        ("größe", True),
        ("topic", True),
        ("a" * 255, True),
        ("a" * 256, False),
        ("", False),
        (" a", False),
        ("a ", False),
        ("a b", False),
        ("1a", False),
        ("-a", False),
        (".a", False),
        ("$a", False),
        ("a$", False),
        ("a\n", False),
    ],
)
def test_names_that_a_filter_can_speak_of(name, expected):
    """Exactly those that parse as a name."""
    assert is_attribute_name(name) is expected


@given(st.text(max_size=8))
def test_a_name_parses_exactly_when_it_is_said_to(name):
    """The question and the parser agree on any text."""
    try:
        accepted = parse_filter(f"exists({name})") == Exists(name)
    except FilterError:
        accepted = False
    assert accepted == is_attribute_name(name)


@given(values)
def test_any_value_can_be_compared_with(value):
    """What `format_literal` writes, the parser reads: same value, same type."""
    read = parse_filter(f"a == {format_literal(value)}").value
    assert (type(read), repr(read)) == (type(value), repr(value))


@given(
    st.text(max_size=40)
    | st.lists(st.sampled_from([*KEYWORDS, "a", "1", '"x"', "(", ")", ",", "==", "<"]), max_size=12).map(" ".join)
)
def test_any_text_is_a_filter_or_a_filter_error(text):
    """Nothing else escapes, the column lies in the text or just behind it."""
    column = 1
    try:
        parse_filter(text)
    except FilterError as problem:
        column = problem.column
    assert 1 <= column <= len(text) + 1


@given(filters)
def test_json_text_in_strings_stays_text(wish):
    """A filter can be a value of another filter."""
    text = format_filter(wish)
    assert parse_filter(f"a == {json.dumps(text)}") == Compare("a", "==", text)


def test_parsed_remembers_short_texts_only():
    """The same tree comes back; errors and long texts are worked out each time."""
    text = "remembered == 1"
    assert parsed(text) is parsed(text)
    assert parsed(text) == parse_filter(text)
    long = text.ljust(filter_parser._CACHED_LENGTH_MAX + 1)
    assert parsed(long) == parsed(long)
    assert parsed(long) is not parsed(long)
    for _ in range(2):
        with pytest.raises(FilterError):
            parsed("a ==")
