"""Everything public says what its signature does not."""

import ast
from collections.abc import Iterator

from architecture.rooms import Module, all_python, source_modules


def undocumented(module: Module) -> Iterator[str]:
    """The module, its public classes and functions, and their public methods, where they are silent."""
    if ast.get_docstring(module.tree) is None:
        yield f"{module.name}: module"
    for node in module.tree.body:
        yield from _undocumented(module, node, "")


def _undocumented(module: Module, node: ast.stmt, prefix: str) -> Iterator[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    if not isinstance(node, kinds) or node.name.startswith("_") or _is_echo(node):
        return
    if ast.get_docstring(node) is None:
        yield f"{module.name}:{node.lineno}: {prefix}{node.name}"
    if isinstance(node, ast.ClassDef):
        for inner in node.body:
            yield from _undocumented(module, inner, f"{node.name}.")


def _is_echo(node: ast.stmt) -> bool:
    """Overloads and setters speak through the function that they belong to."""
    return any(ast.unparse(one).endswith(("overload", ".setter", ".register")) for one in node.decorator_list)


def silent_tests(module: Module) -> Iterator[str]:
    """Tests without the one line that says what they hold."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and ast.get_docstring(node) is None:
            yield f"{module.name}:{node.lineno}: {node.name}"


def test_everything_public_is_documented():
    """Public means: no underscore in front."""
    assert [found for module in source_modules() for found in undocumented(module)] == []


def test_every_test_says_what_it_holds():
    """One line each."""
    tests = [module for module in all_python() if module.name.startswith("tests/")]
    assert [found for module in tests for found in silent_tests(module)] == []


def test_the_checks_can_fail():
    """Silent modules, classes, methods and tests are found; private ones may be silent."""
    text = "class A:\n    def b(self): ...\n    def _c(self): ...\ndef _d(): ..."
    assert len(list(undocumented(Module("x.py", "node", text)))) == 3
    assert len(list(silent_tests(Module("x.py", "", "def test_a(): ...")))) == 1
