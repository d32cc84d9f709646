"""Where predictions come from, and what is said where there is none."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reporting.made_reports import SCENARIO
from tidings.analysis import predict
from tidings.errors import InputError
from tidings.logs import LogFolder, open_folder
from tidings.reporting.forecasts import forecast_of, read_forecast, world_of


@pytest.fixture
def folder(tmp_path):
    """A finished run of nothing, with its scenario."""

    def make(text):
        with LogFolder.create(tmp_path / "logs", names=()) as made:
            made.write_text("scenario.toml", text)
            made.finish({})
        return open_folder(tmp_path / "logs")

    return make


def test_the_scenario_beside_the_logs_is_predicted(folder):
    """As `predict` does it."""
    run = folder(SCENARIO)
    found = forecast_of(run)
    expected = predict(world_of(run)).subscribers
    assert found.reliability == {name: one.reliability for name, one in expected.items()}
    assert 0 < found.reliability["s0"] < 1
    assert found.refused is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tidings = 1\n", "duration"),
        (SCENARIO + '[ordering]\nguarantee = "groups"\n', "ordering.guarantee"),
        ("not toml", "TOML"),
    ],
)
def test_what_cannot_be_predicted_has_a_reason(folder, text, said):
    """And no numbers; judging goes on without."""
    found = forecast_of(folder(text))
    assert found.reliability == {}
    assert said in found.refused


def test_large_worlds_are_left_to_predict(folder):
    """The remedy is named."""
    assert "--predicted FILE" in forecast_of(folder(SCENARIO), subscribers_max=2).refused


def test_a_table_is_read(folder, tmp_path):
    """As `predict --table` writes it."""
    found = predict(world_of(folder(SCENARIO)))
    pq.write_table(found.table(), tmp_path / "f.parquet")
    read = read_forecast(tmp_path / "f.parquet")
    assert read.reliability == {name: one.reliability for name, one in found.subscribers.items()}
    assert read.source == "f.parquet"


def test_bad_tables_are_refused(tmp_path):
    """Missing, no Parquet, other columns, shares that are none."""
    with pytest.raises(InputError, match="is not there"):
        read_forecast(tmp_path / "none.parquet")
    (tmp_path / "text.parquet").write_text("x", "utf-8")
    pq.write_table(pa.table({"subscriber": ["s"]}), tmp_path / "short.parquet")
    pq.write_table(pa.table({"subscriber": ["s"], "reliability": [1.5]}), tmp_path / "share.parquet")
    pq.write_table(pa.table({"subscriber": ["s"], "reliability": [float("nan")]}), tmp_path / "nan.parquet")
    for name in ("text", "short", "share", "nan"):
        with pytest.raises(InputError, match="predict --table"):
            read_forecast(tmp_path / f"{name}.parquet")
