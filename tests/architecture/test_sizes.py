"""Limits on length and depth. Where a limit and good sense disagree, cut by concern."""

import ast
from collections.abc import Iterator, Sequence

from architecture.rooms import (
    CLASS_DEPTH_MAX,
    FUNCTION_LINES_MAX,
    MODULE_LINES_MAX,
    Module,
    source_modules,
)


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of the body, from its first statement to its last, without the docstring."""
    body = function.body
    if ast.get_docstring(function) is not None:
        body = body[1:]
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def long_functions(module: Module) -> Iterator[str]:
    """Functions whose body is too long to be read at once."""
    for node in ast.walk(module.tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and body_lines(node) > FUNCTION_LINES_MAX:
            yield f"{module.name}:{node.lineno}: {node.name} has {body_lines(node)} lines"


def class_depths(modules: Sequence[Module]) -> dict[str, int]:
    """Classes of ours, and over how many classes of ours they are spread, themselves included."""
    bases = {
        node.name: [ast.unparse(base).split("[")[0].split(".")[-1] for base in node.bases]
        for module in modules
        if module.room != "errors"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    }

    def depth(name: str) -> int:
        return 1 + max((depth(base) for base in bases[name] if base in bases and base != name), default=0)

    return {name: depth(name) for name in bases}


def test_modules_are_short():
    """No file grows into the one that everybody fears."""
    assert [m.name for m in source_modules() if len(m.text.splitlines()) > MODULE_LINES_MAX] == []


def test_functions_are_short():
    """Every body fits on a screen."""
    assert [found for module in source_modules() for found in long_functions(module)] == []


def test_classes_are_shallow():
    """Depth belongs to errors, not to behaviour."""
    assert {name: depth for name, depth in class_depths(source_modules()).items() if depth > CLASS_DEPTH_MAX} == {}


def test_the_checks_can_fail():
    """A long function and a deep class are found; a docstring counts as no line."""
    body = "\n".join("    x = 1" for _ in range(FUNCTION_LINES_MAX))
    fits = f'def f():\n    """Says.\n\n    More.\n    """\n{body}'
    assert not list(long_functions(Module("sample.py", "node", fits)))
    assert list(long_functions(Module("sample.py", "node", fits + "\n    x = 2")))
    deep = "class A: ...\nclass B(A): ...\nclass C(B): ..."
    assert class_depths([Module("sample.py", "node", deep)]) == {"A": 1, "B": 2, "C": 3}
