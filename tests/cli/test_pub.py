"""`tidings pub` with a real broker."""

import json
import subprocess

import pytest

import tidings as package
from cli.command import PROGRAM, document, refused, tidings
from client.brokers import Tidings
from tidings.cli.app import run


@pytest.fixture(scope="module")
def broker():
    """One for all tests here."""
    with Tidings() as one:
        yield one


def kept(broker, topic):
    """What a broker has retained."""
    with package.connect(broker.url) as client:
        return client.subscribe(topic).next_batch()


def test_an_event_with_all_that_it_can_have(broker, capfdbinary):
    """Attributes are literals or text."""
    words = ["pub", "a/b", "héllo", "-u", broker.url, "--retain", "--lifetime", "1h", "--qos", "2"]
    words += ["-a", "price=10.5", "-a", "name=x=y", "-a", "on=true", "-a", 'quoted="7"']
    assert run(words) == 0
    out, err = capfdbinary.readouterr()
    assert out == b""
    assert f"1 published to {broker.url}" in err.decode()
    (event,) = kept(broker, "a/b")
    assert event.payload == "héllo".encode()
    assert dict(event.attributes) == {"price": 10.5, "name": "x=y", "on": True, "quoted": "7"}
    assert event.expires_ns - event.published_ns <= 3_600 * 10**9


def test_every_line_of_standard_input_is_an_event(broker, tmp_path):
    """Whatever bytes it holds; the last needs no end."""
    with package.connect(broker.url) as client:
        subscription = client.subscribe("lines")
        ended = subprocess.run(
            [*PROGRAM, "pub", "lines", "--json", "--url", broker.url],
            input=b"one\ntwo\r\n\n\xff\x00",
            capture_output=True,
            check=True,
            cwd=tmp_path,
            timeout=60,
        )
        assert json.loads(ended.stdout) == {"published": 4, "broker": broker.url}
        found = []
        while len(found) < 4:
            found += [event.payload for event in subscription.next_batch()]
        assert found == [b"one", b"two", b"", b"\xff\x00"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["a/+", "x"], "wildcards"),
        (["a", "x", "-a", "price"], "write name=value"),
        (["a", "x", "-a", "topic=1"], "no attribute can be named 'topic'"),
        (["a", "x", "--lifetime", "soon"], "--lifetime 'soon'"),
        (["a", "x", "--ca", "nowhere.pem", "-u", "mqtts://127.0.0.1:9"], "nowhere.pem"),
    ],
)
def test_what_cannot_be_published_is_bad_input(broker, words, problem, capsys):
    """One line, exit code 2."""
    where = [] if "-u" in words else ["-u", broker.url]
    assert run(["pub", *words, *where]) == 2
    assert problem in capsys.readouterr().err


def test_a_broker_that_is_not_there(tmp_path):
    """Says where it was sought, without the password."""
    said = refused(tidings("pub", "a", "x", "--url", "mqtt://ann:secret@127.0.0.1:9", folder=tmp_path))
    assert "mqtt://127.0.0.1:9: cannot be reached" in said
    assert "secret" not in said


def test_the_document_says_where(broker, tmp_path):
    """One for the whole call."""
    assert document(tidings("pub", "a", "x", "--json", "-u", broker.url, folder=tmp_path))["published"] == 1
