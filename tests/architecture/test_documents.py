"""Documents are true: their examples run, their links lead somewhere, their tables agree with the code."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from architecture.rooms import PURE, ROOMS, ROOT, project_files

DOCUMENTS = [path for path in project_files() if path.suffix == ".md"]
LANGUAGES = ("console", "python", "text", "toml")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)")


@dataclass(frozen=True)
class Block:
    """A fenced piece of a document."""

    language: str
    text: str


def blocks(path: Path) -> list[Block]:
    """The fenced pieces of a document, in order."""
    return [Block(*found) for found in BLOCK.findall(path.read_text("utf-8"))]


def run_block(block: Block, folder: Path) -> None:
    """Run a console block line by line, or a Python block whole, in `folder`; whatever fails raises."""
    if block.language == "python":
        command(folder, [sys.executable, "-c", block.text])
    for line in block.text.splitlines() if block.language == "console" else ():
        if line.startswith("$ "):
            written = command(folder, shlex.split(line[2:], comments=True))
        elif line.strip() not in ("", "…"):
            assert line in written.splitlines(), f"not printed: {line}\n{written}"


def command(folder: Path, words: list[str]) -> str:
    """Run one command with our own environment's programs first; gives what it printed."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    ended = subprocess.run(words, check=False, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, f"{shlex.join(words)}: exit {ended.returncode}\n{ended.stderr}"
    return ended.stdout


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_examples_run(path, tmp_path):
    """Console and Python blocks of a document run one after the other in one folder; TOML parses."""
    for block in blocks(path):
        assert block.language in LANGUAGES, f"a block must say what it is: {', '.join(LANGUAGES)}"
        if block.language == "toml":
            tomllib.loads(block.text)
        run_block(block, tmp_path)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path):
    """Links inside the project name files that exist."""
    broken = [link for link in LINK.findall(path.read_text("utf-8")) if not (path.parent / link).exists()]
    assert broken == []


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_example_programs_run(path, tmp_path):
    """Each program in `examples` runs to its end in an empty folder."""
    command(tmp_path, [sys.executable, str(path)])


def test_every_page_can_be_found():
    """From the README, link by link."""
    found, todo = set(), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        found.add(page)
        links = [(page.parent / link).resolve() for link in LINK.findall(page.read_text("utf-8"))]
        todo += [link for link in links if link.suffix == ".md" and link not in found]
    assert [path.relative_to(ROOT).as_posix() for path in DOCUMENTS if path not in found] == []


def test_the_table_of_rooms_is_the_map():
    """ARCHITECTURE.md shows the same rooms with the same imports, in the same order."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$", text, re.MULTILINE)
    assert {room: () if uses == "–" else tuple(uses.split(", ")) for room, uses in rows} == ROOMS
    assert [room for room, _ in rows] == list(ROOMS)
    pure = re.search(r"^(`vocabulary`.*) are pure", text, re.MULTILINE).group(1)
    assert tuple(re.findall(r"`(\w+)`", pure)) == PURE


def test_the_changelog_knows_this_version():
    """pyproject.toml, the package and the changelog name one version."""
    import tidings

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == tidings.__version__
    assert f"## [{tidings.__version__}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_every_dependency_has_its_reason():
    """In pyproject.toml each one stands on a line with a comment; constraints.txt pins it and holds no address."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    project = tomllib.loads(text)["project"]
    named = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    assert [one for one in named if not re.search(rf'"{re.escape(one)}", +# .+ .+', text)] == []
    pinned = re.findall(r"^([a-z0-9-]+)==[\w.]+$", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE)
    assert {re.split(r"[<>=\[]", one)[0] for one in named} <= set(pinned)
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines():
        assert line.startswith("#") or re.fullmatch(r"[a-z0-9-]+==[\w.]+", line)


def test_the_checks_can_fail(tmp_path):
    """An example that fails, prints something else or has no language is noticed."""
    page = tmp_path / "page.md"
    page.write_text("```console\n$ true\n```\n\n```\nx\n```\n[a](nowhere.md)\n", "utf-8")
    assert [block.language for block in blocks(page)] == ["console", ""]
    assert LINK.findall(page.read_text("utf-8")) == ["nowhere.md"]
    run_block(Block("console", "$ echo yes\nyes\n"), tmp_path)
    for bad in (Block("console", "$ false"), Block("console", "$ echo yes\nno"), Block("python", "1 / 0")):
        with pytest.raises(AssertionError):
            run_block(bad, tmp_path)
