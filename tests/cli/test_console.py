"""Where words go."""

import json
import subprocess
import sys

import pytest

from tidings.cli import console


def test_json_is_one_document(capfdbinary):
    """Numbers stay numbers, text stays readable."""
    console.print_json({"a": 1, "b": 0.25, "name": "Åsa", "none": None})
    shown = capfdbinary.readouterr()
    assert json.loads(shown.out) == {"a": 1, "b": 0.25, "name": "Åsa", "none": None}
    assert "Åsa".encode() in shown.out
    assert shown.out.endswith(b"}\n")
    assert shown.err == b""


def test_notes_are_no_results(capfd):
    """They go to standard error."""
    console.note("written")
    assert capfd.readouterr() == ("", "written\n")


def test_tables_show_numbers_to_the_right(capfd):
    """One row per entry, thousands marked, absent values as a dash, markup as it is."""
    console.print_table("title", ("name", "n", "share"), [("[bold]s", 12345, 0.5), ("t", 7, None), ("u", True, 1.0)])
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "title"
    assert [line.split() for line in lines[1:]] == [
        ["name", "n", "share"],
        ["[bold]s", "12,345", "0.5000"],
        ["t", "7", "–"],
        ["u", "True", "1.0000"],
    ]


def test_long_tables_say_what_they_leave_out(capfd):
    """A person is shown the first rows only."""
    console.print_table("title", ("name",), [(str(one),) for one in range(console.ROWS_MAX + 3)])
    lines = capfd.readouterr().out.splitlines()
    assert len(lines) == console.ROWS_MAX + 3
    assert lines[-1] == "… and 3 more; --json has all"


def test_progress_is_for_terminals(capfd):
    """Nobody watches a pipe; a caller gets None and need not count."""
    with console.progress("simulating", quiet=False) as show:
        assert show is None
    assert capfd.readouterr() == ("", "")


def test_progress_can_be_silenced(capfd):
    """Even where somebody watches."""
    with console.progress("simulating", quiet=True) as show:
        assert show is None
    assert capfd.readouterr() == ("", "")


def test_progress_on_a_terminal_stays_off_standard_output():
    """A bar moves on standard error and takes any counts."""
    pty = pytest.importorskip("pty")
    text = (
        "from tidings.cli import console\n"
        "with console.progress('simulating', quiet=False) as show:\n"
        "    show(1, 2); show(2, 2)\n"
    )
    ours, theirs = pty.openpty()
    ended = subprocess.run([sys.executable, "-c", text], check=False, stdout=subprocess.PIPE, stderr=theirs, text=True)
    assert (ended.returncode, ended.stdout) == (0, "")
    import os

    os.close(theirs)
    assert b"simulating" in os.read(ours, 1 << 16)
    os.close(ours)


def test_a_reader_that_went_away_gets_no_traceback():
    """As in `tidings check x.toml | head -0`."""
    text = "from tidings.cli.app import run_guarded\nfrom tidings.cli.console import print_text\n"
    text += "import sys, typer\nsys.stdin.read()\n"
    text += "try:\n    print_text('x' * 1_000_000)\nexcept typer.Exit as end:\n    sys.exit(end.exit_code)\n"
    words = [sys.executable, "-c", text]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        process.stdin.close()
        said = process.stderr.read()
        assert process.wait(timeout=60) == console.UNUSABLE
    assert said == ""


def test_stages_are_for_terminals_too(capfd):
    """As a bar is."""
    with console.stages("audit", quiet=False) as show:
        assert show is None
    assert capfd.readouterr() == ("", "")
