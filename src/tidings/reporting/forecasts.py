"""What each subscriber was to get: predicted from the scenario beside the logs, or read from a table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from tidings.analysis import predict
from tidings.errors import InputError, TidingsError
from tidings.logs import Folder
from tidings.scenario import World, expand, load_scenario

SUBSCRIBERS_MAX: Final = 20_000
"""Worlds with more are not predicted on the way: that takes longer than judging them."""


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """Predicted reliabilities by subscriber; none, and `refused`, where nobody can say."""

    reliability: Mapping[str, float] = field(default_factory=dict)
    source: str
    refused: str | None = None


def world_of(folder: Folder) -> World:
    """The world that a run was made of; InputError or another error of ours where its scenario cannot be read."""
    return expand(load_scenario(folder.path / "scenario.toml"))


def forecast_of(folder: Folder, *, subscribers_max: int = SUBSCRIBERS_MAX) -> Forecast:
    """What `predict` says of the scenario that a run was made of, or why it does not."""
    source = "its own scenario"
    try:
        world = world_of(folder)
        if len(world.subscribers) > subscribers_max:
            raise InputError(
                f"{folder.path}: {len(world.subscribers):,} subscribers are not predicted on the way; "
                "tidings predict --table FILE, then --predicted FILE"
            )
        found = predict(world).subscribers
    except TidingsError as error:
        return Forecast(source=source, refused=str(error))
    return Forecast(reliability={name: one.reliability for name, one in found.items()}, source=source)


def read_forecast(path: Path) -> Forecast:
    """The table that `tidings predict --table` wrote."""
    try:
        table = pq.read_table(path, columns=["subscriber", "reliability"])
    except FileNotFoundError:
        raise InputError(f"{path}: is not there; tidings predict SCENARIO --table FILE writes it") from None
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path}: is no table of predictions ({reason}); tidings predict --table writes one") from None
    names, shares = (table.column(name).to_pylist() for name in ("subscriber", "reliability"))
    if not all(isinstance(one, str) for one in names) or not all(_is_share(one) for one in shares):
        raise InputError(f"{path}: holds names or shares that are none; tidings predict --table writes it")
    return Forecast(reliability=dict(zip(names, shares, strict=True)), source=path.name)


def _is_share(value: object) -> bool:
    return isinstance(value, float) and 0.0 <= value <= 1.0
