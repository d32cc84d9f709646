"""The whole profile: what it says, what it leaves, what it refuses."""

import json
import re

import pytest

from architecture.rooms import SOURCE
from pipeline.test_auditing import FORBIDDEN_WORDS
from profiling.conftest import profile_of
from profiling.made_records import written
from scenario_texts import world_of
from tidings.errors import InputError
from tidings.profiling.mapping import mapping_from
from tidings.simulation import simulate

ROOM = SOURCE / "profiling"


def test_what_is_printed(profiled):
    """Counts, files with their rows, and how many rows were bad."""
    document = profiled.document
    counts = {
        name: document[name] for name in ("publishers", "events", "components", "failures", "links", "pairs", "walkers")
    }
    assert counts == {
        "publishers": 7,
        "events": 143,
        "components": 5,
        "failures": 7,
        "links": 7,
        "pairs": 1,
        "walkers": 2,
    }
    assert document["folder"] == str(profiled.out)
    assert document["quarantined"] == len(profiled.rows("quarantine")) == 14
    assert {name for name in document["files"] if "-" not in name} == {
        f"{name}.parquet"
        for name in (
            "publishers",
            "components",
            "episodes",
            "links",
            "differences",
            "contacts",
            "durations",
            "points",
            "interests",
            "quarantine",
        )
    }


def test_the_folder_lists_its_files(profiled):
    """As every folder of ours."""
    said = json.loads((profiled.out / "run.json").read_bytes())
    assert {file["name"] for file in said["files"]} == {path.name for path in profiled.out.iterdir()} - {"run.json"}
    assert (said["verb"], said["quarantined"]) == ("profile", 14)


def test_progress_is_told(profiled):
    """Each step once, in order."""
    assert [(done, total) for _, done, total in profiled.told] == [(step, 7) for step in range(7)]
    assert [step for step, _, _ in profiled.told][1:] == [
        "events",
        "outages",
        "delays",
        "showings",
        "positions",
        "interests",
    ]


def test_a_scenario_names_the_folder(trading_days, tmp_path):
    """Traces as a list, profiles by name: both can be simulated."""
    base = "tidings = 1\nduration = '60s'\n[[broker]]\nid = 'a'\n[[subscriber]]\nfilter = 'symbol == \"IBM\" and price > 182.01'\n"
    lists = "publisher = 'scenario-publisher.parquet'\n"
    world = world_of(trading_days.out, base.replace("[[broker]]", lists + "[[broker]]", 1))
    expected = 2 + 1 + sum(1820000 + 100 * (second % 7) > 1820100 for second in range(1, 60))
    assert simulate(world, out=tmp_path / "traced").deliveries == expected
    profiled = "[[publisher]]\nid = 'x'\nprofile = 'publishers.parquet'\nlike = 'ibm'\n"
    assert world_of(trading_days.out, base + profiled).publishers[0].profile.rate > 0


def test_a_killed_profile_goes_on(spark, profiled, tmp_path):
    """With the stages that it had completed."""
    again = profile_of(spark, [profiled.records], tmp_path / "again", work=profiled.work)
    assert again["files"] == profiled.document["files"]
    for name in profiled.document["files"]:
        assert (tmp_path / "again" / name).read_bytes() == (profiled.out / name).read_bytes()


def test_no_good_row(spark, tmp_path):
    """Nothing is written, and the first reason is told."""
    written(tmp_path / "nab" / "Twitter_volume_KO.csv", "timestamp,value\nyesterday,3\n")
    with pytest.raises(InputError, match=r"no row is good \(Twitter_volume_KO\.csv, 2: published: yesterday"):
        profile_of(spark, [tmp_path / "nab"], tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["nab"]


def test_positions_need_access_points(spark, tmp_path):
    """They are named, too."""
    written(tmp_path / "a.csv", "s,t,x,y\nu,1,2,3\n")
    mapping = mapping_from(
        'kind = "positions"\n[fields]\nsubject = "s"\nat = { column = "t", unit = "s" }\nx = "x"\ny = "y"\n', "m"
    )
    with pytest.raises(InputError, match="no access points"):
        profile_of(spark, [tmp_path / "a.csv"], tmp_path / "out", mapping=mapping)


def test_a_taken_folder_is_refused(spark, tmp_path):
    """Before anything is read."""
    written(tmp_path / "out" / "x", "")
    written(tmp_path / "nab" / "Twitter_volume_KO.csv", "timestamp,value\n2013-10-07 09:30:00,3\n")
    with pytest.raises(InputError, match="not an empty folder"):
        profile_of(spark, [tmp_path / "nab"], tmp_path / "out")


def test_only_what_runs_everywhere():
    """The same code embedded, on a master and over Connect: no contexts, no RDDs, no pandas, no Python row by row."""
    for path in ROOM.glob("*.py"):
        assert re.search(FORBIDDEN_WORDS, path.read_text("utf-8")) is None, path.name
