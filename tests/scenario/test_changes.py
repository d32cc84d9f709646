"""Keys of a scenario changed before it is read."""

import pytest

from tidings.errors import InputError
from tidings.scenario.changes import changed, value_of

DOCUMENT = {"duration": "1s", "overlay": {"link": {"loss": 0.1}}, "publisher": [{"id": "p"}, {"topic": "t"}]}


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("duration", "2s", {**DOCUMENT, "duration": "2s"}),
        ("overlay.link.loss", 0.5, {**DOCUMENT, "overlay": {"link": {"loss": 0.5}}}),
        ("reliability.mechanism", "none", {**DOCUMENT, "reliability": {"mechanism": "none"}}),
        ("publisher.p.topic", "x", {**DOCUMENT, "publisher": [{"id": "p", "topic": "x"}, {"topic": "t"}]}),
        ("publisher.1.topic", "x", {**DOCUMENT, "publisher": [{"id": "p"}, {"topic": "x"}]}),
    ],
)
def test_a_value_takes_its_place(key, value, expected):
    """In tables, in new tables, in entries by name or number; what was given stays as it was."""
    before = repr(DOCUMENT)
    assert changed(DOCUMENT, {key: value}) == expected
    assert repr(DOCUMENT) == before


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("publisher.x.topic", "there are p, 1"),
        ("publisher.7.topic", "there are p, 1"),
        ("publisher.p", "is a list"),
        ("publisher", None),
        ("duration.x", "is a value"),
        ("", "joined by dots"),
        ("overlay..loss", "joined by dots"),
    ],
)
def test_places_that_are_not_there(key, said):
    """Named, with what there is; a list as a whole may be replaced."""
    if said is None:
        assert changed(DOCUMENT, {key: []})[key] == []
        return
    with pytest.raises(InputError, match=said):
        changed(DOCUMENT, {key: 1})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", 0.1),
        ("3", 3),
        ("true", True),
        ('"3"', "3"),
        ("buffering", "buffering"),
        ("5ms", "5ms"),
        ("[1, 2]", [1, 2]),
        ('{ dist = "constant", value = "1s" }', {"dist": "constant", "value": "1s"}),
        ("1\nother = 2", "1\nother = 2"),
    ],
)
def test_values_are_toml_or_plain_text(text, value):
    """And nothing more than one value."""
    assert value_of(text) == value
