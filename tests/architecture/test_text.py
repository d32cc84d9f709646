"""What must not stand in any file: markers, dangerous calls, addresses of one machine, silenced rules without a reason."""

import ast
import re
from collections.abc import Iterator

import pytest

from architecture.rooms import ROOT, SILENCED_MAX, Module, all_python, project_files, source_modules

# Put together from parts, so that this file may be searched as well.
MARKERS = re.compile(r"\b(?:" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]) + r")\b")
MACHINE = re.compile(
    "|".join(
        [
            r"(?<![\w.])/(?:wo" + r"rk|ro" + r"ot|ho" + r"me/\w|Us" + r"ers/\w|t" + r"mp/\w|opt/\w)",
            r"[a-z]+://[^\s\"']*(?:py" + r"pi|pythonho" + r"sted|/simple\b)",
            r"--?(?:extra-)?index-" + r"url|find-" + r"links|trusted-" + r"host",
        ]
    )
)
DANGEROUS_CALLS = ("eval", "exec", "__import__", "yaml.load", "yaml.unsafe_load", "os.system", "os.popen")
DANGEROUS_IMPORTS = ("pickle", "marshal", "shelve", "dill", "cloudpickle")
PATCHES = ("mock", "unittest.mock", "pytest_mock")


def dangerous(module: Module) -> Iterator[str]:
    """Calls and imports that run what they read."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            shell = any(one.arg == "shell" and ast.unparse(one.value) == "True" for one in node.keywords)
            if called in DANGEROUS_CALLS or shell:
                yield f"{module.name}:{node.lineno}: {called}"
        elif isinstance(node, ast.Import):
            yield from (f"{module.name}:{node.lineno}" for one in node.names if one.name in DANGEROUS_IMPORTS)
        elif isinstance(node, ast.ImportFrom) and node.module in DANGEROUS_IMPORTS:
            yield f"{module.name}:{node.lineno}"


def pretence(module: Module) -> Iterator[str]:
    """Mocks, patches and sleeps: tests use real parts and virtual time."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (f"{module.name}:{node.lineno}" for one in node.names if one.name in PATCHES)
        elif isinstance(node, ast.ImportFrom) and node.module in (*PATCHES, "unittest"):
            yield f"{module.name}:{node.lineno}"
        elif isinstance(node, ast.arg) and node.arg in ("monkeypatch", "mocker"):
            yield f"{module.name}:{node.lineno}: {node.arg}"
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("sleep"):
            yield f"{module.name}:{node.lineno}: sleep"


def silenced(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, kind and reason of each silenced rule; the reason stands behind it on the same line."""
    for number, line in enumerate(text.splitlines(), 1):
        start = max(line.find("# " + kind) for kind in SILENCED_MAX)
        if start < 0:
            continue
        kind = next(one for one in SILENCED_MAX if line.startswith("# " + one, start))
        rest = line[start + 2 + len(kind) :]
        codes = re.match(r"(?:: *[A-Z]+[0-9]+(?:, *[A-Z]+[0-9]+)*|\[[\w\-, ]+\])?", rest)
        yield number, kind, rest[codes.end() :].strip(" #-–—:")


def matches(pattern: re.Pattern[str]) -> list[str]:
    """Every line of the project on which the pattern is found."""
    found = []
    for path in project_files():
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}")
    return found


def test_nothing_is_left_for_later_in_a_comment():
    """Open ends are written down where they are seen: the documents."""
    assert matches(MARKERS) == []


def test_no_file_knows_one_machine():
    """No absolute paths of a machine, no addresses of registries."""
    assert matches(MACHINE) == []


def test_nothing_runs_what_it_reads():
    """No pickle, no eval, no shell."""
    assert [found for module in all_python() for found in dangerous(module)] == []


def test_tests_pretend_nothing():
    """No mocks, no patches, no sleeps."""
    tests = [module for module in all_python() if module.name.startswith("tests/")]
    assert [found for module in tests for found in pretence(module)] == []


def test_every_silenced_rule_has_a_reason():
    """A reason of at least two words, on the same line."""
    bare = [
        f"{module.name}:{number}"
        for module in all_python()
        for number, _, reason in silenced(module.text)
        if len(reason.split()) < 2
    ]
    assert bare == []


@pytest.mark.parametrize("kind", list(SILENCED_MAX))
def test_silenced_rules_do_not_grow(kind):
    """The ratchet: fewer is welcome, more needs a reason."""
    lines = [f"{m.name}:{number}" for m in source_modules() for number, found, _ in silenced(m.text) if found == kind]
    assert len(lines) <= SILENCED_MAX[kind], lines


def test_the_checks_can_fail():
    """Each pattern and check finds its sample."""
    assert MARKERS.search("# TO" + "DO later")
    assert MACHINE.search("see /ro" + "ot/x")
    assert MACHINE.search("https://py" + "pi.example/simple")
    assert not MACHINE.search("src/tidings/wo" + "rk and a/ro" + "ot")
    assert list(dangerous(Module("x.py", "", "ev" + "al('1')")))
    assert list(dangerous(Module("x.py", "", "import pic" + "kle")))
    assert list(dangerous(Module("x.py", "", "run('x', shell=True)")))
    assert list(pretence(Module("x.py", "", "import time\ntime.sleep(1)")))
    assert list(pretence(Module("x.py", "", "def f(monkeypatch): ...")))
    bare, good = "x = 1  # no" + "qa: E501", "x = 1  # ty" + "pe: ignore[arg-type]  # pyarrow has no types"
    assert [reason for _, _, reason in silenced(bare)] == [""]
    assert [reason for _, _, reason in silenced(good)] == ["pyarrow has no types"]
