"""`tidings sub` with a real broker."""

import json
import signal
import subprocess

import pytest

import tidings as package
from cli.command import PROGRAM, refused, tidings
from client.brokers import PATIENCE_S, Tidings
from tidings.client import Publication


@pytest.fixture(scope="module")
def broker():
    """One for all tests here."""
    with Tidings() as one:
        yield one


class Running:
    """One process of the verb; a context that ends it."""

    def __init__(self, broker, *words):
        command = [*PROGRAM, "sub", *words, "--url", broker.url]
        # A shell in the background hands on that interrupts are ignored.
        before = signal.signal(signal.SIGINT, signal.SIG_DFL)
        try:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        finally:
            signal.signal(signal.SIGINT, before)

    def __enter__(self):
        line = self.process.stderr.readline()
        assert line.startswith("subscribed at mqtt://"), line
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def ended(self):
        """What it has printed, and its exit code."""
        out, _ = self.process.communicate(timeout=PATIENCE_S)
        return out, self.process.returncode


def publish(broker, *publications):
    """All of them."""
    with package.connect(broker.url) as client:
        client.publish_many(publications)


def test_documents_line_by_line(broker):
    """Exact, whatever is in them; no more than were asked for."""
    with Running(broker, "x/#", "y", "--count", "3", "--json") as running:
        publish(
            broker,
            Publication("x/a", b"text \x1b", {"price": 1.5, "name": "n"}),
            Publication("x", b"\xff"),
            Publication("y"),
            Publication("y", b"too much"),
        )
        out, code = running.ended()
    first, second, third = map(json.loads, out.splitlines())
    assert code == 0
    assert (first["topic"], first["payload"], first["attributes"]) == ("x/a", "text \x1b", {"price": 1.5, "name": "n"})
    assert (second["payload_base64"], second["qos"], second["retained"]) == ("/w==", 1, False)
    assert (third["topic"], third["payload"], third["qos"]) == ("y", "", 1)
    assert {"publisher", "event"} <= set(first)


def test_words_for_people_do_nothing_to_their_terminal(broker):
    """One line an event, whatever it holds; only what the filter wants."""
    with Running(broker, "w", "--where", "n > 1", "--count", "2") as running:
        publish(
            broker,
            Publication("w", b"no", {"n": 1}),
            Publication("w", b"red \x1b[31m\nnew line", {"n": 2}),
            Publication("w", b"\xc3\xa9\xff", {"n": 3}),
        )
        assert running.ended() == ("w red \\x1b[31m\\nnew line\nw é\\xff\n", 0)


def test_an_interrupt_is_the_usual_end(broker):
    """Without a traceback."""
    with Running(broker, "t") as running:
        running.process.send_signal(signal.SIGINT)
        _, err = running.process.communicate(timeout=PATIENCE_S)
    assert running.process.returncode == 130
    assert "Traceback" not in err


def test_it_ends_when_its_time_is_over(broker, tmp_path):
    """That is all right, unless a number of events was asked for."""
    assert tidings("sub", "none", "--for", "100ms", "--url", broker.url, folder=tmp_path).returncode == 0
    short = tidings("sub", "none", "--for", "100ms", "--count", "2", "--url", broker.url, folder=tmp_path)
    assert (short.returncode, short.stdout) == (2, "")
    assert "0 of 2 events came within 100ms" in short.stderr


def test_a_session_of_its_own_goes_on(broker, tmp_path):
    """What came between two calls is printed by the second."""
    me = ("--client-id", "printer", "--url", broker.url)
    tidings("sub", "mine", "--for", "100ms", *me, folder=tmp_path)
    publish(broker, Publication("mine", b"between"))
    ended = tidings("sub", "mine", "--count", "1", "--for", "20s", *me, folder=tmp_path)
    assert (ended.stdout, ended.returncode) == ("mine between\n", 0)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["a/#/b"], "# must be the whole last level"),
        (["a", "--where", "price >"], "filter, column"),
        (["a", "--for", "long"], "--for 'long'"),
        (["$share/g/t"], "shared subscriptions"),
    ],
)
def test_what_cannot_be_wanted_is_bad_input(broker, words, problem, tmp_path):
    """One line, exit code 2."""
    assert problem in refused(tidings("sub", *words, "--url", broker.url, folder=tmp_path))
