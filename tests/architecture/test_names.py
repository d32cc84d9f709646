"""Names that say nothing are not taken, and `__init__` says only what the room is."""

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from architecture.rooms import Module, all_python, source_modules

FILES = ("auxiliary", "common", "helper", "helpers", "manager", "misc", "tools", "util", "utils")
CLASSES = ("Manager", "Handler", "Processor")


def bad_names(module: Module) -> Iterator[str]:
    """Files without a noun and classes without an invariant."""
    if PurePosixPath(module.name).stem.removeprefix("test_") in FILES:
        yield f"{module.name}: find the noun"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef) and node.name.endswith(CLASSES):
            yield f"{module.name}:{node.lineno}: {node.name}: name it by what it keeps true"


def init_violations(module: Module) -> Iterator[str]:
    """Anything in an `__init__` but a docstring, imports and `__all__`."""
    if ast.get_docstring(module.tree) is None:
        yield f"{module.name}: does not say what the room is"
    for node in module.tree.body[1:]:
        guard = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        statements = node.body if guard else [node]
        for statement in statements:
            imports = isinstance(statement, (ast.Import, ast.ImportFrom))
            names = isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__"
            if not (imports or names):
                yield f"{module.name}:{statement.lineno}: {ast.unparse(statement)[:40]}"


def star_imports(module: Module) -> Iterator[str]:
    """Imports that hide where a name comes from."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            yield f"{module.name}:{node.lineno}: star import"


def test_names_say_something():
    """No utils, no managers."""
    assert [found for module in all_python() for found in bad_names(module)] == []


def test_init_files_hold_no_logic():
    """A room's `__init__` is its sign on the door."""
    assert [found for module in source_modules() if module.is_init for found in init_violations(module)] == []


def test_no_star_imports():
    """Every name can be traced to its file."""
    assert [found for module in all_python() for found in star_imports(module)] == []


def test_the_checks_can_fail():
    """Each check finds its sample, and good samples pass."""
    assert list(bad_names(Module("src/tidings/node/utils.py", "node", "")))
    assert list(bad_names(Module("x.py", "node", "class LinkManager: ...")))
    assert list(init_violations(Module("__init__.py", "node", '"""Doc."""\nx = 1')))
    assert list(init_violations(Module("__init__.py", "node", "import math")))
    assert list(star_imports(Module("x.py", "node", "from math import *")))
    good = '"""Doc."""\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import math\n__all__ = ["math"]'
    assert not list(init_violations(Module("__init__.py", "node", good)))
