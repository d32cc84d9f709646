"""Contents of events: exact shares of what filters want, whatever the law, against drawn events."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.analysis.contents import Asked, constants_of, contents_of, listed_contents, skewed
from tidings.scenario.world import Choice
from tidings.vocabulary.distribution import Constant, Empirical, Exponential, Normal, Uniform, Zipf
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import holds
from tidings.vocabulary.filter_parser import parse_filter

LAWS = {
    "x": Zipf(20, 1.0),
    "price": Normal(100.0, 10.0),
    "side": Choice(values=("buy", "sell", "sell")),
    "flag": Choice(values=(True, False, 1)),
    "size": Exponential(5.0),
    "code": Empirical.of("x", [1.0, 2.0, 2.0, 9.0]),
}
WISHES = [
    'topic == "t" and x <= 3',
    "price between 95 and 120",
    'side == "buy" or not x > 7',
    "flag == true",
    "flag == 1",
    "not flag == 1",
    "size < 5 and size > 1 and price != 100",
    "code in (2, 9)",
    "exists(size) and not exists(nothing)",
    'side startswith "b"',
    'topic matches "t/+" or x == 1',
    "x in (1, 2.0, true)",
    "missing > 3",
    "not missing > 3",
    "true",
    "false",
    f"x < {10**30}",
]


def share(wishes, text, laws=LAWS):
    """Of the contents that are told apart for all wishes."""
    contents = contents_of(laws, "t", [parse_filter(one) for one in wishes])
    return float(contents.weights @ Asked(contents).wants(parse_filter(text)))


@pytest.mark.parametrize("text", WISHES)
def test_shares_against_drawn_events(text):
    """40,000 drawn events, evaluated one by one."""
    generator, count = np.random.default_rng(11), 40_000
    columns = {
        name: [law.values[i] for i in generator.integers(len(law.values), size=count)]
        if isinstance(law, Choice)
        else law.sample(generator, count).tolist()
        for name, law in LAWS.items()
    }
    wish = parse_filter(text)
    wanted = 0
    for place in range(count):
        attributes = {name: column[place] for name, column in columns.items()}
        wanted += holds(wish, Event(id=0, publisher="p", topic="t", published_ns=0, attributes=attributes))
    found = share([text], text)
    assert found == pytest.approx(wanted / count, abs=4.5 * math.sqrt(max(found * (1 - found), 1e-9) / count) + 1e-9)


def test_shares_are_exact():
    """Of a Zipf law and of a normal one, to rounding."""
    law = Zipf(20, 1.0)
    assert share(["x <= 4"], "x <= 4") == pytest.approx(law.probabilities[:4].sum(), abs=1e-14)
    assert share(["size <= 5"], "size <= 5") == pytest.approx(1 - math.exp(-1), abs=1e-14)
    assert share(["price == 100"], "price == 100") == 0.0
    assert share(["code == 2"], "code == 2") == pytest.approx(0.5)


@given(st.lists(st.sampled_from(WISHES), max_size=4), st.sampled_from(WISHES))
def test_other_filters_change_nothing(others, text):
    """More cuts, the same shares."""
    assert share([*others, text], text) == pytest.approx(share([text], text), abs=1e-9)


def test_too_many_combinations_are_sampled():
    """Forty constants for each of six attributes: a sample of evenly spread events, off by less than a point."""
    laws = {f"a{i}": Uniform(0.0, 1.0) for i in range(6)}
    wishes = [parse_filter(f"a{i} < {j / 41}") for i in range(6) for j in range(1, 41)]
    contents = contents_of(laws, "t", wishes)
    assert contents.sampled
    asked = Asked(contents)
    for text, truth in (("a0 < 0.3", 0.3), ("a0 < 0.5 and a3 > 0.2", 0.4), ("a1 < 0.1 or a5 < 0.1", 0.19)):
        assert float(contents.weights @ asked.wants(parse_filter(text))) == pytest.approx(truth, abs=0.01)


def test_sampled_choices():
    """Values of a list are sampled in equal parts."""
    laws = {"c": Choice(values=("x", "y"))} | {f"a{i}": Uniform(0.0, 1.0) for i in range(4)}
    wishes = [parse_filter(f'a{i} < {j / 41} and c == "x"') for i in range(4) for j in range(1, 41)]
    contents = contents_of(laws, "t", wishes)
    assert contents.sampled
    assert float(contents.weights @ Asked(contents).wants(parse_filter('c == "x"'))) == pytest.approx(0.5, abs=0.01)


def test_listed_contents():
    """Recorded events, some without an attribute; 1 and true are two values."""
    records = [{"a": 1}, {"a": True}, {"b": "x"}, {"a": 2.5, "b": "y"}]
    asked = Asked(listed_contents("t", records))
    assert asked.wants(parse_filter("a == 1")).tolist() == [True, False, False, False]
    assert asked.wants(parse_filter("not a >= 1")).tolist() == [False, True, True, False]
    assert asked.wants(parse_filter('b startswith "x" or exists(a)')).tolist() == [True] * 4


def test_constants():
    """Only numbers, only of attributes, each once and in order."""
    found = constants_of([parse_filter('x < 5 and not x in (3, "a", 5.0) or topic == "t" or y == true')])
    assert found == {"x": [3.0, 5.0], "y": []}


def test_skew():
    """Two contents of 0.8 and 0.2, known badly: to the power of α, and normed; 0 makes all alike."""
    contents = contents_of({"a": Choice(values=(1, 1, 1, 1, 2))}, "t", [parse_filter("a == 1")])
    assert sorted(skewed(contents, 2.0).weights) == pytest.approx([0.04 / 0.68, 0.64 / 0.68])
    assert skewed(contents, 1.0).weights == pytest.approx(contents.weights)
    assert skewed(contents, 0.0).weights == pytest.approx([0.5, 0.5])


def test_without_attributes():
    """One content that says nothing, whole."""
    contents = contents_of({}, "t", [parse_filter("x > 1")])
    assert contents.weights.tolist() == [1.0]
    assert share(["true"], "true", {"k": Constant(3.0)}) == 1.0
