"""Posts with tags and threads with users."""

import pyarrow.parquet as pq
import pytest

from tidings.errors import InputError
from tidings.profiling.posts import read

MS = 1_000_000


def test_an_event_for_each_tag(profiled):
    """At the time of its post, which need not ascend in the files; no wildcards in topics."""
    trace = pq.read_table(profiled.out / "trace-made-up.parquet").to_pylist()
    first = trace[0]["published_ns"]
    found = [((row["published_ns"] - first) // MS, row["topic"], dict(row["attributes"])["tags"]) for row in trace]
    assert sorted(found) == [(0, "sound", "1"), (1000, "power", "2"), (1000, "sound", "2"), (2000, "cpp", "1")]


def test_interests_of_users(profiled):
    """How many posts with a tag each took part in."""
    found = {key: row["weight"] for key, row in profiled.by("interests", "subject", "topic").items()}
    assert found == {("u7", "power"): 1, ("u7", "sound"): 2, ("u8", "power"): 1, ("u8", "sound"): 1}


def test_files_that_belong_together(spark, profiled, tmp_path):
    """A part that is missing is named; without threads there are no interests."""
    files = sorted((profiled.records / "posts").iterdir())
    with pytest.raises(InputError, match=r"tags-made-up-times\.txt\.gz is missing"):
        read(spark, [file for file in files if "times" not in file.name])
    part = read(spark, [file for file in files if file.name.startswith("tags")])
    assert list(part.tables(part.judged.select("good.*"))) == ["events"]
