"""Every kind of bad input, as a user meets it: exit code 2, one line that names file, key and remedy, nothing left behind."""

import contextlib
import re
import resource
import subprocess

import pytest

from cli.command import LINE, PROGRAM, tidings, written
from tidings.cli.app import run

GRAPH = (
    '<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
    "{}</graph></graphml>"
)
OVERLAY = '\n[overlay]\nfile = "net.graphml"\nlink = { delay = "1ms" }\n'
FREE = 'tidings = 1\nduration = "1s"\n' + OVERLAY
"""A scenario on a map, with nobody in it."""


def graph(edges, nodes="abcd"):
    """The text of a GraphML file."""
    parts = [*(f'<node id="{one}"/>' for one in nodes), *(f'<edge source="{a}" target="{b}"/>' for a, b in edges)]
    return GRAPH.format("".join(parts))


def with_filter(text):
    """The scenario with this filter."""
    return LINE.replace("'topic == \"reading\"'", f"'{text}'")


def generated(text):
    """A scenario with a generated overlay."""
    return f'tidings = 1\nduration = "1s"\n[overlay]\n{text}\n'


BAD = {
    "unknown key": (LINE.replace("lifetime", "lifetme"), r"publisher\[0\]\.lifetme.*did you mean \"lifetime\""),
    "unknown table": (LINE + "[nonsense]\nx = 1\n", "nonsense.*known are"),
    "wrong unit": (LINE.replace('"10ms"', '"10 parsecs"'), r"link\[0\]\.delay.*ns us ms s min h d"),
    "no unit": (LINE.replace('"10ms"', "10"), r"link\[0\]\.delay.*unit"),
    "metres": (LINE.replace('"10ms"', '"10m"'), r"link\[0\]\.delay.*unit"),
    "dangling broker": (LINE.replace('broker = "b"', 'broker = "z"'), r"subscriber\[0\]\.broker.*'z'.*known are a, b"),
    "dangling end": (LINE.replace('["a", "b"]', '["a", "z"]'), r"link\[0\]\.between.*known are a, b"),
    "dangling name in a filter": (with_filter("x == $y"), "filter.*vary"),
    "dangling crash": (LINE + '[[crash]]\ncomponent = "z"\nat = "1s"\nlasting = "1s"\n', "crash.*'z'.*known are a, b"),
    "looping link": (LINE.replace('["a", "b"]', '["a", "a"]'), "joins a broker to itself"),
    "clients without a way": (
        LINE.replace("[[link]]", "[[broker]]\nid = 'c'\n[[link]]").replace('"b"]', '"c"]'),
        "no way",
    ),
    "impossible degree": (generated('generate = "random"\nbrokers = 4\ndegree = 9'), "degree.*from 1 to 4"),
    "odd degree": (generated('generate = "random"\nbrokers = 5\ndegree = 3'), "even; take degree 2, or 6 brokers"),
    "no brokers": (generated('generate = "line"\nbrokers = 0'), "from 1 to"),
    "too many brokers": (generated('generate = "line"\nbrokers = 1000000'), "from 1 to"),
    "unknown shape": (generated('generate = "donut"\nbrokers = 4'), "line, star, tree"),
    "map that is not there": (FREE, "net.graphml.*cannot be opened"),
    "map elsewhere": (FREE.replace("net.", "../net."), "--allow-files"),
    "map in parts": (FREE, "2 parts.*component", graph(["ab", "cd"])),
    "looping map": (FREE, "a is linked to itself", graph(["ab", "bc", "cd", "aa"])),
    "dangling map": (FREE, "z, which is no node", graph(["ab", "bc", "cz"])),
    "map that is no XML": (FREE, "not well-formed", "<graphml"),
    "map with entities": (FREE, "DOCTYPE", '<!DOCTYPE x [<!ENTITY y "z">]><graphml/>'),
    "10,000 parentheses": (with_filter("(" * 10_000 + "x == 1" + ")" * 10_000), "deeper than 32"),
    "10,000 times not": (with_filter("not " * 10_000 + "x == 1"), "deeper than 32"),
    "a million alternatives": (with_filter(" or ".join(f"x == {one}" for one in range(1_000_000))), "65536 characters"),
    "a million values": (with_filter(f"x in ({', '.join(map(str, range(1_000_000)))})"), "65536 characters"),
    "NaN in a filter": (with_filter("x == nan"), "finite"),
    "attribute of no type": (LINE + "[publisher.attributes]\nx = [1, 2]\n", "x.*string, a finite number"),
    "attribute called topic": (LINE + "[publisher.attributes]\ntopic = 1\n", "reserved"),
    "count that is text": (LINE.replace('id     = "s"', 'id     = "s"\ncount = "3"'), "count.*whole number"),
    "no TOML": (LINE + "x = [", "TOML"),
    "tables without end": (LINE + "x = " + "[" * 50_000, "nested too deeply"),
    "another version": (LINE.replace("tidings  = 1", "tidings  = 2"), "must be 1"),
}


@pytest.mark.parametrize("verb", ["check", "simulate"])
@pytest.mark.parametrize("name", BAD)
def test_bad_scenarios(name, verb, tmp_path, capsys):
    """Whichever verb reads it."""
    text, says, *beside = BAD[name]
    (tmp_path / "bad.toml").write_text(_outermost(text), "utf-8")
    if beside:
        (tmp_path / "net.graphml").write_text(beside[0], "utf-8")
    before = written(tmp_path)
    with contextlib.chdir(tmp_path):
        assert run([verb, "bad.toml", "--json"]) == 2
    said, complaint = capsys.readouterr()
    assert said == ""
    assert re.fullmatch(rf"tidings: bad\.toml: [^\n]*{says}[^\n]*\n", complaint), complaint
    assert len(complaint) < 1_000
    assert written(tmp_path) == before


def _outermost(text):
    """A table of the last publisher must stand before the subscriber."""
    body, table, rest = text.partition("[publisher.attributes]")
    return body.replace("[[subscriber]]", f"{table}{rest}[[subscriber]]") if table else text


@pytest.mark.parametrize("verb", ["simulate", "audit", "check"])
def test_what_is_not_there(verb, tmp_path, capsys):
    """Scenario or folder."""
    assert run([verb, str(tmp_path / "nowhere")]) == 2
    assert "nowhere" in capsys.readouterr().err
    assert written(tmp_path) == []


def cramped(*arguments, folder, bytes_max):
    """`tidings` where no file may grow beyond some bytes, as on a disk that is full."""
    return subprocess.run(
        [*PROGRAM, *arguments],
        check=False,
        cwd=folder,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_max, bytes_max)),
    )


@pytest.mark.parametrize(
    ("words", "bytes_max"),
    [
        ("simulate line.toml --out logs", 300),
        ("simulate line.toml --out logs --runs 3", 1_200),  # the scenario fits, its first table does not
        ("simulate line.toml --out logs --runs 3 --processes 2", 1_200),
        ("check line.toml --expand --out world", 300),
        ("new market --out market.toml", 300),
    ],
)
def test_a_full_disk(words, bytes_max, tmp_path):
    """One line, and nothing half-written is left."""
    (tmp_path / "line.toml").write_text(LINE, "utf-8")
    ended = cramped(*words.split(), folder=tmp_path, bytes_max=bytes_max)
    assert (ended.returncode, ended.stdout) == (2, ""), ended.stderr
    assert re.fullmatch(r"tidings: [^\n]*(too large|errno 27)[^\n]*\n", ended.stderr), ended.stderr
    assert written(tmp_path) == ["line.toml"]


def test_an_expanded_scenario_overwrites_nothing(tmp_path):
    """A folder that holds something is left alone."""
    (tmp_path / "line.toml").write_text(LINE, "utf-8")
    (tmp_path / "world").mkdir()
    (tmp_path / "world" / "scenario.toml").write_text("mine", "utf-8")
    ended = tidings("check", "line.toml", "--expand", "--out", "world", folder=tmp_path)
    assert ended.returncode == 2
    assert "not an empty folder" in ended.stderr
    assert (tmp_path / "world" / "scenario.toml").read_text("utf-8") == "mine"
