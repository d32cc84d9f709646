"""Mapping files: what they may say, and how they are refused."""

import pytest

from tidings.errors import InputError
from tidings.profiling.mapping import KINDS, Field, columns_of, field_of, mapping_from, read_mapping

EVENTS = 'kind = "events"\n[fields]\npublisher = "who"\npublished = { column = "at", unit = "ms" }\n'


def test_what_a_mapping_says(tmp_path):
    """Bare texts are columns."""
    (tmp_path / "m.toml").write_text(
        EVENTS + '[attributes]\nprice = { column = "p", per = 100, as = "number" }\n', "utf-8"
    )
    found = read_mapping(tmp_path / "m.toml")
    assert (found.kind, found.format, found.separator, found.columns) == ("events", "csv", ",", None)
    assert field_of(found.fields["publisher"]) == Field(column="who")
    assert field_of(found.attributes["price"]) == Field(column="p", per=100, kind="number")


def test_columns_of_a_field():
    """One, several, none."""
    assert columns_of(Field(column="a")) == ["a"]
    assert columns_of(Field(column=["a", "b"])) == ["a", "b"]
    assert columns_of(Field(value=1)) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("kind = ", "page on profiles"),
        ('kind = "orders"\n[fields]', "orders"),
        ("extra = 1\n" + EVENTS, "unknown field `extra`"),
        ('kind = "events"\n[fields]\npublisher = "a"', 'kind "events" needs published'),
        (EVENTS + 'colour = "c"', 'fields.colour is no part of "events"'),
        (EVENTS + "topic = {}", "topic: give one of column, file and value, not none"),
        (EVENTS + 'topic = { column = "a", value = 1 }', "not column and value"),
        (EVENTS + 'topic = { file = "abc" }', "must have one group"),
        (EVENTS + 'topic = { column = "x", within = "(" }', "no regular expression"),
        (EVENTS + 'lifetime = { column = "l", unit = "years" }', "there is no unit 'years'"),
        (EVENTS + 'lifetime = { column = "l", per = 0 }', "must be above 0"),
        (EVENTS.replace('unit = "ms"', 'day = { file = "x" }'), "published.day: 'x' must have one group"),
        ('copies = "n"\n' + EVENTS, "go together"),
        ('kind = "points"\n[fields]\npoint = "p"\nx = "x"', "latitude and longitude, or x and y|x and y"),
        ('kind = "delays"\n[fields]\none = "a"\nother = "b"', "delay, or round_trip"),
        (
            'kind = "points"\n[fields]\npoint = "p"\nx = "x"\ny = "y"\n[attributes]\na = "b"',
            "attributes belong to events",
        ),
    ],
)
def test_mappings_that_cannot_be(text, says):
    """File, key and remedy."""
    with pytest.raises(InputError, match=says) as caught:
        mapping_from(text, "m.toml")
    assert str(caught.value).startswith("m.toml")


def test_a_mapping_that_cannot_be_read(tmp_path):
    """No file, no text."""
    with pytest.raises(InputError, match="cannot be read as a mapping"):
        read_mapping(tmp_path / "m.toml")
    (tmp_path / "m.toml").write_bytes(b"\xff")
    with pytest.raises(InputError, match="cannot be read as a mapping"):
        read_mapping(tmp_path / "m.toml")


def test_every_kind_can_be_said():
    """With everything that it may have."""
    for kind, (needed, possible) in KINDS.items():
        fields = "".join(f'{name} = "{name}"\n' for name in (*needed, *possible))
        assert mapping_from(f'kind = "{kind}"\n[fields]\n{fields}', "m").kind == kind
