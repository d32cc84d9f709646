"""`tidings market`: days of a made market, to try things out on."""

from pathlib import Path
from typing import Annotated, Final

import typer

from tidings.cli.console import print_json, print_table, progress

EXAMPLE: Final = "tidings market --days 2 --out market"


def market(
    out: Annotated[Path, typer.Option(help="Folder to write, new or empty.")],
    symbols: Annotated[int, typer.Option(help="How many symbols are traded.")] = 300,
    days: Annotated[int, typer.Option(help="How many days; each has a file.")] = 2,
    trades: Annotated[int, typer.Option(help="Trades on a day, roughly.")] = 200_000,
    seed: Annotated[int, typer.Option(min=0, help="Decides every draw: the same seed, the same files.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Make days of trading: busy at open and close, clusters of every size, shocks, prices and rates that drift."""
    from tidings.market.writing import MarketOptions, write_market

    options = MarketOptions(symbols=symbols, days=days, trades=trades, seed=seed)
    with progress("market", quiet=quiet) as show:
        document = write_market(out, options, show)
    if as_json:
        print_json(document)
    else:
        print_table(f"{out}: {symbols:,} symbols", ("file", "trades"), list(document["files"].items()))
