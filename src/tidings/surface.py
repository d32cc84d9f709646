"""What `import tidings` offers: the version, and the functions that most programs need.

The functions are looked up when they are first used (PEP 562), so that `import tidings` costs next to nothing while
`tidings.simulate` still works without further imports.
"""

from importlib import import_module
from typing import Any, Final

from tidings.version import __version__

__all__ = ["HOMES", "__dir__", "__getattr__", "__version__"]

HOMES: Final = {
    "admit": "tidings.analysis",
    "audit": "tidings.checking",
    "connect": "tidings.client",
    "expand": "tidings.scenario",
    "load_scenario": "tidings.scenario",
    "place": "tidings.analysis",
    "plan": "tidings.analysis",
    "predict": "tidings.analysis",
    "simulate": "tidings.simulation",
}
"""The room where each public function lives."""


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'tidings' has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*HOMES, "__version__"])
