"""One process of a benchmark, here as a thread with the other end of its pipe."""

import multiprocessing
import threading

import msgspec
import pytest

from client.brokers import PATIENCE_S, Tidings
from tidings.cli.bench_tally import Tally, latencies_ms
from tidings.cli.bench_worker import GO, READY, SAID, Job, work


@pytest.fixture(scope="module")
def broker():
    """One for all tests here."""
    with Tidings() as one:
        yield one


class Worker:
    """A thread that does a job."""

    def __init__(self, job):
        self.pipe, theirs = multiprocessing.Pipe()
        self.thread = threading.Thread(target=work, args=(job, theirs), daemon=True)
        self.thread.start()

    def hear(self):
        """Its next word."""
        assert self.pipe.poll(PATIENCE_S)
        return self.pipe.recv()


def job(broker, **said):
    """A small one."""
    usual = {"settings": {}, "topic": "b", "publishers": 2, "mine": (), "events": 300, "payload_bytes": 40, "qos": 1}
    return Job(url=broker.url, **{**usual, **said})


@pytest.mark.parametrize("rate", [None, 5_000.0])
@pytest.mark.parametrize("carriers", [True, False])
def test_publishers_and_subscribers_agree(broker, rate, carriers):
    """Each subscriber is shown everything, in order; nobody begins before all are there."""
    one = job(broker, settings={"carriers": carriers}, topic=f"b{carriers}{rate}", rate=rate)
    listener = Worker(msgspec.structs.replace(one, subscribers=2))
    speaker = Worker(msgspec.structs.replace(one, mine=(0, 1)))
    assert (listener.hear(), speaker.hear()) == (READY, READY)
    listener.pipe.send(GO)
    speaker.pipe.send(GO)
    said = speaker.hear()
    listener.pipe.send(SAID)
    heard = listener.hear()
    assert said.published == 600
    assert said.ended_ns > said.began_ns > 0
    assert (heard.tally.events, heard.tally.out_of_order) == (1_200, 0)
    assert latencies_ms(heard.samples)["p50"] > 0
    if rate is not None:
        assert said.ended_ns - said.began_ns > 0.9 * 300 / rate * 1e9


def test_what_does_not_come_is_not_waited_for(broker):
    """A second after the last event a subscriber gives up."""
    listener = Worker(job(broker, topic="nothing", subscribers=1))
    assert listener.hear() == READY
    listener.pipe.send(GO)
    listener.pipe.send(SAID)
    assert listener.hear().tally == Tally()


def test_a_problem_goes_back_as_a_sentence():
    """The process that has started it says it."""

    class Nobody:
        url = "mqtt://127.0.0.1:9"

    assert "cannot be reached" in Worker(job(Nobody, settings={"patience": "100ms"}, subscribers=1)).hear()
