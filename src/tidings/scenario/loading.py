"""From a scenario file to a `Scenario`: TOML, then the schema, then the rules between keys."""

import tomllib
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from tidings.errors import ScenarioError
from tidings.scenario.changes import changed
from tidings.scenario.document import Scenario
from tidings.scenario.filters import check_filters
from tidings.scenario.schema import read_table
from tidings.scenario.source import Place, Source, read_scenario_text


def load_scenario(
    path: Path | str, *, allow_files: bool = False, changes: Mapping[str, object] | None = None
) -> Scenario:
    """Read and check a scenario file; nothing is drawn yet.

    Args:
        path: a TOML file, at most 16 MiB.
        allow_files: lets the scenario name files that do not lie beside it or below.
        changes: values by key, such as `overlay.link.loss`, that take the place of what the file says.

    Raises:
        ScenarioError: for everything that the file says wrongly; it names file, key, value and what would be right.
        WorldError: when the file cannot be read for reasons of the system.
    """
    source = Source(Path(path), allow_files)
    top = Place(source)
    scenario = read_table(
        Scenario, changed(_parse(read_scenario_text(source.path), source), changes or {}), top, source=source
    )
    check_filters(scenario)
    return scenario


def _parse(text: str, source: Source) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ScenarioError(str(source.path), "(TOML)", _line_of(text, problem), f"{problem}") from None
    except RecursionError:
        raise ScenarioError(str(source.path), "(TOML)", "…", "is nested too deeply; a few levels are enough") from None


def _line_of(text: str, problem: tomllib.TOMLDecodeError) -> str:
    """The line that the parser complains about, as far as its message says which."""
    words = str(problem).replace(",", " ").replace(")", " ").split()
    lines = text.splitlines()
    for before, word in pairwise(words):
        if before == "line" and word.isdecimal() and 1 <= int(word) <= len(lines):
            return lines[int(word) - 1].strip()
    return lines[-1].strip() if lines else ""
