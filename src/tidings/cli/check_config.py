"""`tidings check-config`: reads a broker's config as the broker would, and says what it means."""

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tidings.cli.console import print_json, print_text

EXAMPLE: Final = "tidings check-config broker.toml"


def check_config(
    config: Annotated[Path, typer.Argument(help="A broker's config file.")],
    insecure: Annotated[bool, typer.Option("--insecure", help="As `tidings broker --insecure` would read it.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Check a config and every file that it names, and print it with all defaults; secrets are not in it."""
    import msgspec

    from tidings.runtime.config import load_config
    from tidings.runtime.furnishing import configured_options

    settings = load_config(config, insecure=insecure)
    configured_options(settings, insecure=insecure)
    effective: dict[str, Any] = msgspec.to_builtins(settings.config)
    document = {"file": str(config), "config": effective, "users": sorted(settings.accounts)}
    if as_json:
        print_json(document)
        return
    rows = [*_rows("", effective), ("users named", ", ".join(document["users"]) or "none")]
    print_text(f"{config}: a broker would start with it\n" + "".join(f"  {key} = {value}\n" for key, value in rows))


def _rows(prefix: str, value: object) -> list[tuple[str, object]]:
    if isinstance(value, dict):
        return [row for key, one in value.items() for row in _rows(f"{prefix}.{key}" if prefix else key, one)]
    if isinstance(value, list | tuple) and value and isinstance(value[0], dict):
        return [row for place, one in enumerate(value) for row in _rows(f"{prefix}[{place}]", one)]
    return [(prefix, value)]
