"""The table of profiles says what each of its columns holds."""

from pathlib import Path

from tidings.vocabulary.profiles import PROFILE_MEANINGS, PROFILE_SCHEMA


def test_every_column_has_a_meaning():
    """In the order of the table."""
    assert list(PROFILE_MEANINGS) == PROFILE_SCHEMA.names


def test_what_may_be_missing():
    """Burstiness of two events, and lifetimes of what is of use for ever."""
    assert [field.name for field in PROFILE_SCHEMA if field.nullable] == ["scv", "lifetime_ns"]


def test_the_reference_says_the_same():
    """The page on profiles has a row for each column."""
    page = (Path(__file__).parents[2] / "docs" / "reference" / "profile.md").read_text("utf-8")
    for name, meaning in PROFILE_MEANINGS.items():
        assert f"| `{name}` | {meaning} |\n" in page
