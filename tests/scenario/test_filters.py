"""Filters with holes: substitution, canonical text, finite sets of topics, errors in the template's own columns."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenario_texts import SMALL, scenario_of
from strategies import filters
from tidings.errors import ScenarioError
from tidings.scenario.filters import check_filter, template_of, wish_of, wish_within
from tidings.scenario.source import Place, Source
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import Compare, holds
from tidings.vocabulary.filter_parser import parse_filter
from tidings.vocabulary.filter_text import format_filter

PLACE = Place(Source(Path("x.toml")), "filter")


def test_names_stand_for_literals():
    """Quoted as their type needs."""
    template = template_of("topic == $topic and x <= $x and up == $up")
    values = {"topic": 'a "b"', "x": 2.5, "up": True}
    assert template.fill(values) == 'topic == "a \\"b\\"" and x <= 2.5 and up == true'


def test_a_dollar_in_a_string_is_a_dollar():
    """Also after an escaped quote."""
    assert template_of(r'topic == "$a \" $b" and x == $c').names == ("c",)


def test_a_filter_without_names_is_itself():
    """Nothing to fill."""
    assert template_of("x > 1").fill({}) == "x > 1"


@given(st.text(max_size=20))
def test_any_text_survives_substitution(text):
    """What stands in vary arrives in the filter as it was."""
    filled = template_of("x == $x").fill({"x": text})
    assert parse_filter(filled) == Compare("x", "==", text)


@given(st.data())
def test_columns_are_found_again(data):
    """A column of literal text is found exactly, one inside a value is that of its `$`."""
    texts = data.draw(st.lists(st.text("!( =", min_size=1, max_size=4), min_size=3, max_size=3))
    template = template_of("$x".join(texts))
    values = {"x": data.draw(st.integers(0, 10**6))}
    filled, marked = template.fill(values), "$x".join(texts)
    for column in range(1, len(filled) + 1):
        origin = template.column(column, values)
        assert marked[origin - 1] == (filled[column - 1] if marked[origin - 1] != "$" else "$")


def test_a_column_behind_the_end_is_kept():
    """Where the parser misses something at the very end."""
    assert template_of("x == $x and").column(len("x == 12345 and") + 1, {"x": 12345}) == len("x == $x and") + 1


def test_canonical_text_and_topics():
    """Finite where the filter says so."""
    assert wish_of('x > 1 and topic in ("b", "a")') == ('topic in ("a", "b") and x > 1', ("a", "b"))
    assert wish_of("x > 1").topics is None
    assert wish_of("false").topics == ()


def test_topics_beside_a_filter_are_a_conjunction():
    """Unless the filter holds nowhere else anyway."""
    assert wish_within(None, ("b", "a")) == ('topic in ("a", "b")', ("b", "a"))
    assert wish_within("x > 1", ("a",)) == ('topic == "a" and x > 1', ("a",))
    assert wish_within('topic == "a"', ("a", "b")) == ('topic == "a"', ("a", "b"))
    text, topics = wish_within('topic in ("a", "z")', ("a", "b"))
    assert topics == ("a", "b")
    wish = parse_filter(text)
    assert [holds(wish, Event(1, "p", topic, 0, {})) for topic in ("a", "b", "z")] == [True, False, False]


@given(filters)
def test_reading_canonical_text_changes_nothing(wish):
    """Text and topics stay, so an expanded scenario expands to itself."""
    first = wish_of(format_filter(wish))
    assert wish_of(first.text) == first


@given(filters, st.lists(st.sampled_from(["a", "b", "a/b", "c"]), min_size=1, unique=True))
def test_reading_a_conjunction_again_changes_nothing(wish, topics):
    """The same with topics beside it."""
    first = wish_within(format_filter(wish), tuple(topics))
    assert wish_within(first.text, tuple(topics)) == first


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("x == $y", "known are x (each $name needs a key in vary)"),
        ("x ==", "column 5: expected a value"),
        ("x == $x and and", "column 13"),
        ("x == $x and y = $x", "column 15"),
        ("x == $x " + "or x == 1 " * 300, "column"),
        ("", "must not be empty"),
        ("x == " + "9" * 401, "column 6"),
    ],
)
def test_errors_point_into_the_template(text, remedy):
    """Not into what it becomes."""
    with pytest.raises(ScenarioError) as caught:
        check_filter(PLACE, text, {"x": 123456})
    assert remedy in caught.value.remedy


def test_a_name_without_vary_says_how_to_give_it(tmp_path):
    """With an example."""
    with pytest.raises(ScenarioError, match=r"vary = \{ topic = \[1, 2\] \}"):
        scenario_of(tmp_path, SMALL.replace('"t"\'', "$topic'"))


def test_filters_that_become_too_long_are_refused():
    """Before they are parsed."""
    with pytest.raises(ScenarioError, match="must not exceed"):
        check_filter(PLACE, "x == $x", {"x": "y" * (1 << 20)})


@pytest.mark.parametrize(
    "variation", ["[1]", '["a"]', "{ choice = [true] }", '{ dist = "uniform", low = 0, high = 1 }']
)
def test_samples_stand_for_every_variation(tmp_path, variation):
    """Lists, choices, distributions."""
    text = SMALL.replace("'topic == \"t\"'", "'x == $x'") + f"vary = {{ x = {variation} }}\n"
    assert scenario_of(tmp_path, text).subscriber[0].filter == "x == $x"


def test_a_variation_that_nothing_uses_is_refused(tmp_path):
    """It is a misspelt name, or left over."""
    with pytest.raises(ScenarioError) as caught:
        scenario_of(tmp_path, SMALL + "vary = { x = [1] }\n")
    assert caught.value.key == "subscriber[0].vary.x"


def test_each_gives_topic_and_broker(tmp_path):
    """Without any vary."""
    text = SMALL.replace('broker = "b"\nfilter', 'each = "broker and topic"\nfilter')
    text = text.replace("'topic == \"t\"'", "'topic == $topic and at == $broker'")
    assert scenario_of(tmp_path, text).subscriber[0].each is not None
