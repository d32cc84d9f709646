"""Reports as files: the name says which, and a file is whole or not there."""

import json

import pyarrow.parquet as pq
import pytest

from reporting.made_reports import judged
from tidings.errors import InputError
from tidings.reporting.files import SCHEMA, check_report_file, write_report


def test_a_page(tmp_path):
    """What `page` gives."""
    write_report(tmp_path / "r.html", "Title", [judged()])
    assert "<title>Title</title>" in (tmp_path / "r.html").read_text("utf-8")


def test_a_document(tmp_path):
    """By the name of the folder."""
    write_report(tmp_path / "r.json", "t", [judged("a"), judged("b")])
    found = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert list(found) == ["a", "b"]
    assert found["a"] == json.loads(json.dumps(judged("a").document()))


def test_a_table(tmp_path):
    """A row for each folder and subscriber, null where nothing is known."""
    write_report(tmp_path / "r.parquet", "t", [judged("a"), judged("b")])
    found = pq.read_table(tmp_path / "r.parquet")
    assert found.schema.equals(SCHEMA)
    rows = {(row["folder"], row["subscriber"]): row for row in found.to_pylist()}
    assert len(rows) == 6
    one = rows["b", "s1"]
    assert (one["reliability"], one["predicted"], one["wanted"], one["delay_p99_ns"]) == (0.5, 0.9, 80, 3)
    assert one["reliability_low"] < 0.5 < one["reliability_high"]
    idle = rows["a", "idle"]
    assert (idle["reliability"], idle["predicted"], idle["delay_p50_ns"]) == (None, None, None)


def test_a_report_is_replaced_and_leaves_nothing_beside_it(tmp_path):
    """The second one stands."""
    for title in ("first", "second"):
        write_report(tmp_path / "r.html", title, [judged()])
    assert "second" in (tmp_path / "r.html").read_text("utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.parametrize("name", ["r.txt", "report", "r.pdf"])
def test_other_forms_are_refused(tmp_path, name):
    """With those that there are."""
    with pytest.raises(InputError, match=r"\.html, \.json, \.parquet"):
        check_report_file(tmp_path / name)


def test_places_that_are_not_there_are_refused(tmp_path):
    """Before anything is judged."""
    (tmp_path / "folder.html").mkdir()
    for path in (tmp_path / "none" / "r.html", tmp_path / "folder.html"):
        with pytest.raises(InputError, match="name a file"):
            check_report_file(path)
    check_report_file(tmp_path / "r.html")
