"""`tidings simulate`: what is printed, what is written, and what is refused."""

import pytest

from cli.command import LINE, document, line_of, refused, tidings, written


@pytest.fixture
def place(tmp_path):
    """A folder with a scenario in it."""
    (tmp_path / "line.toml").write_text(LINE, "utf-8")
    return tmp_path


def test_json_is_one_document(place):
    """The document of the contract: counts that add up, for every subscriber."""
    ended = tidings("simulate", "line.toml", "--json", "--out", "logs", folder=place)
    assert ended.returncode == 0, ended.stderr
    found = document(ended)
    assert found["folder"] == "logs"
    one = found["subscribers"]["s"]
    assert found["events"] == one["wanted"] == found["deliveries"] > 0
    assert one["on_time"] + one["late"] + one["expired"] + one["lost"] == one["wanted"]
    assert one["reliability"] == one["on_time"] / one["wanted"] == 1.0


def test_people_get_a_table(place):
    """A line per subscriber on standard output; where the logs are is a note."""
    ended = tidings("simulate", "line.toml", "--out", "logs", folder=place)
    assert "two brokers" in ended.stdout
    assert line_of(ended.stdout, "s")[:2] == ["1", "1.0000"]
    assert "tidings audit logs" in ended.stderr


def test_without_out_the_folder_is_named_after_the_scenario(place):
    """Here, and numbered when the name is taken; the document says which."""
    found = [document(tidings("simulate", "line.toml", "--json", folder=place))["folder"] for _ in range(3)]
    assert found == ["line-logs", "line-logs-2", "line-logs-3"]
    assert all((place / name / "run.json").exists() for name in found)


def test_same_seed_same_bytes_whatever_the_hash_seed(place):
    """Two processes write the same tables; another seed others."""
    for folder, seed in (("one", 5), ("two", 5), ("three", 6)):
        assert tidings("simulate", "line.toml", "--seed", seed, "--out", folder, folder=place).returncode == 0
    tables = [path.name for path in (place / "one").glob("*.parquet")]
    assert "publications.parquet" in tables
    assert all((place / "one" / name).read_bytes() == (place / "two" / name).read_bytes() for name in tables)
    assert any((place / "one" / name).read_bytes() != (place / "three" / name).read_bytes() for name in tables)


def test_only_the_tables_that_were_asked_for(place):
    """Names joined by commas; those that an audit needs are always there, whether asked for or not."""
    (place / "lossy.toml").write_text(LINE.replace('"10ms"', '"10ms"\nloss = 0.5'), "utf-8")
    assert tidings("simulate", "lossy.toml", "--out", "all", folder=place).returncode == 0
    assert tidings("simulate", "lossy.toml", "--tables", "processes", "--out", "some", folder=place).returncode == 0
    every, some = ({path.name for path in (place / folder).glob("*.parquet")} for folder in ("all", "some"))
    assert "transmissions.parquet" in every - some
    assert {"publications.parquet", "deliveries.parquet", "interests.parquet"} <= some
    first, second = (document(tidings("audit", folder, "--json", folder=place)) for folder in ("all", "some"))
    assert first == second


def test_several_runs_give_an_interval(place):
    """One folder per seed, and the mean with its interval."""
    ended = tidings("simulate", "line.toml", "--runs", 3, "--json", "--out", "logs", folder=place)
    found = document(ended)
    assert found["runs"] == 3
    assert sorted(path.name for path in (place / "logs").iterdir() if path.is_dir()) == ["seed-3", "seed-4", "seed-5"]
    one = found["subscribers"]["s"]
    assert one["reliability_low"] <= one["reliability"] <= one["reliability_high"]


@pytest.mark.parametrize(
    ("scenario", "words", "says"),
    [
        (LINE + "\n[nonsense]\nx = 1\n", (), "nonsense"),
        (LINE + '\n[ordering]\nguarantee = "total"\nmode = "unreliable"\nwait = "1s"\n', (), "ordering.mode"),
        (LINE, ("--tables", "publications,gossip"), "gossip"),
        (LINE, ("--out", "line.toml"), "line.toml"),
        (LINE, ("--out", "line.toml/logs"), "line.toml/logs"),
    ],
    ids=["unknown key", "not implemented", "unknown table", "taken", "not writable"],
)
def test_bad_input_leaves_nothing_behind(scenario, words, says, place):
    """Exit code 2, a message that names what is wrong, and no file more than before."""
    (place / "line.toml").write_text(scenario, "utf-8")
    out = () if "--out" in words else ("--out", "logs")
    assert says in refused(tidings("simulate", "line.toml", "--json", *words, *out, folder=place))
    assert written(place) == ["line.toml"]


def test_a_missing_scenario_is_bad_input(tmp_path):
    """The message names it."""
    assert "nowhere.toml" in refused(tidings("simulate", "nowhere.toml", "--out", "logs", folder=tmp_path))
    assert written(tmp_path) == []
