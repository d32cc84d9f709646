"""Which room may import which, and what no pure room may touch."""

import ast
from collections.abc import Iterator

import pytest

from architecture.rooms import PURE, ROOMS, Module, imported_modules, imported_rooms, source_modules

IMPURE = [
    "asyncio",
    "logging",
    "multiprocessing",
    "os",
    "random",
    "secrets",
    "select",
    "signal",
    "socket",
    "ssl",
    "subprocess",
    "tempfile",
    "threading",
    "time",
    "uuid",
]
EVERYWHERE_BANNED = ("random", "secrets", "uuid", "pickle", "marshal", "shelve", "dill", "cloudpickle")
GENERATORS = ("Generator", "BitGenerator", "PCG64", "SeedSequence")
CLOCKS = ("now", "today", "utcnow")


def contract_violations(module: Module) -> Iterator[str]:
    """Imports of rooms that are not on the list, and relative imports, which hide the room."""
    allowed = (*ROOMS.get(module.room, ()), module.room)
    package = module.room == "__init__"
    for line, room in imported_rooms(module):
        if not package and room not in allowed:
            yield f"{module.name}:{line}: {module.room} must not import {room}"
    for line, name in imported_modules(module):
        if name == "":
            yield f"{module.name}:{line}: relative import"


def purity_violations(module: Module) -> Iterator[str]:
    """I/O, clocks and randomness from the air."""
    pure = module.room in PURE
    for line, name in imported_modules(module):
        if name in EVERYWHERE_BANNED or (pure and name in IMPURE):
            yield f"{module.name}:{line}: import of {name}"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("np.random", "numpy.random"):
            if node.attr not in GENERATORS:
                yield f"{module.name}:{node.lineno}: numpy.random.{node.attr} draws outside the named streams"
        elif pure and isinstance(node, ast.Attribute) and node.attr in CLOCKS:
            if ast.unparse(node.value).split(".")[-1] in ("datetime", "date"):
                yield f"{module.name}:{node.lineno}: reads the clock"
        elif pure and isinstance(node, ast.Call) and ast.unparse(node.func) in ("open", "print", "input"):
            yield f"{module.name}:{node.lineno}: {ast.unparse(node.func)}() in a pure room"


def set_violations(module: Module) -> Iterator[str]:
    """Loops straight over a set: their order hangs on the hash seed."""
    for node in ast.walk(module.tree):
        if isinstance(node, (ast.For, ast.comprehension)) and _is_set(node.iter):
            yield f"{module.name}:{node.iter.lineno}: loops over a set; sort it or use a dict"


def _is_set(node: ast.expr) -> bool:
    called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return isinstance(node, (ast.Set, ast.SetComp)) or called in ("set", "frozenset")


def test_every_room_is_on_the_map():
    """A new folder or file beside the rooms has to be given its place first."""
    found = {module.room for module in source_modules()} - {"__init__"}
    assert found <= set(ROOMS)


def test_the_map_has_no_way_up():
    """A room may only use rooms that stand before it in the table."""
    names = list(ROOMS)
    assert all(names.index(used) < names.index(room) for room, uses in ROOMS.items() for used in uses)


def test_rooms_import_only_what_the_map_allows():
    """The import contract, function-level imports included."""
    assert [found for module in source_modules() for found in contract_violations(module)] == []


def test_pure_rooms_stay_pure():
    """No I/O, no clock, no randomness of their own."""
    assert [found for module in source_modules() for found in purity_violations(module)] == []


def test_no_loop_runs_over_a_set():
    """Same seed, same bytes, with any hash seed."""
    assert [found for module in source_modules() for found in set_violations(module)] == []


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (contract_violations, "from tidings.simulation import simulate"),
        (contract_violations, "def f():\n    import tidings.node.broker"),
        (contract_violations, "from tidings import cli"),
        (contract_violations, "from . import tree"),
        (purity_violations, "import time"),
        (purity_violations, "from os import path"),
        (purity_violations, "import numpy as np\nx = np.random.default_rng()"),
        (purity_violations, "import datetime\nx = datetime.datetime.now()"),
        (purity_violations, "def f():\n    open('x')"),
        (set_violations, "for x in {1, 2}: pass"),
        (set_violations, "y = [x for x in set(z)]"),
    ],
)
def test_the_checks_can_fail(check, text):
    """Each check finds what it is there for."""
    assert list(check(Module("sample.py", "routing", text)))


def test_the_checks_let_good_code_pass():
    """A pure room may import the rooms above it and be handed a generator."""
    text = "import numpy as np\nfrom tidings.vocabulary import event\ndef f(r: np.random.Generator): return sorted({1})"
    module = Module("sample.py", "routing", text)
    assert not [*contract_violations(module), *purity_violations(module), *set_violations(module)]
