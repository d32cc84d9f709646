"""What `import tidings` offers."""

import subprocess
import sys
from importlib import import_module

import pytest

import tidings
from tidings import surface


def test_every_public_name_is_there():
    """Each function is the one of its room."""
    for name, home in surface.HOMES.items():
        assert getattr(tidings, name) is getattr(import_module(home), name)
    assert dir(tidings) == sorted([*surface.HOMES, "__version__"])
    assert {*dir(tidings), "__dir__", "__getattr__"} == set(tidings.__all__)


def test_an_unknown_name_is_an_attribute_error():
    """As with any module."""
    with pytest.raises(AttributeError, match="module 'tidings' has no attribute 'nonsense'"):
        surface.__getattr__("nonsense")
    assert not hasattr(tidings, "nonsense")


def test_importing_it_costs_next_to_nothing():
    """No other library is loaded before a function is used."""
    text = "import sys; before = set(sys.modules); import tidings; print(sorted(set(sys.modules) - before))"
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    heavy = ("numpy", "pyarrow", "scipy", "numba", "msgspec", "typer", "rich")
    assert not [one for one in heavy if f"'{one}'" in ended.stdout]
