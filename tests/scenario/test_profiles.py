"""Profiles that a scenario names: read once, refused with the remedy."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scenario.profile_tables import CONTENTS, ROW, SECOND, profile_table
from tidings.errors import ScenarioError
from tidings.scenario.profiles import Profiles, sizes_of
from tidings.scenario.source import Place, Source
from tidings.scenario.world import Content


@pytest.fixture
def place(tmp_path):
    """Where a scenario names its profile."""
    return Place(Source(tmp_path / "s.toml"), "publisher[0].profile")


def test_a_row_is_found_by_its_name(tmp_path, place):
    """All of it, in the units of worlds."""
    profile_table(tmp_path / "day.parquet", {"publisher": "sun"}, {"lifetime_ns": 7})
    found = Profiles().of(place, "day.parquet", "ibm")
    assert (found.name, found.file.name, found.scv, found.lifetime_ns) == ("ibm", "day.parquet", 4.0, 7)
    assert found.rate * SECOND == 0.5
    assert found.every.values.tolist() == [SECOND, SECOND, 4 * SECOND]
    assert found.dispersion == ((SECOND, 1.5), (100 * SECOND, 6.0))
    assert found.contents == (
        Content(topic="quote", attributes={"symbol": "IBM", "price": 181.5}, payload_bytes=100, weight=0.75),
        Content(topic="news", attributes={"urgent": True}, payload_bytes=900, weight=0.25),
    )


def test_a_table_is_read_once(tmp_path, place):
    """Hundreds of publishers stand in one file: it may be gone after the first."""
    profile_table(tmp_path / "day.parquet")
    profiles = Profiles()
    first = profiles.of(place, "day.parquet", "ibm")
    (tmp_path / "day.parquet").unlink()
    assert profiles.of(place, "day.parquet", "ibm") == first


def test_profiles_are_equal_by_name(tmp_path, place):
    """File and row, as traces are."""
    profile_table(tmp_path / "day.parquet", {}, {"publisher": "sun"})
    one, other = (Profiles().of(place, "day.parquet", name) for name in ("ibm", "sun"))
    assert one != other
    assert one == Profiles().of(place, "day.parquet", "ibm")


def test_sizes_come_with_their_weights(tmp_path, place):
    """Three quarters small ones."""
    profile_table(tmp_path / "day.parquet")
    sizes = sizes_of(Profiles().of(place, "day.parquet", "ibm")).values.tolist()
    assert sizes == [100.0] * 192 + [900.0] * 64


def test_somebody_who_is_not_in_it(tmp_path, place):
    """The nearest name is told."""
    profile_table(tmp_path / "day.parquet")
    with pytest.raises(ScenarioError, match='did you mean "ibm"') as caught:
        Profiles().of(place, "day.parquet", "ibn")
    assert caught.value.key == "publisher[0].profile"


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"span_ns": 0}, "no length"),
        ({"interval_ns": []}, "0 values"),
        ({"contents": [{**CONTENTS[0], "weight": 0.0}]}, "weight 0.0"),
        ({"contents": [{**CONTENTS[0], "weight": float("nan")}]}, "weight nan"),
        ({"contents": [{**CONTENTS[0], "payload_bytes": -1}]}, "-1 bytes"),
        ({"contents": [{**CONTENTS[0], "attributes": [("x", "nan")]}]}, "cannot be used"),
        ({"contents": [{**CONTENTS[0], "attributes": [("x", "1"), ("x", "2")]}]}, "twice"),
        ({"contents": [{**CONTENTS[0], "attributes": [("topic", '"t"')]}]}, "reserved"),
        ({"contents": []}, "no contents"),
        ({"events": 0}, "no events"),
    ],
)
def test_profiles_of_no_use(tmp_path, place, row, says):
    """Refused by the name of the publisher."""
    profile_table(tmp_path / "day.parquet", row)
    with pytest.raises(ScenarioError, match=says):
        Profiles().of(place, "day.parquet", "ibm")


def test_a_file_that_is_no_table(tmp_path, place):
    """Named, with what would be right."""
    (tmp_path / "day.parquet").write_text("no table", encoding="utf-8")
    with pytest.raises(ScenarioError, match="must be a table of profiles"):
        Profiles().of(place, "day.parquet", "ibm")


def test_another_table(tmp_path, place):
    """Columns that are missing, or of another type."""
    pq.write_table(pa.table({"publisher": ["ibm"]}), tmp_path / "day.parquet")
    with pytest.raises(ScenarioError, match="lacks the column events; `tidings profile` writes"):
        Profiles().of(place, "day.parquet", "ibm")
    whole = pq.read_table(profile_table(tmp_path / "whole.parquet"))
    bent = whole.set_column(whole.schema.get_field_index("events"), "events", pa.array([float(ROW["events"])]))
    pq.write_table(bent, tmp_path / "bent.parquet")
    with pytest.raises(ScenarioError, match="column events must be int64, not double"):
        Profiles().of(place, "bent.parquet", "ibm")
