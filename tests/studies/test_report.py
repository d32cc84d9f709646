"""A study's figures as files: one page, the plots, the numbers, whole or not at all."""

import json
import xml.etree.ElementTree as ET

import pytest

from tidings.errors import InputError
from tidings.logs.staging import StagedFolder
from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.report import interval, numbers, page, shown, write_report

FIGURES = (
    Figure(
        name="fig1",
        title="x < y",
        findings=(Finding("mean & more", 3, 2.5, 2.0, 3.0), Finding("word", None, "yes")),
        plots=(
            Plot(title="p", x="a", y="b", curves=(Curve("c", (1.0,), (2.0,), "ranges", (1.0,), (3.0,)),)),
            Plot(title="q", x="a", y="b", curves=(Curve("d", (1.0,), (2.0,)),)),
        ),
    ),
)
RUN = {"study": "s", "size": "quick", "seed": 1}


def test_values_for_people():
    """A dash for nothing, words as they are, four digits."""
    assert (shown(None), shown("yes"), shown(0.123456), shown(2)) == ("–", "yes", "0.1235", "2")
    assert interval(FIGURES[0].findings[0]) == "2 … 3"
    assert interval(FIGURES[0].findings[1]) == ""


def test_the_page_holds_everything():
    """Findings escaped, both plots inside, nothing fetched from elsewhere."""
    text = page("Study s", "seed 1", FIGURES)
    assert "mean &amp; more" in text
    assert "x &lt; y" in text
    assert text.count("<svg") == 2
    assert "src=" not in text
    assert "<script" not in text


def test_all_numbers_are_kept():
    """Findings as in the contract, curves with their ranges."""
    found = numbers(FIGURES)["fig1"]
    assert found["findings"] == FIGURES[0].document()
    assert found["plots"][0]["curves"] == [{"name": "c", "x": [1.0], "y": [2.0], "low": [1.0], "high": [3.0]}]
    assert found["plots"][1]["curves"] == [{"name": "d", "x": [1.0], "y": [2.0]}]


def test_the_folder_is_whole(tmp_path):
    """Page, numbers, one file for each plot, and what was run."""
    out = tmp_path / "out"
    with StagedFolder(out) as folder:
        write_report(folder, RUN, FIGURES)
    assert sorted(path.name for path in out.iterdir()) == [
        "fig1-1.svg",
        "fig1-2.svg",
        "figures.json",
        "index.html",
        "run.json",
    ]
    ET.parse(out / "fig1-1.svg")
    assert json.loads((out / "figures.json").read_text("utf-8"))["fig1"]["title"] == "x < y"
    assert json.loads((out / "run.json").read_text("utf-8"))["study"] == "s"


def test_a_folder_that_is_taken_is_refused(tmp_path):
    """And nothing in it is touched."""
    (tmp_path / "mine").write_text("x", "utf-8")
    with pytest.raises(InputError, match="not an empty folder"):
        StagedFolder(tmp_path)
