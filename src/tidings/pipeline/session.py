"""One Spark session per process: embedded by default, on a master or over Connect when asked.

Only the options here differ between the three; every stage is the same code. Nothing listens beyond loopback when
Spark is embedded.
"""

import contextlib
import os
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import urlsplit

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tidings.errors import InputError, WorldError
from tidings.pipeline.place import Where, check_java

REACH_S: Final = 5.0
"""How long a master or a Connect server may take to answer at all."""

_EVERYWHERE: Final[Mapping[str, str]] = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # Arrow functions collect whole groups: large batches cost fewer calls.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "131072",
    "spark.sql.autoBroadcastJoinThreshold": "33554432",
    "spark.sql.shuffle.partitions": "16",
    "spark.sql.python.filterPushdown.enabled": "true",
    "spark.sql.parquet.compression.codec": "zstd",
}
_AT_START: Final[Mapping[str, str]] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
_EMBEDDED: Final[Mapping[str, str]] = {
    # Spark reads this before its Java process starts; later it is ignored.
    "spark.driver.memory": "4g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def start(where: Where | None = None) -> SparkSession:
    """The session of this process; a second call gives the same one.

    Raises InputError for places that cannot be, WorldError where nobody answers or Java is missing.
    """
    where = where or Where()
    if where.master is not None and where.remote is not None:
        raise InputError("--master and --remote: name one place; --remote is for a Spark Connect server (sc://…)")
    try:
        session = _remote(where.remote) if where.remote is not None else _classic(where)
    except (PySparkException, RuntimeError, ImportError) as error:
        reason = str(error).strip().splitlines()[0]
        raise WorldError(f"Spark ({where}) does not start: {reason}") from error
    for key, value in _EVERYWHERE.items():
        session.conf.set(key, value)
    return session


def _classic(where: Where) -> SparkSession:
    check_java()
    master = where.master or f"local[{os.cpu_count() or 1}]"
    options = {**_AT_START, "spark.local.dir": tempfile.gettempdir()}
    if master.startswith("local"):
        options |= _EMBEDDED
        options |= {"spark.driver.memory": where.memory} if where.memory else {}
        # Workers would take the system's Python, which has none of our packages.
        os.environ["PYSPARK_PYTHON"] = sys.executable
    elif master.startswith("spark://"):
        _reach(master, "master", 7077)
    else:
        raise InputError(f"--master {master}: give spark://HOST:PORT or local[CORES]")
    builder = SparkSession.Builder().appName("tidings").master(master)
    for key, value in options.items():
        builder = builder.config(key, value)
    with _quiet_output():
        return builder.getOrCreate()


def _remote(url: str) -> SparkSession:
    if not url.startswith("sc://"):
        raise InputError(f"--remote {url}: a Spark Connect server is named sc://HOST:PORT")
    _reach(url, "Connect server", 15002)
    return SparkSession.Builder().appName("tidings").remote(url).getOrCreate()


def _reach(url: str, what: str, port: int) -> None:
    """Spark itself tries for minutes before it gives up."""
    try:
        parts = urlsplit(url)
        place = (parts.hostname or "", parts.port or port)
    except ValueError:
        raise InputError(f"{url}: is not an address HOST:PORT") from None
    try:
        with socket.create_connection(place, timeout=REACH_S):
            return
    except OSError as error:
        reason = error.strerror or str(error)
        raise WorldError(
            f"{url}: no {what} answers there ({reason}); start it, or leave the option out to run embedded"
        ) from None


@contextlib.contextmanager
def _quiet_output() -> Iterator[None]:
    """Send what the starting Java process says to nowhere: standard output is for results, and it greets at length."""
    kept = os.dup(2)
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(sink)
