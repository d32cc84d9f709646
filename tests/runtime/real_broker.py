"""A broker as its users start it: a process of its own, on a free port, gone when the test is."""

import asyncio
import contextlib
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

TIDINGS = Path(sys.executable).with_name("tidings")
READY = re.compile(r"ready on (.*), MQTT")
PLACES = re.compile(r"127\.0\.0\.1:(\d+)")
PATIENCE_S = 60.0
"""Longer than anything here takes."""


class RealBroker:
    """One process; a context that kills what is left of it."""

    def __init__(self, *arguments, port=0, before=None):
        """`before` is run in the new process first; with a config, `port` is None."""
        where = () if port is None else ("--port", port)
        command = [str(TIDINGS), "broker", *map(str, (*where, *arguments))]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=before,  # noqa: PLW1509 - it sets a limit, and nothing else
        )
        self.lines = []
        """What it has said on standard error."""
        self.ports, self.port = [], None
        """Of its listeners for clients, and of the first."""
        self._said = threading.Condition()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def __enter__(self):
        self.wait_ready()
        return self

    def __exit__(self, *_):
        self.kill()

    def _listen(self):
        for line in self.process.stderr:
            with self._said:
                self.lines.append(line.rstrip("\n"))
                self._said.notify_all()
        with self._said:
            self.lines.append(None)
            self._said.notify_all()

    def wait_ready(self):
        """Wait for the line that says so, and take the port from it."""
        line = self.wait_line(READY)
        assert line is not None, self.lines
        self.ports = [int(port) for port in PLACES.findall(READY.search(line)[1])]
        self.port = self.ports[0]

    def wait_line(self, pattern):
        """The first line with `pattern` in it; None when the process ends without one."""

        def found():
            return next((line for line in self.lines if line is not None and re.search(pattern, line)), None)

        with self._said:
            assert self._said.wait_for(lambda: found() or None in self.lines, PATIENCE_S), self.lines
            return found()

    def end(self, number=signal.SIGTERM):
        """Send a signal, unless it is None, and wait; gives the exit code."""
        if number is not None:
            self.process.send_signal(number)
        code = self.process.wait(PATIENCE_S)
        self._listener.join(PATIENCE_S)
        return code

    def kill(self):
        """As if the machine had wanted its memory back."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE_S)
        self._listener.join(PATIENCE_S)
        self.process.stdout.close()
        self.process.stderr.close()


def refused(*arguments, before=None, **options):
    """Start a broker that must not come up; gives exit code and what it complained about."""
    broker = RealBroker(*arguments, before=before, **options)
    code = broker.end(None)
    broker.kill()
    return code, [line for line in broker.lines if line and line.startswith("tidings: ")]


def mosquitto(program, port, *arguments, wait=True):
    """Run one of Debian's clients against a broker; gives what it printed, or the process when nobody is to wait."""
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed: make servers")
    command = [path, "-h", "127.0.0.1", "-p", str(port), *arguments]
    if not wait:
        command = ["stdbuf", "-oL", *command]  # else it says nothing before it ends
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done
    return done.stdout


class Callers:
    """Visitors of a broker that is elsewhere; a context that ends their connections."""

    def __init__(self, port):
        self.port, self.visitors = port, []

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        for visitor in self.visitors:
            visitor.leave()
            with contextlib.suppress(OSError):
                await visitor.writer.wait_closed()


def visited(broker, visit, **options):
    """Run `visit(broker, callers)` in a loop of its own; gives what it gives."""

    async def run():
        async with Callers(broker.port) as callers:
            return await visit(broker, callers, **options)

    return asyncio.run(run())
