"""Scenarios to begin with: small, commented files that come with the package."""

from importlib.resources import files
from typing import Final

from tidings.errors import InputError
from tidings.scenario.schema import unknown

_SUFFIX: Final = ".toml"


def template_names() -> tuple[str, ...]:
    """The names of all templates, sorted."""
    names = (entry.name for entry in (files("tidings.scenario") / "templates").iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)))


def template_text(name: str) -> str:
    """The text of a scenario file; InputError, with the nearest name, when there is no such template."""
    names = dict.fromkeys(template_names())
    if name not in names:
        raise InputError(f"{name}: {unknown('template', name, names)}")
    return (files("tidings.scenario") / "templates" / f"{name}{_SUFFIX}").read_text(encoding="utf-8")
