"""Sessions: one per process, wherever it runs, and clear words where it cannot."""

import socket
import subprocess
import sys

import pytest

from tidings.errors import InputError, WorldError
from tidings.pipeline.place import Where
from tidings.pipeline.session import start


def test_a_process_has_one_session(spark):
    """A second call gives the first one; results are in UTC."""
    assert start() is spark
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"


def test_workers_have_our_packages(spark):
    """They run this interpreter, not the system's."""

    def who(batches):
        import pyarrow as pa

        for _ in batches:
            yield pa.RecordBatch.from_pydict({"program": [sys.executable]})

    found = spark.range(1).mapInArrow(who, "program string").collect()
    assert [row["program"] for row in found] == [sys.executable]


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (Where(master="spark://h:1", remote="sc://h"), "name one place"),
        (Where(master="yarn"), "spark://HOST:PORT"),
        (Where(remote="spark://h:1"), "sc://HOST:PORT"),
        (Where(master="spark://h:many"), "HOST:PORT"),
    ],
)
def test_impossible_places_are_refused(where, said):
    """Before anything is started."""
    with pytest.raises(InputError, match=said):
        start(where)


@pytest.mark.parametrize("scheme", ["spark", "sc"])
def test_nobody_at_home(scheme):
    """A port where nobody listens, within moments."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"{scheme}://127.0.0.1:{taken.getsockname()[1]}"
        where = Where(master=url) if scheme == "spark" else Where(remote=url)
        with pytest.raises(WorldError, match="answers there"):
            start(where)


def test_starting_prints_nothing():
    """Standard output is for results, standard error for us; and the session ends with its process."""
    program = "from tidings.pipeline.session import start; start(); print('ready')"
    ended = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ready\n", "")
