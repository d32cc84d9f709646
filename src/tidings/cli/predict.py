"""`tidings predict`: what each subscriber will get, before anything runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tidings.cli.console import PROMISE_BROKEN, note, print_json, print_table, print_text
from tidings.cli.subscribers import grouped
from tidings.errors import InputError, WorldError

if TYPE_CHECKING:
    from tidings.analysis.forecast import Prediction

EXAMPLE: Final = "tidings predict load.toml --table forecast.parquet"
_BAR: Final = 24
_ENOUGH_BROKERS: Final = 10


def predict(
    scenario: Annotated[Path, typer.Argument(help="A scenario file.")],
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of the scenario's seed.")] = None,
    mode: Annotated[
        str, typer.Option(help="distribution: delays as distributions. mean: mean waits added, as in the thesis.")
    ] = "distribution",
    skew: Annotated[
        float, typer.Option(min=0.0, help="How badly publishers are known: content weights to this power.")
    ] = 1.0,
    table: Annotated[Path | None, typer.Option(help="Parquet file to write, a row for each subscriber.")] = None,
    allow_files: Annotated[bool, typer.Option("--allow-files", help="Let the scenario name files anywhere.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Predict a scenario without running it. Exit code 1 when a `requires` is not met or something is overloaded."""
    from tidings.analysis.predicting import MODES, PredictOptions
    from tidings.analysis.predicting import predict as predict_world
    from tidings.scenario import expand, load_scenario

    if mode not in MODES:
        raise InputError(f"--mode: there is no {mode}; there are {', '.join(MODES)}")
    world = expand(load_scenario(scenario, allow_files=allow_files), seed=seed)
    found = predict_world(world, PredictOptions(mode=mode, skew=skew))
    if table is not None:
        _write_table(found, table)
    if as_json:
        print_json(found.to_json())
    else:
        print_prediction(world.name, found)
    if not found.holds:
        raise typer.Exit(PROMISE_BROKEN)


def print_prediction(title: str, found: "Prediction") -> None:
    """For people: a bar for each group of subscribers, the busiest brokers, what is wrong, what was assumed."""
    print_text(f"{title}: reliability predicted for {len(found.subscribers):,} subscribers\n")
    entries = {name: {"reliability": one.reliability, "rate": one.rate} for name, one in found.subscribers.items()}
    groups = grouped(entries)
    width = max((len(name) for name in groups), default=0)
    print_text("".join(_bar(name, members, width) for name, members in list(groups.items())[: _ENOUGH_BROKERS * 4]))
    brokers = sorted(found.brokers.items(), key=lambda item: -item[1].load)
    if any(one.load > 0 for _, one in brokers):
        columns = ("broker", "load", "wait (s)", "events/s", "method")
        rows = [(name, one.load, one.wait_mean_s, one.rate, one.method) for name, one in brokers[:_ENOUGH_BROKERS]]
        print_table("busiest brokers", columns, [[_infinite(cell) for cell in row] for row in rows])
    for name in found.overloaded:
        print_text(f"OVERLOADED: {name}\n")
    if found.unmet:
        print_text(f"NOT MET: {len(found.unmet)} subscribers require more than they get, {found.unmet[0]} for one\n")
    print_text("".join(f"assumed: {sentence}\n" for sentence in found.assumptions))


def _infinite(cell: object) -> object:
    return "∞" if cell == float("inf") else cell


def _bar(name: str, members: Sequence[Mapping[str, float]], width: int) -> str:
    shares = [member["reliability"] for member in members]
    weights = [member["rate"] for member in members]
    total = sum(weights)
    share = sum(s * w for s, w in zip(shares, weights, strict=True)) / total if total else 1.0
    filled = round(share * _BAR)
    count = f"  {len(members):,}, worst {min(shares):.4f}" if len(members) > 1 else ""
    return f"  {name:<{width}}  {'█' * filled}{'·' * (_BAR - filled)} {share:.4f}{count}\n"


def _write_table(found: "Prediction", path: Path) -> None:
    import pyarrow.parquet as pq

    try:
        pq.write_table(found.table(), path)
    except OSError as problem:
        raise WorldError(f"--table {path}: cannot be written ({problem.strerror or problem})") from None
    note(f"{path} written")
