"""`tidings bench` with real brokers, in real processes."""

import msgspec
import pytest

from cli.command import document, refused, tidings
from client.brokers import Mosquitto, Tidings
from tidings.cli import bench
from tidings.cli.bench_tally import Tally
from tidings.cli.bench_worker import Job, Outcome


def test_two_brokers_in_one_run(tmp_path):
    """The same workload for both; everything arrived, in order."""
    with Mosquitto("max_queued_messages 0") as one, Tidings() as other:
        words = ("bench", "--url", one.url, "--url", other.url, "--events", "2000", "--publishers", "2")
        ended = tidings(*words, "--subscribers", "2", "--qos", "1", "--json", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    found = document(ended)
    assert [run["url"] for run in found["runs"]] == [one.url, other.url]
    for run in found["runs"]:
        assert (run["events"], run["received"], run["lost"], run["out_of_order"]) == (2_000, 4_000, 0, 0)
        assert run["published_per_s"] > 0
        assert run["received_per_s"] > 0
        assert 0 < run["latency_ms"]["p50"] <= run["latency_ms"]["max"]


def test_a_table_for_people(tmp_path):
    """Results on standard output, what was run on standard error."""
    with Tidings() as broker:
        ended = tidings("bench", "--url", broker.url, "--events", "500", "--plain", folder=tmp_path)
    assert ended.returncode == 0
    assert broker.url in ended.stdout
    assert "500 events of 64 bytes, qos 0, 1 publishers, 1 subscribers" in ended.stderr


def test_nobody_there_is_bad_input(tmp_path):
    """The sentence of the worker, once; no process stays."""
    said = refused(tidings("bench", "--url", "mqtt://127.0.0.1:9", "--events", "10", folder=tmp_path))
    assert "mqtt://127.0.0.1:9: cannot be reached" in said
    assert "write mqtt://" in refused(tidings("bench", "--url", "nowhere", folder=tmp_path))


def job(**said):
    """Of 100 events."""
    usual = {"url": "mqtt://x", "settings": {}, "topic": "t", "publishers": 3, "mine": (), "events": 100}
    return Job(**{**usual, "payload_bytes": 64, "qos": 1, **said})


def test_clients_are_dealt_over_the_processes():
    """Everybody has a place, once; processes without clients are not started."""
    jobs = bench.jobs_of(job(), 5, 2)
    assert [one.subscribers for one in jobs if not one.mine] == [3, 2]
    assert [one.mine for one in jobs if one.mine] == [(0, 2), (1,)]
    assert len(bench.jobs_of(job(publishers=1), 0, 4)) == 1


def test_rates_count_from_the_first_publication():
    """To the last acknowledgement, and to the last event shown."""
    second = 10**9
    said = [
        Outcome(began_ns=second, ended_ns=3 * second, published=200, tally=Tally()),
        Outcome(began_ns=2 * second, ended_ns=2 * second, published=100, tally=Tally()),
    ]
    heard = Outcome(tally=Tally(590, 2, second, 6 * second))
    found = bench.result_of(job(), 2, [*said, heard])
    assert (found["published_per_s"], found["received_per_s"]) == (150.0, 118.0)
    assert (found["lost"], found["out_of_order"], found["latency_ms"]) == (10, 2, {})


@pytest.mark.parametrize(
    ("qos", "tally", "code"),
    [
        (0, Tally(100, 0, 1, 2), 0),
        (0, Tally(60, 0, 1, 2), 0),
        (0, Tally(100, 1, 1, 2), 1),
        (1, Tally(100, 0, 1, 2), 0),
        (1, Tally(99, 0, 1, 2), 1),
        (2, Tally(100, 1, 1, 2), 1),
    ],
)
def test_broken_order_and_lost_acknowledged_events_are_judged(qos, tally, code):
    """At quality 0 loss is no breach of a promise."""
    said = Outcome(began_ns=1, ended_ns=2, published=100, tally=Tally())
    run = bench.result_of(job(qos=qos, publishers=1), 1, [said, Outcome(tally=tally)])
    assert bench._is_broken(run) == bool(code)


def test_jobs_travel_between_processes():
    """With the settings of their clients."""
    assert msgspec.structs.replace(job(), mine=(1,)).mine == (1,)
