"""Runs `tidings` as a process of its own, where exit codes and streams are what they are for a shell."""

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = [sys.executable, "-c", "from tidings.cli.app import main; main()"]

LINE = """
tidings  = 1
name     = "two brokers"
seed     = 3
duration = "20s"

[[broker]]
id = "a"
[[broker]]
id = "b"
[[link]]
between = ["a", "b"]
delay   = "10ms"

[[publisher]]
id     = "p"
broker = "a"
topic  = "reading"
every  = { dist = "exponential", mean = "500ms" }
lifetime = "1s"

[[subscriber]]
id     = "s"
broker = "b"
filter = 'topic == "reading"'
"""
"""A scenario that is simulated in no time and loses nothing."""


def tidings(
    *arguments: object, folder: Path, patience_s: int = 120, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The ended process of `tidings` with these arguments, run in `folder`."""
    variables = {**os.environ, **environment}
    words = [*PROGRAM, *map(str, arguments)]
    return subprocess.run(
        words, check=False, cwd=folder, capture_output=True, text=True, timeout=patience_s, env=variables
    )


def document(ended: subprocess.CompletedProcess[str]) -> dict:
    """The one JSON document on standard output; anything beside it is an error."""
    return json.loads(ended.stdout)


def refused(ended: subprocess.CompletedProcess[str]) -> str:
    """What a verb said when it could not be used: exit code 2, no results, no traceback."""
    assert ended.returncode == 2, ended
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    return ended.stderr


def written(folder: Path) -> list[str]:
    """Every name in `folder`, hidden ones too."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def line_of(text: str, first: str) -> list[str]:
    """The other words of the one line that begins with the word `first`."""
    (line,) = [words for words in map(str.split, text.splitlines()) if words[:1] == [first]]
    return line[1:]
