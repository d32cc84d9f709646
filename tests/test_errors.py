"""The error tree: who is to blame, and sentences that a person can act on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings import errors
from tidings.errors import (
    FilterError,
    InputError,
    NotImplementedYet,
    PeerError,
    ScenarioError,
    TidingsError,
    WorldError,
)


def test_every_error_is_one_of_ours_and_drawn_in_the_tree():
    """One base to catch; the picture at the top of the file names each class."""
    classes = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    assert all(issubclass(kind, TidingsError) for kind in classes)
    assert [kind.__name__ for kind in classes if kind.__name__ not in errors.__doc__] == []


def test_the_first_split_is_who_is_to_blame():
    """Yours, the peer's, the world's: none is another."""
    first = (InputError, PeerError, WorldError)
    assert [kind for kind in first if any(issubclass(kind, other) for other in first if other is not kind)] == []
    assert issubclass(NotImplementedYet, ScenarioError)
    assert issubclass(FilterError, InputError)


def test_a_scenario_error_says_file_key_value_and_remedy():
    """And keeps them apart for programs; long values are cut."""
    error = ScenarioError("a.toml", "broker.count", -1, "write a number from 1 on")
    assert str(error) == "a.toml: broker.count = -1: write a number from 1 on"
    assert (error.file, error.key, error.value, error.remedy) == (
        "a.toml",
        "broker.count",
        -1,
        "write a number from 1 on",
    )
    assert len(str(ScenarioError("a.toml", "k", "x" * 1_000, "shorter"))) < 120


def test_a_filter_error_points_at_the_column():
    """The pointer stands under the place, however long the text before it is."""
    for text, column in [("a = 1", 3), ("x" * 500 + "=" + "y" * 500, 501), ("", 1), ("abc", 4)]:
        first, excerpt, pointer = str(FilterError(text, column, "wrong")).split("\n")
        assert first == f"filter, column {column}: wrong"
        assert len(excerpt) <= 82
        assert pointer.strip() == "^"
        marked = excerpt[pointer.index("^") : pointer.index("^") + 1]
        assert marked == text[column - 1 : column]


@given(st.text(st.characters(), min_size=1), st.data())
def test_nothing_in_a_filter_can_move_the_cursor(text, data):
    """Control characters, line breaks and lone surrogates are not passed on to a terminal or a log."""
    column = data.draw(st.integers(1, len(text) + 1))
    message = str(FilterError(text, column, "wrong"))
    assert message.count("\n") == 2
    assert all(character.isprintable() for character in message.replace("\n", ""))
    message.encode()


@pytest.mark.parametrize("kind", [InputError, PeerError, WorldError])
def test_plain_errors_say_what_they_are_given(kind):
    """One sentence."""
    assert str(kind("the disk is full")) == "the disk is full"


@pytest.mark.parametrize(
    ("error", "facts"),
    [
        (errors.StaleTerm(3, 5), ("3", "5")),
        (errors.WrongNumber(7, 9), ("7", "9")),
        (errors.LogPoisoned("no space left"), ("no space left",)),
        (errors.LogCorrupt("b3", 4_096, 12), ("b3", "4096", "12")),
    ],
)
def test_errors_about_logs_carry_their_facts(error, facts):
    """The sentence says them all, and that of a world's error is not the peer's."""
    assert all(fact in str(error) for fact in facts)
    assert isinstance(error, PeerError) != isinstance(error, WorldError)
