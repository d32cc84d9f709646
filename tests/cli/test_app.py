"""The verbs together: help, version, exit codes of what goes wrong, and a quick start."""

import contextlib
import os
import signal
import subprocess
import sys

import pytest

from cli.command import LINE, PROGRAM, refused, tidings, written
from tidings.cli import app
from tidings.cli.console import UNUSABLE
from tidings.errors import InputError


@pytest.mark.parametrize("verb", list(app.VERBS))
def test_every_help_shows_an_example_of_its_verb(verb, tmp_path):
    """The example stands last, and calls the verb."""
    ended = tidings(verb, "--help", folder=tmp_path)
    assert ended.returncode == 0
    example = ended.stdout.split("Example: ")[1]
    assert " ".join(example.split()) == app.VERBS[verb][1]
    assert example.startswith(f"tidings {verb} ")


def test_help_lists_every_verb(tmp_path):
    """On standard output, with exit code 0."""
    ended = tidings("--help", folder=tmp_path)
    assert ended.returncode == 0
    assert all(f"\n  {verb} " in ended.stdout for verb in app.VERBS)


def test_the_version_is_a_result(tmp_path):
    """One line on standard output."""
    import tidings as package

    assert tidings("--version", folder=tmp_path).stdout == f"tidings {package.__version__}\n"


def test_shell_completion_is_offered(tmp_path):
    """By the options that every shell user knows."""
    assert "--install-completion" in tidings("--help", folder=tmp_path).stdout


def test_the_shell_completes_verbs_and_options(tmp_path):
    """What bash asks for while somebody types."""
    for words, place, found in (("tidings si", 1, ["simulate"]), ("tidings audit --j", 2, ["--json"])):
        asking = {"_TIDINGS_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(place)}
        ended = subprocess.run(
            PROGRAM, check=False, cwd=tmp_path, env={**os.environ, **asking}, capture_output=True, text=True
        )
        assert ended.stdout.split() == found


@pytest.mark.parametrize("words", [["fly"], ["simulate"], ["simulate", "x.toml", "--seed", "-1"], ["check", "--nope"]])
def test_wrong_usage_is_bad_input(words, tmp_path):
    """Unknown verbs and options, missing and impossible arguments."""
    assert "Error" in refused(tidings(*words, folder=tmp_path))
    assert written(tmp_path) == []


def test_help_loads_no_heavy_library():
    """Verbs import what they need when they run; help and version need none of it."""
    heavy = "('numpy', 'pyarrow', 'scipy', 'numba')"
    text = f"import sys; import tidings.cli.app; sys.exit(', '.join(one for one in {heavy} if one in sys.modules) or 0)"
    ended = subprocess.run([sys.executable, "-c", text], check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("error", [InputError("x: wrong; write y"), PermissionError(13, "Permission denied", "x")])
def test_errors_become_one_line(error, capsys):
    """What went wrong, on standard error; no results."""

    def fails() -> None:
        raise error

    assert app.run_guarded(fails) == UNUSABLE
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == f"tidings: {error}\n"


def test_bugs_of_ours_stay_tracebacks():
    """An assertion is no bad input."""

    def fails() -> None:
        raise AssertionError

    with pytest.raises(AssertionError):
        app.run_guarded(fails)


@pytest.mark.parametrize(("end", "code"), [(SystemExit(0), 0), (SystemExit(1), 1), (SystemExit("words"), UNUSABLE)])
def test_exit_codes_pass_through(end, code):
    """What a verb decided stands."""

    def ends() -> None:
        raise end

    assert app.run_guarded(ends) == code


HEAR = "from signal import *; signal(SIGINT, default_int_handler); signal(SIGHUP, SIG_DFL)"
HEARING = (sys.executable, "-c", f"{HEAR}; {PROGRAM[-1]}")
"""The program as at a prompt: what a shell starts in the background ignores Ctrl-C, and what outlives its terminal ignores the hangup."""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_being_stopped_leaves_nothing(number, code, tmp_path):
    """Stopped while it writes, a verb ends quietly, with the code that shells expect."""
    (tmp_path / "long.toml").write_text(LINE.replace('"20s"', '"1000d"'), "utf-8")
    words = ["simulate", "long.toml", "--out", "logs"]
    process = subprocess.Popen([*HEARING, *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    # Its first row group: compiled code is loaded by then, whose callbacks swallow what a signal raises.
    wait_for(tmp_path / ".logs.partial-0" / "publications.parquet.partial", process)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == code
    assert "Traceback" not in said
    assert written(tmp_path) == ["long.toml"]


def wait_for(file, process):
    """Until the process has begun to write `file`."""
    while not file.exists():
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.02)
            pytest.fail(f"ended before it wrote {file.name}: {process.communicate()[1]}")
