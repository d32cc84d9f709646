"""The map of the house as data, and the source files as syntax trees. All architecture tests read from here."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "tidings"
TESTS = ROOT / "tests"

ROOMS: dict[str, tuple[str, ...]] = {
    "errors": (),
    "version": (),
    "processes": ("errors",),
    "plots": (),
    "vocabulary": ("errors",),
    "logs": ("errors", "vocabulary"),
    "checking": ("errors", "vocabulary", "logs"),
    "matching": ("errors", "vocabulary"),
    "routing": ("errors", "vocabulary", "matching"),
    "ordering": ("errors", "vocabulary"),
    "sequencing": ("errors", "vocabulary", "ordering"),
    "delivery": ("errors", "vocabulary"),
    "node": ("errors", "vocabulary", "matching", "routing", "ordering", "sequencing", "delivery"),
    "wire": ("errors", "vocabulary"),
    "scenario": ("errors", "vocabulary", "routing"),
    "analysis": ("errors", "vocabulary", "matching", "routing", "ordering", "scenario"),
    "simulation": (
        "errors",
        "version",
        "vocabulary",
        "logs",
        "matching",
        "routing",
        "ordering",
        "sequencing",
        "delivery",
        "node",
        "scenario",
    ),
    "mqtt": ("errors", "vocabulary", "matching", "wire"),
    "mqtt_client": ("errors", "vocabulary", "wire", "mqtt"),
    "runtime": ("errors", "version", "vocabulary", "matching", "routing", "delivery", "node", "wire", "mqtt"),
    "client": ("errors", "vocabulary", "wire", "mqtt_client", "runtime"),
    "pipeline": ("errors", "vocabulary", "logs", "checking", "matching", "scenario", "simulation"),
    "profiling": ("errors", "version", "vocabulary", "logs", "scenario", "simulation", "pipeline"),
    "market": ("errors", "vocabulary", "logs"),
    "demo": ("errors", "vocabulary"),
    "reporting": ("errors", "plots", "vocabulary", "logs", "checking", "scenario", "analysis"),
    "sweeping": ("errors", "version", "processes", "vocabulary", "logs", "checking", "scenario", "simulation"),
    "explaining": ("errors", "vocabulary", "logs", "checking", "scenario"),
    "surface": ("errors", "version", "analysis", "checking", "client", "scenario", "simulation"),
    "studies": (
        "errors",
        "processes",
        "plots",
        "vocabulary",
        "logs",
        "checking",
        "matching",
        "routing",
        "ordering",
        "scenario",
        "simulation",
        "analysis",
        "market",
    ),
    "cli": (
        "errors",
        "version",
        "processes",
        "vocabulary",
        "logs",
        "checking",
        "scenario",
        "simulation",
        "analysis",
        "pipeline",
        "profiling",
        "market",
        "demo",
        "reporting",
        "sweeping",
        "explaining",
        "surface",
        "studies",
        "mqtt",
        "runtime",
        "client",
    ),
}
"""Each room and the rooms that it may import, besides itself. ARCHITECTURE.md shows the same table."""

PURE = (
    "vocabulary",
    "checking",
    "matching",
    "routing",
    "ordering",
    "sequencing",
    "delivery",
    "node",
    "wire",
    "mqtt",
    "mqtt_client",
    "analysis",
)
"""Rooms that neither do I/O nor know what time it is."""

CLASS_DEPTH_MAX = 2
FUNCTION_LINES_MAX = 60
MODULE_LINES_MAX = 400
SILENCED_MAX = {"noqa": 13, "type: ignore": 12, "pragma: no cover": 6}
"""How many exceptions there are. Lower these when some go; never raise them without a reason in the commit."""


@dataclass(frozen=True)
class Module:
    """One source file. `room` is the folder below `tidings`, or the file's own name beside them."""

    name: str
    room: str
    text: str

    @property
    def tree(self) -> ast.Module:
        """The syntax tree, by the grammar of the oldest Python that we run on."""
        return ast.parse(self.text, filename=self.name, feature_version=(3, 11))

    @property
    def is_init(self) -> bool:
        """True for the file that says what a room is."""
        return self.name.endswith("__init__.py")


@cache
def source_modules() -> tuple[Module, ...]:
    """Every module of the package, in the order of their names."""
    return tuple(_module(path) for path in sorted(SOURCE.rglob("*.py")))


@cache
def all_python() -> tuple[Module, ...]:
    """Every Python file of the project, tests and benchmarks included."""
    return tuple(_module(path) for path in project_files() if path.suffix == ".py")


@cache
def project_files() -> tuple[Path, ...]:
    """Every text file that belongs to the project: what a clone holds, and nothing that a tool made."""
    folders = [ROOT / name for name in ("src", "tests", "docs", "benchmarks", "examples", ".ci")]
    made = re.compile(r"__pycache__|\.\w*_cache")
    inside = [path for folder in folders for path in folder.rglob("*") if not any(map(made.match, path.parts))]
    beside = [path for path in ROOT.iterdir() if not path.name.startswith((".coverage", ".git"))]
    beside.append(ROOT / ".gitignore")
    binary = (".parquet", ".png", ".pyc")
    return tuple(sorted(path for path in [*inside, *beside] if path.is_file() and path.suffix not in binary))


def imported_rooms(module: Module) -> Iterator[tuple[int, str]]:
    """Line and room of every import of our own package, wherever in the file it stands."""
    for node in ast.walk(module.tree):
        for line, name in _imports(node):
            parts = name.split(".")
            if parts[0] == "tidings":
                yield line, parts[1] if len(parts) > 1 else "tidings"


def imported_modules(module: Module) -> Iterator[tuple[int, str]]:
    """Line and first part of every imported name, ours or not."""
    for node in ast.walk(module.tree):
        for line, name in _imports(node):
            yield line, name.split(".")[0]


def _imports(node: ast.AST) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield node.lineno, alias.name
    elif isinstance(node, ast.ImportFrom):
        base = "." * node.level + (node.module or "")
        if base == "tidings":
            for alias in node.names:
                yield node.lineno, f"tidings.{alias.name}"
        else:
            yield node.lineno, base


def _module(path: Path) -> Module:
    inside = path.relative_to(SOURCE) if path.is_relative_to(SOURCE) else None
    room = "" if inside is None else inside.parts[0].removesuffix(".py")
    return Module(path.relative_to(ROOT).as_posix(), room, path.read_text("utf-8"))
