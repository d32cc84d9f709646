"""Layouts: which files are which, and that every one that comes with the package can be read."""

import pytest

from profiling.made_records import write_records
from tidings.errors import InputError
from tidings.profiling import run_folders
from tidings.profiling.files import files_of
from tidings.profiling.layouts import layouts, sorted_by_layout
from tidings.profiling.mapping import mapping_from

MAPPING = mapping_from('kind = "points"\n[fields]\npoint = "p"\nx = "x"\ny = "y"\n', "m")


def test_files_are_known_by_their_names(tmp_path):
    """Each made record has exactly one layout; most layouts have a record."""
    records = write_records(tmp_path / "records")
    found = sorted_by_layout(files_of([records]), None, None)
    names = {id(layout.read): name for name, layout in layouts().items()}
    by_name = {names.get(id(read), "run"): [path.name for path in paths] for read, paths in found}
    assert set(by_name) == {*layouts(), "run"} - {"airports", "places", "market"}
    assert by_name["trades"] == ["ibm_20131007_trade.zip", "ibm_20131008_trade.zip"]
    assert by_name["quotes"] == ["ibm_20131007_quote.zip"]
    assert by_name["currencies"] == ["eurusd_20131007_quote.zip"]
    assert by_name["run"] == ["run"]


def test_other_data_of_the_same_kind(tmp_path):
    """Coordinates of airports and of cities, days of a made market."""
    for name in ("airports.csv", "cities.csv", "market_20131007.parquet"):
        (tmp_path / name).write_text("x", "utf-8")
    found = sorted_by_layout(sorted(tmp_path.iterdir()), None, None)
    assert [read for read, _ in found] == [layouts()[name].read for name in ("airports", "places", "market")]


def test_what_was_named_decides(tmp_path):
    """A layout or a mapping takes all files, whatever they are called; runs stay runs."""
    records = write_records(tmp_path / "records")
    paths = [records / "nab" / "Twitter_volume_KO.csv", records / "run"]
    chosen = sorted_by_layout(paths, None, "flights")
    assert [(read, [path.name for path in some]) for read, some in chosen] == [
        (layouts()["flights"].read, ["Twitter_volume_KO.csv"]),
        (run_folders.read, ["run"]),
    ]
    ((_, mapped),) = sorted_by_layout(paths[:1], MAPPING, None)
    assert mapped == paths[:1]


def test_files_that_nobody_knows(tmp_path):
    """With both remedies, and the layouts that there are."""
    with pytest.raises(
        InputError, match=r"a\.csv: no layout knows .* --mapping FILE, or .* --layout \(monitor, .*trades"
    ):
        sorted_by_layout([tmp_path / "a.csv"], None, None)
    with pytest.raises(InputError, match="--layout: there is no stocks"):
        sorted_by_layout([tmp_path / "a.csv"], None, "stocks")


def test_every_layout_says_what_it_is():
    """In one line."""
    assert all(one.about and "\n" not in one.about for one in layouts().values())
